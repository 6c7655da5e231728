"""Measure the first minutes of a new user: a clone, `make try`, and optionally the reports, phase by phase."""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
HIDDEN = "bwrap"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, epilog="example: first_minutes.py --runs 3 --without-bwrap")
    parser.add_argument("targets", nargs="*", default=["try"], help="make targets, one after the other (default: try)")
    parser.add_argument("--runs", type=int, default=1, help="repetitions, of which the median is printed")
    parser.add_argument("--without-bwrap", action="store_true", help="hide an installed bubblewrap")
    options = parser.parse_args()
    totals = []
    for run in range(options.runs):
        with tempfile.TemporaryDirectory(prefix="first-minutes-") as name:
            Path(name).chmod(0o755)  # root's sandbox runs as another user
            start = time.monotonic()
            subprocess.run(["git", "clone", "--quiet", ROOT, Path(name) / "checkout"], check=True)
            path = _commands(Path(name) / "commands") if options.without_bwrap else os.environ["PATH"]
            for target in options.targets:
                _measure(Path(name) / "checkout", target, path)
            totals.append(time.monotonic() - start)
        print(f"run {run + 1}: {totals[-1]:.0f} s", flush=True)
    print(f"median of {options.runs}: {median(totals):.0f} s")
    return 0


def _measure(checkout: Path, target: str, path: str) -> None:
    """Run a target, and print the seconds from each line of its progress to the next."""
    environment = {**os.environ, "PATH": path}
    with subprocess.Popen(
        ["make", target], cwd=checkout, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as make:
        assert make.stderr is not None
        phase, start = f"make {target}", time.monotonic()
        for line in make.stderr:
            now = time.monotonic()
            print(f"{now - start:7.1f} s  {phase:.100}", flush=True)
            phase, start = line.strip(), now
    print(f"{time.monotonic() - start:7.1f} s  {phase:.100}")
    if make.returncode:
        sys.exit(f"make {target} ended with status {make.returncode}")
    used = os.times()
    print(f"{used.children_user + used.children_system:7.1f} s of CPU so far, all processes")


def _commands(folder: Path) -> str:
    """A PATH with every command of this host but bubblewrap."""
    folder.mkdir()
    for part in reversed(os.environ["PATH"].split(os.pathsep)):
        for command in Path(part).glob("*") if part else ():
            if command.name != HIDDEN:
                (folder / command.name).unlink(missing_ok=True)
                (folder / command.name).symlink_to(command)
    return str(folder)


if __name__ == "__main__":
    sys.exit(main())
