"""Units as programs print them."""

import pytest

from lab.programs.printed import KNOWN, bytes_per_s, is_unit, nanoseconds


@pytest.mark.parametrize(
    ("unit", "bytes_in_a_second"),
    [
        *[("B/s", 1), ("bytes/sec", 1), ("Bps", 1), ("kB/s", 10**3), ("KB/sec", 10**3), ("MB/s", 10**6)],
        *[("MBytes/sec", 10**6), ("GB/s", 10**9), ("KiB/s", 2**10), ("MiB/sec", 2**20), ("GiB/s", 2**30)],
        *[("bit/s", 0.125), ("bps", 0.125), ("kbit/s", 125), ("Mbit/sec", 125_000), ("Mbits/sec", 125_000)],
        *[("Mb/s", 125_000), ("Mbps", 125_000), ("Gb/sec", 125 * 10**6), ("Gbits/s", 125 * 10**6)],
        *[("msg/s", 64), ("Mpps", 64 * 10**6), ("ops/s", 64), ("messages/second", 64)],
    ],
)
def test_a_rate_is_in_bytes_a_second_where_messages_have_64(unit: str, bytes_in_a_second: float) -> None:
    assert bytes_per_s(unit, 64) == bytes_in_a_second and nanoseconds(unit) is None


@pytest.mark.parametrize(
    ("unit", "ns"),
    [
        *[("ns", 1), ("nsec", 1), ("us", 10**3), ("usec", 10**3), ("usec/iter", 10**3), ("\N{MICRO SIGN}s", 10**3)],
        *[("microseconds", 10**3), ("ms", 10**6), ("msec/msg", 10**6), ("milliseconds", 10**6)],
        *[("s", 10**9), ("sec", 10**9), ("seconds", 10**9), ("second", 10**9)],
    ],
)
def test_a_time_is_in_nanoseconds(unit: str, ns: int) -> None:
    assert nanoseconds(unit) == ns and bytes_per_s(unit, 64) is None


@pytest.mark.parametrize("unit", ["", "m", "MB", "furlongs", "iB/s", "MM/s", "us/", "kus", "Mb", "B/s/s", "s B/s"])
def test_what_is_neither_is_no_unit(unit: str) -> None:
    assert not is_unit(unit)


@pytest.mark.parametrize("unit", [each for words in KNOWN.values() for each in words.split(", ")])
def test_the_examples_in_a_message_are_units(unit: str) -> None:
    assert is_unit(unit)
