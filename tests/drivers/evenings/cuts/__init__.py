"""Power cuts at every kind of place: what was written to the disk is recorded, and rebuilt as a cut may leave it."""
