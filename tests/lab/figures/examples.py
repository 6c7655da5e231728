"""Ordinary and hostile data for every kind of figure."""

from dataclasses import replace
from functools import cache

from lab.analysis.estimate import Estimate, Interval
from lab.figures.curves import Against, Beside, QueueInTime, Sized
from lab.figures.dots import Dot, Dots, Effect, Tornado
from lab.figures.figure import Curve, Figure, LineLook
from lab.figures.marks import MARKERS, RDMA, TCP
from lab.figures.repetitions import ByRound, Distribution, Matrix, MatrixRow, Tails
from lab.figures.stacks import Parts, Stack, Stacks
from lab.report.exhibits.core import Drawable, render

SIZES = tuple(float(2**shift) for shift in range(21))
LONG = tuple(f"a series with a name of forty letters {n:03}" for n in range(20))
LOOK = LineLook(RDMA)


def estimate(value: float, spread: float | None = 0.04, n: int = 10) -> Estimate:
    interval = None if spread is None else Interval(value * (1 - spread), value * (1 + spread))
    return Estimate(value, interval, n)


def curve(label: str, fixed_ns: float, rate: float, spread: float | None = 0.04) -> Curve:
    y = tuple(estimate(1e9 * size / (fixed_ns + 1e9 * size / rate), spread) for size in SIZES)
    return Curve(label, SIZES, y, (f"key-{label}",))


def sized(*curves: Curve, kind: str = "rate", limits: tuple[tuple[str, float], ...] = ()) -> Sized:
    looks = (LineLook(RDMA, MARKERS[n % 9], ("solid", "dashed", "dotted")[n % 3]) for n in range(len(curves)))
    drawn = tuple(replace(curve, look=look) for curve, look in zip(curves, looks, strict=True))
    return Sized("sized", "throughput", kind, drawn, limits)


def one_point() -> Sized:
    return sized(Curve("verbs", (64.0,), (estimate(5e6, None, 1),)))


def effects() -> Tornado:
    names = ("depth", "a parameter with a very long name for a figure", "warm-up")
    gains = (estimate(10.4, 0.001), estimate(1.3, 0.2), estimate(1.002, None))
    rows = tuple(
        (name, (Effect("1 B", "100000", "1", gain, "#08304f"), Effect("4 KiB", "0", "16", gain, "#85bbdb", doubt)))
        for name, gain, doubt in zip(names, gains, ("", "not certain", "no difference"), strict=True)
    )
    return Tornado("effects", "best over worst", rows)


def against() -> Against:
    runs = (1 / 20000, 1 / 2000, 1 / 100)
    y = tuple(estimate(3e-7 + 12e-6 * x, spread) for x, spread in zip(runs, (None, 0.001, 0.2), strict=True))
    model = Curve("a fixed cost over n", runs, y)
    ticks = tuple((x, f"1/{1 / x:.0f}") for x in runs)
    curves = (Curve("1 B", runs, y, ("k",), LOOK),)
    label = "time per message"
    return Against("runs", "1/n", label, "time", ticks, curves, (model,), (("gap", 2e-7),), is_linear=True)


def depths() -> Against:
    """A rate that follows a model up to a limit."""
    xs = (1.0, 4.0, 16.0)
    rates, models = (tuple(map(estimate, ys)) for ys in ((3e5, 1.2e6, 3.1e6), (3e5, 1.2e6, 4.8e6)))
    data = replace(against(), name="depths", kind="messages", is_linear=False, limits=(("gap", 4.4e6),))
    ticks = tuple((x, f"{x:g}") for x in xs)
    model = Curve("depth over trip", xs, models)
    return replace(data, ticks=ticks, curves=(Curve("1 B", xs, rates, (), LOOK),), models=(model,))


def queues() -> Beside:
    bursts = QueueInTime("bursts", 0.008, ((0.0, 64_000), (0.2, 30_000)), 65_536, LOOK, ("k",))
    full = QueueInTime("full", 1e-6, ((3e-6, 300_000), (4e-6, 290_000)), 300_000, LineLook(TCP), ("l",))
    return Beside("queues", f"{bursts.words}, {full.words}.", (bursts, full), 40.0)


def rounds() -> ByRound:
    rates = {"card": ((1.0, 0.996, 1.0), LOOK), "TCP": ((1.09, 0.97, 1.0, 1.01), LineLook(TCP, "s"))}
    curves = tuple(
        Curve(name, tuple(map(float, range(1, len(ys) + 1))), tuple(estimate(y, None, 1) for y in ys), (), look)
        for name, (ys, look) in rates.items()
    )
    return ByRound("rounds", curves, 0.01)


def matrix(cells: dict[str, tuple[tuple[int, int] | None, ...]], columns: tuple[float, ...]) -> Matrix:
    rows = tuple(MatrixRow(name, LOOK, row, (f"key-{name}",)) for name, row in cells.items())
    return Matrix("agreed", columns, rows)


def causes() -> Stacks:
    kinds = tuple(f"kind {n}" for n in range(9))
    groups = []
    for x in (1.0, 4096.0, 1048576.0):
        parts = tuple((kind, x * n - 1) for n, kind in enumerate(kinds))
        groups.append((x, tuple(Stack(f"{name} {LONG[0]}", (*parts, ("waiting", x))) for name in "ab")))
    return Stacks("causes", tuple(groups), (*kinds, "waiting"), "waiting", "exact")


def times() -> Dots:
    ends = (None, 9e-3, 2e-7, None)
    dots = tuple(Dot(LONG[n], estimate(10.0 ** (n - 9)), ends[n], LineLook(RDMA, is_open=n == 2)) for n in range(4))
    return Dots("rows", "time", (("a group", dots[:3]), (LONG[9], dots[3:])))


def path() -> Parts:
    kinds = tuple((f"part {n} {LONG[0]}", n < 2) for n in range(8))
    return Parts("path", "time", kinds, (("1 B", (1e-9,) * 8), (LONG[1], (0.0,) * 7 + (1.0,))))


def tails() -> Tails:
    samples = tuple(map(float, range(1, 2000)))
    looks = [LineLook(RDMA, dashes=dashes) for dashes in ("solid", "dashed", "dotted", "none")]
    shown = (Distribution(LONG[n], samples[n:], look, (f"key {n}",)) for n, look in enumerate(looks))
    return Tails("tails", tuple(shown))


VERBS, TCP_CURVE = curve("verbs", 4000, 6e8), curve("tcp", 2500, 9e8)
WIDE = Curve("an interval below 0", SIZES, tuple(estimate(10.0 ** (3 + 0.3 * shift), 1.5) for shift in range(21)))
FLAT = Curve("between two round numbers", SIZES, tuple(estimate(3e8, 0.01) for _ in SIZES))
RATIO = Curve("verbs", SIZES, tuple(estimate(0.55 + 0.03 * shift) for shift in range(21)), ("key-a",))
STEEP = Curve("verbs / iperf3", SIZES, tuple(estimate(0.2 * 1.2**shift, 0.1) for shift in range(21)))
EXAMPLES: dict[str, Drawable] = {
    "limits": sized(VERBS, TCP_CURVE, curve("ib_write_bw", 5000, 5.9e8, None), limits=(("link", 1.25e9),)),
    "many": sized(*(curve(name, 100 * 2**i, 1e9 / (1 + i)) for i, name in enumerate(LONG))),
    "one point": one_point(),
    "decades": sized(WIDE, TCP_CURVE),
    "flat": sized(FLAT),
    "ratios": sized(RATIO, STEEP, kind="ratio"),
    "effects": effects(),
    "runs": against(),
    "depths": depths(),
    "queues": queues(),
    "rounds": rounds(),
    "agreed": matrix(
        {"card": ((6, 6),) * 4, "TCP": ((6, 6), (6, 6), (1, 6), (0, 6)), "MPI": ((10, 10), None, None, (2, 10))},
        (1.0, 4.0, 16.0, 64.0),
    ),
    "one repetition": matrix({"card": ((0, 1),)}, (1.0,)),
    "causes": causes(),
    "times": times(),
    "path": path(),
    "tails": tails(),
}


@cache
def figure(name: str) -> Figure:
    """The figure of an example, drawn once."""
    return render(EXAMPLES[name])
