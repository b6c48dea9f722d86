"""Button pods (boxes of buttons on a serial line): frames, and the host's end of the link."""
