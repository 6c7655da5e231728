"""Measures the hosts and writes docs/hosts.md: `make hosts`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from tests.release.hosts import table
from tests.release.hosts.matrix import HOSTS
from tests.release.hosts.outcomes import EVERY, compile_naps
from tests.release.hosts.table import Wanted, measured, with_earlier


def options(words: list[str]) -> Namespace:
    """All hosts and the full counts, unless less is asked for."""
    parser = ArgumentParser(prog="make hosts", description=__doc__)
    names = [host.name for host in HOSTS]
    parser.add_argument("--hosts", nargs="*", choices=names, default=names, metavar="HOST", help=", ".join(names))
    parser.add_argument("--runs", type=int, default=100, help="of the race, at each load (default: %(default)s)")
    parser.add_argument("--loads", type=int, nargs="*", default=[0, 2, 6], help="busy programs (default: 0 2 6)")
    parser.add_argument("--busy", type=int, default=0, help="of them, those that this computer runs already")
    parser.add_argument("--every", choices=("yes", "no"), default="yes", help="all trials of all experiments")
    parser.add_argument("--kinds", choices=("yes", "no"), default="yes", help="a trial of every kind")
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    """A row after the other; the page is written after each. 1 if one differs or fails."""
    asked = options(words)
    parts = [part for part in ("kinds", EVERY) if getattr(asked, part) == "yes"]
    wanted, all_equal = Wanted(asked.runs, asked.loads, parts, asked.busy), True
    compile_naps()
    for host in HOSTS:
        if host.name in asked.hosts:
            row = with_earlier(measured(host, wanted, lambda said: print(said, flush=True)))
            print(row.line(), flush=True)
            table.write([row])
            all_equal &= row.equal or not row.ran
    return 0 if all_equal else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
