"""The documentation as a website: Markdown to HTML, with a gallery of the reports."""

from __future__ import annotations

import re
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from lab.errors import LabError
from lab.files.storage import write_bytes
from lab.places import ROOT, TEMPLATES, from_here

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


TEMPLATE, FRONT, REPORTS = "site.html", "index.html", "reports.html"
PICTURES = ("*.svg", "*.png")
WIDTH = 620  # of the picture of a first page, in pixels
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
_FIGURE = re.compile(r"<svg role=\"img\" aria-label=\"([^\"]*)\".*?</svg>", re.DOTALL)


def web(options: Namespace) -> int:
    """Write all of it; without reports there is no gallery, and a line says so."""
    made = site(ROOT, options.out, options.results, TEMPLATES)
    for name, content in made.items():
        write_bytes(options.folder / name, content)
    if REPORTS not in made:
        print(f"{from_here(options.out)}: holds no report, so the site has none (try: make all)", file=sys.stderr)
    print(f"{from_here(options.folder / FRONT)}: {len(made)} files, {sum(map(len, made.values())) / 1e6:.1f} MB")
    return 0


def site(root: Path, reports: Path, results: Path, templates: Path) -> dict[str, bytes]:
    """Every file by its name; all of them lie in one folder, and no page asks for anything else."""
    shown = tuple(gallery(reports, results))
    documents, pictures = _documents(root), _pictures(root)
    pages = {file: name for name, file in (documents | pictures).items()}
    made = {name: file.read_bytes() for name, file in pictures.items()}
    write = _Writer(templates, has_reports=bool(shown))
    for name, file in documents.items():
        made[name] = write.document(name, file, pages)
    if shown:
        made[REPORTS] = write.gallery(shown)
    return made | {name: content for each in shown for name, content in each.files.items()}


def _documents(root: Path) -> dict[str, Path]:
    docs = {f"docs-{file.stem.lower()}.html": file.resolve() for file in sorted((root / "docs").glob("*.md"))}
    return {FRONT: (root / "README.md").resolve(), **docs}


def _pictures(root: Path) -> dict[str, Path]:
    return {f"docs-{file.name}": file.resolve() for kind in PICTURES for file in sorted((root / "docs").glob(kind))}


class _Writer:
    """Puts a body into the frame that all pages share."""

    def __init__(self, templates: Path, *, has_reports: bool) -> None:
        loader = FileSystemLoader(templates)
        self.environment = Environment(autoescape=True, undefined=StrictUndefined, loader=loader, trim_blocks=True)
        self.places = list(_places(has_reports=has_reports))

    def document(self, name: str, file: Path, pages: dict[Path, str]) -> bytes:
        found = body(file, pages)
        return self._whole(name, found.title, Markup(found.html), ())

    def gallery(self, shown: Sequence[Shown]) -> bytes:
        return self._whole(REPORTS, "Reports", Markup("<h1>Reports</h1>"), shown)

    def _whole(self, name: str, title: str, words: Markup, shown: Sequence[Shown]) -> bytes:
        page = self.environment.get_template(TEMPLATE)
        return (page.render(name=name, title=title, body=words, shown=shown, places=self.places) + "\n").encode()


def _places(*, has_reports: bool) -> Iterator[tuple[str, str]]:
    """Where every page leads: its address, and its word."""
    yield FRONT, "Start"
    if has_reports:
        yield REPORTS, "Reports"
    yield "docs-student.html", "Students"
    yield "docs-instructor.html", "Instructors"
    yield "docs-index.html", "All documents"


@dataclass(frozen=True)
class Shown:
    """A report of the gallery, and the files that its card leads to, by their names in the site."""

    name: str
    title: str
    figure_says: str  # its first figure in words, or nothing if it has none
    files: dict[str, bytes]


def gallery(reports: Path, results: Path) -> Iterator[Shown]:
    """All reports that are written as a PDF and as a page."""
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
    """A drawing of a page as a file of its own."""
    space = "" if "xmlns=" in svg[: svg.index(">")] else ' xmlns="http://www.w3.org/2000/svg"'
    return svg.replace("<svg", f"<svg{space}", 1)


def first_page(pdf: Path) -> bytes:
    """As a picture."""
    command = ["pdftoppm", "-png", "-f", "1", "-singlefile", "-scale-to-x", str(WIDTH), "-scale-to-y", "-1", str(pdf)]
    try:
        return subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise LabError("can't be drawn as a picture", str(pdf), "make setup, then lab report") from error
