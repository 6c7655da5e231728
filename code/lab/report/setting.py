"""What a text may name without a claim: the series, and the values that the experiment's file chose."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Topic(Enum):
    """What a chosen value is of; a typed number is held against the values of its topic."""

    SIZE = "size"  # of a message or a packet, in bytes
    ITERATIONS = "iterations"
    WARMUP = "warm-up"
    DEPTH = "depth"
    REPETITIONS = "repetitions"
    SIZES = "number of sizes"
    COUNT = "number of trials, series, windows and the like"
    PERCENT = "percent"
    RATE = "rate of a link"  # in bit/s
    VERSION = "version"


@dataclass(frozen=True)
class Constant:
    """One chosen value and where it stands."""

    topic: Topic
    value: float
    source: str


@dataclass(frozen=True)
class Strand:
    """One series as a sentence can name it."""

    name: str
    program: str
    link: str
    rate_bit_s: int | None  # of its link, where that is limited
    sizes: tuple[int, ...]
    varied: tuple[str, ...] = ()
    label: str = ""  # as a reader sees it, and no other series
    card: bool = False  # it runs over the modelled card, and not in software over its wire


@dataclass(frozen=True)
class Chosen:
    """All series with what was chosen for them; nothing where only claims are known."""

    strands: tuple[Strand, ...] = ()
    constants: tuple[Constant, ...] = ()
    versions: tuple[str, ...] = ()  # as the environment's identity spells them
    one_core: bool = False
    modelled: bool = False  # the link is a model, and the device software
    card: bool = False  # or a modelled card

    def strand(self, name: str) -> Strand | None:
        return next((each for each in self.strands if each.name == name), None)

    def values(self, topic: Topic) -> tuple[float, ...]:
        return tuple(dict.fromkeys(each.value for each in self.constants if each.topic is topic))

    def sources(self, topic: Topic, value: float) -> str:
        return next((each.source for each in self.constants if (each.topic, each.value) == (topic, value)), "")


UNKNOWN = Chosen()
