"""Units as programs print them: `Mbit/sec`, `MiB/s`, `Mpps`; `usec`, `us/iter`. Case tells bytes from bits."""

from __future__ import annotations

import re
from decimal import Decimal

POWERS = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4}
RATE = re.compile(
    r"(?P<prefix>[kKMGT]?)(?P<binary>i?)"
    r"(?:(?P<bytes>B|[Bb]ytes?)|(?P<bits>b|[Bb]its?)|(?P<messages>p|[Mm]sgs?|[Mm]essages?|[Oo]ps|[Pp]ackets?))"
    r"(?:ps|/s|/sec|/second)"
)
SECONDS = {"n": 1, "u": 10**3, "\N{MICRO SIGN}": 10**3, "\N{GREEK SMALL LETTER MU}": 10**3, "m": 10**6, "": 10**9}
WORDS = {"nano": "n", "micro": "u", "milli": "m", "": ""}
TIME = re.compile(
    rf"(?:(?P<prefix>[{''.join(SECONDS)}]?)(?:s|secs?)|(?P<word>nano|micro|milli|)seconds?)(?:/\w{{1,9}})?"
)
KNOWN = {  # examples for a message
    "throughput": "B/s, kB/s, MB/s, GB/s, KiB/s, MiB/s, GiB/s, bit/s, Mbit/s, Gbit/s, Mbps, Gb/sec, msg/s, Mpps",
    "latency": "ns, us, ms, s, usec, us/iter, microseconds",
}


def bytes_per_s(unit: str, size: int) -> Decimal | None:
    """One of a rate's unit, where messages have this size; None for what is no rate."""
    found = RATE.fullmatch(unit)
    if found is None or (found["binary"] and not found["prefix"]):
        return None
    factor = Decimal(1024 if found["binary"] else 1000) ** POWERS[found["prefix"]]
    return factor * size if found["messages"] else factor if found["bytes"] else factor / 8


def nanoseconds(unit: str) -> Decimal | None:
    """One of a time's unit; None for what is no time."""
    found = TIME.fullmatch(unit)
    if found is None:
        return None
    return Decimal(SECONDS[found["prefix"] if found["word"] is None else WORDS[found["word"]]])


def is_unit(text: str) -> bool:
    """Whether it is one of either."""
    return bytes_per_s(text, 1) is not None or nanoseconds(text) is not None
