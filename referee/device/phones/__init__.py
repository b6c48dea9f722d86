"""Rights of phones: pairing, requests, and phones as buttons."""
