"""The folders of a checkout, and the version of its code."""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from lab import __version__

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ROOT / "lab.toml"  # package sources; optional
HOSTS = ROOT / "hosts.toml"  # the hosts of the sites ssh and slurm
EXPERIMENTS = ROOT / "experiments"
EXAMPLES = EXPERIMENTS / "examples"  # not of `make all`
CARDS = EXPERIMENTS / "cards"  # modelled ones
PUBLISHED = EXPERIMENTS / "published"
ASSIGNMENTS = EXPERIMENTS / "assignments"
CACHE = ROOT / ".cache"
BENCH = CACHE / "bench"  # the C programs
SET_CLOCK = BENCH / "set-clock"  # for links that set the server's clock
BENCH_SOURCES = ROOT / "code" / "bench"
PROGRAMS = CACHE / "programs"  # copies by digest
CARD = ROOT / "code" / "card"
MACHINE = ROOT / "code" / "machine"  # the VM of the exact site
GUEST_SANDBOX = MACHINE / "stranger"  # the sandbox of student programs in the VM
DOCS = ROOT / "docs"
TEMPLATES = ROOT / "templates"
REPORTS = ROOT / "report"
SUBMISSIONS = ROOT / "submission"
GRADING = CACHE / "grade"  # the grader's records, and the reports rebuilt from them
RESULTS = ROOT / "results"
REFERENCE = RESULTS / "reference"


def is_checkout(folder: Path) -> bool:
    return (folder / "code" / "lab" / "places.py").is_file() and (folder / "experiments").is_dir()


def checkout_of(environment: Mapping[str, str]) -> Path | None:
    """The checkout whose code has to run: LAB_ROOT's, else this code's, else that of the current folder or above it.

    The current folder comes last, so that a grader's `lab` never runs code of the submission whose folder it is in.
    """
    if typed := environment.get("LAB_ROOT"):
        folders = [Path(typed).resolve()]
    elif is_checkout(ROOT):
        return ROOT
    else:
        folders = [Path.cwd(), *Path.cwd().parents]
    return next(filter(is_checkout, folders), None)


def from_here(path: Path) -> Path:
    """The path relative to the current folder, if it is inside."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


# The committed files that decide the content of a record, a report or a grade.
PARTS = ("code", "experiments/cards", "experiments/published", "templates")
LETTERS = 12


@cache
def exact_version() -> str:
    """The version with a digest of the code, such as `1.0.0+3f9a1c02b7de`; a checkout may have no git."""
    digest = hashlib.sha256()
    for part in PARTS:
        path = ROOT / part
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and file.suffix != ".pyc" and not file.name.startswith("."):
                content = file.read_bytes()
                digest.update(f"{file.relative_to(ROOT)} {len(content)} ".encode() + content)
    return f"{__version__}+{digest.hexdigest()[:LETTERS]}"
