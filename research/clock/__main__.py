"""The reports on the 50-move rule: see `research/run clock --help`."""

import sys

from research.clock.report import EPILOG, REPORTS
from research.command import run_reports

sys.exit(run_reports("clock", REPORTS, EPILOG))
