"""The piezo: what each cue sounds like, and the thread that plays it."""
