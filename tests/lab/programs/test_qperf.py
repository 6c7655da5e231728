from pathlib import Path

import pytest
from tests.lab.programs.cases import parse, request

from lab.errors import ParseError
from lab.model.parameters import Counts
from lab.programs.program import Sample

OUTPUT = (Path(__file__).parent / "outputs" / "qperf-0.4.11-64.txt").read_text()
ASKED = request("qperf", Counts(64, 1000, 0))
# As qperf prints it without -uu and with its three digits, from its manual.
SHORT = "tcp_lat:\n    latency  =  15.8 us\n    loc_recv_msgs  =  31568 \n"


def test_printed_latency_is_half_a_round_trip_in_decimal_units() -> None:
    assert parse(ASKED, OUTPUT) == (Sample(64, "round_trip_mean", 0, 66164, 66164 * 64, 15114),)
    assert [parse(ASKED, SHORT.replace("15.8 us", text))[0].time_ns for text in ("15.8 us", "1 ms")] == [31600, 2000000]


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
def test_impossible_output_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(ASKED, text)
