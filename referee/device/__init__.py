"""The process at the table: live loop, guards, outputs, rights of phones, children."""
