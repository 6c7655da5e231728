"""Sentences of the published reports, by lab.report.check.rules and by what a reader knows beyond them."""

import csv
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from tests.lab.report.check import readings
from tests.lab.report.check.readings import READINGS, Published

from lab.analysis.estimate import Estimate
from lab.analysis.regression import fit_line
from lab.report.claim import Claim, ClaimKind

DATA = Path(__file__).parents[4] / "experiments" / "published"
ETHERNET, ROCE = 117.7e6, 5e9  # what 1 Gbit/s and the reports' RDMA links carry, in B/s


def rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open() as stream:
        return list(csv.DictReader(stream))


def found_by(statement: Published) -> set[str]:
    return {rule.__name__ for rule in READINGS if rule(statement)}


def once(value: float, unit: str = "B/s", kind: ClaimKind = ClaimKind.RATE, n: int = 1) -> Claim:
    return Claim("published", Estimate(value, None, n), unit, kind, "published")


def rates(name: str, column: str, scale: float) -> dict[int, float]:
    return {int(row["size_bytes"]): float(row[column]) * scale for row in rows(name)}


def test_verbs_a_lost_the_digits_before_the_point() -> None:
    data = rates("verbs_a.csv", "printed_gigabytes_per_second", 1e9)
    claimed = Published("converges to", "peak", once(data[1048576]), value=3.963273e9, place=3)
    assert found_by(claimed) >= {"value_is_in_the_data", "spread_is_known", "rounding_is_no_finer_than_the_interval"}
    assert data[1024] < data[2048] < 2 * data[1024]  # the claimed jump is not in the column that was printed


def test_verbs_a_and_b_compare_two_links() -> None:
    for peak in (3.963273e9, rates("verbs_b.csv", "bytes_per_microsecond", 1e6)[1048576]):
        found = once(peak / 117e6, "", ClaimKind.RATIO)
        ratio = replace(found, base="TCP sockets", link="RDMA link", base_link="1 Gbit/s Ethernet")
        statement = Published("more than 33 times better than TCP sockets", "speed-up", ratio)
        assert found_by(statement) >= {"speed_up_names_base_and_link"}


def test_tcp_at_117_bytes_a_microsecond_is_a_gigabit_ethernet() -> None:
    full = Published("TCP peak", "tcp", once(117.229e6), capacity=ETHERNET)
    assert readings.link_is_filled_or_explained(full) is None
    assert readings.link_is_filled_or_explained(Published("TCP", "tcp", once(118e6), capacity=ETHERNET))


def test_verbs_b_never_varied_what_could_lead_to_different_results() -> None:
    for parameter in ("depth", "warmup", "iterations"):
        said = Published("could lead to different results", effect_of=parameter, varied=("size",))
        assert found_by(said) == {"effect_was_measured"}
    assert found_by(Published("depth matters", effect_of="depth", varied=("size", "depth"))) == set()


def test_verbs_b_jumps_where_it_is_said_to_slow_down() -> None:
    data = rates("verbs_b.csv", "bytes_per_microsecond", 1e6)
    steps = tuple(
        large / small for small, large in pairwise(data[size] for size in (32, 64, 128, 256, 512, 1024, 2048))
    )
    assert found_by(Published("rises steadily, and slows beyond", steps=steps)) == {"growth_is_steady"}
    assert found_by(Published("rises steadily", steps=(1.9, 2.0, 1.8))) == set()


def test_the_ping_pongs_fit_is_right_and_its_counts_are_not() -> None:
    table = rows("mpi_pingpong_raw.csv")
    times = [float(row["TOTAL TIME"]) for row in table]
    line = fit_line([int(row["MESSAGE SIZE"]) for row in table], times)
    bandwidth = Claim(
        "bandwidth", Estimate(1 / line.slope.value, line.slope.interval, line.n), "B/s", ClaimKind.RATE, "fit"
    )
    right = Published("bandwidth", "bandwidth", bandwidth, value=5939141590, place=1)
    assert readings.value_is_in_the_data(right) is None
    repetitions = len(table) // len({row["MESSAGE SIZE"] for row in table})
    each = once(1.0, n=repetitions)
    assert "n_is_as_found" in found_by(Published("each size", "n", replace(each, wanted_n=10)))
    assert "n_is_as_found" in found_by(
        Published("around 2000 data points", "n", replace(once(1.0, n=len(table)), wanted_n=2000))
    )
    assert found_by(Published("each size", "n", replace(each, wanted_n=7))) == set()


def test_the_ping_pongs_intercept_is_no_latency() -> None:
    table = rows("mpi_pingpong_raw.csv")
    line = fit_line([int(row["MESSAGE SIZE"]) for row in table], [float(row["TOTAL TIME"]) for row in table])
    intercept = Claim("intercept", line.intercept, "s", ClaimKind.INTERCEPT, "intercept of the fit")
    assert found_by(Published("the latency is", "latency", intercept)) == {"latency_is_measured", "spread_is_known"}
    assert found_by(Published("the line meets zero bytes at", "intercept", intercept)) == {"spread_is_known"}


def test_the_knees_were_read_off_by_eye_and_named_for_a_cause() -> None:
    for row in rows("mpi_blocking_nonblocking.csv"):
        if row["quantity"].endswith("buffer_size"):
            knee = once(float(row["blocking"]), "size", n=0, kind=ClaimKind.RATE)
            said = Published("the knee", "knee", knee, cause="network buffer size")
            assert found_by(said) == {"spread_is_known", "number_is_what_was_measured"}


def test_the_two_knees_come_from_two_different_times() -> None:
    said = Published("the knees differ", timed=("the send", "the receive, with the wait for the sender"))
    assert found_by(said) == {"same_thing_was_timed"}


def test_until_stable_subtracts_and_leaves_the_link_empty() -> None:
    best = max(float(row["megabits_per_second"]) for row in rows("until_stable.csv") if "infiniband" in row["link"])
    said = Published(
        "up to", "peak", once(best * 1e6 / 8, n=10), subtracted="half a round trip", capacity=12.5e9, explained=False
    )
    assert found_by(said) == {"nothing_was_subtracted", "link_is_filled_or_explained"}
