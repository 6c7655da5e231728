"""A site without hardware, with outputs that the real programs could have printed.

As a script it is `lab` with this site added: fake_site.py SECONDS lab's arguments... The first trial ends at once, each
later one after so many seconds: with many, a test that waits for the first record finds the others still running.
"""

import json
import re
import sys
import threading
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from lab.cli import main
from lab.errors import SiteStopped
from lab.experiment.reader import load
from lab.model.trial import End, Ends, Job, Outcome, Step, StepOutcome
from lab.plan.plan import Plan, SiteFacts, binaries, make_plan
from lab.run.run import RunSetup, missing, run_trials
from lab.sites import site
from lab.sites.site import EXACT

NS_PER_MESSAGE, NS_PER_BYTE = 20_000, 4


class FakeSite:
    """Every message takes 20 microseconds and 4 ns a byte."""

    name = "exact"
    boots_image = False
    at_once: int | None = None
    tells_processors = False
    traits = EXACT

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds, self.stopped, self.jobs = seconds, threading.Event(), 0
        self.later_seconds = seconds
        self.change: Callable[[Outcome], Outcome] = lambda outcome: outcome

    @property
    def ends(self) -> Ends:
        return Ends(End("10.0.0.1", "rxe0", "v0"), End("10.0.0.2", "rxe1", "v1"), "127.0.0.1")

    def identity(self) -> dict[str, str]:
        return {"site": "fake"}

    def prepare(self, progress: Callable[[str], None]) -> None:
        del progress

    def run(self, job: Job) -> Outcome:
        self.jobs += 1
        if self.stopped.wait(self.later_seconds if self.jobs > 1 else self.seconds):
            raise SiteStopped("stopped")
        steps, clock, total = [], 0, 0
        for step in job.steps:
            counts = counts_of(step.client)
            time_ns = sum(count * cost(size) for size, count in counts.items()) * 10
            said = answer(step, counts)
            if self.tells_processors and "--sizes" in step.client:
                said = with_processors(said, counts)
            steps.append(StepOutcome(said, "", "", "", 0, 0, clock, clock + time_ns))
            clock += time_ns
            total += sum(size * count * 10 for size, count in counts.items())
        before = dict.fromkeys(("v0.tx_bytes", "v0.rx_bytes", "link0.bytes", "link1.bytes"), 0)
        after = dict.fromkeys(before, total)
        return self.change(Outcome(tuple(steps), before, after, 0, clock, "", self.seconds))

    def stop(self) -> None:
        self.stopped.set()


def planned(file: Path, facts: SiteFacts | None = None, digest: str = "d") -> Plan:
    """The plan of an experiment on the fake site, or on a site with these facts; one digest for all programs."""
    experiment = load(file)
    return make_plan(experiment, facts or SiteFacts.of(FakeSite()), dict.fromkeys(binaries([experiment]), digest))


def run_plan(plan: Plan, site: Any, results: Path) -> None:
    """Measure all trials of a plan that have no record."""
    run_trials(RunSetup(site, plan.site, results), missing([plan], results)[0], 2, lambda *_: None)


def cost(size: int) -> int:
    return NS_PER_MESSAGE + NS_PER_BYTE * size


def option(argv: tuple[str, ...], name: str) -> str:
    return next(value for word, value in pairwise(argv) if word == name)


def counts_of(client: tuple[str, ...]) -> dict[int, int]:
    """Return the iterations by size of a client's command."""
    if "--sizes" in client:
        items = (item.split("@") for item in option(client, "--sizes").split(","))
        return {int(size): int(counts.split("/")[0]) for size, counts in items}
    if "NPopenmpi" in client:
        least, most = (int(option(client, name)) for name in ("-l", "-u"))
        return {1 << power: int(option(client, "-n")) for power in range(least.bit_length() - 1, most.bit_length())}
    if client[0] == "qperf":
        return {int(option(client, "-m")): 100}
    names = ("-l", "-k") if client[0] == "iperf3" else ("-s", "-n")
    return {int(option(client, names[0])): int(option(client, names[1]))}


def answer(step: Step, counts: dict[int, int]) -> str:
    if "--until-stable" in step.client:
        return lab_rounds(counts, int(option(step.client, "--stable-window")))
    if "--mode" in step.client:
        return mpi_csv(counts, option(step.client, "--mode"))
    if "--sizes" in step.client:
        pairs = int(option(step.client, "--pairs")) if "--pairs" in step.client else 1
        windows, both = int(option(step.client, "--windows")), "--both" in step.client
        loses = "--connection" in step.client
        rows = lab_csv(counts, option(step.client, "--measure"), windows, pairs, both=both, loses=loses)
        return rows.replace("# program=fake\n", "# program=fake\n" + effective(step.client))
    if "NPopenmpi" in step.client:
        return netpipe_table(counts)
    ((size, count),) = counts.items()
    if step.client[0] == "iperf3":
        return iperf3_json(size, count)
    if step.client[0] == "qperf":
        return f"tcp_lat:\n    latency  =  {cost(size)} ns\n    loc_recv_msgs  =  {count} \nquit:\n"
    return perftest_table(size, count, latency=any("_lat" in word for word in step.client[:2]))


def effective(client: tuple[str, ...]) -> str:
    """The lines of the real programs about each size; an automatic post list grows with the depth, up to 64."""
    given = dict(pairwise(client))
    depth = int(given.get("--tx-depth", 1))
    chosen = {name: given.get(f"--{name}", "auto") for name in ("post-list", "signal-every")}
    lists, signals = (int(value) if value != "auto" else min(64, max(depth // 2, 1)) for value in chosen.values())
    lines = []
    for item in given["--sizes"].split(","):
        size, iterations, warmup = re.split("[@/]", item)
        rest = f"depth={depth} post_list={lists} signal_every={signals} inline=0 operations=1"
        lines.append(f"# size_bytes={size} iterations={iterations} warmup={warmup} {rest}\n")
    return "".join(lines)


def lab_csv(
    counts: dict[int, int], measure: str, windows: int, pairs: int = 1, *, both: bool = False, loses: bool = False
) -> str:
    """The first queue pair takes twice as long as the others, and the server as long as the client. A quarter of the
    messages may be lost."""
    rows = []
    for size, count in counts.items():
        if measure == "latency":
            rows += [f"{size},round_trip,{index},1,{size},{2 * cost(size)}" for index in range(count)]
            continue
        for index in range(windows):
            done = count * (index + 1) // windows
            rows.append(f"{size},window,{index},{done},{done * size},{done * cost(size)}")
        total = count * cost(size)
        kinds = ("completed", "confirmed", *(("back",) if both else ()))
        arrived = count - count // 4 if loses else count
        ends = {**dict.fromkeys(kinds, count), **({"sent": count, "confirmed": arrived} if loses else {})}
        rows += [f"{size},{kind},0,{number},{number * size},{total}" for kind, number in ends.items()]
        part = count // pairs
        times = [total // 2 if index else total for index in range(pairs if pairs > 1 else 0)]
        rows += [f"{size},share,{index},{part},{part * size},{time}" for index, time in enumerate(times)]
    return whole_csv(rows)


def mpi_csv(counts: dict[int, int], mode: str) -> str:
    """Rows of round trips, or one way, where the receiver waits a fifth longer than the sender takes."""
    kinds = {"send": 10, "receive": 12} if mode == "one-way" else {"round_trip": 20}
    rows = [
        f"{size},{kind},{index},1,{size},{cost(size) * tenths // 10}"
        for size, count in counts.items()
        for kind, tenths in kinds.items()
        for index in range(count)
    ]
    return whole_csv(rows)


def lab_rounds(counts: dict[int, int], window: int) -> str:
    """A round trip takes two messages' time; the first round takes twice as long as those that settle. A hundredth of
    each comes after its last completion."""
    rows = []
    for size, count in counts.items():
        rows += [f"{size},control_trip,{index},0,0,{2 * cost(0)}" for index in range(6)]
        times = [2 * count * cost(size), *[count * cost(size)] * window]
        completed = [99 * time_ns // 100 for time_ns in times]
        rows += [f"{size},round_completed,{index},{count},{count * size},{it}" for index, it in enumerate(completed)]
        rows += [f"{size},round,{index},{count},{count * size},{time_ns}" for index, time_ns in enumerate(times)]
        rows.append(f"{size},settled,0,{window * count},{window * count * size},{sum(times[1:])}")
    return whole_csv(rows)


def with_processors(text: str, counts: dict[int, int]) -> str:
    """Add CPU times: half of a message's time at the client, a tenth at the server, half of each in the kernel."""
    rows = [line for line in text.splitlines() if line[0].isdigit()]
    head = [line for line in text.splitlines()[:-1] if not line[0].isdigit()]
    for size, count in counts.items():
        about = f"{count},{count * size}"
        for end, share in (("client", 2), ("server", 10)):
            time_ns = count * cost(size) // share
            rows += [f"{size},{end}_processor,0,{about},{time_ns}", f"{size},{end}_kernel,0,{about},{time_ns // 2}"]
    return "\n".join([*head, *rows, f"# end rows={len(rows)}", ""])


def whole_csv(rows: list[str]) -> str:
    head = ["# lab-bench 1", "# program=fake", "size_bytes,sample,index,messages,bytes,time_ns"]
    return "\n".join([*head, *rows, f"# end rows={len(rows)}", ""])


def iperf3_json(size: int, count: int) -> str:
    sums = {"bytes": size * count, "seconds": round(count * cost(size) / 1e9, 9)}
    start = {"version": "iperf 3.12", "test_start": {"blksize": size}}
    return json.dumps({"start": start, "end": {"sum_sent": sums, "sum_received": sums}})


def netpipe_table(sizes: Iterable[int]) -> str:
    """Bytes, binary megabits a second, and seconds one way."""
    return "".join(f"{size} {size * 8e9 / cost(size) / 2**20:.6f} {cost(size) / 1e9:.9f}\n" for size in sizes)


def perftest_table(size: int, count: int, *, latency: bool) -> str:
    rule = "-" * 87
    heading = " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]"
    row = f" {size}   {count}   0.00   {size / cost(size) * 1e9 / 2**20:.2f}   {1000 / cost(size):.6f}"
    if latency:
        heading = " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]"
        row = f" {size}   {count}   1.00   9.00   {cost(size) / 1000:.2f}   {cost(size) / 1000:.2f}"
    return "\n".join([rule, heading, row, rule, ""])


SITE = FakeSite()


def open(*_: object) -> FakeSite:  # noqa: A001 - the name that lab.sites asks for
    return SITE


if __name__ == "__main__":
    sys.modules["fake_site"] = sys.modules["__main__"]
    site.MODULES["exact"] = "fake_site"
    SITE.later_seconds = float(sys.argv.pop(1))
    sys.exit(main.main())
