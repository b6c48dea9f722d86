"""Simulated power cuts: the disk's writes are recorded, and rebuilt as a cut may leave them."""
