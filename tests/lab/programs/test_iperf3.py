import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lab.programs.cases import parse, request, step

from lab.errors import ParseError
from lab.model.parameters import Counts
from lab.programs.program import Sample

OUTPUTS = Path(__file__).parent / "outputs"
ASKED = request("iperf3", Counts(1024, 100, 0))


def captured(size: int) -> str:
    return (OUTPUTS / f"iperf3-3.12-{size}.json").read_text()


def document(version: str, seconds: float) -> str:
    """The keys that 3.1 (sum_sent with long binary fractions), 3.9 and 3.19 (bidir, fqrate, timemillisecs) print."""
    start: dict[str, Any] = {"version": version, "test_start": {"protocol": "TCP", "blksize": 1024, "bidir": 0}}
    sums = {"start": 0, "end": seconds, "seconds": seconds, "bytes": 102400, "bits_per_second": 1.5}
    return json.dumps({"start": start, "intervals": [], "end": {"streams": [], "sum_sent": sums, "sum_received": sums}})


def test_bytes_and_time_are_the_receivers_and_exact() -> None:
    assert parse(request("iperf3", Counts(1, 5000, 0)), captured(1)) == (
        Sample(1, "confirmed", 0, 3191, 3191, 39_485_000),
    )
    (received,) = parse(request("iperf3", Counts(2**20, 40, 0)), captured(2**20))
    whole = json.loads(captured(2**20))["end"]["sum_received"]
    assert (received.bytes, received.messages) == (whole["bytes"], whole["bytes"] >> 20)


@pytest.mark.parametrize("version", ["iperf 3.1.3", "iperf 3.9", "iperf 3.19.1+"])
def test_other_versions_are_read(version: str) -> None:
    (sample,) = parse(ASKED, document(version, 1.0000960826873779))
    assert sample.time_ns == 1_000_096_083


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"error": "unable to connect to server: Connection refused"}',
        document("iperf 3.9", 0.0),
        document("iperf 3.9", float("nan")),
        document("iperf 3.9", 1.0).replace("102400", "102399"),
        document("iperf 3.9", 1.0).replace("102400", '"102400"'),
        document("iperf 3.9", 1.0).replace("102400", "true"),
        document("iperf 3.9", 1.0).replace('"blksize": 1024', '"blksize": 131072'),
    ],
)
def test_impossible_output_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(ASKED, text)


def test_server_that_stopped_reading_before_the_first_byte_has_a_hint() -> None:
    """As a real one printed it, after 12,800 bytes."""
    unread = json.loads(document("iperf 3.9", 0.011861))
    unread["end"]["sum_received"] = {"bytes": 0, "seconds": 0.011861}
    with pytest.raises(ParseError, match=r"sum_received holds 0 bytes .*try: more iterations"):
        parse(ASKED, json.dumps(unread))


KEYS = ("start", "end", "sum_sent", "sum_received", "bytes", "seconds", "test_start", "blksize")
LEAVES = st.none() | st.booleans() | st.floats() | st.integers()


@given(st.recursive(LEAVES, lambda inner: st.dictionaries(st.sampled_from(KEYS), inner)))
def test_any_other_json_is_refused(value: Any) -> None:
    with pytest.raises(ParseError):
        parse(ASKED, json.dumps(value))


@given(st.integers(0, 2672))
def test_truncated_output_is_never_read(cut: int) -> None:
    text = captured(1).rstrip()
    with pytest.raises(ParseError):
        parse(request("iperf3", Counts(1, 5000, 0)), text[: min(cut, len(text) - 1)])


def test_both_ends_are_bound_to_the_link() -> None:
    both = step(request("iperf3", Counts(64, 100, 0), nodelay=True, send_buffer="64K"))
    assert " ".join(both.server) == "iperf3 -s -1 -B 10.0.0.2 -p 5201"
    assert " ".join(both.client) == "iperf3 -c 10.0.0.2 -B 10.0.0.1 -p 5201 -J -l 64 -k 100 -N -w 65536"
    assert " -k 100 -P 4 --bidir" in " ".join(step(request("iperf3", Counts(64, 100, 10), streams=4, both=True)).client)


def test_both_directions_are_read_and_either_may_have_the_blocks() -> None:
    """With --bidir it ends at the first direction with so many blocks."""
    text = json.loads(document("iperf 3.12", 1.0).replace("102400", "51200"))
    asked = request("iperf3", Counts(1024, 100, 0), both=True)
    with pytest.raises(ParseError, match="sum_received_bidir_reverse"):
        parse(asked, json.dumps(text))
    text["end"]["sum_received_bidir_reverse"] = {"bytes": 102400, "seconds": 2.0}
    assert parse(asked, json.dumps(text)) == (
        Sample(1024, "completed", 0, 50, 51200, 10**9),
        Sample(1024, "back", 0, 100, 102400, 2 * 10**9),
    )
