"""Sentences about the site of the measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lab.sites.traits import Clock, Shared, Traits


@dataclass(frozen=True)
class SiteWords:
    """For captions, for the head, for a paragraph, for the first page, and for the limits."""

    caption: str
    short: str
    long: str
    spread: str  # the effects that repetitions include, and those that they miss
    shared: str = ""  # the parts that both ends share


SHARED = {
    Shared.CORE: "Client and server share one processor core, so that every cost of both ends adds up; on two machines "
    "they would overlap.",
    Shared.COMPUTER: "Client and server are one computer, and share its processors and its memory with each other.",
    Shared.HOST: "Client and server are guests of one computer, whose processors they share with its other work.",
    Shared.NOTHING: "",
}


SOFT = "rxe"  # how the names of Soft-RoCE devices begin, as the lab makes them


def rdma_words(device: str, cards: Sequence[str] = ()) -> str:
    """What moves the data of RDMA: a device, or Soft-RoCE in its place, or modelled cards beside it."""
    if cards:
        own = f"RDMA runs over the modelled card {' or '.join(cards)} where a curve or a table says so: a computation, "
        return f"{own}{OF_A_MODEL} Elsewhere {rdma_words(device)}"
    if device.startswith(SOFT):
        return f"RDMA runs by {device}, which is Soft-RoCE: the kernel does in software what a card does by itself."
    return f"RDMA runs by the device {device}." if device else "There is no RDMA device."


OF_A_MODEL = (
    "which takes for each part of a message's way the time that the card's file gives, and no time of a processor."
)


def words_of(site: str, traits: Traits) -> SiteWords:
    """The words for a site by its traits, not by its name."""
    words = _of_instructions if traits.clock is Clock.INSTRUCTIONS else _of_wall_time
    return words(site, SHARED[traits.shared])


def _of_instructions(site: str, shared: str) -> SiteWords:
    return SiteWords(
        caption=f"Site {site}.",
        short=f"Site {site}: time is counted in instructions.",
        long=f"On the site {site} time is counted in instructions of two emulated computers, a processor each: the "
        "numbers measure the length of the software's path, and are no prediction of real hardware.",
        spread="Repetitions start from perturbed instants of one machine; their spread shows luck of layout and "
        "timing, not that of other machines or days.",
        shared=shared,
    )


def _of_wall_time(site: str, shared: str) -> SiteWords:
    return SiteWords(
        caption=f"Site {site}.",
        short=f"Site {site}: wall-clock time.",
        long=f"On the site {site} time is wall-clock time.",
        spread="Repetitions ran one after the other; what stays as it is while they run, and is "
        "otherwise on other computers or days, their spread does not show.",
        shared=shared,
    )


EMULATED = (
    "The site {site} is two emulated computers that count each instruction as a nanosecond, so that another "
    "measurement gives the same bytes; the link between them, the cable, is computed. {rdma} A number says how long "
    "the way through the software is, and a ratio which program has the shorter way; neither says how fast another "
    "card, wire or processor would be."
)
REAL = (
    "The site {site} runs the programs on real computers by a real clock. {shared} {rdma} A number says how fast these "
    "computers and this link were while they were measured, and nothing of others."
)


def about_site(site: str, traits: Traits, device: str, cards: Sequence[str] = ()) -> str:
    """The site in plain words, for a reader who has never heard of it."""
    text = EMULATED if traits.clock is Clock.INSTRUCTIONS else REAL
    return " ".join(text.format(site=site, shared=SHARED[traits.shared], rdma=rdma_words(device, cards)).split())
