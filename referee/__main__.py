"""The command `referee`, also `python -m referee`.

Until `main` runs, Ctrl-C ends it silently.
"""

import signal
import sys

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from referee.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
