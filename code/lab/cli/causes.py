"""The command `lab causes`: where the instructions of a message go, by function, as `perf report` prints it."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path

from lab.causes.classes import WAITING
from lab.causes.count import Profiler, windows
from lab.causes.share import Share
from lab.causes.table import FOLDER, FUNCTIONS, file_of, format_classes, format_functions, rows
from lab.causes.window import Window
from lab.errors import SpecError
from lab.files.storage import write_text
from lab.model.sizes import format_size, parse_sizes
from lab.places import REFERENCE, from_here
from lab.plan.plan import Plan
from lab.plan.workshop import open_workshop
from lab.sites.profiled import ProfiledSite, open_profiled

NS_PER_US = 1000


def causes(options: Namespace) -> int:
    """Count each window, print its largest functions, and write both tables."""
    site = open_profiled()
    for plan in open_workshop(options.experiment, site, _tell).plans:
        shares = list(_shares(site, _windows(plan, options), options.top))
        name, out = plan.experiment.name, options.out or options.results
        _write(out / FOLDER / FUNCTIONS.format(name), format_functions(shares))
        _write(file_of(name, out), format_classes(rows(shares)))
        if options.reference:
            _write(file_of(name, REFERENCE), format_classes(rows(shares)))
    return 0


def _write(file: Path, text: str) -> None:
    write_text(file, text)
    print(f"{from_here(file)}: {len(text.splitlines()) - 1} rows")


def _windows(plan: Plan, options: Namespace) -> list[Window]:
    asked = plan.experiment.causes
    series = options.series or (asked.series if asked else ())
    sizes = parse_sizes(options.sizes) if options.sizes else asked.sizes if asked else ()
    if not series or not sizes:
        what = f"{plan.experiment.name} does not say which series and sizes to count"
        raise SpecError(what, file=plan.experiment.file, hint="--series NAME --sizes 1,4K, or a table [causes]")
    return windows(plan, series, sizes)


def _shares(site: ProfiledSite, wanted: Iterable[Window], top: int) -> Iterator[Share]:
    counter = Profiler(site)
    for window in wanted:
        for share in counter.shares(window):
            print("\n".join(lines(share, top)), end="\n\n", flush=True)
            yield share


def lines(share: Share, top: int) -> Iterator[str]:
    """One end's share for people: kinds of work, then the functions that executed most."""
    each = share.instructions / share.messages
    place = f"{share.series}, {format_size(share.size_bytes)}, {share.end}"
    time = f"{share.time_ns / share.messages / NS_PER_US:.2f} us a message, {share.messages} messages"
    yield f"{place}: {each:,.1f} instructions a message ({time})"
    for name, number in share.classes().most_common():
        if name != WAITING:
            yield _line(share, number, name)
    yield ""
    for (owner, name), number in share.functions.most_common(top):
        yield _line(share, number, f"{owner:<20} {name}")


def _line(share: Share, number: int, words: str) -> str:
    return f"{number / (share.instructions or 1):>8.2%} {number / share.messages:>12,.1f}  {words}"


def _tell(line: str) -> None:
    print(line, file=sys.stderr)
