"""The phases that every game shares, a file each: what a press means there, and where it leads."""
