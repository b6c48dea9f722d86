"""The error for a missing drawing or checking program."""


class ToolMissingError(RuntimeError):
    """A program is missing or too old; the text says what to do."""
