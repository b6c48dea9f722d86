"""Make N power cuts: `python -m tests.storage.evenings.cuts [--cuts N] [--rows N] [--seed S]`; status 1 on a fault."""

import argparse
import logging
import sys

from tests.storage.evenings.cuts.disk import campaign

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--cuts", type=int, default=2000)
parser.add_argument("--rows", type=int, default=120)
parser.add_argument("--seed", type=int, default=1)
given = parser.parse_args()
logging.disable(logging.CRITICAL)
sys.exit(1 if campaign(given.cuts, given.rows, given.seed) else 0)
