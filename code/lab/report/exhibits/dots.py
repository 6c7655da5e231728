"""A dot plot of latencies: the median of each series, and a line to its slowest hundredth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lab.figures import Dot, Dots
from lab.figures.drawers import dots as drawer
from lab.report.errors import ReportError
from lab.report.exhibits.core import Exhibits, look_of
from lab.report.exhibits.gallery import Sketch
from lab.report.query.value import Value
from lab.report.tex.escape import Markup

Group = tuple[str, Sequence[Sequence[str]]]  # a heading, and for each row its series, its name and its look


def dots(exhibits: Exhibits, name: str, caption: str, label: str, size: str, groups: Sequence[Group]) -> Markup:
    """The figure at one message size, without the series that the data lack and the headings that have no row."""
    answers = [(heading, list(_answers(exhibits, size, rows))) for heading, rows in groups]
    if not any(rows for _, rows in answers):
        raise ReportError(f"the data give no row of {name}", hint="lab query")
    keys = dict.fromkeys(key for _, rows in answers for _, value in rows for key in value.keys)
    drawn = tuple((heading, tuple(dot for dot, _ in rows)) for heading, rows in answers if rows)
    return exhibits.put(Sketch(name, caption, Dots(name, label, drawn, tuple(keys)), drawer))


def _answers(exhibits: Exhibits, size: str, rows: Sequence[Sequence[str]]) -> Iterator[tuple[Dot, Value]]:
    """A dot for each row that has data, with the answer that it shows."""
    for series, *words in rows:
        if exhibits.has(query := f"{series} at {size}"):
            value, slow = exhibits.numbers.ask(query), f"{series}.p99 at {size}"
            end = exhibits.numbers.ask(slow).estimate.value if exhibits.has(slow) else None
            yield Dot(words[0], value.estimate, end, look_of(words)), value
