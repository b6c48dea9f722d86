"""Documents for other programs and people: matches, records, traces, statistics."""
