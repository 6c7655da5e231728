"""The command `lab fit-card`: the modelled card that is nearest to a measured curve, and its error at each size."""

from __future__ import annotations

import csv
import io
from argparse import Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

from lab.analysis.card_fit import Conditions, errors, fit
from lab.analysis.card_model import Rates
from lab.errors import SizeError, SpecError
from lab.files.typed_text import read_typed
from lab.model.sizes import format_size, parse_size
from lab.places import PUBLISHED
from lab.report.evidence.published_curves import published_curve

SIZE, RATE = "size_bytes", "bytes_per_s"
MB = 1e6


def fit_card(options: Namespace) -> int:
    """Fit, then print what an experiment's card would be told, and how far off it is."""
    curve = read_curve(options.curve)
    known = Conditions(float(options.rate_bit_s), options.mtu, _bytes(options.inline, "--inline"))
    found = fit(curve, known)
    print("\n".join((*parameters(found), "", *comparison(curve, found, known))))
    return 0


def read_curve(file: Path) -> dict[int, float]:
    """Bytes per second by size: a published report's file, or one with these two columns."""
    if file.resolve().parent == PUBLISHED and (known := published_curve(file.name)):
        return {size: rate.value for size, rate in zip(known.sizes, known.rates, strict=True)}
    rows = csv.DictReader(io.StringIO(read_typed(file, "experiments/published/verbs_a.csv")))
    return dict(_point(file, line, row) for line, row in enumerate(rows, 2))


def _point(file: Path, line: int, row: Mapping[str, str | None]) -> tuple[int, float]:
    try:
        size, rate = int(row[SIZE] or ""), float(row[RATE] or "")
    except (KeyError, ValueError):
        size, rate = 0, 0.0
    if size < 1 or not 0 < rate < float("inf"):
        raise SpecError("holds no point of a curve", file=file, line=line, expected=f"{SIZE} and {RATE} above 0")
    return size, rate


def _bytes(text: str, name: str) -> int:
    try:
        return parse_size(text) if text != "0" else 0
    except SizeError as error:
        raise SpecError(f"{name} {text!r:.40}: {error.what}", hint="--inline 1K") from error


def parameters(found: Rates) -> Iterator[str]:
    """The values for a card's file; nothing else of it follows from a curve of throughput."""
    yield f"rate_bit_s   {found.rate_bit_s:.0f} (given)"
    yield f"header_bytes {found.header_bytes:.0f}"
    yield f"gap_ps       {found.gap_ps:.0f}"
    yield f"block_ps     {found.block_ps:.0f}"


def comparison(curve: Mapping[int, float], found: Rates, known: Conditions) -> Iterator[str]:
    """All sizes, and two numbers for all of them."""
    off = errors(curve, found, known)
    yield f"{'bytes':>10} {'measured':>10} {'model':>10}  error"
    for size in sorted(curve):
        made = found.bytes_per_s(size, known.mtu, known.inline_most)
        yield f"{format_size(size):>10} {curve[size] / MB:>10.1f} {made / MB:>10.1f}  {off[size]:+.1%}"
    worst = max(off, key=lambda size: abs(off[size]))
    each = median(abs(error) for error in off.values())
    yield f"median error {each:.1%}, worst {off[worst]:+.1%} at {format_size(worst)} (rates in MB/s)"
