"""A job gives the same bytes, also in a VM built elsewhere; a host with other results is refused."""

import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.release.same_bytes import EVERY_PROGRAM

from lab.experiment.reader import load
from lab.machine import snapshot
from lab.machine.qemu import MachineError, Process
from lab.machine.runner import section
from lab.model.trial import Job, Link, Outcome, Perturbation, Step
from lab.places import CACHE, MACHINE
from lab.programs import PROGRAMS
from lab.sites.exact import ExactSite
from lab.supply.lock import SANDBOX, read
from lab.supply.packages import Packages
from lab.supply.providers import local_folder, opened_store

Measured = Callable[[Outcome], Outcome]

# Both worlds in one job, and chance in both: the loss, and the numbers that processes draw.
WRITE = ("ib_write_bw", "-s", "4096", "-n", "50", "-d")
JOB = Job(
    steps=(
        Step(server=(*WRITE, "rxe1"), client=(*WRITE, "rxe0", ExactSite.ends.side_channel), port=18515),
        Step(
            server=("iperf3", "-s", "-1", "-B", "10.0.0.2"),
            client=("iperf3", "-c", "10.0.0.2", "-B", "10.0.0.1", "-n", "1M", "--json"),
            port=5201,
        ),
    ),
    link=Link(mtu=1500, loss_ppm=2_000, loss_seed=3, rate_bit_s=10**9),
    perturbation=Perturbation(start_delay_ns=123_457, environment_bytes=100),
    deadline_s=60,
    environment=(("LAB_TOKEN", "t"),),
)


@pytest.fixture(scope="session")
def first(exact: ExactSite) -> Outcome:
    outcome = exact.run(JOB)
    assert [step.client_status for step in outcome.steps] == [0, 0], outcome.steps
    return outcome


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """All packages that a VM comes from; the checkout removes its own once they are unpacked."""
    lock, store = read(MACHINE / "packages.lock"), opened_store(CACHE, print)
    sections = ("guest", section(), section(SANDBOX), "compiler", "kernel")
    whole = Packages(tmp_path / "archive", lambda: [local_folder(store.folder), *store.providers()], print)
    whole.obtain((locked for name in sections for locked in lock.of(name)), lock.date)
    return whole.folder


@pytest.fixture
def lost(archive: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A mirror that has lost every locked version comes before an archive; what it was asked for."""
    asked: list[str] = []

    class Mirror(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

    with ThreadingHTTPServer(("127.0.0.1", 0), Mirror) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("LAB_SUPPLY", f"http://127.0.0.1:{server.server_port}/debian {archive}")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        yield asked
        server.shutdown()


@pytest.fixture
def hindered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that reads slowly what QEMU saves, so that QEMU sends its memory in more parts."""

    def execute(self: Process, command: str, **arguments: object) -> None:
        if command == "migrate":
            way, _, taker = str(arguments["uri"]).partition(":")
            assert way == "exec"
            arguments["uri"] = f"exec:sleep 0.3; {taker}"
        at_once(self, command, **arguments)

    at_once = Process.execute
    monkeypatch.setattr(Process, "execute", execute)


@pytest.mark.release
@pytest.mark.usefixtures("hindered")
def test_vm_from_archived_packages_in_another_folder_gives_the_same_bytes(
    exact: ExactSite, first: Outcome, measured: Measured, reachable: Path, lost: list[str]
) -> None:
    other = ExactSite(MACHINE, reachable / "cache, with a comma")
    other.prepare(print)
    assert other.identity() == exact.identity()
    assert measured(other.run(JOB)) == measured(first)
    assert lost and all(path.startswith("/debian/pool/main/") for path in lost)


def test_perturbation_moves_the_start_and_pads_the_environment(exact: ExactSite, shell: Callable[..., Job]) -> None:
    early, late, larger = (
        exact.run(shell("echo $LAB_PADDING", perturbation=perturbation))
        for perturbation in (Perturbation(), Perturbation(start_delay_ns=1_000_000), Perturbation(environment_bytes=5))
    )
    assert 900_000 < late.clock_start_ns - early.clock_start_ns < 1_100_000
    assert (early.steps[0].client_out, larger.steps[0].client_out) == ("\n", "xxxxx\n")


def test_make_same_bytes_covers_every_program() -> None:
    assert {series.program for series in load(EVERY_PROGRAM).series} == PROGRAMS.keys()


def test_two_parallel_jobs_give_the_same_bytes(exact: ExactSite, first: Outcome, measured: Measured) -> None:
    with ThreadPoolExecutor(2) as pool:
        assert [measured(again) for again in pool.map(exact.run, [JOB, JOB])] == [measured(first)] * 2


@pytest.fixture
def newcomer(exact: ExactSite, tmp_path: Path) -> ExactSite:
    """The snapshot on a host that never ran it."""
    assert exact.identity()
    cache, machine = tmp_path / "cache", tmp_path / "machine"
    cache.mkdir()
    for entry in CACHE.iterdir():
        if entry.name != snapshot.CHECKED:
            (cache / entry.name).symlink_to(entry)
    shutil.copytree(MACHINE, machine)
    return ExactSite(machine, cache)


def test_host_with_other_results_is_refused_before_its_first_trial(
    newcomer: ExactSite, shell: Callable[..., Job]
) -> None:
    site, step = newcomer, "sleeping"
    known = snapshot.read(site.machine)
    assert known
    snapshot.write(site.machine, replace(known, checks={**known.checks, step: "0" * 64}))
    with pytest.raises(MachineError, match=f"{step} does not give the expected bytes"):
        site.run(shell("true"))
