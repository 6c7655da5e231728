"""What each person has in the end: points of the checks, points that people gave, and what lateness takes off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from lab.grade.book.by_hand import MORE, ByHand, Judgement
from lab.grade.book.hand_ins import HandIn
from lab.grade.book.roster import Person, Roster
from lab.grade.class_page import same_id
from lab.submission.assignment import Assignment


@dataclass(frozen=True)
class BookEntry:
    """One person's line of the book."""

    person: Person
    hand_in: HandIn | None
    points: Mapping[str, int]  # by check and criterion, and what was added
    comments: tuple[str, ...]
    days_late: int
    share: float  # that lateness leaves of the points
    remarks: tuple[str, ...]

    @property
    def total(self) -> float:
        return round(max(0, sum(self.points.values())) * self.share, 2)

    @property
    def words(self) -> str:
        """The remarks, and what people wrote."""
        return "; ".join((*self.remarks, *self.comments))


def entries(
    assignment: Assignment, roster: Roster, found: list[HandIn], judged: ByHand, codes: Mapping[str, str]
) -> Iterator[BookEntry]:
    """A line for each person of the roster; of several hand-ins the last one counts."""
    for key, person in roster.items():
        own = [each for each in found if key in map(same_id, each.grade.ids)]
        if not own:
            yield BookEntry(person, None, {}, (), 0, 1.0, ("nothing was handed in",))
            continue
        last = own[-1]
        by_hand = judged.get(same_id(codes.get(last.name, "")), {}) | judged.get(key, {})
        yield _entry(assignment, person, last, by_hand, tuple(_remarks(assignment, own, by_hand)))


def strangers(roster: Roster, found: Iterable[HandIn]) -> Iterator[str]:
    """A sentence for each id of a hand-in that the roster lacks."""
    for each in found:
        unknown = [name for name in each.grade.ids if same_id(name) not in roster]
        if unknown or not each.grade.ids:
            yield f"{each.name}: {', '.join(unknown) or 'nobody'} is not in the roster"


def _entry(
    assignment: Assignment, person: Person, last: HandIn, by_hand: Mapping[str, Judgement], remarks: tuple[str, ...]
) -> BookEntry:
    points = {each.name: each.points for each in last.grade.checks}
    points |= {each.name: 0 for each in assignment.terms.rubric}
    points |= {name: each.points for name, each in by_hand.items()}
    comments = tuple(f"{each.criterion}: {each.comment}" for each in by_hand.values() if each.comment)
    days, share = _lateness(assignment, last.handed_in, person.free_days)
    late = (f"{days} days late: {share:.0%} of the points",) if days else ()
    return BookEntry(person, last, points, comments, days, share, (*late, *remarks))


def _lateness(assignment: Assignment, handed_in: datetime | None, free_days: int) -> tuple[int, float]:
    deadline = assignment.terms.deadline
    if deadline is None or handed_in is None:
        return 0, 1.0
    days = deadline.days_late(handed_in)
    return days, deadline.share(days, free_days)


def _remarks(assignment: Assignment, own: list[HandIn], by_hand: Mapping[str, Judgement]) -> Iterator[str]:
    """What a person should know of this line."""
    last, terms = own[-1], assignment.terms
    yield from last.grade.flags
    if len(own) > 1:
        yield f"stands in {len(own)} hand-ins, {last.name} counts"
    if terms.people_at_most and len(last.grade.ids) > terms.people_at_most:
        yield f"handed in by {len(last.grade.ids)} people, at most {terms.people_at_most} may"
    if not last.grade.final:
        yield "the grade is not final"
    if terms.deadline and last.handed_in is None:
        yield "nothing says when it was handed in"
    waiting = [each.name for each in terms.rubric if each.name not in by_hand]
    if waiting:
        yield f"not judged yet: {', '.join(waiting)}"


def columns_of(assignment: Assignment) -> tuple[str, ...]:
    """The names of all points, in the order of a book."""
    return (*assignment.checks, *(each.name for each in assignment.terms.rubric), MORE)
