"""What the pages of a table and of a hall share: guards, escaping, the reader's language, files, exports."""
