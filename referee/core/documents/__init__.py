"""What others read: matches, records, traces, statistics."""
