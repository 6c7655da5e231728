"""The documentation as a website: Markdown to HTML, with a gallery of the reports."""

from __future__ import annotations

import re
import subprocess
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
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
    """A report of the gallery, and the files that its card leads to, by their names in the site."""

    name: str
    title: str
    figure_says: str  # its first figure in words, or nothing if it has none
    files: dict[str, bytes]


def site(options: Namespace) -> int:
    """Write the whole site; without reports it has no gallery, and a line says so."""
    files = site_files(ROOT, options.out, options.results, TEMPLATES)
    for name, content in files.items():
        write_bytes(options.folder / name, content)
    if REPORTS not in files:
        tell(f"{from_here(options.out)}: holds no report, so the site has none (try: make all)")
    print(f"{from_here(options.folder / FRONT)}: {len(files)} files, {sum(map(len, files.values())) / 1e6:.1f} MB")
    return 0


def site_files(root: Path, reports: Path, results: Path, templates: Path) -> dict[str, bytes]:
    """Every file of the site by its name. All are in one folder, and no page loads anything else."""
    shown = tuple(gallery(reports, results))
    docs = root.resolve() / "docs"
    documents = {FRONT: root.resolve() / "README.md"}
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
    """The reports that have both a PDF and a page."""
    for pdf in sorted(reports.glob("*.pdf")):
        page = pdf.with_suffix(".html")
        if page.is_file():
            yield _shown(pdf, page.read_text(encoding="utf-8"), results / f"{pdf.stem}.csv")


def _shown(pdf: Path, page: str, table: Path) -> Shown:
    name = pdf.stem
    files = {f"{name}.pdf": pdf.read_bytes(), f"{name}.html": page.encode(), f"{name}.png": first_page(pdf)}
    if table.is_file():
        files[f"{name}.csv"] = table.read_bytes()
    if figure := _FIGURE.search(page):
        files[f"{name}.svg"] = _alone(figure[0]).encode()
    title = _TITLE.search(page)
    says = unescape(figure[1]) if figure else ""
    return Shown(name, unescape(title[1]).strip() if title else name, says, files)


def _alone(svg: str) -> str:
    """A drawing of a page as a stand-alone file."""
    space = "" if "xmlns=" in svg[: svg.index(">")] else ' xmlns="http://www.w3.org/2000/svg"'
    return svg.replace("<svg", f"<svg{space}", 1)


def first_page(pdf: Path) -> bytes:
    """The first page as a PNG."""
    command = ["pdftoppm", "-png", "-f", "1", "-singlefile", "-scale-to-x", str(WIDTH), "-scale-to-y", "-1", str(pdf)]
    try:
        return subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise LabError("can't be drawn as a picture", str(pdf), "make setup, then lab report") from error


def body(file: Path, pages: Mapping[Path, str]) -> Body:
    """The page of a document; `pages` has the address of each file in the site."""
    return body_of(file.read_text(encoding="utf-8"), file, pages)


def body_of(text: str, file: Path, pages: Mapping[Path, str]) -> Body:
    """The page of a text in place of the file's content."""
    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(text)
    for token in tokens:
        for child in token.children or ():
            _lead(child, file.parent, pages)
    _anchor(tokens)
    title = next((tokens[index + 1].content for index, token in enumerate(tokens) if token.tag == "h1"), file.stem)
    written = str(parser.renderer.render(tokens, parser.options, {}))
    return Body(re.sub(r"[`*]", "", title), _scrollable(written))


def _lead(token: Token, folder: Path, pages: Mapping[Path, str]) -> None:
    """A link to a file that is not in the site becomes plain text: no link leads out of the site."""
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
    """Give headings the anchors of Git hosts, and close a link without a target as the text that it became."""
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
    """The anchor of a heading: `What it needs` is at #what-it-needs."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


def _scrollable(written: str) -> str:
    """Make wide tables and commands scroll by themselves and reachable by keyboard; an empty head is a plain cell."""
    written = written.replace("<th></th>", "<td></td>")
    kinds = (("table", "Table"), ("pre", "Commands"))
    for tag, name in kinds:
        start = f'<div class="wide" tabindex="0" role="group" aria-label="{escape(name)}"><{tag}'
        written = re.sub(rf"<{tag}(?=[ >])", start, written).replace(f"</{tag}>", f"</{tag}></div>")
    return written
