"""Types of the lab's own: Any stands only where a document comes in, or goes to a library without types."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

from lab.places import ROOT

LAB = ROOT / "code" / "lab"
MOST = 11  # in all; a change that needs one more takes another away
MOST_ELSEWHERE = 3  # outside of these
OTHERS = ("report", "figures", "experiment")


def anys(file: Path) -> int:
    """How often a file says it, whether in an annotation or to name a type by it."""
    return sum(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(ast.parse(file.read_text())))


def test_a_value_of_any_type_is_as_rare_as_it_was() -> None:
    found = Counter({str(file.relative_to(LAB)): anys(file) for file in LAB.rglob("*.py")})
    elsewhere = {name: count for name, count in found.items() if count and name.split("/")[0] not in OTHERS}
    assert sum(elsewhere.values()) <= MOST_ELSEWHERE, elsewhere
    assert found.total() <= MOST, +found
