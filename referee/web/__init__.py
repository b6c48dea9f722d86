"""HTML, SVG and guards, for the pages of a table and of a hall."""
