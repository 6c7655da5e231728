"""The tests mirror what they test: a module has a test of its name, or a test whose first line names the module.

A first line may name several at once: `lab.report.{claims,tables}.rounds`, `lab.doctor.*`, `verbs_{client,server}.c`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest

from lab.places import ROOT

NAMED = re.compile(r"\blab(?:\.(?:\w+|\*|\{[\w.*,]+\}))+|[\w{},]+\.c\b")
BRACES = re.compile(r"\{([^{}]*)\}")
C_FOLDER = "bench"


def modules(root: Path) -> set[str]:
    """`lab.spec.reader` and `sizes.c`: all that needs a test."""
    files = (each for each in (root / "code" / "lab").rglob("*.py") if not each.name.startswith("__"))
    python = {".".join(each.relative_to(root / "code").with_suffix("").parts) for each in files}
    return python | {each.name for each in (root / "code" / C_FOLDER).glob("*.c")}


def files_of_tests(root: Path) -> list[Path]:
    """The files of tests, from `tests` on."""
    found = (root / "tests").rglob("test_*")
    return sorted(each.relative_to(root) for each in found if each.suffix in (".py", ".c"))


def mirrored(test: Path) -> str:
    """The module whose test this is by its name and place."""
    name = test.stem.removeprefix("test_")
    if test.parts[1] == C_FOLDER:
        return f"{name}.c"
    return ".".join((*test.parts[1:-1], name))


def first_line(file: Path) -> str:
    """Of the comment or the docstring that a test begins with."""
    text = file.read_text()
    if file.suffix == ".c":
        return text.partition("\n")[0] if text.startswith("/*") else ""
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]


def names(line: str) -> Iterator[str]:
    """What a line names, without braces."""
    for each in NAMED.finditer(line):
        yield from spelled_out(each[0])


def spelled_out(name: str) -> Iterator[str]:
    braces = BRACES.search(name)
    if braces is None:
        yield name
        return
    for part in braces[1].split(","):
        yield from spelled_out(name[: braces.start()] + part.strip() + name[braces.end() :])


def wrong(root: Path) -> list[str]:
    """A sentence for each module without a test, and for each test that is lost."""
    known, found = modules(root), files_of_tests(root)
    named = {test: list(names(first_line(root / test))) for test in found}
    covers = {test: {module for module in known for name in named[test] if fits(module, name)} for test in found}
    covered = {mirrored(test) for test in found}.union(*covers.values())
    return [
        *(f"{module}: no test has its name, or names it in the first line" for module in sorted(known - covered)),
        *(f"{test}: there is no {name}" for test in found for name in named[test] if not exists(root, name, known)),
        *(f"{test}: its first line names no module of {test.parent}" for test in found if is_lost(test, known, covers)),
    ]


def fits(module: str, name: str) -> bool:
    """A star stands for the modules of one folder."""
    return fnmatchcase(module, name) and module.count(".") == name.count(".")


def exists(root: Path, name: str, known: set[str]) -> bool:
    """A sentence may also speak of a package as such."""
    package = root / "code" / name.replace(".", "/")
    return package.is_dir() or any(fits(module, name) for module in known)


def is_lost(test: Path, known: set[str], covers: dict[Path, set[str]]) -> bool:
    """Whether a test in the folder of a stage is of no module there; what is of all stages lies above them."""
    folder = ".".join(test.parts[1:-1])
    if mirrored(test) in known or not folder.startswith("lab."):
        return False
    return not any(module.startswith(f"{folder}.") for module in covers[test])


@cache
def complaints() -> tuple[str, ...]:
    return tuple(wrong(ROOT))


def test_each_module_has_its_test_and_each_test_its_module() -> None:
    assert not complaints()


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """One module with a test of its name, and three that a first line names."""
    write(tmp_path, "code/lab/spec/reader.py")
    write(tmp_path, "code/lab/spec/rules.py")
    write(tmp_path, "code/lab/errors.py")
    write(tmp_path, "code/bench/sizes.c")
    write(tmp_path, "tests/lab/spec/test_reader.py", '"""What is read: lab.{spec.rules,errors}."""')
    write(tmp_path, "tests/bench/test_flow.c", "/* How much is sent: sizes.c. */")
    return tmp_path


def write(root: Path, file: str, text: str = "") -> None:
    (root / file).parent.mkdir(parents=True, exist_ok=True)
    (root / file).write_text(text)


def test_a_house_in_order_is_not_complained_of(house: Path) -> None:
    assert wrong(house) == []
    write(house, "tests/lab/spec/test_reader.py", '"""All of it: lab.spec.*, and lab.errors."""')
    assert wrong(house) == []


@pytest.mark.parametrize(
    ("file", "text", "start"),
    [
        ("code/lab/spec/units.py", "", "lab.spec.units: no test"),
        ("code/bench/door.c", "", "door.c: no test"),
        (
            "tests/lab/test_words.py",
            '"""Words of lab.spec.wrods."""',
            "tests/lab/test_words.py: there is no lab.spec.w",
        ),
        ("tests/bench/test_flow.c", "/* sizes.c, and sises.c */", "tests/bench/test_flow.c: there is no sises.c"),
        (
            "tests/lab/spec/test_raeder.py",
            '"""Of lab.errors."""',
            "tests/lab/spec/test_raeder.py: its first line names",
        ),
        ("tests/lab/plan/test_any.py", "", "tests/lab/plan/test_any.py: its first line names no module"),
    ],
)
def test_what_is_out_of_order_is_named(house: Path, file: str, text: str, start: str) -> None:
    write(house, file, text)
    (sentence,) = wrong(house)
    assert sentence.startswith(start)
