"""Reports that answer a question of their own: see `research/run reports --help`."""

import sys

from research.command import run_reports
from research.reports.report import EPILOG, REPORTS

sys.exit(run_reports("reports", REPORTS, EPILOG))
