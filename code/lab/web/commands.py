"""The command that writes the site."""

from __future__ import annotations

import sys
from argparse import Namespace

from lab.files.storage import write_bytes
from lab.places import ROOT, TEMPLATES, from_here
from lab.web.site import FRONT, REPORTS, site


def web(options: Namespace) -> int:
    """Write all of it; without reports there is no gallery, and a line says so."""
    made = site(ROOT, options.out, options.results, TEMPLATES)
    for name, content in made.items():
        write_bytes(options.folder / name, content)
    if REPORTS not in made:
        print(f"{from_here(options.out)}: holds no report, so the site has none (try: make all)", file=sys.stderr)
    print(f"{from_here(options.folder / FRONT)}: {len(made)} files, {sum(map(len, made.values())) / 1e6:.1f} MB")
    return 0
