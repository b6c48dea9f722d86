"""The page: the table on a screen, live."""
