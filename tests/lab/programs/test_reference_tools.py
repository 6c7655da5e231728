"""iperf3 (without each stream), perftest, NetPIPE and qperf: what they printed (in outputs/), and their commands."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lab.programs.cases import parse, request, step

from lab.errors import ParseError
from lab.model.parameters import Counts, Scalar
from lab.programs.program import Request, Sample

OUTPUTS = {file.stem: file.read_text() for file in (Path(__file__).parent / "outputs").iterdir()}
IPERF = OUTPUTS["iperf3-3.12-1"]
WRITE, READ_TIMES, SEND_TIMES = (
    OUTPUTS[f"ib_{name}"] for name in ("write_bw-4.5-1", "read_lat-4.5-64", "send_lat-4.5-64")
)
# The row that the same program printed for 1 MiB.
LARGE = re.sub(r"^ 1 .*", " 1048576    40               182.89             113.09 \t\t   0.000113", WRITE, flags=re.M)
NETPIPE, QPERF = OUTPUTS["netpipe-mpi-3.7.2"], OUTPUTS["qperf-0.4.11-64"]
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
# As qperf prints it without -uu and with its three digits, from its manual.
SHORT = "tcp_lat:\n    latency  =  15.8 us\n    loc_recv_msgs  =  31568 \n"


def of(program: str, size: int, iterations: int, **values: Scalar) -> Request:
    return request(program, Counts(size, iterations, 0), **values)  # type: ignore[arg-type]


def iperf3(version: str, seconds: float) -> str:
    """The keys that 3.1 (sum_sent with long binary fractions), 3.9 and 3.19 (bidir, fqrate, timemillisecs) print."""
    start: dict[str, Any] = {"version": version, "test_start": {"protocol": "TCP", "blksize": 1024, "bidir": 0}}
    sums = {"start": 0, "end": seconds, "seconds": seconds, "bytes": 102400, "bits_per_second": 1.5}
    return json.dumps({"start": start, "intervals": [], "end": {"streams": [], "sum_sent": sums, "sum_received": sums}})


def with_rate(rate: str) -> str:
    return WRITE.replace("0.046978", rate).replace("0.04 ", "0.00 ")


ONE_BYTE = of("ib_write_bw", 1, 2000)
BLOCKS, PIPE = of("iperf3", 1024, 100), request("netpipe-tcp", Counts(64, 30, 0), Counts(1, 30, 0))
TRIPS, THIRD = of("qperf", 64, 1000), iperf3("iperf 3.9", 1.0)
# As a real one printed it, whose server stopped reading before the first byte.
UNREAD = THIRD.replace(
    '"sum_received": {"start": 0, "end": 1.0, "seconds": 1.0, "bytes": 102400',
    '"sum_received": {"seconds": 1.0, "bytes": 0',
)


@pytest.mark.parametrize(
    ("asked", "text", "kind", "messages", "time_ns"),
    [
        # The receiver's bytes and time, which are exact.
        (of("iperf3", 1, 5000), IPERF, "confirmed", 3191, 39_485_000),
        *((BLOCKS, iperf3(f"iperf {version}", 1.0000960826873779), "confirmed", 100, 1_000_096_083)
          for version in ("3.1.3", "3.9", "3.19.1+")),
        # By the message rate where that has more digits, else by the average.
        (ONE_BYTE, WRITE, "completed", 2000, 2000 / 0.046978 * 1000),
        (of("ib_write_bw", 2**20, 40), LARGE, "completed", 40, 40 / 113.09 * 1e9),
        (of("ib_read_bw", 64, 1000), OUTPUTS["ib_read_bw-4.5-64"], "completed", 1000, 1000 / 0.044897 * 1000),
        (of("ib_write_bw", 8, 224958464), GIGABITS, "completed", 224958464, 224958464 / 7.498617 * 1000),
        (of("ib_write_bw", 65536, 5000), MEBIBYTES, "completed", 5000, 5000 * 65536 / (11690.31 * 2**20) * 1e9),
        # SEND and WRITE print half a round trip, READ a whole one.
        (of("ib_send_lat", 64, 1000), SEND_TIMES, "round_trip_median", 1000, 2 * 34540),
        (of("ib_write_lat", 64, 1000), SEND_TIMES, "round_trip_median", 1000, 2 * 34540),
        (of("ib_read_lat", 64, 1000), READ_TIMES, "round_trip_median", 1000, 22180),
        (of("ib_write_bw", 1, 7, duration_s=4), WRITE, "completed", 2000, 2000 / 0.046978 * 1000),
        # Half a round trip; its megabits are binary: 2e9 * 262144 * 8 / (990.83 * 2^20).
        (of("netpipe-mpi", 262144, 30), NETPIPE, "round_trip_mean", 30, None),
        (TRIPS, QPERF, "round_trip_mean", 66164, 15114),
        (TRIPS, SHORT, "round_trip_mean", 31568, 31600),
        (TRIPS, SHORT.replace("15.8 us", "1 ms"), "round_trip_mean", 31568, 2_000_000),
    ],
)  # fmt: skip
def test_output_gives_the_time_of_its_messages(
    asked: Request, text: str, kind: str, messages: int, time_ns: float | None
) -> None:
    size = asked.counts[0].size
    if time_ns is None:
        row = next(line.split() for line in text.splitlines() if line.split()[:1] == [str(size)])
        time_ns = 2e9 * size * 8 / (float(row[1]) * 2**20)
    assert parse(asked, text) == (Sample(size, kind, 0, messages, size * messages, round(time_ns)),)


def test_sizes_of_one_output_are_read_in_the_order_of_the_request() -> None:
    assert [sample.size_bytes for sample in parse(PIPE, OUTPUTS["netpipe-tcp-3.7.2"])] == [64, 1]


def test_rate_of_both_directions_is_that_of_each() -> None:
    """perftest prints the sum; iperf3 with --bidir ends at the first direction with so many blocks."""
    both, time_ns = of("ib_write_bw", 1, 2000, both=True), 2 * parse(ONE_BYTE, WRITE)[0].time_ns
    assert parse(both, WRITE) == tuple(Sample(1, kind, 0, 2000, 2000, time_ns) for kind in ("completed", "back"))
    asked, text = of("iperf3", 1024, 100, both=True), json.loads(THIRD.replace("102400", "51200"))
    with pytest.raises(ParseError, match="sum_received_bidir_reverse"):
        parse(asked, json.dumps(text))
    text["end"]["sum_received_bidir_reverse"] = {"bytes": 102400, "seconds": 2.0}
    assert parse(asked, json.dumps(text)) == (
        Sample(1024, "completed", 0, 50, 51200, 10**9), Sample(1024, "back", 0, 100, 102400, 2 * 10**9)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "text", "match"),
    [
        (BLOCKS, "[]", "the output is an error"),
        (BLOCKS, '{"error": "unable to connect to server: Connection refused"}', "Connection refused"),
        *((BLOCKS, iperf3("iperf 3.9", seconds), "sum_sent") for seconds in (0.0, float("nan"))),
        *((BLOCKS, THIRD.replace("102400", other), "sent") for other in ("102399", '"102400"', "true")),
        (BLOCKS, THIRD.replace('"blksize": 1024', '"blksize": 131072'), "block size is 131072"),
        (BLOCKS, UNREAD, r"sum_received holds 0 bytes .*try: more iterations"),
        (of("ib_write_bw", 65536, 5000), MEBIBYTES.replace("MiB/sec", "TB/sec"), "TB/sec"),
        (of("ib_write_bw", 2, 2000), WRITE, "#bytes is 1 and #iterations 2000"),
        (of("ib_write_bw", 1, 1000), WRITE, "#bytes is 1 and #iterations 2000"),
        (of("ib_write_bw", 1, 1001), OUTPUTS["ib_write_bw-4.5-refused"], "multiple of post list"),
        *((ONE_BYTE, with_rate(rate), "as zero|no whole table") for rate in ("0.000000", "-nan", "inf")),
        (PIPE, "NetPIPE: protocol 'tcp' unknown!\n", "no row of 64 bytes is in the output"),
        (PIPE, "      64 15.483871   0.00003153\n", "no row of 1 byte is"),
        (PIPE, "       1 0.519481   0.00001469\n      64 31.0   0.00003153\n", "cannot take"),
        (PIPE, "       1 0.000000   0.00000000\n      64 0.0   0.00000000\n", "printed as zero"),
        (TRIPS, "tcp_lat:\nfailed to connect\n", "no latency"),
        (TRIPS, QPERF.replace("tcp_lat", "udp_lat"), "not tcp_lat"),
        (TRIPS, QPERF.replace("64 bytes", "65 bytes"), "of 64 bytes"),
        *((TRIPS, SHORT.replace("15.8", other), "latency") for other in ("0", "1.2.3")),
        (TRIPS, SHORT.replace("us", "fortnights"), "no latency"),
        (TRIPS, SHORT.replace("31568", "31,568"), "no latency"),
        (TRIPS, SHORT + "    latency  =  16 us\n", "printed twice"),
    ],
)
def test_impossible_output_is_refused(asked: Request, text: str, match: str) -> None:
    with pytest.raises(ParseError, match=match):
        parse(asked, text)


KEYS = ("start", "end", "sum_sent", "sum_received", "bytes", "seconds", "test_start", "blksize")
LEAVES = st.none() | st.booleans() | st.floats() | st.integers()


@given(st.recursive(LEAVES, lambda inner: st.dictionaries(st.sampled_from(KEYS), inner)))
def test_any_other_json_is_refused(value: Any) -> None:
    with pytest.raises(ParseError):
        parse(BLOCKS, json.dumps(value))


@pytest.mark.parametrize(("asked", "text"), [(ONE_BYTE, WRITE), (of("iperf3", 1, 5000), IPERF)], ids=["ib", "iperf3"])
@given(share=st.floats(0, 1, exclude_max=True))
def test_truncated_output_gives_the_whole_sample_or_none(asked: Request, text: str, share: float) -> None:
    try:
        samples = parse(asked, text[: int(share * len(text.rstrip()))])
    except ParseError:
        return
    assert samples == parse(asked, text)


LINK = {"path_mtu": 1024, "timeout": 0, "tclass": 104, "sl": 3, "pkey_index": 1}
LINK_WORDS = " -F -m 1024 -u 0 --tclass=104 -S 3 --pkey_index=1"
ONCE = {"peer_post_list": 64, "peer_no_peak": True, "peer_tx_depth": 1024}
BW = "-p 18515 -s 64 -n 640 -F -t 1024 -l 64 -N"


@pytest.mark.parametrize(
    ("asked", "client", "server"),
    [
        (of("iperf3", 64, 100, nodelay=True, send_buffer="64K"),
         "iperf3 -c 10.0.0.2 -B 10.0.0.1 -p 5201 -J -l 64 -k 100 -N -w 65536", "iperf3 -s -1 -B 10.0.0.2 -p 5201"),
        (of("iperf3", 64, 100, streams=4, both=True), " -k 100 -P 4 --bidir", ""),
        (of("ib_write_bw", 64, 640, **ONCE), f"ib_write_bw -d rxe0 {BW} 127.0.0.1", f"ib_write_bw -d rxe1 {BW}"),
        (of("ib_write_bw", 64, 640, pairs=4), " -n 160 -F -t 128 -q 4 ", ""),
        (of("ib_write_bw", 1, 7, duration_s=4), " -s 1 -D 4 -F ", ""),
        (of("ib_write_bw", 1, 2000, both=True), " -t 128 -b ", ""),
        *((of(name, 64, 640, **LINK), LINK_WORDS, LINK_WORDS) for name in ("ib_write_bw", "ib_send_lat")),
        *((of(name, 64, 640, connection="ud"), " -c UD", " -c UD") for name in ("ib_send_bw", "ib_write_bw")),
        *((of(name, 64, 640, relaxed_ordering="no"), "--disable_pcie_relaxed", "--disable_pcie_relaxed")
          for name in ("ib_write_bw", "ib_read_lat")),
        (of("ib_send_lat", 64, 640, wait="event"), " -e", " -e"),
        (PIPE, "-l 1 -u 64 -n 30", ""),
        (PIPE, "-h 10.0.0.2", ""),
        (of("netpipe-mpi", 262144, 30), "NPopenmpi", ""),
    ],
)  # fmt: skip
def test_command_has_the_words_of_its_parameters(asked: Request, client: str, server: str) -> None:
    both = step(asked)
    assert client in " ".join(both.client) and server in " ".join(both.server)


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        (of("ib_read_bw", 64, 640, connection="ud"), "-c"),
        (of("ib_write_lat", 64, 640, relaxed_ordering="no"), "--disable_pcie_relaxed"),
        *((of("ib_write_bw", 64, 640, relaxed_ordering=value), "--disable_pcie_relaxed") for value in ("auto", "yes")),
    ],
)
def test_command_has_no_word_that_its_program_lacks(asked: Request, word: str) -> None:
    assert word not in (*step(asked).client, *step(asked).server)
