"""The site, its gallery and its pages, also opened in a browser from disk."""

import re
from importlib.resources import files
from pathlib import Path

import pytest
from tests.lab.grade.browser import addresses, all_found_in, found_in
from tests.lab.report.html.barriers import SCRIPT as BARRIERS

from lab.cli.main import main
from lab.errors import LabError
from lab.places import ROOT, TEMPLATES
from lab.web import FRONT, REPORTS, SEARCH, body, first_page, gallery, site_files, slug


def small_pdf() -> bytes:
    """Without a table of places: readers make it anew."""
    return (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 300]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
    )


PHONE, DESKTOP = 360, 1280
SVG = '<svg role="img" aria-label="A line." viewBox="0 0 9 9"><path d="M0 0 9 9"/></svg>'
LAID_OUT = "return [document.documentElement.scrollWidth, innerWidth];"
SEARCHING = """var box = document.querySelector('input[type=search]'); box.value = 'QUERY';
box.dispatchEvent(new Event('input'));
return Array.from(document.querySelectorAll('#hits a')).map(function (link) { return link.getAttribute('href'); });"""
KEYS = """var all = Array.from(document.querySelectorAll('a[href], .wide'));
return all.filter(function (each) { each.focus(); return document.activeElement !== each; }).length;"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    reports, folder = tmp_path_factory.mktemp("report"), tmp_path_factory.mktemp("site")
    (reports / "one.pdf").write_bytes(small_pdf())
    (reports / "one.html").write_text(f"<title>One report</title>{SVG}")
    assert main(["site", str(folder), "--out", str(reports), "--results", str(reports)]) == 0
    return folder


@pytest.fixture
def open_to_scripts(made: Path) -> Path:
    """The same pages, which let a test's own script run: as they are written, no script may."""
    for page in made.glob("*.html"):
        page.write_text(re.sub(r"<meta http-equiv=.*?>", "", page.read_text()))
    return made


def pages(made: Path) -> list[Path]:
    return sorted(file for file in made.glob("*.html") if file.name not in ("one.html", "tried.html"))


def test_every_link_leads_to_a_page_of_the_site(made: Path) -> None:
    ids = {page.name: set(re.findall(r'id="([^"]+)"', page.read_text())) for page in made.glob("*.html")}
    for page in pages(made):
        for link in re.findall(r'(?:href|src)="([^"]+)"', page.read_text()):
            name, _, place = link.partition("#")
            assert (made / (name or page.name)).is_file(), (page.name, link)
            assert not place or place in ids[name or page.name], (page.name, link)


def test_every_picture_has_an_alternative_text(made: Path) -> None:
    pictures = [(page.name, tag) for page in pages(made) for tag in re.findall(r"<img [^>]*>", page.read_text())]
    assert pictures
    assert [found for found in pictures if not re.search(r'alt="[^"]+"', found[1])] == []


def test_search_links_to_sections_that_have_all_words(tmp_path: Path) -> None:
    files = site_files(ROOT, tmp_path, tmp_path, TEMPLATES)
    (tmp_path / SEARCH).write_bytes(files[SEARCH])
    asked = {"loss seed": "docs-experiments.html#link", "CHEAT": "docs-threats.html#attacks-and-what-stops-them"}
    queries = (SEARCHING.replace("QUERY", query) for query in (*asked, "zebra-crossing"))
    *found, none = all_found_in(tmp_path / SEARCH, *queries)
    assert none == [] and all(address in links for address, links in zip(asked.values(), found, strict=True))
    for name, _, heading in (link.partition("#") for links in found for link in links):
        assert not heading or f'id="{heading}"' in files[name].decode()


@pytest.mark.parametrize("name", [FRONT, REPORTS, SEARCH, "docs-student.html", "docs-exact-site.html"])
def test_no_page_is_wider_than_the_screen_has_a_barrier_or_what_keys_cannot_reach(
    open_to_scripts: Path, name: str
) -> None:
    library = (files("axe_core_python") / "axe.min.js").read_text()
    for width in (PHONE, DESKTOP):
        scripts = (LAID_OUT, KEYS, BARRIERS)
        (wide, screen), unreached, (broken, passed) = all_found_in(
            open_to_scripts / name, *scripts, library=library, width=width
        )
        assert screen == width and wide <= screen and unreached == 0 and broken == [] and passed > 20


def test_no_page_loads_anything_outside_its_folder(open_to_scripts: Path) -> None:
    for name in (FRONT, REPORTS):
        found_in(open_to_scripts / name, "return 0;")
        assert {each for each in addresses(open_to_scripts / name) if not each.startswith("file:")} == set()


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    assert site_files(ROOT, tmp_path, tmp_path, TEMPLATES) == site_files(ROOT, tmp_path, tmp_path, TEMPLATES)


def test_site_without_reports_has_no_gallery(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["site", str(tmp_path / "site"), "--out", str(tmp_path), "--results", str(tmp_path)]) == 0
    assert "try: make all" in capsys.readouterr().err
    assert not (tmp_path / "site" / REPORTS).exists() and f'"{REPORTS}"' not in (tmp_path / "site" / FRONT).read_text()


PAGE = (
    '<title>One &amp; two</title><svg role="img" aria-label="A line &lt; another" viewBox="0 0 1 1"><path/></svg><svg/>'
)


def test_gallery_has_first_page_first_figure_and_table_of_a_report(tmp_path: Path) -> None:
    (tmp_path / "one.pdf").write_bytes(small_pdf())
    (tmp_path / "one.html").write_text(PAGE)
    (tmp_path / "one.csv").write_text("size\n1\n")
    (tmp_path / "two.pdf").write_bytes(small_pdf())
    (tmp_path / "two.html").write_text("<p>without table and figure</p>")
    found, bare = gallery(tmp_path, tmp_path)
    assert (bare.title, bare.figure_says, sorted(bare.files)) == ("two", "", ["two.html", "two.pdf", "two.png"])
    assert (found.name, found.title, found.figure_says) == ("one", "One & two", "A line < another")
    assert sorted(found.files) == ["one.csv", "one.html", "one.pdf", "one.png", "one.svg"]
    assert found.files["one.png"].startswith(b"\x89PNG")
    svg = found.files["one.svg"]
    assert svg.endswith(b"<path/></svg>") and b'xmlns="http://www.w3.org/2000/svg"' in svg and b"xmlns:xlink=" in svg


def test_broken_pdf_is_an_error_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"no PDF")
    with pytest.raises(LabError, match="broken"):
        first_page(tmp_path / "broken.pdf")


@pytest.fixture
def document(tmp_path: Path) -> Path:
    (tmp_path / "other.md").touch()
    (tmp_path / "one.md").write_text(
        "# Some `lab`\n\n[other](other.md#so) [code](code/x.c) [away](https://example.org/) [below](#a-b)\n\n"
        "## A, b\n\n| a |\n|---|\n| 1 |\n\n    make <all>\n"
    )
    return tmp_path


def test_link_to_a_document_leads_to_its_page(document: Path) -> None:
    page = body(
        (document / "one.md").read_text(), document / "one.md", {(document / "other.md").resolve(): "docs-other.html"}
    )
    assert page.title == "Some lab"
    assert '<a href="docs-other.html#so">other</a>' in page.html
    assert '<a href="#a-b">below</a>' in page.html and '<h2 id="a-b">' in page.html
    assert slug("What it needs: all, at once") == "what-it-needs-all-at-once"


def test_links_out_of_the_site_become_text_and_wide_blocks_scroll(document: Path) -> None:
    page = body((document / "one.md").read_text(), document / "one.md", {})
    assert '<span title="code/x.c">code</span>' in page.html
    assert '<span title="https://example.org/">away</span>' in page.html
    assert "<a " not in page.html.replace('<a href="#a-b">', "")
    assert page.html.count('class="wide" tabindex="0"') == 2 == page.html.count("</div>")
    assert "make &lt;all&gt;" in page.html
