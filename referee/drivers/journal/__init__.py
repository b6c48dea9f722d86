"""The journal: one SQLite file and what lies beside it; what is past, packed, exported, forgotten and rescued."""
