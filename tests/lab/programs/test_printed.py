"""Outputs of student programs, as they come and as a hostile one might be, and the units in them."""

import re
import subprocess
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.errors import ParseError
from lab.model.parameters import Counts, Parameters
from lab.model.trial import StepOutcome
from lab.programs.printed import (
    COLUMNS,
    KNOWN,
    LONGEST_LINE,
    MOST_CHARACTERS,
    Printed,
    by_rank,
    bytes_per_s,
    is_unit,
    lines_about,
    nanoseconds,
    output,
    read_printed,
)
from lab.programs.program import Reading, Request, Sample

COUNTS = (Counts(64, 1000, 10), Counts(1024, 500, 10))
ASKED = Request("plain", "write", "throughput", COUNTS, Parameters())
TRIPS = Request("plain", "write", "latency", COUNTS[:1], Parameters())
LINES = Printed(COLUMNS, only=True)
ONE = replace(TRIPS, measure="throughput")
TOTAL = Printed(re.compile(r"(?P<messages>\d+) in (?P<total>\S+)"), "ms")
PATTERN = Printed(re.compile(r"^bw of (?P<size>\d+): (?P<value>\S+)"), "MiB/s")


def reading(text: str, printed: Printed = LINES, request: Request = ASKED) -> Reading:
    return read_printed(printed, request, [(text, request.counts)])


def sizes(text: str, printed: Printed, request: Request = ASKED) -> list[int]:
    return [sample.size_bytes for sample in reading(text, printed, request).samples]


def test_columns_are_read_in_any_order_between_comments() -> None:
    assert reading("# size value unit\n1024  512  MB/s\n\n64   8   Mbps\n").samples == (
        Sample(64, "completed", 0, 1000, 64000, 64_000_000),
        Sample(1024, "completed", 0, 500, 512000, 1_000_000),
    )


def test_last_digit_leaves_open_half_a_unit_and_of_a_whole_time_a_whole_one() -> None:
    assert reading("64 12.5 MB/s\n1024 8 MB/s\n").rounded == {64: pytest.approx(12.5 / 12.45), 1024: 8 / 7.5}
    assert reading("64 1e3 MB/s\n1024 0.1 MB/s\n").rounded == {64: 2, 1024: pytest.approx(2)}
    times = [reading(f"64 {text} us", LINES, TRIPS).rounded[64] for text in ("5", "2.5")]
    assert times == [1.2, pytest.approx(1.02)]


def test_pair_for_each_size_need_not_print_the_size() -> None:
    printed = Printed(re.compile(r"(?P<value>\S+) (?P<unit>\S+)$"))
    parts = [("it came to 8 Mbps", COUNTS[:1]), ("it came to 512 MB/s", COUNTS[1:])]
    assert read_printed(printed, ASKED, parts).samples == reading("64 8 Mbps\n1024 512 MB/s").samples


@pytest.mark.parametrize(
    ("text", "printed", "request_", "time_ns"),
    [
        ("64 12.5 us", LINES, TRIPS, 12_500),
        ("64 12.5 us", replace(LINES, factor=Decimal(2)), TRIPS, 25_000),  # it prints half a round trip
        ("64 0.5 Mpps\n1024 8000 bit/s", LINES, ASKED, 2_000_000),
        ("64 1,234.5 us", LINES, TRIPS, 1_234_500),
        ("64 1'000 us", LINES, TRIPS, 1_000_000),
        ("64 1.234,5 us", LINES, TRIPS, 1_234_500),
        ("64 12,25 us", LINES, TRIPS, 12_250),
        ("64 0,125 us", LINES, TRIPS, 125),
        ("\x1b[1m64 \x1b[32m12.5\x1b[0m us", LINES, TRIPS, 12_500),
        ("1000 in 12.5 ms", TOTAL, TRIPS, 12_500),
        ("500 in 12.5 ms", TOTAL, TRIPS, 25_000),
        ("1000 in 12.5 ms", TOTAL, ONE, 12_500_000),
    ],
)
def test_time_of_a_sample_follows_from_the_unit(text: str, printed: Printed, request_: Request, time_ns: int) -> None:
    sample = reading(text, printed, request_).samples[0]
    kind = "round_trip_mean" if request_ is TRIPS else "completed"
    assert sample == Sample(64, kind, 0, sample.messages, sample.messages * 64, time_ns)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("# nothing", "64 bytes: no line has a result; 1024 bytes: no line has a result"),
        ("65 8 Mbps\n", "line 1 is about 65 bytes, a size that is not in the request"),
        ("64 8 furlongs\n", "'furlongs' is not a unit of throughput: one of B/s"),
        ("64 8 us\n", "'us' is not a unit of throughput"),
        ("64 0.0000 Mbps\n", "64 bytes: 0.0000 Mbps is impossible"),
        ("64 1e99 GB/s\n", "is impossible"),
        ("64 -8 Mbps\n", "64 bytes: '-8' is not a number"),
        ("64 nan Mbps\n", "64 bytes: 'nan' is not a number"),
        ("64 1,234 Mbps\n", "64 bytes: '1,234' has either thousands or a decimal comma"),
        ("64 12,34,5 Mbps\n", "64 bytes: '12,34,5' is not a number"),
        ("64 8 Mbps and more\n", "line 1 is not 'size value unit'"),
        ("9" * 400 + " 8 Mbps\n", "line 1 is not 'size value unit'"),
        ("x" * (LONGEST_LINE + 1), f"line 1 has {LONGEST_LINE + 1} characters"),
        ("#\n" * MOST_CHARACTERS, "characters were printed, more than"),
    ],
)
def test_impossible_output_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ParseError) as caught:
        reading(text)
    assert sentence in str(caught.value) and len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("bw of 64: 0.0000\nbw of 1024: 8\n", "0.0000 MiB/s is impossible"),
        ("bw of 64: fast\nbw of 1024: 8\n", "'fast' is not a number"),
        ("bw of 1024: 8\n", "no line has a result"),
    ],
)
def test_unreadable_size_is_named_in_the_header_and_the_others_are_read(text: str, why: str) -> None:
    result = reading(text, PATTERN)
    assert [sample.size_bytes for sample in result.samples] == [1024] and result.header["unread_64"] == why


def test_several_lines_of_a_size_are_samples_of_which_the_median_counts() -> None:
    result = reading("bw of 64: 3\nbw of 1024: 8\nbw of 64: 1\nbw of 64: 2\nbw of 64: 9\n", PATTERN)
    assert [sample.time_ns for sample in result.samples] == [64_000 * 10**9 // (3 << 20), 61035156]
    assert result.rounded[64] == 1 / (1 - 0.5 / 3)
    assert result.header == {"lines_64": "4", "rounded_64": "20", "rounded_1024": "7"}


@pytest.mark.parametrize(
    ("pattern", "text", "part"),
    [
        (r"rate (?P<value>[\d.]+)", "rate 1,234.56", "'1' is a part of '1,234.56'"),
        (r"(?P<value>[\d.]+)$", "rate 1,234.56", "'234.56' is a part of '1,234.56'"),
        (r"(?P<value>[\d.]+)$", "rate 12,34", "'34' is a part of '12,34'"),
        (r"(?P<size>\d+) bytes: (?P<value>[\d.]+)", "4,096 bytes: 5.0", "'096' is a part of '4,096'"),
        (r"rate (?P<value>[\d.]+)", "rate 1.5e+03", r"'1.5' is a part of '1.5e\+03'"),
        (r"rate (?P<value>\d+)", "rate 12.5", "'12' is a part of '12.5'"),
        (r"rate (?P<value>[\d.e+-]+)", "rate 1.5e+03", ""),
        (r"(?P<size>\d+),(?P<value>[\d.]+)", "64,100,200.5", ""),
        (r",(?P<value>[\d.]+)", "64,100", ""),
        (r"rate (?P<value>[\d.,]+)", "rate 1,234.56", ""),
        (r"(?P<value>[\d.]+)", "rate 5.25, of 64", ""),
    ],
)
def test_part_of_a_number_with_commas_is_refused_but_not_a_column(pattern: str, text: str, part: str) -> None:
    printed, request = Printed(re.compile(pattern), "MB/s"), replace(ASKED, counts=COUNTS[:1])
    if not part:
        assert len(reading(text, printed, request).samples) == 1
        return
    with pytest.raises(ParseError, match=part):
        reading(text, printed, request)


PERFTEST = r"^ ?(?P<size>\d+) +(?P<messages>\d+) +(?P<value>[\d.]+?)\s"


@pytest.mark.parametrize(
    ("printed", "line", "size"),
    [
        (LINES, "64   8  Mbps", 64),
        (LINES, "4K 8 Mbps", 4096),
        (LINES, "# 64 bytes", 0),
        (PATTERN, "bw of 64: 8", 64),
        (PATTERN, "bw of 644: 8", 0),
        (PATTERN, "bw of 64", 0),
        (Printed(re.compile(PERFTEST), "MiB/s"), " 64 4096 1.5 ", 64),
        (Printed(re.compile(PERFTEST), "MiB/s"), "4096 64 1.5 ", 4096),
        (Printed(re.compile(r"(?P<size>\d+) ?\w*: (?P<value>\S+)"), "MiB/s"), "164: 5", 0),
        (Printed(re.compile(r"(?:to|of) (?P<size>\d+): (?P<value>\S+)"), "s", size_unit="KB"), "to 4: 5", 4096),
        (Printed(re.compile(r"(?P<size>\d+) bytes: (?P<value>\S+)"), "MB/s"), "16 bytes: 64.000 MB/s", 16),
        (Printed(re.compile(r"\s*(?P<size>\d+)\s*(?P<value>\S+)"), "MB/s"), "640 8", 0),
        (Printed(re.compile(r"(?P<value>\S+) of (?P<size>\d+)"), "MB/s"), "64 of 4096", 4096),
        (Printed(re.compile(r"count=(?P<size>\d+) (?P<value>\S+)"), "us", size_unit="ints"), "count=1024 64.0", 4096),
        (Printed(re.compile(r"took (?P<value>\S+)"), "s"), "it took 5", 64),
        (Printed(re.compile(r"(?P<size>[\d,]+) bytes: (?P<value>\S+)"), "MB/s"), "4,096 bytes: 64", 4096),
    ],
)
def test_awk_finds_the_lines_about_a_size(printed: Printed, line: str, size: int) -> None:
    result, patterns = lines_about(printed, [64, 4096])
    sizes = (64, 4096) if len(patterns) == 2 else (64,)
    for about, pattern in zip(sizes, patterns, strict=True):
        program = "$0 ~ ARGV[1] && $0 ~ ARGV[2] { print 1 } BEGIN { ARGC = 1 }"
        done = subprocess.run(["awk", program, result, pattern], input=line, capture_output=True, text=True, check=True)
        assert done.stdout == ("1\n" if about == size else ""), (result, pattern)


@pytest.mark.parametrize("pattern", [r"(?=x)(?P<value>\d)", r"(?P<value>\d+)\1", r"(a(?P<size>\d+)) (?P<value>\d+)"])
def test_pattern_without_a_counterpart_in_awk_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"awk|inside another group"):
        lines_about(Printed(re.compile(pattern)), [64])


def test_lines_of_two_ranks_are_the_outputs_of_two_ends() -> None:
    out = "[1,0]<stdout>:64 8\n[1,1]<stdout>:64 9\n[1,0]<stdout>:10[1,0]<stdout>:24 8\n"
    ends = by_rank(StepOutcome(out, "[1,1]<stderr>:late\n", "", "", 0, 0, 0, 1))
    assert (ends.client_out, ends.server_out, ends.client_err, ends.server_err) == (
        "64 8\n1024 8\n",
        "64 9\n",
        "",
        "late\n",
    )
    plain = StepOutcome("64 8\n", "", "daemon", "", 0, 0, 0, 1)
    assert by_rank(plain) == plain


def test_program_that_chooses_its_sizes_may_print_more_of_them() -> None:
    text = "bw of 2: 8\nbw of 64: 8\nbw of 1024: 9\nbw of 2048: 8\n"
    assert sizes(text, replace(PATTERN, sizes_of_its_own=True)) == [64, 1024]
    with pytest.raises(ParseError, match="line 1 is about 2 bytes, a size that is not in the request"):
        reading(text, PATTERN)


@pytest.mark.parametrize(
    ("pattern", "unit", "printed"),
    [
        (r"(?P<size>\d+ ?\w*):", "B", "1024:|1K:|1KB:|1 KiB:|1k:|1024B:|1024 bytes:"),
        (r"count=(?P<size>\d+)", "ints", "count=256"),
        (r"count=(?P<size>\d+)", "doubles", "count=128"),
        (r"(?P<size>\d+B?)", "KB", "1|1024B"),
    ],
)
def test_size_may_have_a_unit(pattern: str, unit: str, printed: str) -> None:
    about = Printed(re.compile(rf"^{pattern} (?P<value>\S+)"), "MiB/s", size_unit=unit)
    assert [sizes(f"{size} 8\n", about) for size in printed.split("|")] == [[1024]] * len(printed.split("|"))


def test_printed_number_of_messages_counts() -> None:
    printed = Printed(re.compile(r"^(?P<size>\d+) (?P<messages>\d+) (?P<value>\S+)"), "B/s")
    result = reading("64 20 1280\n1024 0 1280\n", printed)
    assert result.samples == (Sample(64, "completed", 0, 20, 1280, 10**9),)
    assert result.header == {"unread_1024": "'0' is not a number of messages"}


def test_results_may_be_in_the_standard_error_of_either_end() -> None:
    outcome = StepOutcome("client", "talk", "server", "more", 0, 0, 0, 1)
    assert output(outcome, "client", with_errors=False) == "client"
    assert output(outcome, "server", with_errors=True) == "server\nmore"


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert {sample.size_bytes for sample in reading(text).samples} <= {64, 1024}
    except ParseError:
        return


RATES = {
    1: "B/s bytes/sec Bps",
    10**3: "kB/s KB/sec",
    10**6: "MB/s Mo/s MBytes/sec MegaBytes/second",
    10**9: "GB/s",
    2**10: "KiB/s Kio/s",
    2**20: "MiB/sec",
    2**30: "GiB/s",
    0.125: "bit/s bps",
    125: "kbit/s kilobits/sec",
    125_000: "Mbit/sec Mbits/sec Mb/s Mbps",
    125 * 10**6: "Gb/sec Gbits/s",
    64: "msg/s ops/s messages/second",
    64 * 10**6: "Mpps Mops",
}
TIMES = {
    1: "ns nsec",
    10**3: "us usec usec/iter \N{MICRO SIGN}s microseconds microsec microsegundos Mikrosekunden",
    10**6: "ms msec/msg milliseconds",
    10**9: "s sec seconds second secondes",
}


@pytest.mark.parametrize(("units", "amount"), [(units, amount) for amount, units in RATES.items()])
def test_rate_is_in_bytes_a_second_for_messages_of_64_bytes(units: str, amount: float) -> None:
    assert all(bytes_per_s(unit, 64) == amount and nanoseconds(unit) is None for unit in units.split())


@pytest.mark.parametrize(("units", "ns"), [(units, ns) for ns, units in TIMES.items()])
def test_time_is_in_nanoseconds(units: str, ns: int) -> None:
    assert all(nanoseconds(unit) == ns and bytes_per_s(unit, 64) is None for unit in units.split())


def test_other_texts_are_no_units_and_the_examples_of_errors_are() -> None:
    others = ["", "m", "MB", "furlongs", "iB/s", "MM/s", "us/", "kus", "Mb", "B/s/s", "s B/s"]
    assert [text for text in others if is_unit(text)] == []
    assert all(is_unit(unit) for units in KNOWN.values() for unit in units.split(", "))
