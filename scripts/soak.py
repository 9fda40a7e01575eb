"""Where scripts/soak begins; what it does is in scripts/soaking."""

import sys

from soaking.main import main

if __name__ == "__main__":  # every process of the crew reads this file as well
    sys.exit(main())
