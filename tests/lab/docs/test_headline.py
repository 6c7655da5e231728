"""The front page's figure: lab.docs.card_page."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from lab.docs.card_page import CURVES, SHOWN, headline

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
    assert root.attrib["role"] == "img" and "TCP: 3 MB/s at 1 bytes and 9 MB/s at 64 bytes." in words
    assert "as published" in words and CURVES[-1].words.split("\n")[0] not in words.replace("\n", " ")


def test_ink_follows_the_reader_s_choice_of_light_or_dark(reference: Path) -> None:
    text = headline(reference)
    assert "prefers-color-scheme:dark" in text and "var(--ink)" in text
    assert "#000000" not in text


def test_the_same_tables_give_the_same_bytes(reference: Path) -> None:
    assert headline(reference) == headline(reference)
