"""The command that writes the book of an assignment."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from lab.places import from_here

BOOK, MOODLE, CANVAS, GRADESCOPE = "book.csv", "moodle.csv", "canvas.csv", "gradescope"


def book(options: Namespace) -> int:
    """Everybody of the roster with all points; 1 if a person should look at something."""
    from lab.files.storage import write_text
    from lab.grade.book import exports
    from lab.grade.book.by_hand import read_by_hand
    from lab.grade.book.entries import entries, strangers
    from lab.grade.book.hand_ins import hand_ins, times_of
    from lab.grade.book.nameless import give_codes, read_codes, write_nameless
    from lab.grade.book.roster import read_roster
    from lab.harmless import one_line
    from lab.submission.assignment import find_assignment, load_assignment

    assignment = load_assignment(find_assignment(options.assignment))
    roster = read_roster(options.roster)
    found = hand_ins(options.grades, assignment.name, times_of(options.submissions, options.times))
    if options.nameless:
        write_nameless(assignment, found, give_codes(options.grades, found), options.nameless)
        print(f"{from_here(options.nameless)}: {len(found)} hand-ins without names")
    judged = read_by_hand(options.by_hand, assignment) if options.by_hand else {}
    made = list(entries(assignment, roster, found, judged, read_codes(options.grades)))
    folder: Path = options.out or options.grades
    texts = {BOOK: exports.book_csv, MOODLE: exports.moodle_csv, CANVAS: exports.canvas_csv}
    for name, text in texts.items():
        write_text(folder / name, text(assignment, made))
    for each in made:
        if each.hand_in:
            name = each.hand_in.folder.parent.name
            write_text(folder / GRADESCOPE / f"{name}.json", exports.gradescope_json(assignment, each))
    remarks = [f"{each.person.id}: {remark}" for each in made for remark in each.remarks]
    remarks += strangers(roster, found)
    print("".join(f"{one_line(each)}\n" for each in remarks), end="")
    missing = sum(each.hand_in is None for each in made)
    print(f"{from_here(folder / BOOK)}: {len(made)} people, {missing} without a hand-in")
    return int(bool(remarks))
