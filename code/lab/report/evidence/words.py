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
    Shared.CORE: "Client and server share one CPU core, so that the costs of both ends add up; on two hosts they would "
    "overlap.",
    Shared.COMPUTER: "Client and server run on one host and share its CPUs and its memory.",
    Shared.HOST: "Client and server are VMs of one host and share its CPUs with its other work.",
    Shared.NOTHING: "",
}


SOFT = "rxe"  # how the names of Soft-RoCE devices begin, as the lab makes them


def rdma_words(device: str, cards: Sequence[str] = ()) -> str:
    """What moves the data of RDMA: a device, or Soft-RoCE in its place, or modelled cards beside it."""
    if cards and device.startswith(SOFT):
        card = f"RDMA uses a modelled card ({', '.join(cards)}) whose times are those of its file"
        return f"{card}, or kernel RDMA (Soft-RoCE, {device}), where the kernel does the card's work."
    if cards:
        return f"RDMA uses a modelled card ({', '.join(cards)}) whose times are those of its file, or {device}."
    if device.startswith(SOFT):
        return f"RDMA is kernel RDMA (Soft-RoCE, {device}): the kernel does the work of a card."
    return f"RDMA uses the device {device}." if device else "There is no RDMA device."


def words_of(site: str, traits: Traits) -> SiteWords:
    """The words for a site by its traits, not by its name."""
    words = _of_instructions if traits.clock is Clock.INSTRUCTIONS else _of_wall_time
    return words(site, SHARED[traits.shared])


def _of_instructions(site: str, shared: str) -> SiteWords:
    return SiteWords(
        caption=f"Site {site}.",
        short=f"Site {site}: time is counted in instructions.",
        long=f"On the site {site} a CPU executes one instruction a nanosecond: it has no caches, stalls or clock "
        "frequency. The numbers measure the length of the software's path and do not predict real hardware.",
        spread="Repetitions start at different moments of one snapshot: their spread shows chance of memory layout and "
        "timing, not of other hosts or days.",
        shared=shared,
    )


def _of_wall_time(site: str, shared: str) -> SiteWords:
    return SiteWords(
        caption=f"Site {site}.",
        short=f"Site {site}: wall-clock time.",
        long=f"On the site {site} time is wall-clock time.",
        spread="Repetitions ran one after the other: their spread does not show what differs on other hosts or days.",
        shared=shared,
    )


EMULATED = (
    "The site {site} is two emulated VMs that execute one instruction a nanosecond, joined by a computed link, so that "
    "everybody who repeats a measurement gets the same bytes. {rdma} The numbers compare the length of the software's "
    "paths; they do not predict another CPU, card or link."
)
REAL = (
    "The site {site} runs the programs on real hosts by a wall clock. {shared} {rdma} The numbers hold for these hosts "
    "and this link while they were measured."
)


def about_site(site: str, traits: Traits, device: str, cards: Sequence[str] = ()) -> str:
    """The site in plain words, for a reader who has never heard of it."""
    text = EMULATED if traits.clock is Clock.INSTRUCTIONS else REAL
    return " ".join(text.format(site=site, shared=SHARED[traits.shared], rdma=rdma_words(device, cards)).split())
