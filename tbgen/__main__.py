"""`python -m tbgen`."""

import sys

from tbgen.cli.main import main

sys.exit(main())
