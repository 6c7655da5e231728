"""Windows of messages, their shares, and the tables of both: lab.causes.{window,share,table}."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lab.causes.count import window
from lab.causes.symbols import Function, Tally, of_kernel
from lab.causes.table import CausesError, Share, difference, format_classes, format_functions, read, rows
from lab.errors import SpecError
from lab.plan.plan import Plan

COPY, SEND = of_kernel("memcpy"), Function("tcp-client", "send_all")


def share(**other: object) -> Share:
    made = Share("tcp", 4096, "client", 100, 2000, Tally({COPY: 700, SEND: 1200}), "abc")
    return replace(made, **other)  # type: ignore[arg-type]


def first(plan: Plan, series: str) -> int:
    return next(n for n, each in enumerate(plan.planned) if each.series.name == series)


def test_the_second_trial_sends_twice_as_many_messages_of_one_size(make_small_plan: Callable[..., Plan]) -> None:
    plan = make_small_plan()
    planned = plan.planned[first(plan, "ours")]
    found = window(planned, 64, plan.site)
    sizes = [word for job in (found.once.job, found.twice.job) for word in job.steps[0].client if "@" in word]
    assert sizes == ["64@40/500", "64@80/500"]
    assert found.messages == 40 and found.record == found.twice.key[:12] != found.once.key[:12]


def test_a_size_or_a_program_without_messages_to_count_is_refused(make_small_plan: Callable[..., Plan]) -> None:
    plan = make_small_plan()
    with pytest.raises(SpecError, match="ours has no messages of 65 bytes on exact"):
        window(plan.planned[first(plan, "ours")], 65, plan.site)


def test_the_more_of_two_trials_is_of_the_messages() -> None:
    once, twice = Tally({COPY: 5, SEND: 3}), Tally({COPY: 9, SEND: 3})
    assert difference(twice, once) == {COPY: 4}
    assert difference(once, twice) == {COPY: -4}


def test_kinds_of_work_and_the_wait_are_the_whole_time() -> None:
    assert share().classes() == {"copies": 700, "program": 1200, "waiting": 100}
    assert sum(share().classes().values()) == share().time_ns


def test_a_table_by_kind_is_read_as_it_was_written(tmp_path: Path) -> None:
    found = tuple(rows([share(), share(end="server")]))
    (file := tmp_path / "x.causes.csv").write_text(format_classes(found))
    assert read(file) == found
    assert [(each.work, each.per_message) for each in found[:3]] == [("program", 12), ("copies", 7), ("waiting", 1)]


def test_a_table_by_function_begins_with_the_largest() -> None:
    lines = format_functions([share()]).splitlines()
    assert lines[1] == "tcp,4096,client,100,program,tcp-client,send_all,1200,abc"
    assert lines[0].split(",")[4:8] == ["work", "owner", "function", "instructions"]


@pytest.mark.parametrize(
    "text", ["", "series\nx\n", "series,size_bytes,end,messages,work,instructions,record\na,1,b,0,c,1,d\n"]
)
def test_another_table_is_refused(tmp_path: Path, text: str) -> None:
    (file := tmp_path / "x.causes.csv").write_text(text)
    if text:
        with pytest.raises(CausesError, match="is no table of causes"):
            read(file)
    else:
        assert read(file) == ()


def test_starts_that_differ_by_more_than_the_messages_cost_are_told_from_luck() -> None:
    assert share(functions=Tally({COPY: -300_000, SEND: 1_000_000})).is_of_the_start
    assert not share(functions=Tally({COPY: -30_000, SEND: 1_000_000})).is_of_the_start
    assert not share(functions=Tally({COPY: -60_000, SEND: 10})).is_of_the_start  # hardly any cost, and hardly any luck
