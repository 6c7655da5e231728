"""Programs over the modelled card on the real machine, lab.compiler.card: they verify, are fast, and repeat."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lab.analysis.card_model import Rates
from lab.model.card import Card
from lab.model.trial import Job, Link, Outcome, Perturbation, Step, StepOutcome
from lab.places import CACHE, CARDS, MACHINE
from lab.plan.cards import over_card, parts
from lab.plan.sources import own_programs
from lab.sites.exact import ExactSite
from lab.spec.cards import read_card

QDR, IDEAL = read_card("qdr").card, read_card("ideal").card
OPERATIONS = ("write", "read", "send", "write-imm")
Run = Callable[..., Outcome]


def verbs(words: str, number: int = 0) -> Step:
    """verbs-client and its server, with the same options."""
    shared = ("--deadline", "10", "--port", str(18600 + number), *words.split())
    server = ("/lab/bin/verbs-server", "--listen", "192.168.7.2", "--device", "rxe1", *shared)
    return Step(server, ("/lab/bin/verbs-client", "--device", "rxe0", *shared, "192.168.7.2"), 18600 + number)


def perftest(words: str, number: int) -> Step:
    name, *rest = words.split()
    shared = ("-p", str(18515 + number), "-F", *rest)
    return Step((name, "-d", "rxe1", *shared), (name, "-d", "rxe0", *shared, "192.168.7.2"), 18515 + number)


@pytest.fixture(scope="module")
def overlay(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """Our programs and the card's files, as a trial takes them along."""
    folder = tmp_path_factory.mktemp("bin")
    for file, content in (own_programs(print) | parts(MACHINE, CACHE, print)).items():
        (folder / file.name).write_bytes(content)
    return tuple(each for each in folder.iterdir() if not each.name.startswith(("mpi", "tcp")))


@pytest.fixture(scope="module")
def run(exact: ExactSite, overlay: tuple[Path, ...]) -> Run:
    """Steps over a card; all must end well."""

    def run(*steps: Step, card: Card = QDR, loss_ppm: int = 0) -> Outcome:
        link = Link(rate_bit_s=card.rate_bit_s, card=card, loss_ppm=loss_ppm)
        job = Job(tuple(map(over_card, steps)), link, Perturbation(), 30, (("LAB_TOKEN", "t"),), overlay)
        outcome = exact.run(job)
        for step in outcome.steps:
            assert (step.client_status, step.server_status) == (0, 0), (step.client_err, step.server_err)
        return outcome

    return run


def rows(outcome: StepOutcome, kind: str) -> dict[int, list[tuple[int, int]]]:
    """Bytes and ns of the samples of a kind, by size."""
    found: dict[int, list[tuple[int, int]]] = {}
    for line in outcome.client_out.splitlines():
        if f",{kind}," in line:
            size, _, _, _, count, time_ns = line.split(",")
            found.setdefault(int(size), []).append((int(count), int(time_ns)))
    return found


def test_every_byte_of_every_operation_lands_where_it_should(run: Run) -> None:
    sizes = "--verify --sizes 1,64,4095,70000@24/8 --wait"
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
    for size, found in rows(step, "completed").items():
        ((count, time_ns),) = found
        rate = count / time_ns * 1e9 / model.bytes_per_s(size, 4096, inline_most)
        assert 0.97 < rate <= 1, (size, rate)


def test_no_round_trip_is_below_the_sum_of_its_parts(run: Run) -> None:
    words = "--measure latency --sizes 8@64/8 --wait poll --inline 64 --operation"
    steps = run(*(verbs(f"{words} {each}", index) for index, each in enumerate(("write", "send", "read")))).steps
    write, send, read = (statistics.median(time for _, time in rows(step, "round_trip")[8]) for step in steps)
    once = QDR.doorbell_ps / 1000 + QDR.wire_ns + QDR.write_ps / 1000
    assert 2 * once < write < 2 * once + 1_000 and 2 * once < send < 2 * once + 2_000
    assert once + QDR.wire_ns + QDR.fetch_ps / 1000 < read < 2 * once + 1_500


def test_the_peers_run_over_it_unchanged(run: Run) -> None:
    programs = ("ib_write_bw -s 4096 -n 500", "ib_read_bw -s 4096 -n 500", "ib_send_bw -s 4096 -n 500")
    waits = ("ib_send_lat -s 64 -n 100", "ib_send_lat -s 64 -n 100 -e", "ib_read_lat -s 64 -n 100")
    run(*(perftest(words, number) for number, words in enumerate((*programs, *waits))))


def test_the_processor_is_not_the_limit_before_the_card_is(run: Run) -> None:
    """Over a card that costs nothing each message takes its way through program and library, an instruction a ns."""
    (step,) = run(verbs("--sizes 1@5120/512 --tx-depth 512 --inline 0 --wait poll"), card=IDEAL).steps
    ((count, time_ns),) = rows(step, "completed")[1]
    assert time_ns / count < 228


def test_a_job_over_it_repeats_to_the_last_byte(run: Run) -> None:
    once, again = (run(verbs("--sizes 64,64K@320/64 --tx-depth 64 --wait event")) for _ in range(2))
    assert replace(once, host_seconds=0.0) == replace(again, host_seconds=0.0)


def test_a_card_that_costs_more_is_not_faster(run: Run) -> None:
    words = "--sizes 64@1280/256 --tx-depth 256 --inline 0 --wait poll"
    for name in ("gap_ps", "fetch_ps", "ack_ps", "doorbell_ps"):
        dearer = replace(QDR, **{name: getattr(QDR, name) + 100_000})
        (plain,), (more,) = (run(verbs(words), card=card).steps for card in (QDR, dearer))
        assert rows(more, "completed")[64][0][1] >= rows(plain, "completed")[64][0][1], name


def test_every_card_of_the_repository_carries_messages(run: Run) -> None:
    for file in sorted(CARDS.glob("*.toml")):
        (step,) = run(verbs("--sizes 4K@320/64 --tx-depth 64 --wait poll"), card=read_card(file.stem).card).steps
        assert rows(step, "confirmed")[4096]
