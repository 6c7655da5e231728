"""One name, one meaning: public classes have unique names."""

import ast
from collections import defaultdict

from lab.places import ROOT

LAB = ROOT / "code" / "lab"


def test_no_two_packages_have_a_public_class_of_one_name() -> None:
    packages: dict[str, set[str]] = defaultdict(set)
    for file in LAB.rglob("*.py"):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                packages[node.name].add(file.relative_to(LAB).parts[0].removesuffix(".py"))
    assert {name for name, found in packages.items() if len(found) > 1} == set()
