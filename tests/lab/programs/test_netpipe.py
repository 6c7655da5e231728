from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.errors import ParseError
from lab.model.parameters import Counts, Parameters
from lab.model.trial import End, Ends, StepOutcome
from lab.programs import PROGRAMS
from lab.programs.program import Request, Sample

OUTPUTS = Path(__file__).parent / "outputs"
ENDS = Ends(End("10.0.0.1", "rxe0", "v0"), End("10.0.0.2", "rxe1", "v1"), "127.0.0.1")
TCP = Request("netpipe-tcp", "send", "latency", (Counts(64, 30, 0), Counts(1, 30, 0)), Parameters())
MPI = replace(TCP, program="netpipe-mpi", counts=(Counts(262144, 30, 0),))


def parse(request: Request, text: str) -> tuple[Sample, ...]:
    return PROGRAMS[request.program].parse(request, (StepOutcome(text, "", "", "", 0, 0, 0, 1),)).samples


def output(request: Request) -> str:
    return (OUTPUTS / f"{request.program}-3.7.2.txt").read_text()


def test_only_the_sizes_that_were_asked_for_are_read_in_their_order() -> None:
    assert [sample.size_bytes for sample in parse(TCP, output(TCP))] == [64, 1]


def test_its_time_is_half_a_round_trip_and_its_megabits_are_binary() -> None:
    (sample,) = parse(MPI, output(MPI))
    row = next(line.split() for line in output(MPI).splitlines() if line.split()[:1] == ["262144"])
    assert sample == Sample(262144, "round_trip_mean", 0, 30, 30 * 262144, sample.time_ns)
    assert sample.time_ns == pytest.approx(2e9 * float(row[2]), rel=1e-4)
    assert sample.time_ns == pytest.approx(2e9 * 262144 * 8 / (float(row[1]) * 2**20), rel=1e-6)


def test_one_run_goes_through_the_whole_range() -> None:
    (step,) = PROGRAMS["netpipe-tcp"].steps(TCP, ENDS)
    assert "-l 1 -u 64 -n 30" in step.client[-1] and "-h 10.0.0.2" in step.client[-1]
    (launched,) = PROGRAMS["netpipe-mpi"].steps(MPI, ENDS)
    assert launched.server == () and launched.client.count("NPopenmpi") == 2


@pytest.mark.parametrize(
    "text",
    [
        "NetPIPE: protocol 'tcp' unknown!\n",
        "      64 15.483871   0.00003153\n",
        "       1 0.519481   0.00001469\n      64 31.0   0.00003153\n",
        "       1 0.000000   0.00000000\n      64 0.0   0.00000000\n",
    ],
)
def test_what_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(TCP, text)


@given(st.text())
def test_garbage_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(TCP, text)
