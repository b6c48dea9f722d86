"""The display: frames, the panel that takes them, the thread that sends them, and fakes of panel and bus."""
