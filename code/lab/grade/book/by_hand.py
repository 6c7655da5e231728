"""Points and comments that people give: a CSV that no grading ever writes, so that they survive each regrade."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.errors import SpecError
from lab.grade.book.tables import read_lines, whole_number
from lab.grade.class_page import same_id
from lab.submission.assignment import Assignment

COLUMNS = ("who", "criterion", "points", "comment")
MORE = "more"  # a criterion of every assignment: points that are added, or taken off


@dataclass(frozen=True)
class Judgement:
    """One judgement: of a criterion of the rubric, of a check in place of the grader's own, or points added."""

    criterion: str
    points: int
    comment: str


ByHand = dict[str, dict[str, Judgement]]  # who, by id or by the code of a hand-in; then the criterion


def read_by_hand(file: Path, assignment: Assignment) -> ByHand:
    """All judgements. A row without points is a sheet's that nobody has filled in yet."""
    most = {each.name: each.points for each in assignment.terms.rubric}
    most |= {name: assignment.points[name] for name in assignment.checks}
    found: ByHand = {}
    for line, row in read_lines(file, ("who", "criterion", "points"), COLUMNS):
        if not row["points"]:
            continue
        points = whole_number(row["points"], "points", file, line)
        _require(row["criterion"], points, most, file, line)
        given = found.setdefault(same_id(row["who"]), {})
        if row["criterion"] in given:
            raise SpecError(f"{row['who']} has {row['criterion']} twice", file=file, line=line)
        given[row["criterion"]] = Judgement(row["criterion"], points, row["comment"])
    return found


def _require(criterion: str, points: int, most: dict[str, int], file: Path, line: int) -> None:
    if criterion == MORE:
        return
    if criterion not in most:
        known = ", ".join([*most, MORE])
        raise SpecError(f"there is no criterion {criterion!r:.60}", file=file, line=line, expected=f"one of {known}")
    if not 0 <= points <= most[criterion]:
        raise SpecError(f"{criterion} has {points} points", file=file, line=line, expected=f"0 to {most[criterion]}")
