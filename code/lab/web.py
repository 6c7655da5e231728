"""The documentation as a website: Markdown to HTML, with a gallery of the reports."""

from __future__ import annotations

import re
import subprocess
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from lab.errors import LabError, tell
from lab.files.storage import write_bytes
from lab.places import ROOT, TEMPLATES, from_here

TEMPLATE, FRONT, REPORTS = "site.html", "index.html", "reports.html"
HEADINGS = ("h1", "h2", "h3")
PICTURES = ("*.svg", "*.png")
WIDTH = 620  # of the picture of a first page, in pixels
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
_FIGURE = re.compile(r"<svg role=\"img\" aria-label=\"([^\"]*)\".*?</svg>", re.DOTALL)


@dataclass(frozen=True)
class Body:
    title: str
    html: str


@dataclass(frozen=True)
class Shown:
    """A report of the gallery, and the files of its card by their names in the site."""

    name: str
    title: str
    figure_says: str  # the alternative text of its first figure, if there is one
    files: dict[str, bytes]


def site(options: Namespace) -> int:
    """Write the whole site; without reports there is a hint in place of the gallery."""
    files = site_files(ROOT, options.out, options.results, TEMPLATES)
    for name, content in files.items():
        write_bytes(options.folder / name, content)
    if REPORTS not in files:
        tell(f"{from_here(options.out)}: no report for the site (try: make all)")
    print(f"{from_here(options.folder / FRONT)}: {len(files)} files, {sum(map(len, files.values())) / 1e6:.1f} MB")
    return 0


def site_files(root: Path, reports: Path, results: Path, templates: Path) -> dict[str, bytes]:
    """Every file of the site by its name; all are in one folder, and no page loads anything else."""
    shown = tuple(gallery(reports, results))
    docs = root.resolve() / "docs"
    documents = {FRONT: docs.parent / "README.md"}
    documents |= {f"docs-{file.stem.lower()}.html": file for file in sorted(docs.glob("*.md"))}
    pictures = {f"docs-{file.name}": file for kind in PICTURES for file in sorted(docs.glob(kind))}
    loader = FileSystemLoader(templates)
    environment = Environment(autoescape=True, undefined=StrictUndefined, loader=loader, trim_blocks=True)
    menu = {FRONT: "Start"} | ({REPORTS: "Reports"} if shown else {})
    menu |= {"docs-student.html": "Students", "docs-instructor.html": "Instructors", "docs-index.html": "All documents"}

    def page(name: str, content: Body, reports: Sequence[Shown] = ()) -> bytes:
        values = {"name": name, "title": content.title, "body": Markup(content.html), "shown": reports}
        return (environment.get_template(TEMPLATE).render(values, places=list(menu.items())) + "\n").encode()

    files = {name: file.read_bytes() for name, file in pictures.items()}
    names = {file: name for name, file in (documents | pictures).items()}
    files |= {name: page(name, body(file, names)) for name, file in documents.items()}
    if shown:
        files[REPORTS] = page(REPORTS, Body("Reports", "<h1>Reports</h1>"), shown)
    return files | {name: content for report in shown for name, content in report.files.items()}


def gallery(reports: Path, results: Path) -> Iterator[Shown]:
    """The reports with both a PDF and a page."""
    for pdf in sorted(reports.glob("*.pdf")):
        name, html, table = pdf.stem, pdf.with_suffix(".html"), results / f"{pdf.stem}.csv"
        if not html.is_file():
            continue
        page = html.read_text(encoding="utf-8")
        files = {pdf.name: pdf.read_bytes(), html.name: page.encode(), f"{name}.png": first_page(pdf)}
        if table.is_file():
            files[table.name] = table.read_bytes()
        if figure := _FIGURE.search(page):
            files[f"{name}.svg"] = figure[0].replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1).encode()
        title = _TITLE.search(page)
        yield Shown(name, unescape(title[1]).strip() if title else name, unescape(figure[1]) if figure else "", files)


def first_page(pdf: Path) -> bytes:
    """The first page as a PNG."""
    command = ["pdftoppm", "-png", "-f", "1", "-singlefile", "-scale-to-x", str(WIDTH), "-scale-to-y", "-1", str(pdf)]
    try:
        return subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise LabError("pdftoppm cannot draw the PDF", str(pdf), "make setup, then lab report") from error


def body(file: Path, pages: Mapping[Path, str]) -> Body:
    """The page of a document; `pages` maps files to addresses in the site."""
    return body_of(file.read_text(encoding="utf-8"), file, pages)


def body_of(text: str, file: Path, pages: Mapping[Path, str]) -> Body:
    """The page of a text that replaces the file's content."""
    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(text)
    for token in tokens:
        for child in token.children or ():
            _link(child, file.parent, pages)
    _anchor(tokens)
    title = next((tokens[index + 1].content for index, token in enumerate(tokens) if token.tag == "h1"), file.stem)
    html = str(parser.renderer.render(tokens, parser.options, {}))
    return Body(re.sub(r"[`*]", "", title), _scrollable(html))


def _link(token: Token, folder: Path, pages: Mapping[Path, str]) -> None:
    """Point a link or an image to the site; a link out of the site becomes plain text."""
    if token.type == "image":
        token.attrs["src"] = _address(str(token.attrs["src"]), folder, pages)
        token.attrs["alt"] = token.content
    if token.type == "link_open" and not (address := _address(str(token.attrs["href"]), folder, pages)):
        token.tag, token.attrs = "span", {"title": token.attrs["href"]}
        token.meta["is_lost"] = True
    elif token.type == "link_open":
        token.attrs["href"] = address


def _address(link: str, folder: Path, pages: Mapping[Path, str]) -> str:
    path, hash_sign, anchor = link.partition("#")
    if re.match(r"\w+:", link):
        return ""
    if not path:
        return link
    page = pages.get((folder / path).resolve(), "")
    return f"{page}{hash_sign}{anchor}" if page else ""


def _anchor(tokens: Sequence[Token]) -> None:
    """Give headings the anchors of Git hosts, and close plain text in place of links."""
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag in HEADINGS:
            token.attrs["id"] = slug(tokens[index + 1].content)
        lost = False
        for child in token.children or ():
            if child.type == "link_open":
                lost = "is_lost" in child.meta
            elif child.type == "link_close" and lost:
                child.tag = "span"


def slug(heading: str) -> str:
    """The anchor of a heading: #what-it-needs for `What it needs`."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


def _scrollable(html: str) -> str:
    """Let wide tables and commands scroll, also by keyboard; an empty head becomes a plain cell."""
    html = html.replace("<th></th>", "<td></td>")
    for tag, name in (("table", "Table"), ("pre", "Commands")):
        start = f'<div class="wide" tabindex="0" role="group" aria-label="{name}"><{tag}'
        html = re.sub(rf"<{tag}(?=[ >])", start, html).replace(f"</{tag}>", f"</{tag}></div>")
    return html
