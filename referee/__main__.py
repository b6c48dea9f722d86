"""`python -m referee` is the command `referee`."""

import sys

from referee.cli import main

sys.exit(main())
