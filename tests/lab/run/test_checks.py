from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lab.model.parameters import Counts
from lab.model.trial import DEADLINE_STATUS, End, Ends, Outcome, StepOutcome
from lab.plan.plan import Plan
from lab.programs import PROGRAMS
from lab.programs.program import Build, Sample
from lab.run.checks import failed_steps, notes, path, unaccounted, uncounted_bytes, unread
from lab.sites.host import OwnDevices

ENDS = Ends(End("10.0.0.1", "rxe0", "v0"), End("10.0.0.2", "rxe1", "v1"), "127.0.0.1")
Make = Callable[..., Plan]
ONE = End("198.18.0.1", "rxe0", "eth0")
SENT = (Sample(64, "completed", 0, 1, 64, 10),)
UNCOUNTED = Outcome((), {}, {}, 0, 0, "", 0.0)
CLOCK = {"clock_start_ns": 0, "clock_end_ns": 1}
SAMPLES = (Sample(4096, "round_trip", 0, 100, 409_600, 1_000_000),)


@pytest.mark.parametrize(
    ("grown", "way"),
    [
        ({"v0.tx_bytes": 410_000, "lo.tx_bytes": 5_000}, "the kernel's network from v0"),
        ({"v0.tx_bytes": 420_000, "rxe0.sent_pkts": 100}, "RDMA from rxe0"),
        ({"v0.tx_bytes": 10_000, "mlx5_0.tx_bytes": 410_000}, "none that is counted here"),
        ({"v0.tx_bytes": 5_000, "lo.tx_bytes": 900_000}, "none that is counted here"),
    ],
)
def test_the_path_is_what_could_have_carried_all_of_the_bytes(grown: dict[str, int], way: str) -> None:
    before = dict.fromkeys(grown, 7)
    after = {name: 7 + count for name, count in grown.items()}
    assert path(ENDS, Outcome((), before, after, 0, 1, "", 0.0), SAMPLES) == way


def test_of_two_ends_the_one_that_the_deadline_ended_comes_first() -> None:
    step = StepOutcome("", "reset by peer", "", "", client_status=1, server_status=DEADLINE_STATUS, **CLOCK)
    first, second = failed_steps(replace(UNCOUNTED, steps=(step,)))
    assert first.startswith("step 1: the server did not end before the deadline (deadline_s)")
    assert second == "step 1: the client ended with status 1: reset by peer"


def test_inside_of_one_device_no_counter_is_asked_and_the_record_says_so(make_small_plan: Make) -> None:
    ours = next(each for each in make_small_plan().planned if each.series.name == "ours")
    assert list(uncounted_bytes(ours, Ends(ONE, ONE, ""), UNCOUNTED, SENT)) == []
    assert "turned around inside it" in notes(PROGRAMS["verbs"], OwnDevices.traits, Ends(ONE, ONE, ""))[0]


def test_between_two_devices_bytes_that_nobody_counted_are_refused(make_small_plan: Make) -> None:
    ours = next(each for each in make_small_plan().planned if each.series.name == "ours")
    ends = Ends(ONE, End("198.18.0.2", "rxe1", "eth1"), "")
    (sentence,) = uncounted_bytes(ours, ends, UNCOUNTED, SENT)
    assert "64 bytes are reported, but eth0.tx_bytes counted 0" in sentence
    assert notes(PROGRAMS["verbs"], OwnDevices.traits, ends) == []


def test_a_card_that_counts_rdma_by_itself_is_asked_itself(make_small_plan: Make) -> None:
    ours = next(each for each in make_small_plan().planned if each.series.name == "ours")
    ends = Ends(ONE, End("198.18.0.2", "rxe1", "eth1"), "")
    counted = Outcome((), {"rxe0.tx_bytes": 1}, {"rxe0.tx_bytes": 65}, 0, 0, "", 0.0)
    assert list(uncounted_bytes(ours, ends, counted, SENT)) == []


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("mpi-pingpong: no progress for 5 s\n{box}", "mpi-pingpong: no progress for 5 s"),
        ("{box}", "orterun detected that a process ended: Exit code: 1"),
        ("one\n\ttwo\n", "one two"),
        (" \n", "it printed nothing"),
    ],
)
def test_a_failure_is_one_line_in_which_a_rank_comes_before_its_launcher(said: str, words: str) -> None:
    rule = "-" * 74
    talk = said.format(box=f"{rule}\norterun detected that a process ended:\n\n  Exit code: 1\n{rule}\n")
    step = StepOutcome("", talk, "", "", 1, 0, 0, 0)
    assert list(failed_steps(replace(UNCOUNTED, steps=(step,)))) == [f"step 1: the client ended with status 1: {words}"]


MS = 1_000_000


@pytest.mark.parametrize(
    ("spans_ms", "claimed_ms", "said"),
    [
        ((273, 270, 147, 55), 664, []),  # as plain_verbs took them on the exact machine
        ((273, 270, 147, 55), 0.664, ["busy for 525.000 ms", "may be 753 times too high"]),
        ((30, 30, 30), 0.1, []),  # short messages: nearly all is the start
        ((47, 44, 44), 0.34, []),  # 200 messages over a card: the first start reads the program
        ((3000,), 1990, []),
        ((3000,), 2, ["busy for 2000.000 ms", "may be 952 times too high"]),
        ((273, 55), 0, []),  # no duration is printed
    ],
)
def test_an_own_program_that_claims_far_less_time_than_it_was_busy_is_noted(
    spans_ms: tuple[int, ...], claimed_ms: float, said: list[str]
) -> None:
    steps = tuple(StepOutcome("", "", "", "", 0, 0, 0, each * MS) for each in spans_ms)
    samples = (Sample(64, "completed", 0, 1000, 64_000, int(claimed_ms * MS)),)
    request = SimpleNamespace(counts=(SimpleNamespace(iterations=1000, warmup=50),))
    for build, expected in ((Build(("make",), Path()), said), (None, [])):
        series = SimpleNamespace(tool=SimpleNamespace(build=build, loops=False))
        planned: Any = SimpleNamespace(series=series, trial=SimpleNamespace(request=request))
        found = " ".join(unaccounted(planned, replace(UNCOUNTED, steps=steps), samples))
        assert bool(found) == bool(expected) and all(words in found for words in expected)
        series.tool.loops = True  # it may have gone through other sizes too
        assert not list(unaccounted(planned, replace(UNCOUNTED, steps=steps), samples))


def test_sizes_without_a_number_are_noted_unless_nothing_is_read() -> None:
    request = SimpleNamespace(counts=(Counts(64, 10, 0), Counts(1024, 10, 0), Counts(2048, 10, 0)))
    series = SimpleNamespace(tool=SimpleNamespace(silent=False))
    planned: Any = SimpleNamespace(series=series, trial=SimpleNamespace(request=request))
    found = list(unread(planned, (Sample(1024, "completed", 0, 10, 10240, 5),)))
    assert found == ["no number could be read for 64, 2048 bytes: the record's header says why"]
    series.tool.silent = True
    assert not list(unread(planned, ()))
