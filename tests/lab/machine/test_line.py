"""A link model in words."""

from __future__ import annotations

import pytest

from lab.machine.line import BASE_NS, netem, wire
from lab.model.trial import Link


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
