"""What some messages cost at one end: instructions by function, and the time in which the CPU waited."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.causes.classes import WAITING, class_of
from lab.causes.function import POLLING

if TYPE_CHECKING:  # what counts reads programs; a table of counts needs none of it
    from lab.causes.tally import Tally

ENDS = ("client", "server")
LUCK, LUCK_SHARE = 100_000, 0.1  # instructions, and of all that the messages take, by which a start may be luckier


@dataclass(frozen=True)
class Share:
    """One end of one window."""

    series: str
    size_bytes: int
    end: str
    messages: int
    time_ns: int  # in which they were sent
    functions: Tally
    record: str

    @property
    def instructions(self) -> int:
        """All that this end executed for them, without polls that found nothing."""
        return sum(self.functions.values()) - self.functions[POLLING]

    @property
    def is_of_the_start(self) -> bool:
        """Whether the starts of the two trials differ by so much that it says nothing of the messages.

        A program that polls for its peer executes as much as it waits, and that is luck.
        """
        less = -sum(each for each in self.functions.values() if each < 0)
        return less > max(LUCK, LUCK_SHARE * (self.instructions + less))

    def classes(self) -> Counter[str]:
        """The instructions of each kind of work, each a nanosecond of VM time; what remains of the time is waiting."""
        found = Counter[str]()
        for function, instructions in self.functions.items():
            found[class_of(function)] += instructions
        found[WAITING] = self.time_ns - self.instructions
        return Counter({name: number for name, number in found.items() if number})


def difference(twice: Tally, once: Tally) -> Tally:
    """What the one has more of each function; what was less by chance of a start is less."""
    return Counter({each: more for each in twice | once if (more := twice[each] - once[each])})
