"""Measure the first minutes of a new user: the seconds from a clone to the figure, to the first PDF and to all of them.

Each run clones this checkout into an empty folder, with --root in a fresh Debian, and prints its phases: a phase is the
time from one line of progress to the next. The table has the medians over the runs.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tests.release.hosts.roots import ALONE, debootstrapped

ROOT = Path(__file__).resolve().parents[2]
HIDDEN = "bwrap"
INSTALLED = ("ca-certificates", "git", "make", "python3")  # in the fresh Debian
# Enters a root with the folder of the checkout, this host's network and its names of package servers. A process that
# has only changed its root may not make the namespaces of a sandbox.
ENTER = (
    "sh",
    "-ec",
    """root=$1 home=$2 here=$PWD; shift 2
    mount --rbind "$root" "$root"; mount -t proc proc "$root/proc"
    touch "$root/etc/pip.conf" "$root/etc/resolv.conf" "$root/etc/hosts"
    for path in /dev /etc/resolv.conf /etc/hosts /etc/apt /etc/pip.conf /etc/ssl "$home"; do
        [ ! -e "$path" ] || mount --rbind "$path" "$root$path"
    done
    cd "$root"; pivot_root . .; umount -l .
    exec env --chdir="$here" "$@\"""",
    "sh",
)
USER = 65534
# The shell prints the CPU time of a command with all of its processes, which may have had their own numbers.
TIMED = ("sh", "-c", '"$@"; status=$?; times; exit $status', "sh")
USED = re.compile(r"(\d+)m([\d.]+)s (\d+)m([\d.]+)s")
NUMBERS = re.compile(r"\d[\d.,]*")
UNTOLD = re.compile(r"fetched .* MB$")
TRIALS = re.compile(r"\d+ of \d+ trials")
MADE = {"figure": re.compile(r"report/first_figure/.*\.png$"), "first PDF": re.compile(r"report/.*\.pdf$")}


@dataclass
class Run:
    """The seconds of each phase, and from the start to each milestone."""

    phases: dict[str, float] = field(default_factory=dict)
    milestones: dict[str, float] = field(default_factory=dict)
    cpu_s: float = 0.0

    def lines(self, process: subprocess.Popen[str], start: float, phase: str) -> None:
        """Read all lines of a command; those of progress begin a phase."""
        begun = time.monotonic()
        assert process.stdout is not None
        for line in map(str.rstrip, process.stdout):
            now = time.monotonic()
            if used := USED.fullmatch(line):
                self.cpu_s += 60 * (int(used[1]) + int(used[3])) + float(used[2]) + float(used[4])
            for name, made in MADE.items():
                if made.search(line):
                    self.milestones.setdefault(name, now - start)
            if (following := _phase(line)) and following != phase:
                self.phases[phase] = self.phases.get(phase, 0.0) + now - begun
                phase, begun = following, now
        self.phases[phase] = self.phases.get(phase, 0.0) + time.monotonic() - begun


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: .venv/bin/python -m tests.release.first_minutes --runs 3 --root bookworm try all",
    )
    parser.add_argument("targets", nargs="*", default=["try"], help="make targets, one after the other (default: try)")
    parser.add_argument("--runs", type=int, default=1, help="repetitions, of which the medians are printed")
    parser.add_argument("--root", metavar="SUITE", help="in a fresh Debian of this suite, made by debootstrap")
    parser.add_argument("--user", action="store_true", help=f"as the user {USER}, not as root")
    parser.add_argument("--without-bwrap", action="store_true", help="hide an installed bubblewrap")
    parser.add_argument("--image", type=Path, help="import this exported VM first")
    options = parser.parse_args()
    runs = []
    for _ in range(options.runs):
        with tempfile.TemporaryDirectory(prefix="first-minutes-") as name:
            runs.append(_run(Path(name), options))
        print(*_table(runs[-1:]), "", sep="\n", flush=True)
    if options.runs > 1:
        print(f"medians of {options.runs} runs", *_table(runs), sep="\n")
    return 0


def _run(folder: Path, options: argparse.Namespace) -> Run:
    """Clone, and make the targets."""
    folder.chmod(0o755)
    home = folder / "home"
    home.mkdir()
    enter, environment = _entry(folder, home, options)
    if options.image:
        shutil.copy(options.image, home / "course.lab")
    run, start = Run(), time.monotonic()
    subprocess.run(["git", "clone", "--quiet", ROOT, home / "checkout"], check=True)
    run.phases["git clone"] = time.monotonic() - start
    if options.user:
        subprocess.run(["chown", "-R", f"{USER}:{USER}", home], check=True)
    imported = [["make", "venv"], [".venv/bin/lab", "image", "import", "../course.lab"]] if options.image else []
    for command in (*imported, *(["make", target] for target in options.targets)):
        with subprocess.Popen(
            [*enter, *TIMED, *command], env=environment, cwd=home / "checkout", text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        ) as process:  # fmt: skip
            run.lines(process, start, " ".join(command))
        if process.returncode:
            sys.exit(f"{' '.join(command)} ended with status {process.returncode}")
    run.milestones["end"] = time.monotonic() - start
    run.milestones["CPU time"] = run.cpu_s
    used = subprocess.check_output(["du", "-sBM", "--total", *home.glob("checkout/.[cv]*")], text=True)
    run.milestones["MiB of .venv and .cache"] = float(used.splitlines()[-1].split("M")[0])
    return run


def _entry(folder: Path, home: Path, options: argparse.Namespace) -> tuple[Sequence[str | Path], Mapping[str, str]]:
    """The start of a command, and its environment."""
    hides = options.without_bwrap and not options.root  # which a fresh Debian does not have
    path = _commands(folder / "commands") if hides else os.environ["PATH"]
    environment = {**os.environ, "PATH": path, "HOME": str(home)}
    become = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"] if options.user else []
    if not options.root:
        return become, environment
    root = folder / "root"
    subprocess.run(["cp", "-a", debootstrapped(options.root, INSTALLED), root], check=True)
    (root / home.relative_to("/")).mkdir(parents=True)
    return [*ALONE, *ENTER, root, home, *become], environment


def _commands(folder: Path) -> str:
    """A PATH with every command of this host but bubblewrap."""
    folder.mkdir()
    for part in reversed(os.environ["PATH"].split(os.pathsep)):
        for command in Path(part).glob("*") if part else ():
            if command.name != HIDDEN:
                (folder / command.name).unlink(missing_ok=True)
                (folder / command.name).symlink_to(command)
    return str(folder)


def _phase(line: str) -> str:
    """The phase that begins with a line of progress, without its numbers; empty for other lines."""
    if TRIALS.search(line):
        return "trials"
    is_progress = line.startswith(("setup: ", "site ", "lab: ")) or line.partition(" ")[0].endswith("ing")
    return NUMBERS.sub("N", line) if is_progress and not UNTOLD.search(line) else ""


def _table(runs: list[Run]) -> Iterator[str]:
    """The medians of phases and milestones."""
    yield "   seconds  phase"
    for name in dict.fromkeys(name for run in runs for name in run.phases):
        yield f"{median(run.phases.get(name, 0.0) for run in runs):10.1f}  {name:.100}"
    for name in dict.fromkeys(name for run in runs for name in run.milestones):
        yield f"{median(run.milestones[name] for run in runs):10.1f}  = {name}"


if __name__ == "__main__":
    sys.exit(main())
