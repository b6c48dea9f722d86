"""Tests that a builder runs once: a walk along the parts, the test fixture, the carrier board."""
