"""`Any` is used only where a document is read, or for a library without types."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

from lab.places import ROOT

LAB = ROOT / "code" / "lab"
MOST = 11  # in total; a change that adds one removes another
MOST_ELSEWHERE = 3  # outside of these
OTHERS = ("report", "figures", "experiment")


def anys(file: Path) -> int:
    """How often a file names `Any`."""
    return sum(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(ast.parse(file.read_text())))


def test_any_is_rare() -> None:
    found = Counter({str(file.relative_to(LAB)): anys(file) for file in LAB.rglob("*.py")})
    elsewhere = {name: count for name, count in found.items() if count and name.split("/")[0] not in OTHERS}
    assert sum(elsewhere.values()) <= MOST_ELSEWHERE, elsewhere
    assert found.total() <= MOST, +found
