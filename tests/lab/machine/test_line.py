"""A link model in words."""

from __future__ import annotations

import pytest

from lab.errors import SiteError
from lab.machine.link import BASE_NS, netem, wire
from lab.model.trial import OVER_CARD, Card, Job, Link, Perturbation, Step


@pytest.mark.parametrize(
    ("link", "words"),
    [
        (Link(), ""),
        (Link(rate_bit_s=10**9), "rate 1000000000bit 24"),
        (Link(delay_ns=50_000, loss_ppm=10_050), "delay 50us loss 1.0050%"),
    ],
)
def test_a_link_becomes_words_for_netem(link: Link, words: str) -> None:
    assert " ".join(netem(link)) == words


def test_a_link_becomes_arguments_of_the_wire() -> None:
    link = Link(mtu=1500, rate_bit_s=10**9, delay_ns=50_000, loss_ppm=10, loss_seed=7, offload=False)
    words = f"latency={BASE_NS + 50_000},rate=1000000000,mtu=1500,queue=0,loss=10,seed=7,offload=0"
    assert wire(link) == words


def test_a_link_without_a_rate_has_none_on_the_wire() -> None:
    assert "rate=0," in wire(Link())


CARD = Card("mine", 32 * 10**9, 250, 30, 0, 1000, 2000, 3000, 4, 5, 6, 7000)


def test_a_card_says_what_it_takes_and_how_long_its_wire_is() -> None:
    words = wire(Link(rate_bit_s=CARD.rate_bit_s, card=CARD), takes_card=True)
    assert words.startswith("latency=250,rate=32000000000,mtu=4200,")
    assert words.endswith(
        "card_header_bytes=30,card_bus_bit_s=0,card_doorbell_ps=1000,card_fetch_ps=2000,card_write_ps=3000,"
        "card_gap_ps=4,card_block_ps=5,card_ack_ps=6,card_irq_ps=7000"
    )


def test_the_kernels_frames_take_doorbell_memory_and_interrupt_beside_the_cards_wire() -> None:
    assert wire(Link(card=CARD)).startswith(f"latency={250 + 1 + 2 + 3 + 7},")


def test_a_job_takes_the_card_when_one_of_its_programs_does() -> None:
    def takes_card(*client: str) -> bool:
        steps = (Step(("server",), ("client",), 1), Step(("server",), client, 1))
        return Job(steps, Link(card=CARD), Perturbation(), 1).takes_card

    assert not takes_card("client")
    assert takes_card(OVER_CARD, "client")
    assert takes_card("orterun", OVER_CARD, "client")


def test_a_kernels_model_of_a_link_has_no_card() -> None:
    with pytest.raises(SiteError, match="only the exact machine has modelled cards, and this link has mine"):
        list(netem(Link(card=CARD)))
