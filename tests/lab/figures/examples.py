"""Inputs for every kind of figure: ordinary ones, and hostile ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.analysis.ceiling import rate_limit, tcp_limit, write_limit
from lab.analysis.estimate import Estimate, Interval
from lab.analysis.pieces import find_pieces
from lab.analysis.ranks import estimate_quantiles
from lab.analysis.regression import fit_line
from lab.figures import (
    Against,
    ByParameter,
    BySize,
    Curve,
    Distribution,
    Dot,
    Dots,
    Effect,
    Figure,
    Fit,
    HeatMap,
    Latency,
    LineLook,
    Parts,
    Ratios,
    Stack,
    Stacks,
    Tails,
    Tornado,
    drawers,
)
from lab.figures.marks import RDMA

SIZES = tuple(float(2**shift) for shift in range(21))
DEPTHS = tuple(float(2**shift) for shift in range(14))
LONG = tuple(f"a series with a name of forty letters {n:03}" for n in range(20))


def estimate(value: float, spread: float | None = 0.04, n: int = 10) -> Estimate:
    interval = None if spread is None else Interval(value * (1 - spread), value * (1 + spread))
    return Estimate(value, interval, n)


def curve(label: str, fixed_ns: float, rate: float, spread: float | None = 0.04, machine: str = "") -> Curve:
    y = tuple(estimate(1e9 * size / (fixed_ns + 1e9 * size / rate), spread) for size in SIZES)
    return Curve(label, SIZES, y, (f"key-{label}",), machine)


def limits() -> BySize:
    shown = (rate_limit(SIZES, 1e10), write_limit(SIZES, 1e10, 4200), tcp_limit(SIZES, 1e10, 4200))
    curves = (curve("verbs", 4000, 6e8), curve("tcp", 2500, 9e8), curve("ib_write_bw", 5000, 5.9e8, None))
    return BySize("limits", (*curves, curve("iperf3", 3000, 8e8, 0.2)), "exact", shown)


def beside() -> BySize:
    curves = (curve("verbs", 4000, 6e8), curve("verbs_a", 300, 5e9, None, "published, 2019"))
    return BySize("beside", (*curves, curve("verbs_b", 250, 3e9, None, "published, 2022")), "exact")


def many() -> BySize:
    return BySize("many", tuple(curve(name, 100 * 2**i, 1e9 / (1 + i)) for i, name in enumerate(LONG)), "exact")


def one_point() -> BySize:
    return BySize("one", (Curve("verbs", (64.0,), (estimate(5e6, None, 1),)),), "exact")


def decades() -> BySize:
    y = tuple(estimate(10.0 ** (3 + 0.3 * shift), 1.5) for shift in range(21))
    return BySize("decades", (Curve("wide, interval below 0", SIZES, y), curve("tcp", 2500, 9e8)), "exact")


def ratios() -> Ratios:
    y = tuple(estimate(0.55 + 0.03 * shift) for shift in range(21))
    peers = Curve("verbs / iperf3", SIZES, tuple(estimate(0.2 * 1.2**shift, 0.1) for shift in range(21)))
    return Ratios(
        "ratios", (Curve("verbs", SIZES, y, ("key-a",)), peers), "TCP (tcp-client)", "veth, MTU 4200", "exact"
    )


def below_one() -> Ratios:
    return Ratios("below", (Curve("verbs", (1.0,), (estimate(0.013),)),), "TCP", "veth, MTU 4200", "exact")


def depths() -> ByParameter:
    curves = tuple(
        Curve(label, DEPTHS, tuple(estimate(top * depth / (depth + 20)) for depth in DEPTHS), (label,))
        for label, top in (("1 B", 2e5), ("4 KiB", 4e8))
    )
    return ByParameter("depths", "requests in flight (depth)", curves, "exact")


def warm_ups() -> ByParameter:
    at = (0.0, 10.0, 100.0, 1e3, 1e4)
    return ByParameter("warm-ups", "warm-up in messages", (Curve("4 KiB", at, (estimate(4e8, 0.001),) * 5),), "exact")


def heat() -> HeatMap:
    cells = [[estimate(1e4 * size**0.8 * depth / (depth + 9)) for depth in DEPTHS] for size in (1, 64, 4096, 65536)]
    cells[1][3:5] = []
    full = [row if len(row) == 14 else [*row[:3], None, None, *row[3:]] for row in cells]
    rows = (1.0, 64.0, 4096.0, 65536.0)
    return HeatMap(
        "heat", "message size in bytes", rows, "depth", DEPTHS, tuple(map(tuple, full)), "exact", keys=("k",)
    )


def heat_large() -> HeatMap:
    cells = tuple(tuple(estimate(1e6 * (row + 1) * (column + 1)) for column in range(40)) for row in range(60))
    numbers = tuple(float(n) for n in range(60))
    return HeatMap("large", "post list", numbers, "signalled every", numbers[:40], cells, "exact")


def effects() -> Tornado:
    names = ("depth", "a parameter with a very long name for a figure", "warm-up")
    gains = (estimate(10.4, 0.001), estimate(1.3, 0.2), estimate(1.002, None))
    rows = tuple(
        (name, (Effect("1 B", "100000", "1", gain, "#08304f"), Effect("4 KiB", "0", "16", gain, "#85bbdb", doubt)))
        for name, gain, doubt in zip(names, gains, ("", "not certain", "no difference"), strict=True)
    )
    return Tornado("effects", "best over worst", rows, ("k",))


def against() -> Against:
    runs = (1 / 20000, 1 / 2000, 1 / 100)
    y = tuple(estimate(3e-7 + 12e-6 * x, spread) for x, spread in zip(runs, (None, 0.001, 0.2), strict=True))
    line = Curve("a fixed cost over n", runs, y)
    ticks = tuple((x, f"1/{1 / x:.0f}") for x in runs)
    looks = (LineLook("#08304f"),)
    curves = (Curve("1 B", runs, y, ("k",)),)
    return Against(
        "runs", "1/n", "time per message", "time", ticks, curves, looks, (line,), (("gap", 2e-7),), is_linear=True
    )


def times() -> Latency:
    random = np.random.default_rng(1)

    def distribution(label: str, middle: float, n: int) -> Distribution:
        samples = tuple(float(x) for x in middle * random.lognormal(0, 0.15, n))
        found = estimate_quantiles(np.array(samples), (0.5, 0.95, 0.99))
        return Distribution(label, samples, tuple(found.items()), (label,))

    return Latency(
        "times", "round trip", (distribution("SEND", 32000, 1000), distribution("READ", 21000, 1000)), "exact"
    )


def one_time() -> Latency:
    return Latency("one time", "round trip", (Distribution("SEND", (32000.0,), ()),), "exact")


def line() -> Fit:
    random = np.random.default_rng(1)
    x = np.arange(1, 135) * 16e6
    rows = 2.3e6 + x / 5.94 + random.normal(0, 5e6, (7, x.size))
    return Fit("line", "MPI", points(x, 7), tuple(rows.reshape(-1)), fit_line(x, rows), "another machine", keys=("k",))


def points(x: NDArray[Any], repetitions: int) -> tuple[float, ...]:
    return tuple(map(float, np.tile(x, repetitions)))


def two_lines() -> Fit:
    random = np.random.default_rng(1)
    x = np.arange(1, 68) * 8000.0
    rows = np.where(x < 262_000, 16e3 + 6.8 * x, 4.3 * x) + random.normal(0, 5e3, (6, x.size))
    found = find_pieces(x, rows)
    assert found is not None
    y = tuple(rows.reshape(-1))
    return Fit("two lines", "MPI over verbs", points(x, 6), y, fit_line(x, rows), "exact", found, keys=("k",))


def two_points() -> Fit:
    return Fit("two", "MPI", (1.0, 2.0), (10.0, 30.0), fit_line([1, 2], [10, 30]), "exact")


def causes() -> Stacks:
    kinds = tuple(f"kind {n}" for n in range(9))
    groups = []
    for x in (1.0, 4096.0, 1048576.0):
        parts = tuple((kind, x * n - 1) for n, kind in enumerate(kinds))
        groups.append((x, tuple(Stack(f"{name} {LONG[0]}", (*parts, ("waiting", x)), 36 * x - 9) for name in "ab")))
    return Stacks("causes", tuple(groups), (*kinds, "waiting"), "waiting", "exact")


def rows() -> Dots:
    slow = (None, 9e-3, 2e-7, None)
    shown = tuple(Dot(LONG[n], estimate(10.0 ** (n - 9)), slow[n], LineLook(RDMA, is_open=n == 2)) for n in range(4))
    return Dots("rows", "time", (("a group", shown[:3]), (LONG[9], shown[3:])), ("key",))


def path() -> Parts:
    kinds = tuple((f"part {n} {LONG[0]}", n < 2) for n in range(8))
    return Parts("path", "time", kinds, (("1 B", (1e-9,) * 8), (LONG[1], (0.0,) * 7 + (1.0,))))


def slow_ones() -> Tails:
    samples = tuple(float(n) for n in range(1, 2000))
    shown = tuple(Distribution(label, samples[n:], (), (f"key {n}",)) for n, label in enumerate(LONG[:4]))
    return Tails("slow", shown, tuple(LineLook(RDMA, dashes=each) for each in ("solid", "dashed", "dotted", "none")))


EXAMPLES: dict[str, tuple[str, Callable[[], Any]]] = {
    "limits": ("throughput", limits),
    "rate": ("message_rate", limits),
    "beside": ("published", beside),
    "many": ("throughput", many),
    "one point": ("throughput", one_point),
    "decades": ("throughput", decades),
    "speed-up": ("speed_up", ratios),
    "below one": ("peer_ratio", below_one),
    "depths": ("parameter", depths),
    "warm-ups": ("parameter", warm_ups),
    "heat": ("heat_map", heat),
    "large heat": ("heat_map", heat_large),
    "effects": ("tornado", effects),
    "runs": ("against", against),
    "times": ("latency", times),
    "one time": ("latency", one_time),
    "line": ("fit", line),
    "two lines": ("fit", two_lines),
    "two points": ("fit", two_points),
    "causes": ("stacks", causes),
    "rows": ("dots", rows),
    "path": ("parts", path),
    "slow ones": ("tails", slow_ones),
}


@cache
def figure(name: str) -> Figure:
    """Drawn once: the tests only look at it."""
    kind, make = EXAMPLES[name]
    draw: Callable[[Any], Figure] = getattr(drawers, kind)
    return draw(make())
