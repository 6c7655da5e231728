"""`lab clean`: what .cache, .venv, report and results contain, and how to remove what can be made again."""

import os
import shutil
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lab.places import ROOT

MB = 1e6


class Part(NamedTuple):
    """What the files of some patterns are, and what makes them again."""

    patterns: str
    what: str
    made_by: str = ""


FOLDER = "[0-9a-f]*"  # named by a digest
PARTS = {
    "packages": Part(
        ".cache/packages .cache/apt",
        "downloaded packages, needed for unpacking alone",
        "lab run, if the image or the compiler is missing",
    ),
    "compiler": Part(
        ".cache/compiler .cache/sandbox", "the bundled compiler and its sandbox", "lab run, if sources changed"
    ),
    "image": Part(f".cache/image/{FOLDER}", "the VM's kernel and first file system", "lab run, lab image import"),
    "machine": Part(".cache/machine", "snapshots of booted VMs", "lab run, lab image import"),
    "qemu": Part(".cache/runner .cache/plugin", "the bundled QEMU and its plugins", "lab run, lab image import"),
    "programs": Part(
        ".cache/built .cache/card .cache/programs .cache/bench .cache/profile .cache/kit",
        "compiled programs",
        "lab run, make build",
    ),
    "figures": Part(
        ".cache/report .cache/grade/figures .cache/grade/rebuilt", "cached figures and pages", "lab report"
    ),
    "reports": Part("report", "reports and the site", "lab report, lab site"),
    "tools": Part(
        ".cache/mypy .cache/ruff .cache/pytest .cache/bytecode .cache/import-linter .cache/pip-tools .cache/daemons",
        "caches of linters and tests, and programs of test clusters",
        "make lint, make test",
    ),
    "python": Part(".cache/python .venv", "Python and its packages, lab's own too", "make setup"),
}
KEPT = {
    "imported": Part(".cache/image/imported", "the imported image of a course"),
    "records": Part("results .cache/grade/results", "records, tables and grades"),
}


def clean(options: Namespace) -> int:
    """List all parts, or remove some of them; records and an imported image are never removed."""
    if names := options.part or (PARTS if options.yes else ()):
        removed = 0
        for path in (path for name in PARTS if name in names for path in _paths(PARTS[name])):
            removed += size(path)
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        print(f"removed {removed / MB:,.1f} MB")
        return 0
    for name, part in (PARTS | KEPT).items():
        total = sum(map(size, _paths(part)))
        again = f"made again by {part.made_by}" if part.made_by else "never removed"
        print(f"{total / MB:>9,.1f} MB  {name:<9} {part.what} ({again})")
    print("lab clean PART... removes these parts, lab clean --yes all that can be made again")
    return 0


def _paths(part: Part) -> Iterator[Path]:
    return (path for pattern in part.patterns.split() for path in sorted(ROOT.glob(pattern)))


def size(path: Path) -> int:
    """The bytes on the disk, as `du` counts them: holes are free, and a file with several names counts once."""
    inside = (Path(top, name) for top, folders, files in os.walk(path) for name in (*folders, *files))
    walked = () if path.is_symlink() else inside
    stats = map(os.lstat, (path, *walked))
    return 512 * sum({(stat.st_dev, stat.st_ino): stat.st_blocks for stat in stats}.values())
