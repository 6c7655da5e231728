"""Outputs of programs that know nothing of the lab, as they come and as a hostile one might make them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.errors import ParseError
from lab.model.parameters import Counts, Parameters
from lab.model.trial import StepOutcome
from lab.programs.printed import COLUMNS, LONGEST_LINE, MOST_CHARACTERS, Printed, read_printed
from lab.programs.request import Request, Sample

COUNTS = (Counts(64, 1000, 10), Counts(1024, 500, 10))
ASKED = Request("plain", "write", "throughput", COUNTS, Parameters())
TRIPS = Request("plain", "write", "latency", COUNTS[:1], Parameters())
LINES = Printed(COLUMNS, only=True)
FOUND = Printed(re.compile(r"^bw of (?P<size>\d+): (?P<value>\S+)"), "MiB/s")


def said(text: str) -> StepOutcome:
    return StepOutcome(text, "", "", "", 0, 0, 0, 1)


def read(text: str, printed: Printed = LINES, request: Request = ASKED) -> tuple[Sample, ...]:
    return read_printed(printed, request, [(said(text), request.counts)]).samples


def test_columns_are_read_in_any_order_between_comments() -> None:
    samples = read("# size value unit\n1024  512  MB/s\n\n64   8   Mbps\n")
    assert samples == (
        Sample(64, "completed", 0, 1000, 64000, 64_000_000),
        Sample(1024, "completed", 0, 500, 512000, 1_000_000),
    )


def test_a_pattern_finds_its_lines_among_talk() -> None:
    samples = read("hello 64\nbw of 64: 0.5 MiB/s or so\nbw of 1024: 1e3\nbye\n", FOUND)
    assert [sample.time_ns for sample in samples] == [122070312, 488281]


def test_a_pair_for_each_size_need_not_print_the_size() -> None:
    printed = Printed(re.compile(r"(?P<value>\S+) (?P<unit>\S+)$"))
    parts = [(said("it came to 8 Mbps"), COUNTS[:1]), (said("it came to 512 MB/s"), COUNTS[1:])]
    assert read_printed(printed, ASKED, parts).samples == read("64 8 Mbps\n1024 512 MB/s")


def test_a_time_is_a_round_trip() -> None:
    assert read("64 12.5 us", LINES, TRIPS) == (Sample(64, "round_trip_mean", 0, 1000, 64000, 12_500),)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("64 8 Mbps\n", "no line has a result for 1024 bytes"),
        ("64 8 Mbps\n64 8 Mbps\n", "64 bytes are there twice"),
        ("65 8 Mbps\n", "line 1 is about 65 bytes, a size that was not asked for"),
        ("64 8 furlongs\n", "'furlongs' is no unit of throughput: one of B/s"),
        ("64 8 us\n", "'us' is no unit of throughput"),
        ("64 0 Mbps\n", "0 Mbps for 64 bytes is impossible"),
        ("64 1e99 GB/s\n", "is impossible"),
        ("64 -8 Mbps\n", "line 1 is not 'size value unit'"),
        ("64 nan Mbps\n", "line 1 is not 'size value unit'"),
        ("64 8 Mbps and more\n", "line 1 is not 'size value unit'"),
        ("9" * 400 + " 8 Mbps\n", "line 1 is not 'size value unit'"),
        ("x" * (LONGEST_LINE + 1), f"line 1 has {LONGEST_LINE + 1} characters"),
        ("#\n" * MOST_CHARACTERS, "characters were printed, more than"),
    ],
)
def test_what_cannot_be_is_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ParseError) as caught:
        read(text)
    assert sentence in str(caught.value) and len(str(caught.value)) < 400


def test_a_pattern_that_finds_no_number_is_a_sentence() -> None:
    with pytest.raises(ParseError, match="'fast' is no number"):
        read("bw of 64: fast", FOUND)


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        samples = read(text)
    except ParseError:
        return
    assert [sample.size_bytes for sample in samples] == [64, 1024]
