from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.errors import ParseError
from lab.model.parameters import Counts, Parameters, Scalar
from lab.model.trial import End, Ends, StepOutcome
from lab.programs import PROGRAMS
from lab.programs.program import Request, Sample

OUTPUTS = Path(__file__).parent / "outputs"
ENDS = Ends(End("10.0.0.1", "rxe0", "v0"), End("10.0.0.2", "rxe1", "v1"), "127.0.0.1")
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


def request(program: str, size: int, iterations: int, **values: Scalar) -> Request:
    (ability,) = PROGRAMS[program].abilities
    return Request(program, *ability, (Counts(size, iterations, 0),), Parameters().with_values(values))


def parse(asked: Request, text: str) -> Sample:
    reading = PROGRAMS[asked.program].parse(asked, (StepOutcome(text, "", "", "", 0, 0, 0, 1),))
    (sample,) = reading.samples
    return sample


def captured(program: str, size: int) -> str:
    return (OUTPUTS / f"{program}-4.5-{size}.txt").read_text()


def test_small_messages_are_rebuilt_from_the_message_rate() -> None:
    sample = parse(request("ib_write_bw", 1, 2000), captured("ib_write_bw", 1))
    assert sample == Sample(1, "completed", 0, 2000, 2000, round(2000 / 0.046978 * 1000))


def test_large_messages_are_taken_from_the_average_in_mebibytes() -> None:
    sample = parse(request("ib_write_bw", 2**20, 40), captured("ib_write_bw", 2**20))
    assert sample.time_ns == round(40 / 113.09 * 1e9)


@pytest.mark.parametrize(("program", "rate"), [("ib_read_bw", 0.044897), ("ib_send_bw", 0.024075)])
def test_every_bandwidth_program_prints_the_same_table(program: str, rate: float) -> None:
    assert parse(request(program, 64, 1000), captured(program, 64)).time_ns == round(1000 / rate * 1000)


def test_send_latency_is_half_a_round_trip_and_read_latency_a_whole_one() -> None:
    send = parse(request("ib_send_lat", 64, 1000), captured("ib_send_lat", 64))
    read = parse(request("ib_read_lat", 64, 1000), captured("ib_read_lat", 64))
    assert (send.sample, send.time_ns, read.time_ns) == ("round_trip_median", 2 * 34540, 22180)
    write = parse(request("ib_write_lat", 64, 1000), captured("ib_send_lat", 64))  # the same table
    assert write.time_ns == send.time_ns


def test_tables_of_other_versions_and_units_are_read() -> None:
    gigabits = parse(request("ib_write_bw", 8, 224958464), GIGABITS)
    assert gigabits.time_ns == round(224958464 / 7.498617 * 1000)
    mebibytes = parse(request("ib_write_bw", 65536, 5000), MEBIBYTES)
    assert mebibytes.time_ns == round(5000 * 65536 / (11690.31 * 2**20) * 1e9)


def test_an_unknown_unit_is_refused() -> None:
    with pytest.raises(ParseError, match="TB/sec"):
        parse(request("ib_write_bw", 65536, 5000), MEBIBYTES.replace("MiB/sec", "TB/sec"))


@pytest.mark.parametrize("asked", [request("ib_write_bw", 2, 2000), request("ib_write_bw", 1, 1000)])
def test_a_table_of_something_else_is_refused(asked: Request) -> None:
    with pytest.raises(ParseError, match="were measured"):
        parse(asked, captured("ib_write_bw", 1))


def test_a_refusal_of_perftest_is_no_table() -> None:
    with pytest.raises(ParseError, match="multiple of post list"):
        parse(request("ib_write_bw", 1, 1001), (OUTPUTS / "ib_write_bw-4.5-refused.txt").read_text())


def test_nan_and_zero_are_no_rates() -> None:
    for rate in ("0.000000", "-nan", "inf"):
        with pytest.raises(ParseError):
            parse(
                request("ib_write_bw", 1, 2000),
                captured("ib_write_bw", 1).replace("0.046978", rate).replace("0.04 ", "0.00 "),
            )


@given(st.integers(0, 1200))
def test_a_cut_output_is_never_read(cut: int) -> None:
    text = captured("ib_write_bw", 1)
    asked = request("ib_write_bw", 1, 2000)
    if cut >= len(text.rstrip()):
        return
    try:
        sample = parse(asked, text[:cut])
    except ParseError:
        return
    assert sample == parse(asked, text)


@given(st.text())
def test_garbage_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(request("ib_send_lat", 64, 1000), text)


def test_commands_name_the_device_of_each_end_and_the_side_channel() -> None:
    asked = request("ib_write_bw", 64, 640, peer_post_list=64, peer_no_peak=True, peer_tx_depth=1024)
    (step,) = PROGRAMS["ib_write_bw"].steps(asked, ENDS)
    assert " ".join(step.client) == "ib_write_bw -d rxe0 -p 18515 -s 64 -n 640 -F -t 1024 -l 64 -N 127.0.0.1"
    assert " ".join(step.server) == "ib_write_bw -d rxe1 -p 18515 -s 64 -n 640 -F -t 1024 -l 64 -N"


def test_relaxed_ordering_is_switched_off_where_it_is_on() -> None:
    for program in ("ib_write_bw", "ib_read_lat", "ib_write_lat"):
        for value in ("auto", "yes", "no"):
            (step,) = PROGRAMS[program].steps(request(program, 64, 640, relaxed_ordering=value), ENDS)
            wanted = value == "no" and program != "ib_write_lat"
            for argv in (step.server, step.client):
                assert ("--disable_pcie_relaxed" in argv) is wanted


def test_a_send_latency_waits_for_events_when_told() -> None:
    (step,) = PROGRAMS["ib_send_lat"].steps(request("ib_send_lat", 64, 640, wait="event"), ENDS)
    assert "-e" in step.client and "-e" in step.server
