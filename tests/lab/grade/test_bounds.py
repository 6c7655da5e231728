"""A stranger's records within bounds: lab.grade.{plain_json,records}."""

from __future__ import annotations

import gzip

import pytest

from lab.errors import OpeningFault
from lab.grade.consistency import LARGEST, require_plain
from lab.grade.rebuild import require_bounded
from lab.submission.archive import SubmissionError


@pytest.mark.parametrize("text", ["9" * 4000, "-" + "9" * 21, "1e999", "NaN", "-Infinity"])
def test_a_number_that_nothing_measures_is_refused(text: str) -> None:
    with pytest.raises(SubmissionError, match="a number that nothing measures"):
        require_plain(f'{{"clock_end_ns": {text}}}'.encode(), "record.json")


@pytest.mark.parametrize("content", [b"[" * 100_000, b" " * (LARGEST + 1)])
def test_too_deep_and_too_long_are_named(content: bytes) -> None:
    with pytest.raises(SubmissionError) as caught:
        require_plain(content, "record.json")
    assert caught.value.fault is OpeningFault.TOO_LARGE


def test_what_the_lab_writes_passes_and_what_is_no_json_is_left_to_its_reader() -> None:
    for content in (b'{"key": "a", "clock_end_ns": 1700000000000000000, "load": [0.5, 1e-9]}', b"{", b"\xff"):
        require_plain(content, "record.json")


def test_more_rows_than_the_plan_can_have_are_refused() -> None:
    require_bounded(gzip.compress(b"x\n" * 100), "samples", 100)
    with pytest.raises(SubmissionError, match="or 100 rows") as caught:
        require_bounded(gzip.compress(b"x\n" * 101), "samples", 100)
    assert caught.value.fault is OpeningFault.TOO_LARGE
