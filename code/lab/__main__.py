"""`python -m lab`, for programs that start `lab` with their own Python."""

import sys

from lab.cli.main import main

sys.exit(main())
