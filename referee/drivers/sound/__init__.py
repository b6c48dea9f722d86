"""The piezo: each cue's motif, and the thread that plays it."""
