"""The documentation as a website: Markdown to HTML, a search, and a gallery of the reports."""

import json
import re
import subprocess
from argparse import Namespace
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from html import escape, unescape
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from lab.errors import LabError, plural, tell
from lab.files.storage import write_bytes
from lab.places import ROOT, TEMPLATES, from_here
from lab.report.html.page import filled

TEMPLATE, SCRIPT = "site.html", "parts/search.js"
FRONT, REPORTS, SEARCH = "index.html", "reports.html", "search.html"
MENU = {
    "docs-student.html": "Students",
    "docs-instructor.html": "Instructors",
    "docs-real-links.html": "Engineers",
    "docs-cards.html": "Modelled cards",
    "docs-index.html": "All documents",
}
HEADINGS = ("h1", "h2", "h3")
PICTURES = ("*.svg", "*.png")
WIDTH = 620  # of the picture of a first page, in pixels
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
_FIGURE = re.compile(r"<svg role=\"img\" aria-label=\"([^\"]*)\".*?</svg>", re.DOTALL)


@dataclass(frozen=True)
class SearchEntry:
    """The text below a heading, for the search."""

    title: str  # of the page
    heading: str
    address: str
    text: str


@dataclass(frozen=True)
class Body:
    title: str
    html: str
    sections: tuple[SearchEntry, ...] = ()  # with addresses that begin with the heading's #


@dataclass(frozen=True)
class Shown:
    """A report of the gallery, and the files that its entry links to, by their names in the site."""

    name: str
    title: str
    figure_says: str  # the alternative text of its first figure, or nothing if it has none
    files: dict[str, bytes]


def site(options: Namespace) -> int:
    """Write the whole site; without reports it has no gallery, and a line names the command that makes them."""
    files = site_files(ROOT, options.out, options.results, TEMPLATES)
    for name, content in files.items():
        write_bytes(options.folder / name, content)
    if REPORTS not in files:
        tell(f"{from_here(options.out)}: holds no report, so the site has none (try: make all)")
    megabytes = sum(map(len, files.values())) / 1e6
    print(f"{from_here(options.folder / FRONT)}: {plural(len(files), 'file')}, {megabytes:.1f} MB")
    return 0


def site_files(root: Path, reports: Path, results: Path, templates: Path) -> dict[str, bytes]:
    """Every file of the site by its name. All are in one folder, and no page loads anything else."""
    shown = tuple(gallery(reports, results))
    docs = root.resolve() / "docs"
    documents = {FRONT: root.resolve() / "README.md"}
    documents |= {f"docs-{file.stem.lower()}.html": file for file in sorted(docs.glob("*.md"))}
    pictures = {f"docs-{file.name}": file for kind in PICTURES for file in sorted(docs.glob(kind))}
    names = {file: name for name, file in (documents | pictures).items()}
    bodies = {name: body(file.read_text(encoding="utf-8"), file, names) for name, file in documents.items()}
    if shown:
        bodies[REPORTS] = Body("Reports", "<h1>Reports</h1>")
    menu = {FRONT: "Start"} | ({REPORTS: "Reports"} if shown else {}) | MENU

    def page(name: str, content: Body, **more: object) -> bytes:
        values = {"name": name, "title": content.title, "body": Markup(content.html), "places": list(menu.items())}
        return (filled(templates, TEMPLATE, values | more) + "\n").encode()

    script = filled(templates, SCRIPT, {})
    search = {"script": Markup(script), "digest": b64encode(sha256(script.encode()).digest()).decode()}
    index = Markup(_index(bodies, shown))
    files = {name: file.read_bytes() for name, file in pictures.items()}
    files |= {name: page(name, content, shown=shown if name == REPORTS else ()) for name, content in bodies.items()}
    files[SEARCH] = page(SEARCH, Body("Search", "<h1>Search</h1>"), index=index, **search)
    return files | {name: content for report in shown for name, content in report.files.items()}


def _index(bodies: Mapping[str, Body], shown: Iterable[Shown]) -> str:
    """All sections of the documents and the titles of the reports, as JSON that can be part of a page."""
    sections = [
        asdict(section) | {"address": name + section.address}
        for name, content in bodies.items()
        for section in content.sections
    ]
    sections += [asdict(SearchEntry(each.title, "Report", f"{each.name}.html", each.figure_says)) for each in shown]
    return json.dumps(sections, ensure_ascii=False).replace("<", "\\u003c")


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
    """A drawing of a page as a stand-alone file, which needs the namespaces that HTML implies."""
    spaces = {"xmlns": "http://www.w3.org/2000/svg", "xmlns:xlink": "http://www.w3.org/1999/xlink"}
    head = svg[: svg.index(">")]
    lacking = "".join(f' {name}="{address}"' for name, address in spaces.items() if f"{name}=" not in head)
    return svg.replace("<svg", f"<svg{lacking}", 1)


def first_page(pdf: Path) -> bytes:
    command = ["pdftoppm", "-png", "-f", "1", "-singlefile", "-scale-to-x", str(WIDTH), "-scale-to-y", "-1", str(pdf)]
    try:
        return subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise LabError("can't be drawn as a picture", str(pdf), "make setup, then lab report") from error


def body(text: str, file: Path, pages: Mapping[Path, str]) -> Body:
    """The page of a document's text; `pages` has the address of each file in the site."""
    parser = MarkdownIt("commonmark").enable("table")
    tokens = parser.parse(text)
    _redirect(tokens, file.parent, pages)
    title = next((_plain(tokens[index + 1]) for index, token in enumerate(tokens) if token.tag == "h1"), file.stem)
    written = str(parser.renderer.render(tokens, parser.options, {}))
    return Body(title, _scrollable(written), tuple(_sections(title, tokens)))


def _sections(title: str, tokens: Sequence[Token]) -> Iterator[SearchEntry]:
    """The text of each heading with all up to the next one."""
    heading, address, texts = title, "", list[str]()
    for before, token in zip([None, *tokens], tokens, strict=False):
        if before and before.type == "heading_open" and before.tag in HEADINGS:
            if texts:
                yield SearchEntry(title, heading, address, " ".join(texts))
            heading, address, texts = _plain(token), f"#{before.attrs['id']}", []
        elif token.type == "inline" or token.type in ("fence", "code_block"):
            texts.append(" ".join(_plain(token).split()))
    yield SearchEntry(title, heading, address, " ".join(texts))


def _plain(token: Token) -> str:
    """The text of a token as a reader sees it."""
    if token.children is None:
        return token.content
    return "".join(" " if child.type == "softbreak" else child.content for child in token.children)


def _redirect(tokens: Sequence[Token], folder: Path, pages: Mapping[Path, str]) -> None:
    """Lead links and pictures to their pages in the site, and give headings the anchors of Git hosts. A link to
    anything else becomes plain text."""
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag in HEADINGS:
            token.attrs["id"] = slug(tokens[index + 1].content)
        is_lost = False
        for child in token.children or ():
            if child.type == "image":
                child.attrs["src"] = _address(str(child.attrs["src"]), folder, pages)
                child.attrs["alt"] = child.content
            elif child.type == "link_open":
                address = _address(str(child.attrs["href"]), folder, pages)
                is_lost = not address
                child.tag = "span" if is_lost else "a"
                child.attrs = {"title": child.attrs["href"]} if is_lost else {**child.attrs, "href": address}
            elif child.type == "link_close" and is_lost:
                child.tag = "span"


def _address(link: str, folder: Path, pages: Mapping[Path, str]) -> str:
    path, hash_sign, anchor = link.partition("#")
    if re.match(r"\w+:", link):
        return ""
    if not path:
        return link
    page = pages.get((folder / path).resolve(), "")
    return f"{page}{hash_sign}{anchor}" if page else ""


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
