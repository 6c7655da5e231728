"""Paragraphs, lists, tables and figures as HTML."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from itertools import chain
from typing import TypeAlias

from lab.report.errors import ReportError
from lab.report.html.inline import Inline, value
from lab.report.html.reading import Node, arguments, kind, macro, source_of

# Black, white, and colours too dark for a dark page become variables of page.css; others are visible on both papers.
VARIABLES = {
    **{"#000000": "ink", "#ffffff": "paper", "#d9d9d9": "pale", "#767676": "grey", "#4d4d4d": "grey"},
    **{"#08304f": "navy", "#0072b2": "blue", "#7b6888": "violet"},
}
_START = re.compile(r"<svg\b[^>]*?(viewBox=\"[^\"]*\")[^>]*>", re.DOTALL)
_LEFT_OUT = re.compile(
    r"<metadata>.*?</metadata>|<!--.*?-->|(?<=<g) id=\"[^\"]*\""
    r"|; font-family: [^;\"]*| transform=\"rotate\(-0 [^\"]*\"",
    re.DOTALL,
)
_ID = re.compile(r"(\bid=\"|xlink:href=\"#|url\(#)")
_ATTRIBUTE = re.compile(r"=\"[^\"]*\"")
_LONG = re.compile(r"([1-9]\d*\.\d\d)\d+")  # a screen shows no hundredth of a point


def inline_svg(svg: bytes, name: str, alt: str) -> str:
    """The picture without its head; its ids begin with the figure's name, so that they are unique on the page."""
    start = _START.search(text := svg.decode())
    assert start is not None
    inside = _LEFT_OUT.sub("", text[start.end() :])
    inside = _ATTRIBUTE.sub(lambda attribute: _LONG.sub(r"\1", attribute[0]), _ID.sub(rf"\g<1>{name}:", inside))
    for colour, variable in VARIABLES.items():
        inside = inside.replace(colour, f"var(--{variable},{colour})")
    inside = re.sub(r">\s+<", "><", re.sub(r"\s+", " ", inside))
    return f'<svg role="img" aria-label="{escape(alt)}" {start[1]}>{inside.strip()}'


LEVELS = {"section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5}
AROUND = {"quote": ("<blockquote>", "</blockquote>"), "labfit": ("", ""), "center": ('<div class="center">', "</div>")}
LISTS = {"itemize": "ul", "enumerate": "ol", "description": "ul"}
BREAK = "\n\n"  # between paragraphs
_BLANK = re.compile(r"\n[ \t]*\n\s*")
ROUND = (
    '<p class="round">A round: the client posts its messages, first to last; once all data are there, the server sends '
    "its answer, and the round ends when that arrives. The answer is the way back.</p>"
)


@dataclass
class Blocks:
    """Writes blocks; a block or a blank line ends a paragraph."""

    inline: Inline
    svgs: dict[str, bytes]
    headings: list[tuple[str, str]] = field(default_factory=list)  # number and title of each section
    who: list[str] = field(default_factory=list)  # the lines below the title
    counts: list[int] = field(default_factory=lambda: [0, 0, 0])
    folds_tables: bool = True  # long tables; false within a folded section

    def write(self, nodes: Iterable[Node]) -> str:
        blocks, paragraph = list[str](), list[Node]()
        for node in [*_split(nodes), BREAK]:
            block = self._block(node)
            if block is None:
                paragraph.append(node)
                continue
            if text := self.inline.write(paragraph).strip():
                blocks.append(f"<p>{text}</p>")
            paragraph.clear()
            blocks.append(block)
        return "\n".join(filter(None, blocks))

    def _block(self, node: Node) -> str | None:
        """The HTML of a block; None if the node belongs to a paragraph."""
        name = macro(node)
        if (isinstance(node, str) and node == BREAK) or name == "par":
            return ""
        if kind(node) == "Environment":
            return self._environment(node)
        if name in LEVELS:
            return self._heading(name, arguments(node))
        if name == "labevidence":
            return self.inline.evidence(*arguments(node))
        if name == "labtitle":
            self.who += filter(None, (self.inline.write(part).strip() for part in arguments(node)))
            return ""
        return ROUND if name == "labround" else None

    def _heading(self, name: str, parts: list[list[Node]]) -> str:
        level, title = LEVELS[name], self.inline.write(parts[-1])
        depth = level - 2
        if depth > 2 or source_of(parts[0]) == "*":
            return f"<h{level}>{title}</h{level}>"
        self.counts[depth] += 1
        self.counts[depth + 1 :] = [0] * (2 - depth)
        number = ".".join(map(str, self.counts[: depth + 1]))
        if not depth:
            self.headings.append((number, title))
        return f'<h{level} id="section:{number}">{number} {title}</h{level}>'

    def _environment(self, node: Node) -> str:
        name, nodes = node.environmentname, node.nodelist
        if name == "document":
            return self.write(nodes)
        if name == "labplace":
            return self._float(node)
        if name in LISTS:
            parts = (chain(*arguments(head), rest) for head, rest in _parts(nodes, "item"))
            items = "\n".join(f"<li>{self.write(part)}</li>" for part in parts)
            return f"<{LISTS[name]}>{items}</{LISTS[name]}>"
        if name == "thebibliography":
            sources = ((source_of(arguments(head)[0]), self.write(rest)) for head, rest in _parts(nodes, "bibitem"))
            items = "\n".join(f'<li id="source:{escape(key)}">{text}</li>' for key, text in sources)
            return f"<h2>References</h2><ol>{items}</ol>"
        if name in ("tabular", "longtable"):
            return table(node, self.inline, is_folded=self.folds_tables)
        if name not in AROUND:
            raise ReportError(f"the page cannot show the environment {name!r}")
        return self.write(nodes).join(AROUND[name])

    def _float(self, node: Node) -> str:
        """A figure or a table with its number and caption."""
        sort = source_of(arguments(node)[0])
        commands = {macro(inner): arguments(inner) for inner in node.nodelist if macro(inner)}
        label = source_of(commands["label"][0])
        name = f"caption:{escape(label)}"
        head = f"<strong>{sort.capitalize()} {self.inline.places[label]}.</strong>"
        parts = [f'<figcaption id="{name}">{head} {self.inline.write(commands["caption"][-1])}</figcaption>']
        if sort == "figure":
            picture, alt = map(source_of, commands["labpicture"])
            figure = picture.removeprefix("figures/").removesuffix(".pdf")
            parts.insert(0, inline_svg(self.svgs[figure], figure, bytes.fromhex(alt).decode("utf-16")))
        else:
            parts += [table(inner, self.inline, name, is_folded=self.folds_tables) for inner in _tables(node.nodelist)]
        return f'<figure id="{escape(label)}" class="{sort}">{"".join(parts)}</figure>'


def _tables(nodes: Iterable[Node]) -> Iterator[Node]:
    """The environments among the nodes, also within a `labfit`."""
    for node in nodes:
        if kind(node) == "Environment":
            yield from _tables(node.nodelist) if node.environmentname == "labfit" else (node,)


def _parts(nodes: list[Node], head: str) -> list[tuple[Node, list[Node]]]:
    """Each head with the nodes up to the next head; nodes before the first head are left out."""
    parts = list[tuple[Node, list[Node]]]()
    for node in nodes:
        if macro(node) == head:
            parts.append((node, []))
        elif parts:
            parts[-1][1].append(node)
    return parts


def _split(nodes: Iterable[Node]) -> Iterator[Node | str]:
    """The nodes, with a BREAK for each blank line."""
    for node in nodes:
        if kind(node) != "Chars":
            yield node
            continue
        for at, text in enumerate(_BLANK.split(node.chars)):
            if at:
                yield BREAK
            yield text


RULES = frozenset({"toprule", "midrule", "bottomrule", "hline", "endhead", "endfoot", "endfirsthead", "addlinespace"})
MOST_ROWS, SHOWN_ROWS = 8, 5  # a longer table shows so many rows, from the first to the last
_TIMES = re.compile(r"\*\{(\d+)\}\{([^{}]*)\}")
_NO_COLUMN = re.compile(r"@\{[^{}]*\}|[>!]\{[^{}]*\}|\{[^{}]*\}|[|\s]")
_NUMBER = re.compile(r"\\(?:(?:lab)?num\{(?P<bare>[^{}]*)\}|(?:qty|SI)\{(?P<number>[^{}]*)\}\{(?P<unit>[^{}]*)\})")
Row: TypeAlias = list[list[Node]]  # the nodes of each cell


def table(node: Node, inline: Inline, name: str = "", *, is_folded: bool = False) -> str:
    """The table, labelled by its caption; where `is_folded`, a long one shows some rows and folds the whole."""
    spec = _TIMES.sub(lambda many: many[2] * int(many[1]), source_of(arguments(node)[-1]))
    columns = _NO_COLUMN.sub("", spec).replace("L", "l").replace("p", "l")  # `@{}l*{2}{r}L{9mm}@{}` is lrrl
    heads, body = _rows(node.nodelist)
    columns = columns.ljust(max(map(len, (*heads, *body)), default=0), "l")

    def written(rows: list[Row]) -> str:
        labelled = f' aria-labelledby="{name}"' if name else ""
        head = "".join(_head(row, columns, inline) for row in heads)
        lines = "\n".join(_line(row, columns, inline) for row in rows)
        return f'<div class="wide"><table{labelled}><thead>{head}</thead><tbody>\n{lines}\n</tbody></table></div>'

    if not is_folded or len(body) <= MOST_ROWS:
        return written(body)
    some = [body[round(place * (len(body) - 1) / (SHOWN_ROWS - 1))] for place in range(SHOWN_ROWS)]
    return f"{written(some)}<details><summary>all {len(body)} rows</summary>{written(body)}</details>"


def _rows(nodes: list[Node]) -> tuple[list[Row], list[Row]]:
    """The rows above the first rule, which are heads, and those below."""
    heads, body, row = list[Row](), list[Row](), Row([[]])
    for node in nodes:
        if macro(node) == "\\":
            body.append(row)
            row = [[]]
        elif macro(node) in RULES:
            if macro(node) in ("midrule", "hline") and body and not heads:
                heads, body = body, []
        elif kind(node) == "Specials" and node.specials_chars == "&":
            row.append([])
        else:
            row[-1].append(node)
    if source_of(list(chain(*row))).strip():
        body.append(row)
    return heads, body


def _head(row: Row, columns: str, inline: Inline) -> str:
    """The heads of a row; a column without a head has an empty cell."""
    texts = ((inline.write(cell).strip(), side) for cell, side in zip(row, columns, strict=False))
    cells = (f'<th scope="col" class="{side}">{text}</th>' if text else "<td></td>" for text, side in texts)
    return f"<tr>{''.join(cells)}</tr>"


def _line(row: Row, columns: str, inline: Inline) -> str:
    """A row; its first cell is its head, and each number has its value for sorting."""
    cells = []
    for place, (cell, side) in enumerate(zip(row, columns, strict=False)):
        number = _NUMBER.search(source_of(cell))
        worth = value(number["bare"] or number["number"] or "", number["unit"] or "") if number else None
        sort = "" if worth is None else f' data-value="{worth!r}"'
        tag, scope = ("td", "") if place else ("th", ' scope="row"')
        cells.append(f'<{tag}{scope} class="{side}"{sort}>{inline.write(cell).strip()}</{tag}>')
    return f"<tr>{''.join(cells)}</tr>"
