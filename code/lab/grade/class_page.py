"""class.html: one page for a whole class, to open from disk; it loads no other file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

from lab.grade.course import Graded
from lab.grade.likeness import Likeness
from lab.grade.result import SHOWN_FINDINGS
from lab.grade.saved import SENTENCES, SavedCheck
from lab.harmless import one_line

STYLE = """body{font:15px sans-serif;margin:2em;max-width:75em}table{border-collapse:collapse}
div{overflow-x:auto;max-width:calc(100vw - 4em)}.flag{background:#fc6}
td,th{border:1px solid #bbb;padding:.25em .6em;text-align:left}td.n{text-align:right}
th{cursor:pointer;background:#eee}.failed{background:#fdd}.error{background:#fe9}.waiting{background:#eee}
pre{white-space:pre-wrap;background:#f6f6f6;padding:.6em}a{color:inherit}"""
FLAGGED = ' class="flag"'
# A click on a head sorts by its column, numbers as numbers; a second click turns the order round.
SCRIPT = """document.querySelectorAll("th").forEach(function (head) {
  head.addEventListener("click", function () {
    var body = head.closest("table").tBodies[0], place = head.cellIndex;
    var turn = head.dataset.turn === "1" ? -1 : 1;
    head.dataset.turn = turn;
    Array.from(body.rows).sort(function (a, b) {
      var one = a.cells[place].textContent.trim(), other = b.cells[place].textContent.trim();
      return turn * (isNaN(one) || isNaN(other) ? one.localeCompare(other) : one - other);
    }).forEach(function (row) { body.appendChild(row); });
  });
});"""


@dataclass(frozen=True)
class ClassPage:
    """All that the page says of a class."""

    title: str
    checks: tuple[str, ...]  # of its assignments
    rows: list[Graded]
    causes: Mapping[str, list[str]]
    twice: Mapping[str, list[str]]  # ids in several hand-ins
    alike: list[Likeness]


def class_page(page: ClassPage) -> str:
    """The table; its cells link to the evidence below."""
    heads = ["hand-in", "to know first", "ids", "points", *page.checks]
    parts = [
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{text(page.title)}</title>',
        f"<style>{STYLE}</style></head><body><h1>{text(page.title)}</h1>",
        _table(heads, [_row(each, page) for each in page.rows]),
        "<h2>Faults, by cause</h2>",
        _table(["fault", "hand-ins", "which"], [_group(*each) for each in page.causes.items()]),
        "<h2>One id, several hand-ins</h2>",
        _table(["id", "hand-ins", "which"], [_group(*each) for each in page.twice.items()]),
        "<h2>Alike, for a person to look at</h2>",
        _table(["one", "other", "words shared", "records shared"], [_alike(each) for each in page.alike]),
        "<h2>Evidence</h2>",
        *(part for each in page.rows for part in _evidence(each)),
        f"<script>{SCRIPT}</script></body></html>\n",
    ]
    return "\n".join(parts)


def text(value: str) -> str:
    """A stranger's text as HTML: no tag, and nothing that turns or ends a line."""
    return escape(one_line(value), quote=True)


def same_id(name: str) -> str:
    """An id as two people would type the same one."""
    return " ".join(name.split()).casefold()


def anchor(submission: str, check: str = "") -> str:
    """The anchor of the evidence of a hand-in, or of one of its checks."""
    return text(f"{submission}:{check}" if check else submission)


def _table(heads: list[str], rows: list[str]) -> str:
    head = "".join(f"<th>{text(each)}</th>" for each in heads)
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    return f"<div><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>"


def _row(each: Graded, page: ClassPage) -> str:
    made = {check.name: check for check in each.grade.checks}
    cells = [_cell(each.submission, made[name]) if name in made else "<td></td>" for name in page.checks]
    name = f'<td><a href="#{anchor(each.submission)}">{text(each.submission)}</a></td>'
    points = each.points if each.folder else ""
    return f'{name}{_first(each, page)}<td>{text(each.ids)}</td><td class="n">{points}</td>{"".join(cells)}'


def _cell(submission: str, check: SavedCheck) -> str:
    link = f'<a href="#{anchor(submission, check.name)}">{check.points if check.most else check.status.value}</a>'
    return f'<td class="n {check.status.value}" title="{check.status.value}">{link}</td>'


def _first(each: Graded, page: ClassPage) -> str:
    """What a grader must know before the points."""
    again = {same_id(name): len(page.twice[same_id(name)]) for name in each.grade.ids if same_id(name) in page.twice}
    said = [*each.grade.flags, *(f"the id {name} stands in {count} hand-ins" for name, count in again.items())]
    said += [each.trouble] if each.trouble else []
    return f"<td{FLAGGED if said else ''}>{text('; '.join(said))}</td>"


def _group(kind: str, submissions: list[str]) -> str:
    return f'<td>{text(kind)}</td><td class="n">{len(submissions)}</td><td>{text(", ".join(submissions))}</td>'


def _alike(each: Likeness) -> str:
    numbers = f'<td class="n">{each.words:.2f}</td><td class="n">{each.records}</td>'
    return f"<td>{text(each.first)}</td><td>{text(each.second)}</td>{numbers}"


def _evidence(each: Graded) -> Iterator[str]:
    kept = f", kept in {text(str(Path(each.folder)))}" if each.folder else ""
    yield f'<h3 id="{anchor(each.submission)}">{text(each.submission)}{kept}</h3>'
    if each.folder and (each.folder / SENTENCES).is_file():
        page = f"{each.folder.parent.name}/{each.folder.name}/{SENTENCES}"  # seen from the class's page
        yield f'<p><a href="{text(page)}">the discussion, sentence by sentence</a></p>'
    for said in filter(None, (*each.grade.flags, each.trouble, each.grade.note)):
        yield f"<pre>{text(said)}</pre>"
    for check in each.grade.checks:
        head = f"{check.name}: {check.status.value}{f', {check.points} of {check.most}' if check.most else ''}"
        yield f'<h4 id="{anchor(each.submission, check.name)}">{text(head)}</h4><pre>{_findings(check)}</pre>'


def _findings(check: SavedCheck) -> str:
    """The first of them, and the command that repeats the check."""
    found = [f"[{each.kind}] {each.what}" for each in check.findings[:SHOWN_FINDINGS]]
    more = len(check.findings) - len(found)
    ending = [*([f"and {more} more"] if more else []), f"to repeat: {check.command}"]
    return "\n".join(map(text, [*map(str, check.parts), *(found or ["nothing found"]), *ending]))
