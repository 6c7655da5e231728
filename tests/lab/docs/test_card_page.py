"""docs/cards.md, and the figure of the front page."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from lab.docs.card_page import CURVES, SHOWN, headline, page
from lab.experiment.reader import card_names, read_card
from lab.model.trial import PARAMETERS


def test_each_card_has_each_parameter_with_its_origin() -> None:
    text = page()
    for name in card_names():
        section = text.partition(f"### {name}\n")[2].partition("\n#")[0]
        for parameter, known in read_card(name).known.items():
            assert f"| `{parameter}` | {known.value:,} | {known.origin} |" in section
    assert text.count("| `gap_ps` |") == len(card_names()) + 1 and len(PARAMETERS) == 11


def test_it_says_what_is_answered_otherwise_than_by_soft_roce_and_nothing_that_is_not() -> None:
    section = page().partition("## Beside Soft-RoCE\n")[2].partition("\n## ")[0]
    assert "| ibv_alloc_mw | works | Operation not supported |" in section and "max_sge" not in section


def test_qdr_is_within_two_percent_of_the_report_it_was_fitted_to_and_five_of_the_other() -> None:
    (last,) = (line for line in page().splitlines() if line.startswith("| median"))
    fitted, predicted = (float(each.strip().removesuffix("%")) for each in last.split("|") if "%" in each)
    assert fitted <= 2 and predicted <= 5


SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    with (tmp_path / f"{SHOWN}.csv").open("w", newline="") as opened:
        rows = csv.writer(opened)
        rows.writerow(["series", "size_bytes", "confirmed_bytes_per_s"])
        rows.writerows(["tcp.card", 1, rate] for rate in (1e6, 3e6, 5e6))
        rows.writerows([["tcp.card", 64, 9e6], ["latency", 64, ""]])
    return tmp_path


def test_it_says_in_words_what_it_draws(reference: Path) -> None:
    root = ElementTree.fromstring(headline(reference))
    words = root.attrib["aria-label"]
    assert root.attrib["role"] == "img" and "TCP: 3 MB/s at 1 byte and 9 MB/s at 64 bytes." in words
    assert "real card, published" in words and CURVES[-1].words.split("\n")[0] not in words.replace("\n", " ")


def test_ink_follows_the_reader_s_choice_of_light_or_dark(reference: Path) -> None:
    text = headline(reference)
    assert "prefers-color-scheme:dark" in text and ":root{fill:var(--ink)" in text
    assert "#000000" not in text
