"""Our latency beside perftest's, each end on a computer of its own.

Which message of many pays for what the kernel does once in a while (a page, a slab, a tick) depends on how many frames
passed before. The median then falls on the one or the other side of such a step, by up to 5 %, and with it whose is
less. So the mean is taken, over many of those periods.
"""

from __future__ import annotations

import re
import statistics
import subprocess
from collections.abc import Callable

import pytest

from lab.model.trial import Job, Link, Perturbation, Step
from lab.places import BENCH, BENCH_SOURCES
from lab.sites.exact import ExactSite

SIZES = (1, 1024, 4096, 65536)
PINGS = 200
# Of a size, and of the geometric mean. A program that polls adds only the kernel's instructions, which are the same.
MOST = {"poll": (1.02, 1.01), "event": (1.0, 1.0)}
PORT = 18600
# ib_write_lat knows no events: what is written makes none.
MODES = [("write", "poll"), ("read", "poll"), ("send", "event")]
Trips = Callable[[str, str], dict[int, float]]


@pytest.fixture(scope="module")
def ours(exact: ExactSite) -> Trips:
    """The mean round trip of each size, in ns."""
    subprocess.run(["make", "-s", "-C", BENCH_SOURCES], check=True)
    overlay = (BENCH / "verbs-server", BENCH / "verbs-client")
    side = exact.ends.side_channel

    def run(operation: str, wait: str) -> dict[int, float]:
        sizes = ",".join(f"{size}@{PINGS}/20" for size in SIZES)
        words = f"--operation {operation} --measure latency --wait {wait} --sizes {sizes} --deadline 10".split()
        server = ("/lab/bin/verbs-server", "--device", "rxe1", "--listen", side, *words)
        client = ("/lab/bin/verbs-client", "--device", "rxe0", *words, side)
        job = Job((Step(server, client, PORT),), Link(), Perturbation(), 60, (("LAB_TOKEN", "t"),), overlay)
        (step,) = exact.run(job).steps
        assert step.client_status == 0, step
        rows = [line.split(",") for line in step.client_out.splitlines() if ",round_trip," in line]
        return {size: statistics.mean(int(row[5]) for row in rows if int(row[0]) == size) for size in SIZES}

    return run


@pytest.fixture(scope="module")
def theirs(exact: ExactSite) -> Trips:
    """The same of ib_write_lat and its like."""

    def run(operation: str, wait: str) -> dict[int, float]:
        job = Job(tuple(peer_step(exact, operation, wait, size) for size in SIZES), Link(), Perturbation(), 60)
        halves = 1 if operation == "read" else 2
        found = dict[int, float]()
        for size, step in zip(SIZES, exact.run(job).steps, strict=True):
            rows = re.findall(rf"^ {size} +{PINGS}\s+\S+\s+\S+\s+\S+\s+(\S+)", step.client_out, re.MULTILINE)
            assert len(rows) == 1, step.client_out + step.client_err
            (average,) = rows
            found[size] = 1000 * halves * float(average)
        return found

    return run


def peer_step(exact: ExactSite, operation: str, wait: str, size: int) -> Step:
    port = PORT + SIZES.index(size)
    events = ("-e",) if wait == "event" else ()
    words = (f"ib_{operation}_lat", "-s", str(size), "-n", str(PINGS), "-p", str(port), *events, "-d")
    return Step((*words, "rxe1"), (*words, "rxe0", exact.ends.side_channel), port)


@pytest.mark.parametrize(("operation", "wait"), MODES)
def test_a_message_takes_no_longer_than_with_perftest(ours: Trips, theirs: Trips, operation: str, wait: str) -> None:
    mine, other = ours(operation, wait), theirs(operation, wait)
    ratios = {size: mine[size] / other[size] for size in SIZES}
    most_of_one, most_of_all = MOST[wait]
    assert max(ratios.values()) <= most_of_one, ratios
    assert statistics.geometric_mean(ratios.values()) <= most_of_all, ratios
