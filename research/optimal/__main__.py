"""The report on best moves: see `research/run optimal --help`."""

import sys

from research.command import run_reports
from research.optimal.report import EPILOG, REPORTS

sys.exit(run_reports("optimal", REPORTS, EPILOG))
