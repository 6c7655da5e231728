"""An assignment: its experiment, and the points of each check. One TOML file in experiments/assignments/."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from lab.errors import SizeError, SpecError
from lab.files.fault import Fault
from lab.files.schema import whole_schema
from lab.files.toml_file import TomlFile, read_toml
from lab.model.sizes import parse_sizes
from lab.places import ASSIGNMENTS, EXPERIMENTS
from lab.programs.placeholders import split
from lab.sites import EVERYWHERE, MODULES
from lab.sites.traits import fixed
from lab.spec.reader import load
from lab.submission.asked import Demands, read_asked
from lab.submission.asks import Ask, read_asks
from lab.submission.steps import TaskStep, read_steps
from lab.submission.terms import Terms, read_terms
from lab.typed_json import JsonValue

CHECKS: tuple[str, ...] = tuple(whole_schema("assignment")["$defs"]["check"]["enum"])  # in the order of making them


@dataclass(frozen=True)
class Assignment:
    """One assignment file; only the grader makes the hidden checks."""

    file: Path
    title: str
    experiment: Path
    site: str
    points: dict[str, int]
    words_at_least: int = 1
    evidence_at_least: int = 0  # different claims and true statements
    asks: tuple[Ask, ...] = ()
    hidden: frozenset[str] = frozenset()
    asked: Demands = field(default_factory=Demands)
    identities: tuple[str, ...] | None = None  # whose records are graded without a person: names and digests
    steps: tuple[TaskStep, ...] = ()
    terms: Terms = field(default_factory=Terms)

    @property
    def name(self) -> str:
        return self.file.stem

    @property
    def checks(self) -> tuple[str, ...]:
        """The checks with points, in their order: others are not made."""
        return tuple(name for name, points in self.points.items() if points)

    @property
    def most(self) -> int:
        """All points: of the checks, and of what a person judges."""
        return sum(self.points.values()) + sum(each.points for each in self.terms.rubric)

    @property
    def recorded_as(self) -> str:
        """The name of its site in records: `slurm:exact` makes those of exact, `host:rxe` of host."""
        kind, _, wanted = self.site.partition(":")
        return wanted if wanted in MODULES else kind

    @property
    def listed(self) -> tuple[str, ...]:
        """The identities that it accepts, by name or digest. By default the one that every computer has on its site;
        other hardware has to be named."""
        if self.identities is not None:
            return self.identities
        return (self.recorded_as,) if fixed(self.recorded_as) else ()

    def accepts(self, digest: str, *, own: bool) -> bool:
        """Whether records of an identity are graded without a person; `own` is the one that the grader's site has."""
        return (own and self.recorded_as in self.listed) or any(map(digest.startswith, self.listed))

    @property
    def named(self) -> str:
        """The word that names it in a command: its name, or its file in another folder."""
        return self.name if self.file.parent == ASSIGNMENTS else str(self.file)


def load_assignment(file: Path) -> Assignment:
    """The checked assignment; an error names the line."""
    found = read_toml(file, "assignment", hint="experiments/assignments/NAME.toml")
    document = found.document
    path, site = _experiment(file, document["experiment"]), document.get("site", EVERYWHERE)
    experiment = load(path) if {"step", "asks"} & document.keys() else None
    more = document.get("discussion", {}) | {"asked": _asked(found), "terms": read_terms(found)}
    more |= {"steps": read_steps(found, experiment), "hidden": frozenset(document.get("hidden", ()))}
    points = {name: document["points"].get(name, 0) for name in CHECKS}
    listed = tuple(document["identities"]) if "identities" in document else None
    made = Assignment(file, document["title"], path, site, points, **more, identities=listed)
    _require_own_name(made, found)
    return replace(made, asks=read_asks(found, experiment, made.recorded_as))


def find_assignment(named: str | None, folder: Path = ASSIGNMENTS) -> Path:
    """The file of an assignment: given as a file, by its name, or the only one."""
    if named and named.endswith(".toml"):
        return Path(named)
    files = sorted(folder.glob("*.toml")) if named is None else [folder / f"{named}.toml"]
    if len(files) == 1 and files[0].exists():
        return files[0]
    known = names(folder)
    what = f"there is no assignment {named}" if named else "there are several assignments"
    raise SpecError(what, file=folder, expected=f"one of {', '.join(known)}", hint=f"ASSIGNMENT={''.join(known[:1])}")


def names(folder: Path = ASSIGNMENTS) -> list[str]:
    """The names of a folder's assignments."""
    return sorted(each.stem for each in folder.glob("*.toml"))


def _experiment(file: Path, named: str) -> Path:
    """A file beside the assignment's, or the name of one in experiments/."""
    return file.parent / named if named.endswith(".toml") else EXPERIMENTS / f"{named}.toml"


def _asked(found: TomlFile) -> Demands:
    """Its texts must be sizes and words. What only the grader asks takes the place of what everybody may read."""
    asked: dict[str, JsonValue] = {}
    for named in ("program", "hidden_program"):
        table = found.document.get(named, {})
        for name, read in (("sizes", parse_sizes), ("verify", split)):
            try:
                read(table.get(name, "1"))
            except (SizeError, ValueError) as error:
                what = error.what if isinstance(error, SizeError) else f"{name}: {str(error).lower()}"
                found.refuse(Fault(what, (named, name), getattr(error, "hint", "")))
        asked |= table
    return read_asked(asked)


def _require_own_name(made: Assignment, found: TomlFile) -> None:
    """By name, only the identity of the assignment's own site is known where it is graded."""
    for number, name in enumerate(made.listed):
        if name in MODULES and name != made.recorded_as:
            expected = f"{made.recorded_as!r}, or the digest of an identity"
            fault = Fault(f"identities names {name!r}, and the site is {made.site!r}", ("identities", number), expected)
            found.refuse(fault)
