"""The exact site: two VMs whose time is counted in instructions."""

import os
import threading
import weakref
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from lab.compiler import build
from lab.errors import SiteError, Tell
from lab.machine import fork_server, link, results, runner, snapshot, switched
from lab.machine.fork_server import CountingPlugin, ForkServer
from lab.machine.image import Image, build_image
from lab.machine.qemu import Running
from lab.machine.runner import PROFILE
from lab.machine.snapshot import Expected, Snapshot, SnapshotInputs
from lab.model.trial import Job, Outcome
from lab.places import CACHE, MACHINE
from lab.sites.site import EXACT, silent
from lab.typed_json import JsonTable


class ExactSite:
    """Runs every job from the same snapshot, any number of them at once."""

    name = "exact"
    boots_image = True
    at_once: int | None = None
    traits = EXACT
    ends = results.ENDS
    # For a second of the guest, and once: a busy second takes the host 3 to 8 s, more beside other work.
    host_seconds: tuple[float, float] = (30.0, 60.0)

    def __init__(self, machine: Path, cache: Path) -> None:
        self.machine, self.cache = machine, cache
        self.lock, self.starting = threading.Lock(), threading.Lock()
        self.running = Running(self.name)
        self.server: ForkServer | None = None
        self.counter: CountingPlugin | None = None
        self.found_inputs: SnapshotInputs | None = None
        self.snapshot: Snapshot | None = None  # with checked digests
        self.check: Future[None] | None = None  # whether this host runs it exactly
        self.state: JsonTable = {}  # QEMU's version: recorded, never compared
        self.tell: Tell = silent

    def identity(self) -> dict[str, str]:
        """The digest of the snapshot's memory, and QEMU's arguments."""
        return snapshot.identity(self.inputs(silent), self.cache, self.tell)

    def prepare(self, progress: Tell) -> None:
        self.tell = progress
        snapshot.cached_snapshot(self.inputs(progress), self.cache, progress)

    def inputs(self, progress: Tell) -> SnapshotInputs:
        """The image, QEMU and its plugin; built on first use."""
        with self.lock:
            if self.found_inputs is None:
                image = build_image(self.machine, self.cache, progress)
                qemu = runner.bundled(self.machine, self.cache, progress)
                plugin = build.built_plugin(self.machine, self.cache, progress)
                wires, expected = link.digest(self.machine), snapshot.read(self.machine)
                self.found_inputs = SnapshotInputs(image, qemu, plugin, wires, expected)
            return self.found_inputs

    def verified_snapshot(self) -> Snapshot:
        """The snapshot for all jobs of this process, with checked digests, on a host that runs it exactly."""
        verified, check = self._checked()
        check.result()
        return verified

    def _checked(self) -> tuple[Snapshot, Future[None]]:
        """The snapshot with checked digests, and its self-check, which runs beside the first jobs."""
        inputs = self.inputs(silent)
        with self.lock:
            if self.snapshot is None or self.check is None:
                verified = snapshot.verified_snapshot(inputs, self.cache, self.tell)
                self.snapshot, self.state = verified, {"qemu": verified.runner.version()}
                pool, more = ThreadPoolExecutor(1), (self.cache, partial(self._run, verified), self.tell)
                self.check = pool.submit(snapshot.require_exact, verified, inputs.expectation, *more)
                pool.shutdown(wait=False)
            return self.snapshot, self.check

    def expect(self, progress: Tell) -> Path:
        """Write this host's digests and results as the repository's expectation."""
        (self.machine / snapshot.FILE).unlink(missing_ok=True)
        inputs = self.inputs(progress)
        verified = snapshot.verified_snapshot(inputs, self.cache, progress)
        checks = snapshot.check_digests(partial(self._run, verified))
        places = (self.machine, self.cache, progress)
        host = runner.digests(*places) | build.host_digests(*places)
        return snapshot.write(self.machine, Expected(inputs.digest, verified.digests(), checks, host))

    def run(self, job: Job, logs: Path | None = None) -> Outcome:
        """Run a job; return its outcome, or raise, as soon as the self-check is over."""
        verified, check = self._checked()
        try:
            return self._run(verified, job, logs)
        finally:
            check.result()

    run_watched = run  # logs all frames into the folder: see machine.fork_server

    def fork_server(self, machine: Snapshot) -> ForkServer:
        """The pair of VMs from which each run forks; it ends with this site."""
        with self.starting:
            self.running.require_open()
            if self.server is None or not self.server.lives:
                self.server = ForkServer(machine, snapshot.WARM_UP, self.counter)
                weakref.finalize(self, self.server.close)
            return self.server

    def _run(self, machine: Snapshot, job: Job, logs: Path | None = None) -> Outcome:
        per_second, more = self.host_seconds
        limit_s = job.deadline_s * per_second + more
        server, watch = self.fork_server(machine), self.running.watch
        with self.running.stoppable():
            if job.is_switched:
                switch = build.card_file(build.SWITCH, self.machine, self.cache, self.tell)
                outcome = switched.run(server, job, limit_s, watch, switch, logs, self.card(job))
            else:
                outcome = fork_server.run(server, job, limit_s, watch, logs, self.card(job))
        return replace(outcome, state=self.state)

    def card(self, job: Job) -> Path | None:
        return build.card_file(build.DEVICE, self.machine, self.cache, self.tell) if job.link.card else None

    def stop(self) -> None:
        self.running.stop()
        with self.starting:
            if self.server is not None:
                self.server.close()


def open(wanted: str = "", _: Path | None = None) -> ExactSite:  # noqa: A001 - as every site's module
    if wanted:
        raise SiteError(f"the exact site has no variant {wanted!r}", hint="--site exact")
    return ExactSite(MACHINE, CACHE)


class ProfiledSite(ExactSite):
    """Runs one job after the other, because each end has one file for its counts."""

    def __init__(self, machine: Path, cache: Path) -> None:
        super().__init__(machine, cache)
        self.turn = threading.Lock()

    def prepare(self, progress: Tell) -> None:
        super().prepare(progress)
        files = (os.memfd_create("client"), os.memfd_create("server"))
        for file in files:
            weakref.finalize(self, os.close, file)
        self.counter = CountingPlugin(build.built_plugin(self.machine, self.cache, progress, PROFILE), files)

    def image(self) -> Image:
        return self.inputs(silent).image

    def count(self, job: Job) -> tuple[Outcome, bytes, bytes]:
        """Run a job; return its outcome, and the plugin's output at the client and at the server."""
        self.verified_snapshot()  # first, since the self-check would count, too
        with self.turn:
            outcome = self.run(job)
            assert self.counter is not None
            client, server = (os.pread(file, os.fstat(file).st_size, 0) for file in self.counter.files)
        return outcome, client, server
