"""LaTeX tables as HTML tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lab.report.html.inline import Inline, value
from lab.report.html.reading import Node, arguments, kind, macro, source_of

RULES = frozenset({"toprule", "midrule", "bottomrule", "hline", "endhead", "endfoot", "endfirsthead", "addlinespace"})
MOST_ROWS, SHOWN_ROWS = 8, 5  # of a table in sight; from the first row to the last
_TIMES = re.compile(r"\*\{(\d+)\}\{([^{}]*)\}")
_NO_COLUMN = re.compile(r"@\{[^{}]*\}|[>!]\{[^{}]*\}|\{[^{}]*\}|[|\s]")
_NUMBER = re.compile(r"\\(?:(?:lab)?num\{(?P<bare>[^{}]*)\}|(?:qty|SI)\{(?P<number>[^{}]*)\}\{(?P<unit>[^{}]*)\})")


@dataclass
class Rows:
    """The rows of a table: those above its first rule are heads."""

    heads: list[list[list[Node]]] = field(default_factory=list)
    body: list[list[list[Node]]] = field(default_factory=list)


def table(node: Node, inline: Inline, name: str = "", *, is_folded: bool = False) -> str:
    """The table, labelled by its caption; where `is_folded`, a long one shows some rows and folds the whole."""
    columns, rows = alignments(source_of(arguments(node)[-1])), _rows(node.nodelist)
    whole = _written(rows, columns, inline, name)
    if not is_folded or len(rows.body) <= MOST_ROWS:
        return whole
    last = len(rows.body) - 1
    some = Rows(rows.heads, [rows.body[round(place * last / (SHOWN_ROWS - 1))] for place in range(SHOWN_ROWS)])
    about = f"all {len(rows.body)} rows"
    return f"{_written(some, columns, inline, name)}<details><summary>{about}</summary>{whole}</details>"


def _written(rows: Rows, columns: str, inline: Inline, name: str) -> str:
    labelled = f' aria-labelledby="{name}"' if name else ""
    heads = "".join(_head(row, columns, inline) for row in rows.heads)
    body = "\n".join(_line(row, columns, inline) for row in rows.body)
    return f'<div class="wide"><table{labelled}><thead>{heads}</thead><tbody>\n{body}\n</tbody></table></div>'


def alignments(spec: str) -> str:
    r"""`@{}l*{2}{r}L{9mm}@{}` as lrrl."""
    long = _TIMES.sub(lambda many: many[2] * int(many[1]), spec)
    return _NO_COLUMN.sub("", long).replace("L", "l").replace("p", "l")


def _rows(nodes: list[Node]) -> Rows:
    rows, row = Rows(), list[list[Node]]([[]])
    for node in nodes:
        if macro(node) == "\\":
            rows.body.append(row)
            row = [[]]
        elif macro(node) in RULES:
            if macro(node) in ("midrule", "hline") and rows.body and not rows.heads:
                rows.heads, rows.body = rows.body, []
        elif kind(node) == "Specials" and node.specials_chars == "&":
            row.append([])
        else:
            row[-1].append(node)
    if source_of([node for cell in row for node in cell]).strip():
        rows.body.append(row)
    return rows


def _head(row: list[list[Node]], columns: str, inline: Inline) -> str:
    """The heads of a row; a column without one has an empty cell, which names nothing."""
    written = ((inline.write(cell).strip(), side) for cell, side in _aligned(row, columns))
    cells = (f'<th scope="col" class="{side}">{words}</th>' if words else "<td></td>" for words, side in written)
    return f"<tr>{''.join(cells)}</tr>"


def _line(row: list[list[Node]], columns: str, inline: Inline) -> str:
    """A row; its first cell is its head, and each number has its value, by which the page sorts."""
    cells = []
    for place, (cell, side) in enumerate(_aligned(row, columns)):
        number = _NUMBER.search(source_of(cell))
        worth = value(number["bare"] or number["number"] or "", number["unit"] or "") if number else None
        sort = "" if worth is None else f' data-value="{worth!r}"'
        tag, scope = ("td", "") if place else ("th", ' scope="row"')
        cells.append(f'<{tag}{scope} class="{side}"{sort}>{inline.write(cell).strip()}</{tag}>')
    return f"<tr>{''.join(cells)}</tr>"


def _aligned(row: list[list[Node]], columns: str) -> Iterator[tuple[list[Node], str]]:
    for place, cell in enumerate(row):
        yield cell, columns[place : place + 1] or "l"
