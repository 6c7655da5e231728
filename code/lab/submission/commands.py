"""The commands about hand-ins."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from lab.places import REFERENCE, SUBMISSIONS, from_here
from lab.plan.workshop import open_workshop
from lab.sites import open_site
from lab.submission.archive import SubmissionRefused


def compare(options: Namespace) -> int:
    """Two results folders or PDFs, size by size."""
    from lab.submission.compare import compare_sides, identity_differences, of_two_sites, of_two_typesetters, read_side

    first, second = read_side(options.first), read_side(options.second)
    comparisons = compare_sides(first, second)
    print("".join(f"{line}\n" for line in of_two_sites(first, second)), end="")
    for comparison in comparisons:
        print("\n".join(comparison.lines()))
    differences = identity_differences(first, second)
    print("identity: " + ("the same" if not differences else f"{len(differences)} parts differ"))
    for difference in differences:
        print(f"  {difference}")
    print("".join(f"{line}\n" for line in of_two_typesetters(first, second)), end="")
    return 0


def submit(options: Namespace) -> int:
    """The report and its records as one file to hand in; only a draft where something is in the way."""
    file = submitted(options.assignment, options.results, options.out, draft=options.draft)
    print(f"{from_here(file)}: {'a draft, not for handing in' if options.draft else 'hand in this file'}")
    return 0


def submitted(named: str | None, results: Path, folder: Path = SUBMISSIONS, *, draft: bool) -> Path:
    """The file to hand in, written now."""
    from lab.records.reference import read_identity
    from lab.report.commands import report_file, report_texts
    from lab.submission.assignment import find_assignment, load_assignment
    from lab.submission.hand_in import Work, build_obstacles, hand_in, obstacles, other_identity

    assignment = load_assignment(find_assignment(named))
    shop = open_workshop([assignment.experiment], open_site(assignment.site), _tell)
    (plan,) = shop.plans
    for line in other_identity(assignment, plan, read_identity(REFERENCE) or {}):
        _tell(line)
    work = Work(assignment, plan, results, report_file(plan), tuple(report_texts(plan)))
    compiled_here = () if shop.site.boots_image else build_obstacles()  # else by the lab's own compiler
    reasons = (*compiled_here, *obstacles(work))
    if reasons and not draft:
        raise SubmissionRefused("this is not handed in:", reasons=(*reasons, "or mark it as a draft: --draft"))
    return hand_in(work, folder, reasons or (("asked for as a draft",) if draft else ()))


def _tell(line: str) -> None:
    print(line, file=sys.stderr)
