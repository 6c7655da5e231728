"""The evidence in the page's text: each number and each mark of a statement opens what the data show."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from lab.model.sizes import format_size
from lab.report.evidence.record_sets import RecordSet, sets_of
from lab.report.query.judge import words
from lab.report.query.value import Point, StatementResult, Value
from lab.report.text.check import Backing


class Tips:
    """The evidence of a report by its numbers."""

    def __init__(self, backings: Sequence[Backing], sets: tuple[RecordSet, ...]) -> None:
        self.backings = {backing.number: backing for backing in backings}
        self.sets = sets

    def claim(self, number: str, shown: str) -> str:
        """A number that opens its query, interval, n and records."""
        backing = self.backings[number]
        assert backing.value
        return self._opens(
            number, shown, escape(f"{self.query(number)}: {words(backing.value)}{self._from(backing.value)}")
        )

    def query(self, number: str) -> str:
        """What a claim asks."""
        return " ".join(self.backings[number].use.body.split())

    def statement(self, number: str) -> str:
        """The mark of a statement, which opens what the data show and a link to its rows."""
        judged = self.backings[number].judged
        assert judged
        about = escape(f"{judged.text}: {judged.truth.value}. {judged.shows}{self._from(judged)}")
        about += f'; <a href="#evidence:{number}">size by size</a>'
        return f"<sup>{self._opens(number, number, about)}</sup>"

    def rows(self, number: str) -> str:
        """What a statement was judged by, size by size."""
        judged = self.backings[number].judged
        assert judged
        head = "<tr><th scope=col>size</th><th scope=col>value, interval</th><th scope=col>holds</th></tr>"
        body = "".join(map(_row, judged.points))
        return f"<details><summary>rows</summary><table><thead>{head}</thead><tbody>{body}</tbody></table></details>"

    def _opens(self, number: str, shown: str, about: str) -> str:
        """A button and what it opens: the browser does so without a script, and Escape closes it."""
        button = f'<button type="button" class="claim" popovertarget="tip{number}">{shown}</button>'
        return f'{button}<span popover id="tip{number}">{about}</span>'

    def _from(self, answer: Value | StatementResult) -> str:
        n = answer.n if isinstance(answer, StatementResult) else answer.estimate.n
        records = sets_of(answer.keys, self.sets)
        parts = (
            [f"n = {n}"] * bool(n)
            + [f"records {records}"] * bool(records)
            + [f"from {answer.source}"] * bool(answer.source)
        )
        return "".join(f"; {part}" for part in parts)


def _row(point: Point) -> str:
    size = format_size(point.size) if point.size else "all"
    cells = f'<td class="r">{escape(words(point.value))}</td><td>{point.truth.value}</td>'
    return f'<tr><th scope="row" class="r">{size}</th>{cells}</tr>'
