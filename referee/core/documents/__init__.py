"""Documents for other programs and people: match records, traces of presses, statistics."""
