"""Parts of the running device outside the core: live loop, guards, outputs, page."""
