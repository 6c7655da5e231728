"""Jobs over the modelled card: Verbyte's programs, rare modes of perftest, a student program."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

from tests.release.hosts.outcomes import Named

from lab.experiment.reader import read_card
from lab.model.trial import DIRECTORY, Card, Job, Link, Perturbation, Ready, Step
from lab.places import CACHE, EXPERIMENTS, MACHINE
from lab.plan.builds import lab_programs
from lab.plan.plan import over_card, parts

QDR = read_card("qdr").card
SIDE, OVER_LINK = "192.168.7.2", "10.0.0.2"
UNRELIABLE_OR_SHARED = (
    "ib_send_bw -c UD -s 1024 -n 200",
    "ib_send_bw -c UC -s 4096 -n 200",
    "ib_send_bw --use-srq -s 1024 -n 200",
)
MANAGED = ("ib_write_bw -s 4096 -n 200", "ib_send_bw -s 1024 -n 200")
ATOMIC = tuple(
    f"ib_atomic_{name} -n 200 -A {kind}" for name in ("bw", "lat") for kind in ("CMP_AND_SWAP", "FETCH_AND_ADD")
)
WINDOW = "--depth 64"
WAYS = ("", WINDOW, f"{WINDOW} --slide 1", f"{WINDOW} --slide 1 --signal-every 16 --list 16")


def verbs(words: str, number: int = 0) -> Step:
    """verbs-client and its server, with the same options."""
    shared = ("--deadline", "10", "--port", str(18600 + number), *words.split())
    server = ("/lab/bin/verbs-server", "--listen", SIDE, "--device", "rxe1", *shared)
    return Step(server, ("/lab/bin/verbs-client", "--device", "rxe0", *shared, SIDE), 18600 + number)


def perftest(words: str, number: int = 0, host: str = SIDE) -> Step:
    """A program of perftest, with the same options at both ends."""
    name, *rest = words.split()
    shared = ("-p", str(18515 + number), "-F", *rest)
    return Step((name, "-d", "rxe1", *shared), (name, "-d", "rxe0", *shared, host), 18515 + number)


def by_manager(words: str, number: int = 0) -> Step:
    """The ends find each other by the RDMA connection manager, over the link itself."""
    step = perftest(f"{words} -R", number, OVER_LINK)
    return replace(step, ready=Ready(cm=step.port))


def plain(words: str, number: int = 0) -> Step:
    """The course template of experiments/examples."""
    shared = ("--port", str(18800 + number), "--size", "4096", *words.split())
    server = (f"{DIRECTORY}/plain", "--server", "1", "--device", "rxe1", *shared, SIDE)
    client = (f"{DIRECTORY}/plain", "--device", "rxe0", "--iterations", "512", "--warmup", "64", *shared, SIDE)
    return Step(server, client, 18800 + number)


def compile_plain(folder: Path) -> Path:
    copy = shutil.copytree(EXPERIMENTS / "examples" / "plain_verbs" / "program", folder / "program")
    subprocess.run(["make", "-s", "-C", copy], check=True)
    return copy / "plain"


def carried(folder: Path) -> tuple[Path, ...]:
    """Verbyte's programs and the card's files, as in a trial."""
    for file, content in (lab_programs(print) | parts(MACHINE, CACHE, print)).items():
        (folder / file.name).write_bytes(content)
    return tuple(file for file in sorted(folder.iterdir()) if not file.name.startswith(("mpi", "tcp")))


def over(
    card: Card, steps: tuple[Step, ...], overlay: tuple[Path, ...], *, loss_ppm: int = 0, deadline_s: int = 30
) -> Job:
    link = Link(rate_bit_s=card.rate_bit_s, card=card, loss_ppm=loss_ppm)
    return Job(tuple(map(over_card, steps)), link, Perturbation(), deadline_s, (("LAB_TOKEN", "t"),), overlay)


def rarer(folder: Path) -> Named:
    """Return jobs that no series of an experiment covers; write their files into an empty folder."""
    overlay = carried(folder)
    with_plain = (*overlay, compile_plain(folder))
    return {
        **{f"{words}, over a card": over(QDR, (perftest(words),), overlay) for words in UNRELIABLE_OR_SHARED + ATOMIC},
        **{f"{words} -R, over a card": over(QDR, (by_manager(words),), overlay) for words in MANAGED},
        **{f"plain {words}, over a card": over(QDR, (plain(words),), with_plain) for words in WAYS},
    }
