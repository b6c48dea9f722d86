"""What is said when a program is missing that draws or checks."""


class ToolMissingError(RuntimeError):
    """A program is not there, or too old; the text says what to do."""
