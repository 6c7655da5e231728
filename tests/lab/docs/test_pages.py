"""The pages that are generated from the code, or have lines of experiments."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import fields
from pathlib import Path

import pytest
from tests.lab.docs.test_keys import TABLES

from lab.docs import gallery
from lab.docs.pages import PAGES, card_page, headline, stale, template_page, write
from lab.experiment.reader import card_names, read_card
from lab.model.trial import PARAMETERS
from lab.places import DOCS, EXAMPLES
from lab.report.context import OF_EXHIBITS, OTHERS, Context


def test_check_of_make_lint_passes_while_no_page_is_stale() -> None:
    done = subprocess.run([sys.executable, "-m", "lab.docs", "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_changed_or_missing_page_is_stale(tmp_path: Path) -> None:
    write(tmp_path)
    assert stale(tmp_path) == []
    first, *_ = (tmp_path / name for name in PAGES)
    first.write_text(first.read_text() + "one line more\n")
    assert stale(tmp_path) == [first]
    first.unlink()
    assert stale(tmp_path) == [first]


def test_every_name_has_a_line_and_words() -> None:
    _, _, names = template_page().partition("## Names in a template")
    lines = [line.split(" | ") for line in names.splitlines() if line.startswith("| `")]
    words = {name.strip("| `"): rest for name, *rest in lines}
    assert [*words] == [*(each.name for each in fields(Context)), *(each.__name__ for each in OF_EXHIBITS), *OTHERS]
    assert all(meaning for meaning, _ in words.values())
    assert words["effective"][1].startswith("`heads`, `rows`")
    assert words["has"] == ["`queries`", "Whether the data answer all of these queries. |"]


TEXT, _, _ = (DOCS / "programs.md").read_text().partition("\n## Verbyte's programs\n")
EXAMPLE_TEXTS = {file.stem: file.read_text() for file in EXAMPLES.glob("*.toml")}
EXAMPLE_LINES = {line for text in EXAMPLE_TEXTS.values() for line in text.splitlines()}
SHOWN = [line.strip() for line in TEXT.splitlines() if line.startswith("    ") and ".venv/bin/lab" not in line]
KEYS = [key for key in (row.key for row in TABLES["[programs.NAME]"]) if key != "ready"]
KEYS += [f"ready.{row.key}" for row in TABLES["[programs.NAME.ready]"]]


def test_shown_lines_are_lines_of_the_examples() -> None:
    assert [line for line in SHOWN if line not in EXAMPLE_LINES] == []


@pytest.mark.parametrize("key", KEYS)
def test_every_key_of_a_program_is_shown(key: str) -> None:
    assert any(line.startswith(f"{key} = ") for line in SHOWN)


def test_every_example_with_programs_is_in_the_table() -> None:
    named = set(re.findall(r"^\| `(\w+)` \| [A-Zct]", TEXT, re.MULTILINE))
    assert {name for name, text in EXAMPLE_TEXTS.items() if "[programs." in text} <= named


def test_page_has_each_parameter_of_each_card_with_its_origin() -> None:
    meanings = re.findall(r"^\| `(\w+)` \| [^|]+\. \|$", (DOCS / "cards.md").read_text(), re.MULTILINE)
    assert meanings == [*PARAMETERS]
    for name in card_names():
        section = card_page().partition(f"### {name}\n")[2].partition("\n#")[0]
        for parameter, known in read_card(name).known.items():
            (row,) = (line for line in section.splitlines() if f"`{parameter}` {known.value:,}" in line)
            assert row.endswith(f" | {known.origin} | {known.source} |")


def test_page_has_only_answers_that_differ_from_soft_roce() -> None:
    section = card_page().partition("## Beside Soft-RoCE\n")[2].partition("\n## ")[0]
    assert re.search(r"^\|[^|]* ibv_alloc_mw; [^|]*\| works \| Operation not supported \|$", section, re.MULTILINE)
    assert "max_sge" not in section


def test_qdr_is_within_two_percent_of_the_report_it_was_fitted_to_and_five_of_the_other() -> None:
    (last,) = (line for line in card_page().splitlines() if line.startswith("| median"))
    fitted, predicted = (float(each.strip().removesuffix("%")) for each in last.split("|") if "%" in each)
    assert fitted <= 2 and predicted <= 5


def test_headline_has_a_description_and_the_colours_of_its_reader() -> None:
    text = headline()
    root = ElementTree.fromstring(text)
    words = root.attrib["aria-label"]
    assert root.attrib["role"] == "img" and words.startswith("Throughput against message size, both axes logarithmic:")
    assert re.search(r"; TCP [\d.]+ .B/s at 1 B, .*; real card, published 3.56 MB/s at 1 B", words)
    assert "prefers-color-scheme:dark" in text and "var(--ink)" in text and "#000000" not in text


def test_gallery_has_a_figure_and_errors_of_each_card() -> None:
    text = gallery.page()
    for name, shown in gallery.PORTRAITS.items():
        section = text.partition(f"## {name}\n")[2].partition("\n## ")[0]
        assert f"](card-{name}.svg)" in section and read_card(name).known["gap_ps"].source in section
        fitted, *predicted = (line for line in section.splitlines() if ".csv | " in line)
        middle, worst = map(float, re.findall(r"median error ([\d.]+)%, worst .([\d.]+)%", fitted)[0])
        assert middle <= 2 and worst <= 10 and len(predicted) == len(shown.predicted)


def test_figure_of_a_card_has_the_measured_points_and_a_description() -> None:
    root = ElementTree.fromstring(gallery.figure("edr"))
    assert "measured" in root.attrib["aria-label"] and f"![{root.attrib['aria-label']}]" in gallery.page()
