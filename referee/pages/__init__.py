"""Code shared by the pages of a table and of a hall: guards, escaping, languages, files, exports."""
