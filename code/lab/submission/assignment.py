"""An assignment: what is handed in for it, and what each check is worth. One TOML file in experiments/assignments/."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.errors import SpecError
from lab.places import ASSIGNMENTS, EXPERIMENTS
from lab.sites import EVERYWHERE
from lab.submission.asked import Asked, asked_faults, read_asked
from lab.toml_lines import find_line

CHECKS = (
    *("package", "records", "rerun", "program", "sources", "correct", "speed"),
    *("claims", "pages", "discussion"),
)
KEYS: dict[str, type] = {
    "title": str,
    "experiment": str,
    "site": str,
    "discussion": dict,
    "program": dict,
    "points": dict,
    "hidden": list,
}
DISCUSSION = ("words_at_least", "claims_at_least")


@dataclass(frozen=True)
class Assignment:
    """One assignment file; hidden checks are the grader's alone."""

    file: Path
    title: str
    experiment: Path
    site: str
    points: dict[str, int]
    words_at_least: int = 1
    claims_at_least: int = 0
    hidden: frozenset[str] = frozenset()
    asked: Asked = field(default_factory=Asked)

    @property
    def name(self) -> str:
        return self.file.stem

    @property
    def named(self) -> str:
        """As a command takes it: by its name, or by its file where it lies elsewhere."""
        return self.name if self.file.parent == ASSIGNMENTS else str(self.file)


def load_assignment(file: Path) -> Assignment:
    """The checked assignment; an error names the line."""
    try:
        text = file.read_text()
        document = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SpecError(f"cannot be read: {error}", file=file) from error
    _check(file, text, document)
    experiment = _experiment(file, document["experiment"])
    site, hidden = document.get("site", EVERYWHERE), frozenset(document.get("hidden", ()))
    points = {name: document["points"].get(name, 0) for name in CHECKS}
    more = document.get("discussion", {}) | {"asked": read_asked(document.get("program", {}))}
    return Assignment(file, document["title"], experiment, site, points, **more, hidden=hidden)


def find_assignment(named: str | None, folder: Path = ASSIGNMENTS) -> Path:
    """A file, the name of one, or the only one that there is."""
    if named and named.endswith(".toml"):
        return Path(named)
    files = sorted(folder.glob("*.toml")) if named is None else [folder / f"{named}.toml"]
    if len(files) == 1 and files[0].exists():
        return files[0]
    known = ", ".join(sorted(each.stem for each in folder.glob("*.toml")))
    what = f"there is no assignment {named}" if named else "there are several assignments"
    raise SpecError(what, file=folder, expected=f"one of {known}")


def _experiment(file: Path, named: str) -> Path:
    """A file beside the assignment's, or the name of one in experiments/."""
    return file.parent / named if named.endswith(".toml") else EXPERIMENTS / f"{named}.toml"


def _check(file: Path, text: str, document: dict[str, Any]) -> None:
    def refuse(what: str, *path: str, expected: str = "") -> None:
        raise SpecError(what, file=file, line=find_line(text, path), expected=expected)

    for name, value in document.items():
        if name not in KEYS or not isinstance(value, KEYS[name]):
            refuse(f"{name} = {value!r}", name, expected=f"one of {', '.join(KEYS)}, each of its type")
    for name in ("title", "experiment", "points"):
        if name not in document:
            refuse(f"{name} is missing")
    tables = {
        "points": _number_faults(document.get("points", {}), CHECKS),
        "discussion": _number_faults(document.get("discussion", {}), DISCUSSION),
        "program": asked_faults(document.get("program", {})),
    }
    for table, faults in tables.items():
        for name, expected in faults:
            refuse(f"{name} = {document[table][name]!r}", table, name, expected=expected)
    if set(document.get("hidden", ())) - set(CHECKS):
        refuse(f"hidden = {document['hidden']}", "hidden", expected=f"some of {', '.join(CHECKS)}")


def _number_faults(table: dict[str, Any], known: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if name not in known or type(value) is not int or value < 0:
            yield name, f"a number from 0 up for one of {', '.join(known)}"
