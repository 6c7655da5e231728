"""Programs over the modelled card on the exact site: they verify, are fast, and repeat."""

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
WRITE, *RELIABLE = (
    *("ib_write_bw -s 4096 -n 150", "ib_read_bw -s 4096 -n 150", "ib_send_bw -s 4096 -n 150"),
    *("ib_send_lat -s 64 -n 100", "ib_send_lat -s 64 -n 100 -e", "ib_read_lat -s 64 -n 100"),
)
# A few of perftest's programs, one for each kind of queue pair; and all, for a release.
FEW = (WRITE, UNRELIABLE_OR_SHARED[0], UNRELIABLE_OR_SHARED[-1], ATOMIC[0])
ALL = (WRITE, *RELIABLE, *UNRELIABLE_OR_SHARED, *ATOMIC)
OPERATIONS = ("write", "read", "send", "write-imm")
# A broken build of the device: it drops the last byte of WRITEs above 1000 bytes.
WHOLE = "bytes, part,"
BROKEN = "bytes, part - (is_write && size > 1000 && left == part),"
# What card/extended.c prints: requests by number, receives with their bytes and immediate data, and the memory.
EXTENDED = """\
 1 2 3 4 5 6 7 8
 50 of 16 with 22 51 of 7 52 of 6 with 44 53 of 0
inline lineXn 10 11 10 23 6 70 66 77
 9
 1 2
 60 of 47 61 of 47 with 22
packet packet
"""
Run = Callable[..., Outcome]


@pytest.fixture(scope="module")
def overlay(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    return carried(tmp_path_factory.mktemp("bin"))


@pytest.fixture(scope="module")
def run(exact: ExactSite, overlay: tuple[Path, ...]) -> Run:
    """Run steps over a card, which must all succeed."""

    def run(
        *steps: Step, card: Card = QDR, loss_ppm: int = 0, more: tuple[Path, ...] = (), untrusted: bool = False
    ) -> Outcome:
        outcome = exact.run(replace(over(card, steps, (*overlay, *more), loss_ppm=loss_ppm), untrusted=untrusted))
        for step in outcome.steps:
            assert (step.client_status, step.server_status) == (0, 0), (step.client_err, step.server_err)
        return outcome

    return run


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    file = tmp_path_factory.mktemp("mpi") / mpi.BINARY
    (content,) = (content for each, content in lab_programs(print).items() if each.name == mpi.BINARY)
    file.write_bytes(content)
    return (file,)


class OtherCard(ExactSite):
    """The exact site with another build of the card."""

    def __init__(self, device: Path) -> None:
        super().__init__(MACHINE, CACHE)
        self.device = device

    def card(self, _: Job) -> Path:
        return self.device


def rows(outcome: StepOutcome, kind: str) -> dict[int, list[tuple[int, int]]]:
    """Bytes and ns of the samples of a kind, by size."""
    samples: dict[int, list[tuple[int, int]]] = {}
    for line in outcome.client_out.splitlines():
        if f",{kind}," in line:
            size, _, _, _, count, time_ns = line.split(",")
            samples.setdefault(int(size), []).append((int(count), int(time_ns)))
    return samples


def test_every_byte_of_every_operation_arrives(run: Run) -> None:
    sizes = "--verify --sizes 1@64/8,64@64/8,4095@64/8,70000@6/2 --wait"
    words = [f"{name} {sizes} {wait}" for name, wait in zip(OPERATIONS, ("poll", "event") * 2, strict=True)]
    words += [f"{name} --measure latency {sizes} poll" for name in OPERATIONS]
    run(*(verbs(f"--operation {options}", number) for number, options in enumerate(words)))


def test_every_byte_arrives_although_packets_are_lost(run: Run) -> None:
    run(verbs("--operation write --verify --sizes 70000@24/8 --wait poll"), loss_ppm=5_000)


def test_messages_without_acknowledgement_are_lost_and_counted(run: Run) -> None:
    cases = ("uc --operation send", "uc --operation write-imm", "ud --operation send --pairs 2")
    words = "--wait event --pace 500000 --sizes 64@400/100,4K@400/100{} --connection {}"
    steps = (verbs(words.format("" if "ud" in case else ",16K@400/10", case), n) for n, case in enumerate(cases))
    for step in run(*steps, loss_ppm=20_000).steps:
        for size, ((sent, sent_ns),) in rows(step, "sent").items():
            ((arrived, confirmed_ns),) = rows(step, "confirmed")[size]
            assert sent == 400 * size and 0.8 * sent < arrived < sent
            assert sent_ns <= confirmed_ns < 1.1 * sent_ns  # also where a control message was lost


@pytest.mark.parametrize("knee", [pytest.param(0, marks=pytest.mark.release), 300])
def test_throughput_is_that_of_the_closed_form(run: Run, knee: int) -> None:
    model, inline = Rates(QDR.rate_bit_s, QDR.header_bytes, QDR.gap_ps, QDR.block_ps, knee_permille=knee), (0, 1024)
    words = "--sizes 1,64,256,1K@2560/512,2K@1280/512,64K@320/64 --tx-depth 512 --wait poll --inline"
    card = replace(QDR, knee_permille=knee)
    outcome = run(*(verbs(f"{words} {most}", number) for number, most in enumerate(inline)), card=card)
    for step, inline_most in zip(outcome.steps, inline, strict=True):
        for size, ends in rows(step, "window").items():
            (first, first_ns), *_, (last, last_ns) = ends
            rate = (last - first) / (last_ns - first_ns) * 1e9 / model.bytes_per_s(size, 4096, inline_most)
            assert 0.97 < rate < 1.0001, (size, rate)  # a window ends at the nanosecond of its poll


def test_round_trip_is_at_least_the_sum_of_its_parts(run: Run) -> None:
    words = "--measure latency --sizes 8@64/8 --wait poll --inline 64 --operation"
    steps = run(*(verbs(f"{words} {name}", index) for index, name in enumerate(("write", "send", "read")))).steps
    write, send, read = (statistics.median(time for _, time in rows(step, "round_trip")[8]) for step in steps)
    once = QDR.doorbell_ps / 1000 + QDR.wire_ns + QDR.write_ps / 1000
    assert 2 * once < write < 2 * once + 1_000 and 2 * once < send < 2 * once + 2_000
    assert once + QDR.wire_ns + QDR.fetch_ps / 1000 < read < 2 * once + 1_500


def test_kernels_frame_takes_the_cards_time_for_it(exact: ExactSite, overlay: tuple[Path, ...]) -> None:
    """Soft-RoCE over the card: each frame needs a doorbell, a fetch, a write and an interrupt."""
    step = verbs("--measure latency --operation send --sizes 8@64/8 --wait poll")

    def trip_ns(card: Card) -> float:
        (outcome,) = exact.run(replace(over(card, (), overlay), steps=(step,))).steps
        assert (outcome.client_status, outcome.server_status) == (0, 0), outcome.client_err
        return statistics.median(time for _, time in rows(outcome, "round_trip")[8])

    plain, slower = (trip_ns(replace(QDR, irq_ps=QDR.irq_ps + more)) for more in (0, 1_000_000))
    assert plain > 2 * QDR.kernel_ns
    assert slower - plain == pytest.approx(2_000, abs=200)


@pytest.mark.parametrize(
    ("programs", "managed"), [(FEW, MANAGED[:1]), pytest.param(ALL, MANAGED, marks=pytest.mark.release)]
)
def test_perftest_and_the_connection_manager_run_over_a_card(
    run: Run, programs: tuple[str, ...], managed: tuple[str, ...]
) -> None:
    steps = [perftest(words, number) for number, words in enumerate(programs)]
    steps += [by_manager(words, number) for number, words in enumerate(managed, len(steps))]
    assert run(*steps).counters_after["link0.bytes"] > 200 * (4096 + 1024)


def test_message_takes_at_most_350_instructions_however_it_is_posted(run: Run) -> None:
    """As in docs/cards.md: in lists, singly, with a completion each, inline, and read. Over a card that costs nothing a
    message takes the time of program and library, a nanosecond for each instruction; in lists less than the card's."""
    shared = "--sizes 1@2560/512 --tx-depth 512 --wait poll"
    ways = ("--inline 0", *(f"--inline {most} --post-list 1 --signal-every 1" for most in (0, 64)), "--operation read")
    outcome = run(*(verbs(f"{shared} {words}", number) for number, words in enumerate(ways)), card=IDEAL)
    costs = [time_ns / count for step in outcome.steps for count, time_ns in rows(step, "completed")[1]]
    assert len(costs) == len(ways) and all(60 < cost <= 350 for cost in costs)
    assert costs[0] < QDR.gap_ps / 1000


@pytest.mark.release
def test_card_with_a_higher_cost_is_not_faster(run: Run) -> None:
    words = "--sizes 64@1280/256 --tx-depth 256 --inline 0 --wait poll"
    (plain,) = run(verbs(words)).steps
    for name in ("gap_ps", "fetch_ps", "ack_ps", "doorbell_ps"):
        dearer = replace(QDR, **{name: getattr(QDR, name) + 100_000})
        (more,) = run(verbs(words), card=dearer).steps
        assert rows(more, "completed")[64][0][1] >= rows(plain, "completed")[64][0][1], name


@pytest.mark.release
def test_every_card_of_the_repository_works(run: Run) -> None:
    for file in sorted(CARDS.glob("*.toml")):
        (step,) = run(verbs("--sizes 4K@320/64 --tx-depth 64 --wait poll"), card=read_card(file.stem).card).steps
        assert rows(step, "confirmed")[4096]


def test_course_template_runs_sandboxed_over_a_card_and_slower_habits_cost(run: Run, tmp_path: Path) -> None:
    program = (compile_plain(tmp_path),)
    steps = run(*(plain(words, number) for number, words in enumerate(WAYS)), more=program, untrusted=True).steps
    single, drained, sliding, lists = (float(step.client_out.split()[1]) for step in steps)
    assert single < drained < min(sliding, lists)


def test_open_mpi_runs_over_a_card_by_ucx(exact: ExactSite, overlay: tuple[Path, ...], ours: tuple[Path, ...]) -> None:
    words = "--mode ping-pong --calls blocking --deadline 20 --sizes 64@50/5,64K@20/2 --verify"
    step = mpi.launch("verbs", exact.ends, (f"{DIRECTORY}/{mpi.BINARY}", *words.split()))
    outcome = exact.run(over(QDR, (step,), (*overlay, *ours), deadline_s=60))
    assert outcome.steps[0].client_status == 0, outcome.steps
    trips = [time for _, time in rows(outcome.steps[0], "round_trip")[64]]
    assert 2 * QDR.wire_ns < statistics.median(trips) < 10_000
    assert outcome.counters_after["link0.bytes"] > 20 * 65536


@pytest.mark.release
def test_card_that_drops_a_byte_is_caught(exact: ExactSite, overlay: tuple[Path, ...], tmp_path: Path) -> None:
    code = tmp_path / "code"
    for folder in (CARD, MACHINE):
        shutil.copytree(folder, code / folder.name)
    memory = code / CARD.name / "device" / "memory.c"
    assert WHOLE in memory.read_text()
    memory.write_text(memory.read_text().replace(WHOLE, BROKEN))
    site = OtherCard(build.card_file(build.DEVICE, code / MACHINE.name, CACHE, print))
    words = "--verify --sizes 4096@8/8 --wait event --operation"
    steps = tuple(verbs(f"{words} {name}", number) for number, name in enumerate(OPERATIONS))
    for step in site.run(over(QDR, steps, overlay)).steps:
        assert "is wrong where it landed" in step.client_err + step.server_err and step.client_status, step
    site.stop()
    assert exact.identity() == site.identity()


def test_differences_from_soft_roce_are_those_of_the_page(exact: ExactSite, tmp_path: Path) -> None:
    outcome = card_differences.run(exact, tmp_path)
    assert card_differences.differences(outcome) == card_differences.FILE.read_text()
    assert outcome.counters_after["card0.rcvd_rnr_err"] == 2  # of "no receive", which is tried twice
    assert "card1.rcvd_rnr_err" not in outcome.counters_after


def test_file_of_events_stays_the_same_and_the_extended_calls_of_verbs_work(run: Run, tmp_path: Path) -> None:
    more = tuple(card_differences.compiled(name, tmp_path) for name in ("watched", "extended"))
    steps = run(*(Step.launched((OVER_CARD, f"{DIRECTORY}/{each.name}")) for each in more), more=more).steps
    assert [step.client_out for step in steps] == ["0\n", EXTENDED]
