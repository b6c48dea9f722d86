"""Many hands, card by card and fast: two cores that play alike, what the hands come to, and pictures of it."""
