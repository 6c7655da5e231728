"""Programs over the modelled card on the real machine, lab.compiler.build: they verify, are fast, and repeat."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.machine import card_differences
from tests.machine.over_card import (
    ATOMIC,
    MANAGED,
    QDR,
    UNRELIABLE_OR_SHARED,
    WAYS,
    by_manager,
    carried,
    compile_plain,
    over,
    perftest,
    plain,
    verbs,
)

from lab.analysis.card import Rates
from lab.compiler import build
from lab.experiment.reader import read_card
from lab.model.trial import DIRECTORY, OVER_CARD, Card, Job, Outcome, Step, StepOutcome
from lab.places import CACHE, CARD, CARDS, MACHINE
from lab.plan.builds import lab_programs
from lab.programs import mpi
from lab.sites.exact import ExactSite

IDEAL = read_card("ideal").card
RELIABLE = (
    *("ib_write_bw -s 4096 -n 500", "ib_read_bw -s 4096 -n 500", "ib_send_bw -s 4096 -n 500"),
    *("ib_send_lat -s 64 -n 100", "ib_send_lat -s 64 -n 100 -e", "ib_read_lat -s 64 -n 100"),
)
OPERATIONS = ("write", "read", "send", "write-imm")
# A test build of the device: what a program gets of more than 1000 bytes lacks the last one.
WHOLE = "bytes, part,"
BROKEN = "bytes, part - (is_write && size > 1000 && left == part),"
Run = Callable[..., Outcome]


@pytest.fixture(scope="module")
def overlay(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """Our programs and the card's files, as a trial takes them along."""
    return carried(tmp_path_factory.mktemp("bin"))


@pytest.fixture(scope="module")
def run(exact: ExactSite, overlay: tuple[Path, ...]) -> Run:
    """Steps over a card; all must end well."""

    def run(
        *steps: Step, card: Card = QDR, loss_ppm: int = 0, more: tuple[Path, ...] = (), stranger: bool = False
    ) -> Outcome:
        outcome = exact.run(replace(over(card, steps, (*overlay, *more), loss_ppm=loss_ppm), stranger=stranger))
        for step in outcome.steps:
            assert (step.client_status, step.server_status) == (0, 0), (step.client_err, step.server_err)
        return outcome

    return run


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """The program of both ranks."""
    file = tmp_path_factory.mktemp("mpi") / mpi.BINARY
    (content,) = (content for each, content in lab_programs(print).items() if each.name == mpi.BINARY)
    file.write_bytes(content)
    return (file,)


class OtherCard(ExactSite):
    """The exact site with another device than this checkout's."""

    def __init__(self, device: Path) -> None:
        super().__init__(MACHINE, CACHE)
        self.device = device

    def card(self, _: Job) -> Path:
        """Whatever the link asks for."""
        return self.device


def rows(outcome: StepOutcome, kind: str) -> dict[int, list[tuple[int, int]]]:
    """Bytes and ns of the samples of a kind, by size."""
    found: dict[int, list[tuple[int, int]]] = {}
    for line in outcome.client_out.splitlines():
        if f",{kind}," in line:
            size, _, _, _, count, time_ns = line.split(",")
            found.setdefault(int(size), []).append((int(count), int(time_ns)))
    return found


def test_every_byte_of_every_operation_lands_where_it_should(run: Run) -> None:
    sizes = "--verify --sizes 1,64,4095,70000@6/2 --wait"
    run(*(verbs(f"--operation {each} {sizes} poll", index) for index, each in enumerate(OPERATIONS)))
    run(*(verbs(f"--operation {each} {sizes} event", index) for index, each in enumerate(OPERATIONS[1:])))
    run(*(verbs(f"--operation {each} --measure latency {sizes} poll", i) for i, each in enumerate(OPERATIONS)))


def test_every_byte_arrives_although_packets_are_lost(run: Run) -> None:
    run(verbs("--operation write --verify --sizes 70000@24/8 --wait poll"), loss_ppm=5_000)


@pytest.mark.parametrize("inline_most", [0, 1024])
def test_the_closed_form_is_the_machines_throughput(run: Run, inline_most: int) -> None:
    model = Rates(QDR.rate_bit_s, QDR.header_bytes, QDR.gap_ps, QDR.block_ps)
    words = f"--sizes 1,64,256,1K@2560/512,2K@1280/512,64K@320/64 --tx-depth 512 --wait poll --inline {inline_most}"
    (step,) = run(verbs(words)).steps
    for size, ends in rows(step, "window").items():
        (first, first_ns), *_, (last, last_ns) = ends
        rate = (last - first) / (last_ns - first_ns) * 1e9 / model.bytes_per_s(size, 4096, inline_most)
        assert 0.97 < rate < 1.0001, (size, rate)  # a window ends at the nanosecond of its poll


def test_no_round_trip_is_below_the_sum_of_its_parts(run: Run) -> None:
    words = "--measure latency --sizes 8@64/8 --wait poll --inline 64 --operation"
    steps = run(*(verbs(f"{words} {each}", index) for index, each in enumerate(("write", "send", "read")))).steps
    write, send, read = (statistics.median(time for _, time in rows(step, "round_trip")[8]) for step in steps)
    once = QDR.doorbell_ps / 1000 + QDR.wire_ns + QDR.write_ps / 1000
    assert 2 * once < write < 2 * once + 1_000 and 2 * once < send < 2 * once + 2_000
    assert once + QDR.wire_ns + QDR.fetch_ps / 1000 < read < 2 * once + 1_500


def test_a_frame_of_the_kernels_takes_what_the_card_takes_for_it(exact: ExactSite, overlay: tuple[Path, ...]) -> None:
    """Soft-RoCE over the same wire: each of its frames is rung for, fetched, written, and interrupted for."""
    step = verbs("--measure latency --operation send --sizes 8@64/8 --wait poll")

    def trip_ns(card: Card) -> float:
        (outcome,) = exact.run(replace(over(card, (), overlay), steps=(step,))).steps
        assert (outcome.client_status, outcome.server_status) == (0, 0), outcome.client_err
        return statistics.median(time for _, time in rows(outcome, "round_trip")[8])

    plain, slower = (trip_ns(replace(QDR, irq_ps=QDR.irq_ps + more)) for more in (0, 1_000_000))
    assert plain > 2 * QDR.kernel_ns
    assert slower - plain == pytest.approx(2_000, abs=200)


@pytest.mark.parametrize(
    "programs", [RELIABLE, UNRELIABLE_OR_SHARED, ATOMIC], ids=["reliable", "unreliable or shared", "atomic"]
)
def test_perftest_runs_over_it_unchanged(run: Run, programs: tuple[str, ...]) -> None:
    run(*(perftest(words, number) for number, words in enumerate(programs)))


def test_the_processor_is_not_the_limit_before_the_card_is(run: Run) -> None:
    """Over a card that costs nothing each message takes its way through program and library, an instruction a ns."""
    (step,) = run(verbs("--sizes 1@5120/512 --tx-depth 512 --inline 0 --wait poll"), card=IDEAL).steps
    ((count, time_ns),) = rows(step, "completed")[1]
    assert time_ns / count < 228


def test_however_it_is_handed_over_a_message_takes_at_most_350_instructions(run: Run) -> None:
    """As docs/cards.md has it: in lists, each by a call, each with its completion, inline, and read."""
    shared = "--sizes 1@2560/512 --tx-depth 512 --wait poll"
    ways = ("--inline 0", *(f"--inline {each} --post-list 1 --signal-every 1" for each in (0, 64)), "--operation read")
    outcome = run(*(verbs(f"{shared} {words}", number) for number, words in enumerate(ways)), card=IDEAL)
    for words, step in zip(ways, outcome.steps, strict=True):
        ((count, time_ns),) = rows(step, "completed")[1]
        assert 60 < time_ns / count <= 350, words


def test_a_job_over_it_repeats_to_the_last_byte(run: Run) -> None:
    once, again = (run(verbs("--sizes 64,64K@320/64 --tx-depth 64 --wait event")) for _ in range(2))
    assert replace(once, host_seconds=0.0) == replace(again, host_seconds=0.0)


def test_a_card_that_costs_more_is_not_faster(run: Run) -> None:
    words = "--sizes 64@1280/256 --tx-depth 256 --inline 0 --wait poll"
    (plain,) = run(verbs(words)).steps
    for name in ("gap_ps", "fetch_ps", "ack_ps", "doorbell_ps"):
        dearer = replace(QDR, **{name: getattr(QDR, name) + 100_000})
        (more,) = run(verbs(words), card=dearer).steps
        assert rows(more, "completed")[64][0][1] >= rows(plain, "completed")[64][0][1], name


def test_every_card_of_the_repository_carries_messages(run: Run) -> None:
    for file in sorted(CARDS.glob("*.toml")):
        (step,) = run(verbs("--sizes 4K@320/64 --tx-depth 64 --wait poll"), card=read_card(file.stem).card).steps
        assert rows(step, "confirmed")[4096]


def test_the_connection_manager_connects_over_it(run: Run) -> None:
    outcome = run(*(by_manager(words, number) for number, words in enumerate(MANAGED)))
    assert outcome.counters_after["link0.bytes"] > 200 * (4096 + 1024)


def test_a_course_template_runs_over_it_unchanged_and_shut_in_and_its_habits_cost(run: Run, tmp_path: Path) -> None:
    own = (compile_plain(tmp_path),)
    steps = run(*(plain(words, number) for number, words in enumerate(WAYS)), more=own, stranger=True).steps
    one, drained, sliding, lists = (float(step.client_out.split()[1]) for step in steps)
    assert one < drained < min(sliding, lists)


def test_open_mpi_runs_over_it_by_ucx(exact: ExactSite, overlay: tuple[Path, ...], ours: tuple[Path, ...]) -> None:
    words = "--mode ping-pong --calls blocking --deadline 20 --sizes 64@50/5,64K@20/2"
    commands = [(f"{DIRECTORY}/{mpi.BINARY}", *each.split()) for each in (f"{words} --verify", words)]
    steps = tuple(mpi.launch("verbs", exact.ends, command) for command in commands)
    outcome = exact.run(over(QDR, steps, (*overlay, *ours), deadline_s=60))
    assert not any(step.client_status for step in outcome.steps), outcome.steps
    trips = [time for _, time in rows(outcome.steps[1], "round_trip")[64]]
    assert 2 * QDR.wire_ns < statistics.median(trips) < 10_000
    assert outcome.counters_after["link0.bytes"] > 2 * 20 * 65536


def test_a_card_that_does_not_carry_every_byte_is_caught(
    exact: ExactSite, overlay: tuple[Path, ...], tmp_path: Path
) -> None:
    code = tmp_path / "code"
    for folder in (CARD, MACHINE):
        shutil.copytree(folder, code / folder.name)
    memory = code / CARD.name / "device" / "memory.c"
    assert WHOLE in memory.read_text()
    memory.write_text(memory.read_text().replace(WHOLE, BROKEN))
    site = OtherCard(build.device(code / MACHINE.name, CACHE, print))
    words = "--verify --sizes 4096@8/8 --wait event --operation"
    steps = tuple(verbs(f"{words} {each}", number) for number, each in enumerate(OPERATIONS))
    for step in site.run(over(QDR, steps, overlay)).steps:
        assert "is wrong where it landed" in step.client_err + step.server_err and step.client_status, step
    site.stop()
    assert exact.identity() == site.identity()


def test_what_it_answers_otherwise_than_soft_roce_is_what_the_page_says(exact: ExactSite, tmp_path: Path) -> None:
    assert card_differences.asked(exact, tmp_path) == card_differences.FILE.read_text()


def test_its_file_of_events_is_the_same_while_queues_are_made(run: Run, tmp_path: Path) -> None:
    watched = card_differences.compiled("watched", tmp_path)
    (step,) = run(Step.launched((OVER_CARD, f"{DIRECTORY}/watched")), more=(watched,)).steps
    assert step.client_out == "0\n"
