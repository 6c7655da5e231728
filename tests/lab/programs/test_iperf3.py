import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.errors import ParseError
from lab.model.parameters import Counts, Parameters, Scalar
from lab.model.trial import End, Ends, StepOutcome
from lab.programs import PROGRAMS
from lab.programs.program import Request, Sample

OUTPUTS = Path(__file__).parent / "outputs"
ENDS = Ends(End("10.0.0.1", "", "v0"), End("10.0.0.2", "", "v1"), "127.0.0.1")


def request(size: int, iterations: int, **values: Scalar) -> Request:
    parameters = Parameters().with_values(values)
    return Request("iperf3", "send", "throughput", (Counts(size, iterations, 0),), parameters)


def parse(asked: Request, text: str) -> tuple[Sample, ...]:
    return PROGRAMS["iperf3"].parse(asked, (StepOutcome(text, "", "", "", 0, 0, 0, 1),)).samples


def captured(size: int) -> str:
    return (OUTPUTS / f"iperf3-3.12-{size}.json").read_text()


def document(version: str, seconds: float) -> str:
    """The keys that 3.1 (sum_sent with long binary fractions), 3.9 and 3.19 (bidir, fqrate, timemillisecs) print."""
    start: dict[str, Any] = {"version": version, "test_start": {"protocol": "TCP", "blksize": 1024, "bidir": 0}}
    sums = {"start": 0, "end": seconds, "seconds": seconds, "bytes": 102400, "bits_per_second": 1.5}
    return json.dumps({"start": start, "intervals": [], "end": {"streams": [], "sum_sent": sums, "sum_received": sums}})


def test_the_receivers_end_is_read_and_not_what_lies_in_the_senders_socket() -> None:
    assert parse(request(1, 5000), captured(1)) == (Sample(1, "confirmed", 0, 3191, 3191, 39_485_000),)


def test_bytes_are_counted_exactly_at_one_mebibyte() -> None:
    (received,) = parse(request(2**20, 40), captured(2**20))
    whole = json.loads(captured(2**20))["end"]["sum_received"]
    assert (received.bytes, received.messages) == (whole["bytes"], whole["bytes"] >> 20)


@pytest.mark.parametrize("version", ["iperf 3.1.3", "iperf 3.9", "iperf 3.19.1+"])
def test_other_versions_are_read(version: str) -> None:
    (sent,) = parse(request(1024, 100), document(version, 1.0000960826873779))
    assert sent.time_ns == 1_000_096_083


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"error": "unable to connect to server: Connection refused"}',
        document("iperf 3.9", 0.0),
        document("iperf 3.9", float("nan")),
        document("iperf 3.9", 1.0).replace("102400", "102399"),
        document("iperf 3.9", 1.0).replace("102400", '"102400"'),
        document("iperf 3.9", 1.0).replace("102400", "true"),
        document("iperf 3.9", 1.0).replace('"blksize": 1024', '"blksize": 131072'),
    ],
)
def test_what_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(request(1024, 100), text)


def test_a_server_that_stopped_reading_before_the_first_byte_says_what_helps() -> None:
    """As a real one printed it, after 12,800 bytes."""
    unread = json.loads(document("iperf 3.9", 0.011861))
    unread["end"]["sum_received"] = {"bytes": 0, "seconds": 0.011861}
    with pytest.raises(ParseError, match=r"sum_received holds 0 bytes .*try: more iterations"):
        parse(request(1024, 100), json.dumps(unread))


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers(),
        lambda each: st.dictionaries(
            st.sampled_from(["start", "end", "sum_sent", "sum_received", "bytes", "seconds", "test_start", "blksize"]),
            each,
        ),
    )
)
def test_any_json_is_refused_when_it_is_no_result(value: Any) -> None:
    with pytest.raises(ParseError):
        parse(request(1024, 100), json.dumps(value))


@given(st.integers(0, 2672))
def test_a_cut_output_is_never_read(cut: int) -> None:
    text = captured(1).rstrip()
    with pytest.raises(ParseError):
        parse(request(1, 5000), text[: min(cut, len(text) - 1)])


def test_both_ends_are_bound_to_the_cable() -> None:
    (step,) = PROGRAMS["iperf3"].steps(request(64, 100, nodelay=True, send_buffer="64K"), ENDS)
    assert " ".join(step.server) == "iperf3 -s -1 -B 10.0.0.2 -p 5201"
    assert " ".join(step.client) == "iperf3 -c 10.0.0.2 -B 10.0.0.1 -p 5201 -J -l 64 -k 100 -N -w 65536"
