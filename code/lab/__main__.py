"""`python -m lab`, for programs that start the lab with their own Python."""

import sys

from lab.cli.main import main

sys.exit(main())
