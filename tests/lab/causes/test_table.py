"""Kinds of work, windows of messages, and the tables of both: lab.causes.{table,count}."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lab.causes.count import window
from lab.causes.symbols import POLLING, Function, Tally, of_kernel
from lab.causes.table import (
    OTHER,
    WAITING,
    Share,
    class_of,
    classes,
    difference,
    format_classes,
    format_functions,
    read,
    rows,
)  # fmt: skip
from lab.errors import LabError, SpecError
from lab.plan.plan import Plan


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (of_kernel("entry_SYSCALL_64_after_hwframe"), "system calls"),
        (of_kernel("ib_uverbs_cmd_verbs", "ib_uverbs"), "system calls"),
        (of_kernel("copy_user_generic_string"), "copies"),
        (of_kernel("rxe_mr_copy", "rdma_rxe"), "copies"),
        (of_kernel("rxe_icrc_hdr.isra.0", "rdma_rxe"), "checksums"),
        (of_kernel("loop_64", "crc32_pclmul"), "checksums"),
        (of_kernel("rxe_requester", "rdma_rxe"), "packets"),
        (of_kernel("ip_protocol_deliver_rcu"), "packets"),
        (of_kernel("__kmem_cache_alloc_node"), "buffers"),
        (of_kernel("start_xmit", "virtio_net"), "card's driver"),
        (of_kernel("_raw_spin_lock_irqsave"), "locks and lists"),
        (of_kernel("__schedule"), "wake-ups"),
        (of_kernel("default_idle"), "idle"),
        (of_kernel("ext4_readdir"), OTHER),
        (Function("libc.so.6", "memcpy"), "user library"),
        (Function("vdso", "vdso"), "user library"),
        (Function("busybox", "(no name)"), "init"),
        (Function("tcp-client", "memcpy"), "program"),
        (POLLING, WAITING),
    ],
)
def test_function_belongs_to_the_first_kind_of_work_that_matches(function: Function, kind: str) -> None:
    assert class_of(function) == kind


def test_names_of_kinds_are_unique() -> None:
    names = [kind.name for kind in classes()]
    assert len({*names, OTHER}) == len(names) + 1


COPY, SEND = of_kernel("memcpy"), Function("tcp-client", "send_all")
SHARE = Share("tcp", 4096, "client", 100, 2000, Tally({COPY: 700, SEND: 1200}), "abc")


def test_each_trial_sends_twice_as_many_messages(make_small_plan: Callable[..., Plan]) -> None:
    plan = make_small_plan()
    planned = next(planned for planned in plan.planned if planned.series.name == "ours")
    found = window(planned, 64, plan.site)
    sizes = [word for trial in found.trials for word in trial.job.steps[0].client if "@" in word]
    assert sizes == ["64@40/500", "64@80/500", "64@160/500", "64@320/500"]
    assert found.counts.iterations == 40 and found.record == found.trials[1].key[:12] != found.trials[0].key[:12]
    with pytest.raises(SpecError, match="ours has no messages of 65 bytes on exact"):
        window(planned, 65, plan.site)


def test_difference_of_two_trials_counts_the_messages() -> None:
    once, twice = Tally({COPY: 5, SEND: 3}), Tally({COPY: 9, SEND: 3})
    assert difference(twice, once) == {COPY: 4}
    assert difference(once, twice) == {COPY: -4}


def test_kinds_of_work_and_waiting_sum_up_to_the_time() -> None:
    assert SHARE.classes() == {"copies": 700, "program": 1200, "waiting": 100}
    assert sum(SHARE.classes().values()) == SHARE.time_ns


@pytest.mark.parametrize(
    ("copies", "sends", "luck"), [(-300_000, 10**6, True), (-30_000, 10**6, False), (-60_000, 10, False)]
)
def test_starts_that_differ_by_more_than_the_messages_cost_are_detected(copies: int, sends: int, *, luck: bool) -> None:
    assert replace(SHARE, functions=Tally({COPY: copies, SEND: sends})).is_of_the_start is luck


def test_table_by_kind_is_read_back(tmp_path: Path) -> None:
    causes = tuple(rows([SHARE, replace(SHARE, end="server")]))
    (file := tmp_path / "x.causes.csv").write_text(format_classes(causes))
    assert read(file) == causes
    assert [(cause.work, cause.per_message) for cause in causes[:3]] == [("program", 12), ("copies", 7), ("waiting", 1)]


def test_table_by_function_starts_with_the_largest() -> None:
    head, first, *_ = format_functions([SHARE]).splitlines()
    assert head.split(",")[4:8] == ["work", "owner", "function", "instructions"]
    assert first == "tcp,4096,client,100,program,tcp-client,send_all,1200,abc"


@pytest.mark.parametrize(
    "text", ["series\nx\n", "series,size_bytes,end,messages,work,instructions,record\na,1,b,0,c,1,d\n"]
)
def test_other_tables_are_refused(tmp_path: Path, text: str) -> None:
    (file := tmp_path / "x.causes.csv").write_text(text)
    with pytest.raises(LabError, match="is not a table of causes"):
        read(file)
