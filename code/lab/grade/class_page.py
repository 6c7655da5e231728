"""class.html: one page for a whole class, to open from disk; it loads no other file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from lab.grade.course import Graded
from lab.grade.fingerprint import Likeness

STYLE = """body{font:15px sans-serif;margin:2em;max-width:75em}table{border-collapse:collapse}
td,th{border:1px solid #bbb;padding:.25em .6em;text-align:left}td.n{text-align:right}
th{cursor:pointer;background:#eee}.failed{background:#fdd}.error{background:#fe9}.waiting{background:#eee}
pre{white-space:pre-wrap;background:#f6f6f6;padding:.6em}a{color:inherit}"""
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


def class_page(
    title: str, checks: Iterable[str], graded: list[Graded], causes: dict[str, list[str]], alike: list[Likeness]
) -> str:
    """The table; its cells link to the evidence below."""
    heads = ["hand-in", "ids", "points", *checks]
    parts = [
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
        f"<style>{STYLE}</style></head><body><h1>{escape(title)}</h1>",
        _table(heads, [_row(each, heads[3:]) for each in graded]),
        "<h2>Faults, by cause</h2>",
        _table(["fault", "hand-ins", "which"], [_cause(*each) for each in causes.items()]),
        "<h2>Alike, for a person to look at</h2>",
        _table(["one", "other", "words shared", "records shared"], [_alike(each) for each in alike]),
        "<h2>Evidence</h2>",
        *(part for each in graded for part in _evidence(each)),
        f"<script>{SCRIPT}</script></body></html>\n",
    ]
    return "\n".join(parts)


def anchor(submission: str, check: str = "") -> str:
    """The anchor of the evidence of a hand-in, or of one of its checks."""
    return escape(f"{submission}:{check}" if check else submission, quote=True)


def _table(heads: list[str], rows: list[str]) -> str:
    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>"


def _row(each: Graded, checks: list[str]) -> str:
    made = {check["name"]: check for check in each.grade.get("checks", ())}
    cells = [_cell(each.submission, name, made.get(name, {})) for name in checks]
    name = f'<td><a href="#{anchor(each.submission)}">{escape(each.submission)}</a></td>'
    return f'{name}<td>{escape(each.ids)}</td><td class="n">{each.points}</td>{"".join(cells)}'


def _cell(submission: str, name: str, check: dict[str, object]) -> str:
    status = escape(str(check.get("status", "waiting")), quote=True)
    link = f'<a href="#{anchor(submission, name)}">{escape(str(check.get("points", 0)))}</a>'
    return f'<td class="n {status}" title="{status}">{link}</td>'


def _cause(kind: str, submissions: list[str]) -> str:
    return f'<td>{escape(kind)}</td><td class="n">{len(submissions)}</td><td>{escape(", ".join(submissions))}</td>'


def _alike(each: Likeness) -> str:
    numbers = f'<td class="n">{each.words:.2f}</td><td class="n">{each.records}</td>'
    return f"<td>{escape(each.first)}</td><td>{escape(each.second)}</td>{numbers}"


def _evidence(each: Graded) -> Iterator[str]:
    kept = f", kept in {escape(str(Path(each.folder)))}" if each.folder else ""
    yield f'<h3 id="{anchor(each.submission)}">{escape(each.submission)}{kept}</h3>'
    for said in filter(None, (each.trouble, str(each.grade.get("note", "")))):
        yield f"<pre>{escape(said)}</pre>"
    for check in each.grade.get("checks", ()):
        found = [f"[{finding['kind']}] {finding['what']}" for finding in check["findings"]]
        said = "\n".join([*(found or ["nothing found"]), f"to repeat: {check['command']}"])
        head = f"{check['name']}: {check['status']}, {check['points']} of {check['most']}"
        yield f'<h4 id="{anchor(each.submission, str(check["name"]))}">{escape(head)}</h4><pre>{escape(said)}</pre>'
