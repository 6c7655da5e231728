from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lab.programs.cases import parse as parse_all
from tests.lab.programs.cases import request, step

from lab.errors import ParseError
from lab.model.parameters import Counts
from lab.programs.program import Request, Sample

OUTPUTS = Path(__file__).parent / "outputs"
RULE = "-" * 87
# The row that a user posted in linux-rdma/perftest issue 273: version 6.2x, --report_gbits, average with 0.48.
GIGABITS = f""" #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 8          224958464        0.00               0.48   \t\t   7.498617
{RULE}
"""
# perftest's headings since "MiB/sec" (resources of version 24.01), with the CPU column of --cpu_util.
MEBIBYTES = f""" #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]    CPU_Util[%]
 65536      5000             11700.55            11690.31\t\t   0.187045\t   0.01
{RULE}
"""


def asked(program: str, size: int, iterations: int) -> Request:
    return request(program, Counts(size, iterations, 0))


def parse(asked: Request, text: str) -> Sample:
    (sample,) = parse_all(asked, text)
    return sample


def captured(program: str, size: int) -> str:
    return (OUTPUTS / f"{program}-4.5-{size}.txt").read_text()


def with_rate(rate: str) -> str:
    return captured("ib_write_bw", 1).replace("0.046978", rate).replace("0.04 ", "0.00 ")


ONE_BYTE = asked("ib_write_bw", 1, 2000)


@pytest.mark.parametrize(
    ("program", "size", "iterations", "text", "time_ns"),
    [
        ("ib_write_bw", 1, 2000, captured("ib_write_bw", 1), 2000 / 0.046978 * 1000),  # by the message rate
        ("ib_write_bw", 2**20, 40, captured("ib_write_bw", 2**20), 40 / 113.09 * 1e9),  # by the average in MiB
        ("ib_read_bw", 64, 1000, captured("ib_read_bw", 64), 1000 / 0.044897 * 1000),
        ("ib_send_bw", 64, 1000, captured("ib_send_bw", 64), 1000 / 0.024075 * 1000),
        ("ib_write_bw", 8, 224958464, GIGABITS, 224958464 / 7.498617 * 1000),
        ("ib_write_bw", 65536, 5000, MEBIBYTES, 5000 * 65536 / (11690.31 * 2**20) * 1e9),
    ],
)
def test_rate_is_taken_from_the_column_with_more_digits(
    program: str, size: int, iterations: int, text: str, time_ns: float
) -> None:
    sample = Sample(size, "completed", 0, iterations, size * iterations, round(time_ns))
    assert parse(asked(program, size, iterations), text) == sample


def test_send_and_write_print_half_a_round_trip_and_read_a_whole_one() -> None:
    send = parse(asked("ib_send_lat", 64, 1000), captured("ib_send_lat", 64))
    read = parse(asked("ib_read_lat", 64, 1000), captured("ib_read_lat", 64))
    assert (send.sample, send.time_ns, read.time_ns) == ("round_trip_median", 2 * 34540, 22180)
    assert parse(asked("ib_write_lat", 64, 1000), captured("ib_send_lat", 64)).time_ns == send.time_ns


@pytest.mark.parametrize(
    ("request_", "text", "match"),
    [
        (asked("ib_write_bw", 65536, 5000), MEBIBYTES.replace("MiB/sec", "TB/sec"), "TB/sec"),
        (asked("ib_write_bw", 2, 2000), captured("ib_write_bw", 1), "were measured"),
        (asked("ib_write_bw", 1, 1000), captured("ib_write_bw", 1), "were measured"),
        (asked("ib_write_bw", 1, 1001), (OUTPUTS / "ib_write_bw-4.5-refused.txt").read_text(), "multiple of post list"),
        *((ONE_BYTE, with_rate(rate), "as zero|no whole table") for rate in ("0.000000", "-nan", "inf")),
    ],
)
def test_other_tables_and_impossible_rates_are_refused(request_: Request, text: str, match: str) -> None:
    with pytest.raises(ParseError, match=match):
        parse(request_, text)


@given(st.integers(0, 1200))
def test_truncated_output_gives_the_whole_sample_or_none(cut: int) -> None:
    text = captured("ib_write_bw", 1)
    if cut >= len(text.rstrip()):
        return
    try:
        sample = parse(ONE_BYTE, text[:cut])
    except ParseError:
        return
    assert sample == parse(ONE_BYTE, text)


def test_commands_name_the_device_of_each_end_and_the_side_channel() -> None:
    both = step(request("ib_write_bw", Counts(64, 640, 0), peer_post_list=64, peer_no_peak=True, peer_tx_depth=1024))
    assert " ".join(both.client) == "ib_write_bw -d rxe0 -p 18515 -s 64 -n 640 -F -t 1024 -l 64 -N 127.0.0.1"
    assert " ".join(both.server) == "ib_write_bw -d rxe1 -p 18515 -s 64 -n 640 -F -t 1024 -l 64 -N"


def test_queue_pairs_share_the_iterations() -> None:
    client = " ".join(step(request("ib_write_bw", Counts(64, 640, 0), pairs=4)).client)
    assert " -n 160 -F -t 128 -q 4 " in client


def test_number_of_messages_is_not_asked_for_with_a_duration() -> None:
    timed = request("ib_write_bw", Counts(1, 7, 0), duration_s=4)
    assert parse(timed, captured("ib_write_bw", 1)).messages == 2000
    assert " -s 1 -D 4 -F " in " ".join(step(timed).client)


def test_rate_of_both_directions_is_divided_by_two() -> None:
    text, both = captured("ib_write_bw", 1), request("ib_write_bw", Counts(1, 2000, 0), both=True)
    time_ns = 2 * parse(ONE_BYTE, text).time_ns
    assert parse_all(both, text) == tuple(Sample(1, kind, 0, 2000, 2000, time_ns) for kind in ("completed", "back"))
    assert " -t 128 -b " in " ".join(step(both).client)


@pytest.mark.parametrize("program", ["ib_write_bw", "ib_read_lat", "ib_write_lat"])
@pytest.mark.parametrize("value", ["auto", "yes", "no"])
def test_relaxed_ordering_is_disabled_if_the_program_has_it(program: str, value: str) -> None:
    both = step(request(program, Counts(64, 640, 0), relaxed_ordering=value))
    is_there = value == "no" and program != "ib_write_lat"
    assert [("--disable_pcie_relaxed" in argv) for argv in (both.server, both.client)] == [is_there] * 2


@pytest.mark.parametrize("program", ["ib_write_bw", "ib_send_lat"])
def test_parameters_of_the_link_are_those_of_the_series_beside(program: str) -> None:
    counts = Counts(64, 640, 0)
    both = step(request(program, counts, path_mtu=1024, timeout=0, tclass=104, sl=3, pkey_index=1))
    for argv in (both.server, both.client):
        assert " -F -m 1024 -u 0 --tclass=104 -S 3 --pkey_index=1" in " ".join(argv)


@pytest.mark.parametrize(("program", "words"), [("ib_send_bw", "-c UD"), ("ib_write_bw", "-c UD"), ("ib_read_bw", "")])
def test_connection_is_that_of_the_series_beside_if_the_program_has_others(program: str, words: str) -> None:
    client = " ".join(step(request(program, Counts(64, 640, 0), connection="ud")).client)
    assert words in client and ("-c" in client) == bool(words)


def test_send_latency_can_wait_for_events() -> None:
    both = step(request("ib_send_lat", Counts(64, 640, 0), wait="event"))
    assert "-e" in both.client and "-e" in both.server
