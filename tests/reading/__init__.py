"""Pictures for people who have never seen the device (docs/reading.md): `python -m tests.reading --out DIR`."""
