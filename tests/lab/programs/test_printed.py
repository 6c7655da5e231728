"""Outputs of programs that know nothing of the lab, as they come and as a hostile one might make them."""

import re
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.errors import ParseError
from lab.model.parameters import Counts, Parameters
from lab.model.trial import StepOutcome
from lab.programs.printed import COLUMNS, LONGEST_LINE, MOST_CHARACTERS, Printed, output, read_printed
from lab.programs.program import Reading, Request, Sample

COUNTS = (Counts(64, 1000, 10), Counts(1024, 500, 10))
ASKED = Request("plain", "write", "throughput", COUNTS, Parameters())
TRIPS = Request("plain", "write", "latency", COUNTS[:1], Parameters())
LINES = Printed(COLUMNS, only=True)
FOUND = Printed(re.compile(r"^bw of (?P<size>\d+): (?P<value>\S+)"), "MiB/s")


ITS_OWN = replace(FOUND, sizes_of_its_own=True)


def reading(text: str, printed: Printed = LINES, request: Request = ASKED) -> Reading:
    return read_printed(printed, request, [(text, request.counts)])


def read(text: str, printed: Printed = LINES, request: Request = ASKED) -> tuple[Sample, ...]:
    return reading(text, printed, request).samples


def test_columns_are_read_in_any_order_between_comments() -> None:
    samples = read("# size value unit\n1024  512  MB/s\n\n64   8   Mbps\n")
    assert samples == (
        Sample(64, "completed", 0, 1000, 64000, 64_000_000),
        Sample(1024, "completed", 0, 500, 512000, 1_000_000),
    )


def test_digits_leave_open_half_a_unit_of_the_last_one_and_of_a_whole_time_all_of_it() -> None:
    assert reading("64 12.5 MB/s\n1024 8 MB/s\n").rounded == {64: pytest.approx(12.5 / 12.45), 1024: 8 / 7.5}
    assert reading("64 1e3 MB/s\n1024 0.1 MB/s\n").rounded == {64: 2, 1024: pytest.approx(2)}
    assert [reading(f"64 {said} us", LINES, TRIPS).rounded[64] for said in ("5", "2.5")] == [1.2, pytest.approx(1.02)]


def test_a_pattern_finds_its_lines_among_talk() -> None:
    samples = read("hello 64\nbw of 64: 0.5 MiB/s or so\nbw of 1024: 1e3\nbye\n", FOUND)
    assert [sample.time_ns for sample in samples] == [122070312, 488281]


def test_a_pair_for_each_size_need_not_print_the_size() -> None:
    printed = Printed(re.compile(r"(?P<value>\S+) (?P<unit>\S+)$"))
    parts = [("it came to 8 Mbps", COUNTS[:1]), ("it came to 512 MB/s", COUNTS[1:])]
    assert read_printed(printed, ASKED, parts).samples == read("64 8 Mbps\n1024 512 MB/s")


def test_a_time_is_a_round_trip() -> None:
    assert read("64 12.5 us", LINES, TRIPS) == (Sample(64, "round_trip_mean", 0, 1000, 64000, 12_500),)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("# nothing", "64 bytes: no line has a result; 1024 bytes: no line has a result"),
        ("64 8 Mbps\n64 8 Mbps\n", "64 bytes: it is there twice"),
        ("65 8 Mbps\n", "line 1 is about 65 bytes, a size that was not asked for"),
        ("64 8 furlongs\n", "'furlongs' is no unit of throughput: one of B/s"),
        ("64 8 us\n", "'us' is no unit of throughput"),
        ("64 0.0000 Mbps\n", "64 bytes: 0.0000 Mbps is impossible"),
        ("64 1e99 GB/s\n", "is impossible"),
        ("64 -8 Mbps\n", "64 bytes: '-8' is no number"),
        ("64 nan Mbps\n", "64 bytes: 'nan' is no number"),
        ("64 8 Mbps and more\n", "line 1 is not 'size value unit'"),
        ("9" * 400 + " 8 Mbps\n", "line 1 is not 'size value unit'"),
        ("x" * (LONGEST_LINE + 1), f"line 1 has {LONGEST_LINE + 1} characters"),
        ("#\n" * MOST_CHARACTERS, "characters were printed, more than"),
    ],
)
def test_what_cannot_be_is_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ParseError) as caught:
        read(text)
    assert sentence in str(caught.value) and len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("bw of 64: 0.0000\nbw of 1024: 8\n", "0.0000 MiB/s is impossible"),
        ("bw of 64: inf\nbw of 1024: 8\n", "'inf' is no number"),
        ("bw of 64: fast\nbw of 1024: 8\n", "'fast' is no number"),
        ("bw of 1024: 8\n", "no line has a result"),
        ("bw of 64: 1\nbw of 64: 2\nbw of 1024: 8\n", "it is there twice"),
    ],
)
def test_a_size_that_cannot_be_read_costs_that_size(text: str, why: str) -> None:
    found = reading(text, FOUND)
    assert [sample.size_bytes for sample in found.samples] == [1024]
    assert found.header == {"unread_64": why}


def test_a_program_with_sizes_of_its_own_may_print_more_of_them() -> None:
    text = "bw of 2: 8\nbw of 64: 8\nbw of 1024: 9\nbw of 2048: 8\n"
    assert [sample.size_bytes for sample in read(text, ITS_OWN)] == [64, 1024]
    with pytest.raises(ParseError, match="line 1 is about 2 bytes, a size that was not asked for"):
        read(text, FOUND)


@pytest.mark.parametrize("size", ["1024", "1K", "1KB", "1 KiB", "1k", "1024B", "1024 bytes"])
def test_a_size_may_have_a_unit(size: str) -> None:
    printed = Printed(re.compile(r"^(?P<size>\d+ ?\w*): (?P<value>\S+)"), "MiB/s")
    assert [sample.size_bytes for sample in read(f"{size}: 8\n", printed)] == [1024]


def test_sizes_may_be_in_kilobytes() -> None:
    printed = Printed(re.compile(r"^(?P<size>\d+B?) (?P<value>\S+)"), "MiB/s", size_unit="KB")
    request = replace(ASKED, counts=(COUNTS[1], Counts(2048, 500, 10)))
    assert [sample.size_bytes for sample in read("1 8\n2048B 8\n", printed, request)] == [1024, 2048]
    assert [sample.size_bytes for sample in read("1 8\n2 8\n", printed, request)] == [1024, 2048]


def test_the_number_of_messages_is_as_printed_where_the_program_says_it() -> None:
    printed = Printed(re.compile(r"^(?P<size>\d+) (?P<messages>\d+) (?P<value>\S+)"), "B/s")
    found = reading("64 20 1280\n1024 0 1280\n", printed)
    assert found.samples == (Sample(64, "completed", 0, 20, 1280, 10**9),)
    assert found.header == {"unread_1024": "'0' is no number of messages"}


def test_a_factor_makes_a_round_trip_of_half_of_one() -> None:
    assert read("64 12.5 us", replace(LINES, factor=Decimal(2)), TRIPS)[0].time_ns == 25_000


def test_a_rate_of_messages_is_one_of_their_bytes() -> None:
    assert read("64 0.5 Mpps\n1024 8000 bit/s")[0].time_ns == 2_000_000


def test_results_may_be_among_the_talk_of_either_end() -> None:
    outcome = StepOutcome("client", "talk", "server", "more", 0, 0, 0, 1)
    assert output(outcome, "client", with_errors=False) == "client"
    assert output(outcome, "server", with_errors=True) == "server\nmore"


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        samples = read(text)
    except ParseError:
        return
    assert {sample.size_bytes for sample in samples} <= {64, 1024}
