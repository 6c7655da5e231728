"""LaTeX within a line as HTML: numbers, references, mathematics."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from pylatexenc.latex2text import LatexNodes2Text, get_default_latex_context_db  # type: ignore[import-untyped]

from lab.model.sizes import format_size
from lab.report.errors import ReportError
from lab.report.evidence.environment import RecordSet, sets_of
from lab.report.html.reading import Node, arguments, kind, macro, nodes_of, source_of
from lab.report.query.judge import words
from lab.report.query.value import Point, StatementResult, Value
from lab.report.tex.numbers import SCALES, PrintedNumber, plain_unit
from lab.report.tex.render import SPECIAL
from lab.report.text.check import Backing

THIN, SPACE = "\u202f", "\u00a0"  # neither breaks a line
_COMMAND = re.compile(r"\\([a-zA-Z]+)\s*")
_LONG = re.compile(r"^-?\d{5,}")


def number(typed: str) -> str:
    """Digits in groups of three from five on, and a minus sign."""
    found = _LONG.match(typed)
    grouped = f"{int(found[0]):,}".replace(",", THIN) + typed[found.end() :] if found else typed
    return grouped.replace("-", "\N{MINUS SIGN}")


def quantity(typed: str, of: str) -> str:
    return f"{number(typed)}{SPACE}{plain_unit(of)}"


def printed(shown: PrintedNumber) -> str:
    """A claim's number, as the PDF prints it."""
    return quantity(shown.number, shown.tex_unit) if shown.tex_unit else number(shown.number)


def value(typed: str, of: str = "") -> float | None:
    """In the unit without its prefix; nothing of what is no number."""
    first = _COMMAND.match(of)
    scale = SCALES.get(first[1], 1.0) if first else 1.0
    try:
        return float(typed) * scale
    except ValueError:
        return None


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


TAGS = {
    **{"emph": "em", "textit": "em", "textbf": "strong", "texttt": "code"},
    **{"textsuperscript": "sup", "textsubscript": "sub"},
}
# Their argument alone.
SAME = frozenset({"text", "textrm", "textsc", "mathrm", "rlap", "labpart", "title", "mbox"})
NOTHING = frozenset(
    """small footnotesize large raggedright begingroup endgroup setlength vspace noindent labsettle pagestyle centering
    leftskip parskip clearpage appendix hypersetup documentclass usepackage author input newblock / -""".split()  # noqa: SIM905
)
WRITTEN = {
    **{"labwarned": "<sup>\N{DAGGER}</sup>"},
    **{"allowbreak": "<wbr>", "\\": "<br>", ",": "\N{THIN SPACE}", " ": " "},
    **{"labtypesetter": "pdfTeX, for the PDF; this page is made of the same text", "quad": " ", "qquad": " "},
    **{"labto": " \N{RIGHTWARDS ARROW} ", "LaTeX": "LaTeX", "TeX": "TeX", "textmu": "µ", "ne": "≠"},
}
# As lab.report.tex.render writes them: \textless{}.
ESCAPED = {tex[1:-2]: escape(sign) for sign, tex in SPECIAL.items() if tex.startswith(r"\text")}
SPECIALS = {"~": SPACE, "``": "\u201c", "''": "\u201d", "--": "\u2013", "---": "\u2014"}
_LIBRARY = LatexNodes2Text()
_KNOWN = get_default_latex_context_db()
_LABS = re.compile(
    r"\\labclaim\{\w+\}\{(?:[^{}]|\{[^{}]*\})*\}|\\(?:labshows|labgiven|(?:lab)?num|unit|(?:qty|SI)\{[^{}]*\})\{[^{}]*\}"
)
MARK = "\ufdd0"  # around the number of what stands in its place later; no text may hold it


@dataclass
class Inline:
    """The words' writer; it knows the claims and the numbers of figures, tables and sources."""

    tips: Tips
    places: dict[str, int]  # `figure:throughput`, `source:frey`

    def write(self, nodes: Iterable[Node | str]) -> str:
        return "".join(map(self._node, nodes))

    def _node(self, node: Node | str) -> str:
        if isinstance(node, str):
            return _chars(node)
        writers: dict[str, Callable[[Node], str]] = {
            "Chars": lambda each: _chars(each.chars),
            "Group": self._group,
            "Specials": lambda each: SPECIALS.get(each.specials_chars, escape(each.specials_chars)),
            "Math": self._formula,
            "Macro": self._macro,
            "Comment": lambda _: "",
        }
        if kind(node) not in writers:
            raise ReportError(f"the page knows no environment {node.environmentname!r} within a line")
        return writers[kind(node)](node)

    def _group(self, node: Node) -> str:
        """What stands in braces; BibTeX writes titles as {\\em Title}."""
        first, *rest = node.nodelist or [""]
        return f"<em>{self.write(rest)}</em>" if macro(first) == "em" else self.write(node.nodelist)

    def _formula(self, node: Node) -> str:
        """MathML; the lab's own numbers stand in it as they do in a sentence."""
        from latex2mathml.converter import convert  # only where a formula is: it takes the modules of a web client

        written = list[str]()

        def kept(found: re.Match[str]) -> str:
            written.append(self.write(nodes_of(found[0])))
            return rf"\text{{{MARK}{len(written) - 1}{MARK}}}"

        display = "block" if node.displaytype == "display" else "inline"
        formula = convert(_LABS.sub(kept, source_of(node.nodelist)), display=display)
        return re.sub(rf"{MARK}(\d+){MARK}", lambda found: written[int(found[1])], formula)

    def _macro(self, node: Node) -> str:
        name, given = macro(node), arguments(node)
        if name in WRITTEN or name in NOTHING:
            return WRITTEN.get(name, "")
        if name in ESCAPED:
            return ESCAPED[name]
        if name in SAME:
            return self.write(given[-1])
        if name in TAGS:
            return f"<{TAGS[name]}>{self.write(given[-1])}</{TAGS[name]}>"
        special = getattr(self, f"_{name}", None)
        return str(special(*given)) if special else self._from_library(node)

    def _from_library(self, node: Node) -> str:
        """Letters, accents and signs."""
        if not getattr(_KNOWN.get_macro_spec(node.macroname), "macroname", ""):
            raise ReportError(f"the page does not know the command \\{node.macroname}")
        return escape(str(_LIBRARY.node_to_text(node)), quote=False)

    def _labclaim(self, number: list[Node], content: list[Node]) -> str:
        return self.tips.claim(source_of(number), self.write(content))

    def _labshows(self, number: list[Node]) -> str:
        return self.tips.statement(source_of(number))

    def _labgiven(self, content: list[Node]) -> str:
        return f'{self.write(content)}<sup title="not from these data">*</sup>'

    def evidence(self, number: list[Node], *parts: list[Node]) -> str:
        """A statement in the list at the end, with the rows that it was judged by."""
        name = source_of(number)
        statement, shows, n, records = map(self.write, parts)
        about = f"{shows}; n = {n}; {records}" if n else f"{shows}; {records}"
        line = f'<p><span id="evidence:{name}">{name}</span> <code>{statement}</code> {about}</p>'
        return f'<div class="evidence">{line}{self.tips.rows(name)}</div>'

    def _figureof(self, name: list[Node]) -> str:
        return self._place("figure", source_of(name))

    def _tableof(self, name: list[Node]) -> str:
        return self._place("table", source_of(name))

    def _place(self, sort: str, name: str) -> str:
        label = f"{sort}:{name}"
        return f'<a href="#{escape(label)}">{sort.capitalize()}{SPACE}{self.places[label]}</a>'

    def _cite(self, keys: list[Node]) -> str:
        return f"[{', '.join(self._source(each.strip()) for each in source_of(keys).split(','))}]"

    def _source(self, key: str) -> str:
        return f'<a href="#source:{escape(key)}">{self.places[f"source:{key}"]}</a>'

    def _url(self, typed: list[Node]) -> str:
        """An address as a link; any other scheme than the web's stays words."""
        address = escape(source_of(typed).replace(r"\%", "%"))
        words = f"<code>{address}</code>"
        return f'<a href="{address}">{words}</a>' if re.match(r"https?://", address) else words

    def _hypertarget(self, name: list[Node], content: list[Node]) -> str:
        return f'<span id="{escape(source_of(name))}">{self.write(content)}</span>'

    def _num(self, typed: list[Node]) -> str:
        return number(source_of(typed))

    _labnum = _num

    def _unit(self, of: list[Node]) -> str:
        return plain_unit(source_of(of))

    def _qty(self, typed: list[Node], of: list[Node]) -> str:
        return quantity(source_of(typed), source_of(of))

    _SI = _qty

    def _labhead(self, first: list[Node], second: list[Node]) -> str:
        return f"{self.write(first)}<br>{self.write(second)}"

    _lablines = _labhead

    def _labinterval(self, content: list[Node]) -> str:
        return f'<span class="interval">[{self.write(content)}]</span>'


def _chars(typed: str) -> str:
    return escape(typed.replace("'", "\u2019"), quote=False)
