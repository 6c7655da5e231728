from pathlib import Path

import pytest
from tests.lab.programs.cases import parse, request, step

from lab.errors import ParseError
from lab.model.parameters import Counts
from lab.programs.program import Sample

OUTPUTS = Path(__file__).parent / "outputs"
TCP = request("netpipe-tcp", Counts(64, 30, 0), Counts(1, 30, 0))
MPI = request("netpipe-mpi", Counts(262144, 30, 0))


def captured(program: str) -> str:
    return (OUTPUTS / f"{program}-3.7.2.txt").read_text()


def test_requested_sizes_are_read_in_their_order() -> None:
    assert [sample.size_bytes for sample in parse(TCP, captured("netpipe-tcp"))] == [64, 1]


def test_time_is_half_a_round_trip_and_megabits_are_binary() -> None:
    text = captured("netpipe-mpi")
    (sample,) = parse(MPI, text)
    row = next(line.split() for line in text.splitlines() if line.split()[:1] == ["262144"])
    assert sample == Sample(262144, "round_trip_mean", 0, 30, 30 * 262144, sample.time_ns)
    assert sample.time_ns == pytest.approx(2e9 * float(row[2]), rel=1e-4)
    assert sample.time_ns == pytest.approx(2e9 * 262144 * 8 / (float(row[1]) * 2**20), rel=1e-6)


def test_one_run_covers_the_whole_range() -> None:
    client = step(TCP).client[-1]
    assert "-l 1 -u 64 -n 30" in client and "-h 10.0.0.2" in client
    assert step(MPI).server == () and step(MPI).client.count("NPopenmpi") == 2


@pytest.mark.parametrize(
    "text",
    [
        "NetPIPE: protocol 'tcp' unknown!\n",
        "      64 15.483871   0.00003153\n",
        "       1 0.519481   0.00001469\n      64 31.0   0.00003153\n",
        "       1 0.000000   0.00000000\n      64 0.0   0.00000000\n",
    ],
)
def test_impossible_output_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(TCP, text)
