"""README and docs/: links, length, glossary and the shown experiment."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.shown import example

from lab.places import DOCS, ROOT
from lab.plan.plan import Plan

README = ROOT / "README.md"
OURS = ("code", "docs", "experiments", "results/reference", "templates", "tests")
DOCUMENTS = [README, *sorted(file for folder in OURS for file in (ROOT / folder).rglob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")
PAGE_NAME = re.compile(r"docs/([\w-]+\.md)")
PROJECT_FILES = {"extending.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}  # for contributors
MOST_LINES, LINES_OF_THE_EXAMPLE, MOST_PAGES = 110, 12, 17


def targets(file: Path) -> list[str]:
    """The files of the repository that a document links to."""
    return [link.partition("#")[0] for link in LINK.findall(file.read_text()) if not re.match(r"\w+:|#", link)]


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_link_of_a_document_is_dead(file: Path) -> None:
    assert [link for link in targets(file) if not (file.parent / link).exists()] == []


def test_front_page_is_short_and_links_the_index_which_links_every_document() -> None:
    index = DOCS / "index.md"
    assert index in {(ROOT / link).resolve() for link in targets(README)}
    linked = {(DOCS / link).resolve() for link in targets(index)}
    assert [file.name for file in sorted(DOCS.glob("*.[mc][df]*")) if file not in {*linked, index}] == []
    assert len(README.read_text().splitlines()) <= MOST_LINES


QUESTIONS = {
    "What is this?": ("README.md", "Verbyte is a lab assignment for courses on networks"),
    "Can my course use it next week?": ("docs/instructor.md", "A course can start at once: seven kits are ready"),
    "What will a student hand in?": ("README.md", "one PDF to hand in with the data inside"),
    "What does it cost me for 200 students?": ("docs/instructor.md", "about 40 minutes for 200"),
    "Will it run on my laptop, cluster, Codespace?": ("README.md", "a laptop, a cluster without root, or WSL2."),
    "How do I measure my own two hosts?": ("docs/real-links.md", "Measure two of your own hosts with three steps:"),
    "Is RDMA's speed-up real or modelled?": ("README.md", "The RDMA card is a model:"),
    "How can students cheat?": ("docs/threats.md", "Students can still let somebody else measure or write"),
    "How do I add a program?": ("docs/programs.md", "An experiment can measure any program: copy the example"),
    "How do I cite it?": ("README.md", "To cite Verbyte, use [CITATION.cff](docs/CITATION.cff)."),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_answer_is_on_the_front_page_or_one_click_away(question: str) -> None:
    name, sentence = QUESTIONS[question]
    assert name in ("README.md", *targets(README))
    assert sentence in " ".join((ROOT / name).read_text().split())


def words() -> list[tuple[str, str, str]]:
    """The rows of the glossary."""
    lines = (DOCS / "faq.md").read_text().partition("## Glossary")[2].splitlines()
    rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines if line.startswith("| ")]
    return [(word, meaning, owner.strip("`")) for word, meaning, owner in rows[1:]]


def test_glossary_is_alphabetical_with_a_sentence_and_a_module_each() -> None:
    assert words() == sorted(words())
    assert [word for word, meaning, _ in words() if not re.fullmatch(r"[A-Z][^.]*\.", meaning)] == []
    assert [owner for _, _, owner in words() if not (ROOT / owner).is_file()] == []


def test_front_page_shows_a_whole_experiment(make_small_plan: Callable[[str], Plan]) -> None:
    assert len([line for line in example().splitlines() if line]) <= LINES_OF_THE_EXAMPLE
    varied = tomllib.loads(example())["series"][0]["vary"]["tx_depth"]
    assert [each.trial.request.parameters.tx_depth for each in make_small_plan(example()).planned] == varied


def test_files_that_extending_names_exist() -> None:
    named = re.findall(
        r"`((?:code|tests|experiments|results|docs)/[^`]+|pyproject\.toml)`", (DOCS / "extending.md").read_text()
    )
    assert named
    assert [file for file in named if "NAME" not in file and not list(ROOT.glob(file))] == []


def test_pages_that_code_templates_and_experiments_name_exist() -> None:
    """In messages, comments, help and hand-outs: a reader follows them."""
    files = [
        ROOT / "Makefile",
        *(file for folder in ("code", "experiments", "templates") for file in (ROOT / folder).rglob("*")),
    ]
    texts = {file: file.read_bytes().decode(errors="replace") for file in files if file.is_file()}
    named = {(str(file.relative_to(ROOT)), page) for file, text in texts.items() for page in PAGE_NAME.findall(text)}
    assert len(named) > 20
    assert [(file, page) for file, page in sorted(named) if not (DOCS / page).is_file()] == []


def test_size_of_the_first_download_is_the_sum_of_the_lock() -> None:
    sections = re.split(r"^\[(.+)\]$", (ROOT / "code/machine/packages.lock").read_text(), flags=re.MULTILINE)[1:]
    first = {"guest", "runner amd64", "compiler", "kernel"}
    rows = [
        line.split()
        for name, text in zip(sections[::2], sections[1::2], strict=True)
        if name in first
        for line in text.splitlines()
    ]
    total = sum({row[4]: int(row[5]) for row in rows if len(row) == 6}.values()) / 1e6
    (stated,) = re.findall(r"(\d+) MB to download \| once", (DOCS / "your-computer.md").read_text())
    assert abs(total - int(stated)) < 1


def test_documents_are_few_and_begin_with_purpose_and_reader() -> None:
    pages = [file for file in sorted(DOCS.glob("*.md")) if file.name not in PROJECT_FILES]
    assert len(pages) <= MOST_PAGES
    written = [page for page in pages if page.name != "hosts.md"]  # of measurements
    assert [page.name for page in written if not re.match(r"# .+\n\nFor ", page.read_text())] == []
