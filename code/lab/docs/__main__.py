"""`python -m lab.docs` writes the pages that are made from the code; with --check it says which are stale."""

from __future__ import annotations

import sys

from lab.docs.pages import stale, write

if sys.argv[1:] == ["--check"]:
    sys.exit("\n".join(f"{page}: is not what the code says (try: make docs)" for page in stale()) or 0)
write()
