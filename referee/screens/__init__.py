"""Pictures of the match: draw(view) gives a 1-bit image, one file a phase."""
