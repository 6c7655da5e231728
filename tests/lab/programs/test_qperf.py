from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.errors import ParseError
from lab.model.parameters import Counts, Parameters
from lab.model.trial import StepOutcome
from lab.programs import PROGRAMS
from lab.programs.program import Request, Sample

OUTPUT = (Path(__file__).parent / "outputs" / "qperf-0.4.11-64.txt").read_text()
ASKED = Request("qperf", "send", "latency", (Counts(64, 1000, 0),), Parameters())

# What qperf prints without -uu and with its three digits, as its manual shows it.
SHORT = "tcp_lat:\n    latency  =  15.8 us\n    loc_recv_msgs  =  31568 \n"


def parse(text: str) -> Sample:
    (sample,) = PROGRAMS["qperf"].parse(ASKED, (StepOutcome(text, "", "", "", 0, 0, 0, 1),)).samples
    return sample


def test_the_printed_latency_is_half_a_round_trip() -> None:
    assert parse(OUTPUT) == Sample(64, "round_trip_mean", 0, 66164, 66164 * 64, 15114)


def test_units_are_decimal() -> None:
    assert parse(SHORT).time_ns == 31_600
    assert parse(SHORT.replace("15.8 us", "1 ms")).time_ns == 2_000_000


@pytest.mark.parametrize(
    "text",
    [
        "tcp_lat:\nfailed to connect\n",
        OUTPUT.replace("tcp_lat", "udp_lat"),
        OUTPUT.replace("64 bytes", "65 bytes"),
        SHORT.replace("us", "fortnights"),
        SHORT.replace("15.8", "0"),
        SHORT.replace("15.8", "1.2.3"),
        SHORT.replace("31568", "31,568"),
        SHORT + "    latency  =  16 us\n",
    ],
)
def test_what_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


@given(st.text())
def test_garbage_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)
