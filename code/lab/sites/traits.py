"""The traits of a site with its link: code and templates ask these, never a site's name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lab.errors import RecordError
from lab.typed_json import JsonError, JsonValue, parse_as


class Clock(StrEnum):
    """What a site's time is."""

    INSTRUCTIONS = "instructions"  # the count of what each processor ran: a trial has but one result
    WALL = "wall"


class Shared(StrEnum):
    """The most that client and server have in common."""

    CORE = "core"  # one processor core, on which they take turns
    COMPUTER = "computer"  # its processors and its memory
    HOST = "host"  # they are two machines, but guests of one computer
    NOTHING = "nothing"


@dataclass(frozen=True)
class Traits:
    """The traits of a site with its link; a record repeats them, so that reading it needs no site."""

    clock: Clock
    shared: Shared
    takes_models: bool  # the link is made for the run, as a link model says; a real link takes none
    reachable: bool  # others than both ends can open connections to them

    @property
    def repeats(self) -> bool:
        """Whether a trial gives the same bytes each time, on whatever computer."""
        return self.clock is Clock.INSTRUCTIONS

    @property
    def one_core(self) -> bool:
        """Whether an end that spins keeps the other from running."""
        return self.shared is Shared.CORE


EXACT = Traits(Clock.INSTRUCTIONS, Shared.NOTHING, takes_models=True, reachable=False)
# These sites are the same on every computer: their traits are known before any is opened, whatever a record says.
FIXED = {"exact": EXACT}


def fixed(site: str) -> Traits | None:
    """The traits of a site that are the same on every computer."""
    return FIXED.get(site)


def read_traits(site: str, values: JsonValue) -> Traits:
    """The traits that a record of the site repeats."""
    try:
        return fixed(site) or parse_as(Traits, values)
    except JsonError as error:
        raise RecordError(f"it does not say what the site {site} is: {error.what}") from error
