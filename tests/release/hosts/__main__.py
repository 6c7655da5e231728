"""Measures the hosts and writes docs/hosts.md: `make hosts`."""

import sys
from argparse import ArgumentParser

from tests.release.hosts import table
from tests.release.hosts.matrix import HOSTS
from tests.release.hosts.outcomes import EVERY, compile_naps

parser = ArgumentParser(prog="make hosts", description=__doc__)
names = [host.name for host in HOSTS]
parser.add_argument("--hosts", nargs="*", choices=names, default=names, metavar="HOST", help=", ".join(names))
parser.add_argument("--runs", type=int, default=100, help="of the race, at each load (default: %(default)s)")
parser.add_argument("--loads", type=int, nargs="*", default=[0, 2, 6], help="busy programs (default: 0 2 6)")
parser.add_argument("--every", choices=("yes", "no"), default="yes", help="all trials of all experiments")
parser.add_argument("--kinds", choices=("yes", "no"), default="yes", help="a trial of every kind")
options = parser.parse_args()
parts = [part for part in ("kinds", EVERY) if getattr(options, part) == "yes"]
compile_naps()
all_equal = True
for host in HOSTS:
    if host.name in options.hosts:
        row = table.measured(host, options.runs, options.loads, parts)
        print(row.line(), flush=True)
        table.write([row])
        all_equal &= not row.ran or not (row.why or row.difference)
sys.exit(not all_equal)
