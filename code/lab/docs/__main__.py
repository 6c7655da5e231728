"""`python -m lab.docs` writes the generated pages; with --check it names those that are stale."""

import sys

from lab.docs.pages import stale, write

if sys.argv[1:] == ["--check"]:
    sys.exit("\n".join(f"{page}: differs from what the code makes (try: make docs)" for page in stale()) or 0)
write()
