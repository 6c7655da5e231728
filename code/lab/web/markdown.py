"""A document of the repository as the body of a page: its links lead to pages and files of the site, or nowhere."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

_HEADINGS = ("h1", "h2", "h3")


@dataclass(frozen=True)
class Body:
    """A title, and the HTML below it."""

    title: str
    html: str


def body(file: Path, pages: Mapping[Path, str]) -> Body:
    """What a document says; `pages` has the address of each file that the site holds."""
    return body_of(file.read_text(encoding="utf-8"), file, pages)


def body_of(text: str, file: Path, pages: Mapping[Path, str]) -> Body:
    """The same of a text that stands in place of the file's."""
    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(text)
    for token in tokens:
        for child in token.children or ():
            _lead(child, file.parent, pages)
    _anchor(tokens)
    title = next((tokens[place + 1].content for place, each in enumerate(tokens) if each.tag == "h1"), file.stem)
    written = str(parser.renderer.render(tokens, parser.options, {}))
    return Body(re.sub(r"[`*]", "", title), _scrollable(written))


def _lead(token: Token, folder: Path, pages: Mapping[Path, str]) -> None:
    """A link to what the site does not hold becomes its words: nothing leads to another's address."""
    if token.type == "image":
        token.attrs["src"] = _address(str(token.attrs["src"]), folder, pages)
        token.attrs["alt"] = token.content
    if token.type == "link_open" and not (address := _address(str(token.attrs["href"]), folder, pages)):
        token.tag, token.attrs = "span", {"title": token.attrs["href"]}
        token.meta["is_lost"] = True
    elif token.type == "link_open":
        token.attrs["href"] = address


def _address(link: str, folder: Path, pages: Mapping[Path, str]) -> str:
    path, hash_sign, place = link.partition("#")
    if re.match(r"\w+:", link):
        return ""
    if not path:
        return link
    held = pages.get((folder / path).resolve(), "")
    return f"{held}{hash_sign}{place}" if held else ""


def _anchor(tokens: Sequence[Token]) -> None:
    """Headings can be linked to as on the hosts of git; a link that lost its target is closed as what it became."""
    for place, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag in _HEADINGS:
            token.attrs["id"] = slug(tokens[place + 1].content)
        lost = False
        for child in token.children or ():
            if child.type == "link_open":
                lost = "is_lost" in child.meta
            elif child.type == "link_close" and lost:
                child.tag = "span"


def slug(heading: str) -> str:
    """`What it needs` is at #what-it-needs."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


def _scrollable(written: str) -> str:
    """Wide tables and commands scroll by themselves, and a key reaches them; an empty head heads nothing."""
    written = written.replace("<th></th>", "<td></td>")
    kinds = (("table", "Table"), ("pre", "Commands"))
    for tag, name in kinds:
        start = f'<div class="wide" tabindex="0" role="group" aria-label="{escape(name)}"><{tag}'
        written = re.sub(rf"<{tag}(?=[ >])", start, written).replace(f"</{tag}>", f"</{tag}></div>")
    return written
