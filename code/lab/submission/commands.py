"""The commands about what is handed in."""

from __future__ import annotations

from argparse import Namespace

COMMANDS = ("compare",)


def compare(options: Namespace) -> int:
    """Two results folders or PDFs, size by size."""
    from lab.submission.side_by_side import compare_sides, identity_differences
    from lab.submission.sides import read_side

    first, second = read_side(options.first), read_side(options.second)
    for comparison in compare_sides(first, second):
        print("\n".join(comparison.lines()))
    differences = identity_differences(first, second)
    print("identity: " + ("the same" if not differences else f"{len(differences)} parts differ"))
    for difference in differences:
        print(f"  {difference}")
    return 0
