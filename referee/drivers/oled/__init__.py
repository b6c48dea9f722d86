"""The display: packed frames, the panel, the thread that draws, and fakes of panel and bus."""
