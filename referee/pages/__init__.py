"""Code for the pages of both a table and a hall: guards, escaping, languages, exports."""
