"""A link model in words, and the memory that both plugins share."""

import os
import re
import struct
from pathlib import Path

import pytest

from lab.errors import SiteError
from lab.machine import link
from lab.machine.link import BASE_NS, latency_ns, netem, wire
from lab.model.trial import OVER_CARD, Card, Job, Link, Perturbation, Step
from lab.places import MACHINE

CARD = Card("mine", 32 * 10**9, 250, 30, 0, 1000, 2000, 3000, 4, 5, 6, 7000)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Link(), ""),
        (Link(rate_bit_s=10**9), "rate 1000000000bit 24"),
        (Link(delay_ns=50_000, loss_ppm=10_050), "delay 50us loss 1.0050%"),
    ],
)
def test_a_link_becomes_words_for_netem(model: Link, words: str) -> None:
    assert " ".join(netem(model)) == words


def test_netem_refuses_a_modelled_card() -> None:
    with pytest.raises(SiteError, match="modelled cards exist only on the exact site: mine"):
        list(netem(Link(card=CARD)))


def test_a_link_becomes_arguments_of_the_wire() -> None:
    model = Link(mtu=1500, rate_bit_s=10**9, delay_ns=50_000, loss_ppm=10, loss_seed=7, offload=False)
    words = wire(model, latency_ns(Job((), model, Perturbation(), 1)))
    assert words == f"latency={BASE_NS + 50_000},rate=1000000000,mtu=1500,queue=0,loss=10,seed=7,offload=0"
    assert "rate=0," in wire(Link())


def test_a_modelled_card_adds_its_costs() -> None:
    words = wire(Link(rate_bit_s=CARD.rate_bit_s, card=CARD))
    assert ",rate=32000000000,mtu=4200," in words
    assert words.endswith(
        "card_header_bytes=30,card_bus_bit_s=0,card_doorbell_ps=1000,card_fetch_ps=2000,card_write_ps=3000,"
        "card_gap_ps=4,card_block_ps=5,card_ack_ps=6,card_irq_ps=7000,card_knee_permille=0"
    )


@pytest.mark.parametrize(
    ("step", "expected_ns"),
    [
        (Step((OVER_CARD, "a"), (OVER_CARD, "b"), 1), 250),
        (Step(("a",), ("b",), 1), 250 + 1 + 2 + 3 + 7),  # the kernel's frames pay what the card adds by itself
        (Step((), (OVER_CARD, "a"), 1, ranks=((OVER_CARD, "a"), (OVER_CARD, "b"))), 250 // 2),
        (Step((), ("a",), 1, ranks=(("a",), ("b",))), (250 + 1 + 2 + 3 + 7) // 2),
    ],
)
def test_the_way_between_two_cards_is_one_cable_or_two_with_a_switch_between(step: Step, expected_ns: int) -> None:
    assert latency_ns(Job((step,), Link(card=CARD), Perturbation(), 1)) == expected_ns


@pytest.mark.parametrize(
    ("client", "takes_card"), [(("client",), False), ((OVER_CARD, "client"), True), (("orterun", OVER_CARD, "x"), True)]
)
def test_a_job_takes_the_card_when_one_of_its_programs_does(client: tuple[str, ...], *, takes_card: bool) -> None:
    steps = (Step(("server",), ("client",), 1), Step(("server",), client, 1))
    assert Job(steps, Link(card=CARD), Perturbation(), 1).takes_card is takes_card


def test_the_frames_of_each_end_and_wire_are_counted_by_name() -> None:
    with link.shared_file() as shared:
        os.pwrite(shared, struct.pack("<8Q", *range(1, 9)), link.COUNTS_AT)
        os.pwrite(shared, struct.pack("<8Q", *range(11, 19)), link.END_BYTES + link.COUNTS_AT)
        counts = link.counts(shared)
        os.pwrite(shared, struct.pack("<Q", 3), link.END_BYTES + link.EARLY_AT)
        assert link.counts(shared) == counts | {"card1.rcvd_rnr_err": 3}
    assert (counts["link0.frames"], counts["link0.lost"], counts["side0.frames"]) == (1, 4, 5)
    assert (counts["link1.bytes"], counts["side1.lost"]) == (12, 18)


def test_the_depths_of_a_queue_have_the_beginnings_of_their_intervals() -> None:
    with link.shared_file() as shared:
        block = struct.pack("<14Q", 77, 2048, 1500, 3, 5, 9999, 0, 2, 0, 100, 4096, 1500, 6144, 1)
        os.pwrite(shared, block, link.END_BYTES + link.DEPTHS_AT)
        os.pwrite(shared, struct.pack("<2Q", 4, 9 * 10**8), link.NOTIFIED_AT)
        depths, with_marks = link.depths(shared, Link()), link.depths(shared, Link(ecn=True))
    assert with_marks == depths | {"queue.marks": 5, "card.notified": 4, "card.lowest_bit_s": 9 * 10**8}
    assert depths == {"queue.most_bytes": 1500, "queue.pauses": 3, "queue.bytes_at_0": 100, "queue.bytes_at_4096": 1500}


def test_the_layout_is_that_of_the_plugin() -> None:
    header = (MACHINE / "pair" / "layout.h").read_text()
    assert f"END_BYTES = {link.END_BYTES}, DEPTHS_AT = {link.DEPTHS_AT} " in header
    assert f"MOST_DEPTHS = {link.DEPTHS_MOST} " in header
    assert f"offsetof(struct end, notified) == {link.NOTIFIED_AT} " in header
    assert f"offsetof(struct end, early) == {link.EARLY_AT}," in header
    assert f"RING_BYTES ((uint64_t){link.RING_BYTES >> 20} << 20)" in (MACHINE / "pair" / "ring.h").read_text()
    assert f"offsetof(struct end, counts) == {link.COUNTS_AT} " in header
    (body,) = re.findall(r"struct counts \{(.*?)\};", header, re.DOTALL)
    assert tuple(re.findall(r"uint64_t (\w+);", body)) == link.COUNTS


def test_the_digest_covers_every_source_of_the_wires(tmp_path: Path) -> None:
    (tmp_path / "pair").mkdir()
    (tmp_path / "pair" / "wire.c").write_text("int rate;\n")
    first = link.digest(tmp_path)
    (tmp_path / "pair" / "cut.h").write_text("int mtu;\n")
    assert first != link.digest(tmp_path)
