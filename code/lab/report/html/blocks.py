"""Paragraphs, lists and figures as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from itertools import chain

from lab.report.errors import ReportError
from lab.report.html.inline import Inline
from lab.report.html.reading import Node, arguments, kind, macro, source_of
from lab.report.html.tables import table

# Black, white, and colours too dark for a dark page have a variable of page.css; the others stand out on both papers.
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
_LONG = re.compile(r"([1-9]\d*\.\d\d)\d+")  # a hundredth of a point is below what a screen shows


def inline_svg(svg: bytes, name: str, alt: str) -> str:
    """The picture without its head, with ids that no other figure of the page has."""
    start = _START.search(text := svg.decode())
    assert start is not None
    inside = _LEFT_OUT.sub("", text[start.end() :])
    inside = _ATTRIBUTE.sub(lambda attribute: _LONG.sub(r"\1", attribute[0]), _ID.sub(rf"\g<1>{name}:", inside))
    for colour, variable in VARIABLES.items():
        inside = inside.replace(colour, f"var(--{variable},{colour})")
    inside = re.sub(r">\s+<", "><", re.sub(r"\s+", " ", inside))
    return f'<svg role="img" aria-label="{escape(alt)}" {start[1]}>{inside.strip()}'


LEVELS = {"section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5}
AROUND = {
    "quote": ("<blockquote>", "</blockquote>"),
    "labfit": ("", ""),
    "center": ('<div class="center">', "</div>"),
}
LISTS = {"itemize": "ul", "enumerate": "ol", "description": "ul"}
BREAK = "\n\n"  # between paragraphs
_BLANK = re.compile(r"\n[ \t]*\n\s*")
ROUND = (
    '<p class="round">A round: the client posts its messages, first to last; once all data are there, the server sends '
    "its answer, and the round ends when that arrives. The answer is the way back.</p>"
)


@dataclass
class Blocks:
    """Writes blocks; a paragraph goes on until a block or a blank line ends it."""

    inline: Inline
    svgs: dict[str, bytes]
    headings: list[tuple[str, str]] = field(default_factory=list)  # of sections: id and words
    who: list[str] = field(default_factory=list)  # the lines below the title
    counts: list[int] = field(default_factory=lambda: [0, 0, 0])
    folds_tables: bool = True  # the long ones; not within a section that is folded itself

    def write(self, nodes: Iterable[Node]) -> str:
        blocks, words = list[str](), list[Node]()
        for node in [*_split(nodes), BREAK]:
            block = self._block(node)
            if block is None:
                words.append(node)
                continue
            if paragraph := self.inline.write(words).strip():
                blocks.append(f"<p>{paragraph}</p>")
            words.clear()
            blocks.append(block)
        return "\n".join(filter(None, blocks))

    def _block(self, node: Node) -> str | None:
        """The block that a node is, or None if it belongs to a paragraph."""
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
        level, words = LEVELS[name], self.inline.write(parts[-1])
        depth = level - 2
        if depth > 2 or source_of(parts[0]) == "*":
            return f"<h{level}>{words}</h{level}>"
        self.counts[depth] += 1
        self.counts[depth + 1 :] = [0] * (2 - depth)
        number = ".".join(map(str, self.counts[: depth + 1]))
        if not depth:
            self.headings.append((number, words))
        return f'<h{level} id="section:{number}">{number} {words}</h{level}>'

    def _environment(self, node: Node) -> str:
        name = node.environmentname
        if name == "document":
            return self.write(node.nodelist)
        if name == "labplace":
            return self._float(node)
        if name in LISTS:
            return f"<{LISTS[name]}>{self._items(node.nodelist)}</{LISTS[name]}>"
        if name == "thebibliography":
            return f"<h2>References</h2><ol>{self._sources(node.nodelist)}</ol>"
        if name in ("tabular", "longtable"):
            return table(node, self.inline, is_folded=self.folds_tables)
        if name not in AROUND:
            raise ReportError(f"the page knows no environment {name!r}")
        before, after = AROUND[name]
        return f"{before}{self.write(node.nodelist)}{after}"

    def _items(self, nodes: list[Node]) -> str:
        items = _parts(nodes, "item")
        return "\n".join(f"<li>{self.write(chain(*arguments(head), rest))}</li>" for head, rest in items)

    def _sources(self, nodes: list[Node]) -> str:
        listed = ((source_of(arguments(head)[0]), self.write(rest)) for head, rest in _parts(nodes, "bibitem"))
        return "\n".join(f'<li id="source:{escape(key)}">{words}</li>' for key, words in listed)

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
    """The environments among the nodes, and those within one that fits them to the page."""
    for node in nodes:
        if kind(node) == "Environment":
            yield from _tables(node.nodelist) if node.environmentname == "labfit" else (node,)


def _parts(nodes: list[Node], head: str) -> list[tuple[Node, list[Node]]]:
    """Each head with the nodes up to the next; nodes before the first head are left out."""
    parts = list[tuple[Node, list[Node]]]()
    for node in nodes:
        if macro(node) == head:
            parts.append((node, []))
        elif parts:
            parts[-1][1].append(node)
    return parts


def _split(nodes: Iterable[Node]) -> Iterator[Node | str]:
    """The nodes, with a break in place of each blank line."""
    for node in nodes:
        if kind(node) != "Chars":
            yield node
            continue
        for place, words in enumerate(_BLANK.split(node.chars)):
            if place:
                yield BREAK
            yield words
