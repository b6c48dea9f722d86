"""The line between a process and its child: its messages, and how a child starts."""
