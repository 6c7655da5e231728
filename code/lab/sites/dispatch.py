"""Trials of the exact site, spread over the nodes of a cluster."""

from __future__ import annotations

import math
import os
import shlex
import sys
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from lab.errors import LabError, SiteError, SiteStopped
from lab.files.storage import storage
from lab.model.trial import Job, Outcome
from lab.places import ROOT
from lab.sites import queue
from lab.sites import task as spool
from lab.sites.hosts import Slurm
from lab.sites.queue import Place, Task, load, shell

GATHER_S = 0.3  # after the first job of an array, for the others
FIRST_NAP_S, LONGEST_NAP_S = 0.1, 2.0  # between looks at the files
FIRST_ASK_S, LONGEST_ASK_S = 1.0, 15.0  # between questions to the controller, which cost it something
BACKOFF = 1.3
GRACE_S = 5.0  # between the end of a task and the sight of its files over a network file system
SPREAD = 16  # the fewest tasks of an array, so that few trials still use many nodes
SHAPES = {
    "pair": ("--nodes=2", "--ntasks-per-node=1", "--exclusive"),
    "exact": ("--nodes=1", "--ntasks=1"),
}


@dataclass
class Waiting:
    """A job that was submitted."""

    folder: Path
    future: Future[Outcome] = field(default_factory=Future)
    task: Task | None = None
    ended_s: float | None = None  # when its task was first seen to be over
    starved_s: float | None = None  # when its task was first seen without nodes


class _Backoff:
    """Waits that grow longer while nothing happens."""

    def __init__(self, first_s: float, longest_s: float) -> None:
        self.first_s, self.longest_s = first_s, longest_s
        self.begin()

    def begin(self) -> None:
        """Start again with the shortest wait: something happened."""
        self.wait_s, self.last_s = self.first_s, time.monotonic()

    def next_s(self) -> float:
        """How long to wait now; longer the next time."""
        self.wait_s = min(BACKOFF * self.wait_s, self.longest_s)
        return self.wait_s

    def due(self) -> bool:
        """Whether it is time again."""
        if time.monotonic() - self.last_s < self.wait_s:
            return False
        self.last_s = time.monotonic()
        self.next_s()
        return True


class Dispatch:
    """One thread that submits, looks and tells."""

    def __init__(self, cluster: Slurm, folder: Path, kind: str) -> None:
        self.cluster, self.folder, self.kind = cluster, folder, kind
        self.lock = threading.Condition()
        self.waiting: dict[str, Waiting] = {}
        self.stopped = False
        self.thread: threading.Thread | None = None

    def run(self, job: Job) -> Outcome:
        """The outcome of a job: one that lies there already, else of a task that still runs, else of a new task."""
        name = spool.digest(job, self.kind)
        with self.lock:
            if self.stopped:
                raise SiteStopped("the slurm site was told to stop")
            one = self.waiting.setdefault(name, Waiting(self.folder / name))
            if not one.folder.exists():
                spool.put_job(one.folder, job)
            one.task = one.task or _submitted(one.folder)
            if self.thread is None:
                self.thread = threading.Thread(target=self._work, daemon=True)
                self.thread.start()
            self.lock.notify()
        return one.future.result()

    def stop(self) -> None:
        """Cancel all that was submitted and is not over."""
        with self.lock:
            self.stopped = True
            waiting, self.waiting = dict(self.waiting), {}
            self.lock.notify()
        queue.cancel(each.task.array for each in waiting.values() if each.task)
        for each in waiting.values():
            (each.folder / spool.SUBMITTED).unlink(missing_ok=True)
            each.future.set_exception(SiteStopped("the slurm site was told to stop"))

    def _work(self) -> None:
        looks, asks = _Backoff(FIRST_NAP_S, LONGEST_NAP_S), _Backoff(FIRST_ASK_S, LONGEST_ASK_S)
        while not self.stopped:
            with self.lock:
                if not self.waiting:
                    self.lock.wait()
            try:
                if self._submit() | self._look(ask=asks.due()):
                    looks.begin()
                    asks.begin()
            except LabError as error:
                self._tell_all(error)
            with self.lock:
                if not self.stopped:
                    self.lock.wait(looks.next_s())

    def _submit(self) -> bool:
        """One array of all that is new; each job's folder says which task it is."""
        if not self._new():
            return False
        time.sleep(GATHER_S)
        new = self._new()
        size = 1 if self.kind == "pair" else max(1, min(self.cluster.trials_per_task, math.ceil(len(new) / SPREAD)))
        tasks = [new[first : first + size] for first in range(0, len(new), size)]
        array = queue.submit(self._script(tasks), len(tasks), self.cluster, self._shape(size))
        for index, each in enumerate(tasks):
            for one in each:
                one.task = Task(array, index)
                (one.folder / spool.SUBMITTED).write_text(str(one.task))
        return True

    def _new(self) -> list[Waiting]:
        with self.lock:
            return [each for each in self.waiting.values() if each.task is None]

    def _shape(self, size: int) -> tuple[str, ...]:
        log = f"--output={self.folder}/log-%A_%a"
        return (*SHAPES[self.kind], f"--time={self.cluster.minutes * size}", log, f"--chdir={ROOT}")

    def _script(self, tasks: list[list[Waiting]]) -> Path:
        """What each task runs."""
        name = f"{os.getpid()}-{os.urandom(4).hex()}"
        listed, script = self.folder / f"tasks-{name}", self.folder / f"script-{name}"
        command = [sys.executable, "-m", "lab.sites.task", self.kind, str(listed)]
        words = shlex.join([*command, self.cluster.interface, self.cluster.device])
        with storage(script):
            listed.write_text("".join("\t".join(str(one.folder) for one in each) + "\n" for each in tasks))
            script.write_text(f"{shell(self.cluster)}{load(self.cluster)}exec {words}\n")
        return script

    def _look(self, *, ask: bool) -> bool:
        """Take the outcomes that are there; fail the jobs that will have none."""
        with self.lock:
            waiting = dict(self.waiting)
        places = queue.places(each.task.array for each in waiting.values() if each.task) if ask else None
        told = False
        for name, one in waiting.items():
            found = spool.take(one.folder)
            if found is None and places is not None and one.task is not None:
                found = self._given_up(one, one.task, places.get(one.task))
            if found is not None:
                told = True
                self._tell(name, found)
        return told

    def _given_up(self, one: Waiting, task: Task, place: Place | None) -> SiteError | None:
        now = time.monotonic()
        if place is not None and place.alive:
            one.ended_s = None
            one.starved_s = (one.starved_s or now) if place.without_nodes else None
            if one.starved_s is None or now - one.starved_s < self.cluster.patience_s:
                return None
            queue.cancel([str(task)])
            _forget(one.folder)
            return SiteError(
                f"no node for it within {self.cluster.patience_s} s: {place.reason}", f"Slurm job {task}", "sinfo -R"
            )
        one.ended_s = one.ended_s or now
        if now - one.ended_s < GRACE_S:
            return None
        _forget(one.folder)
        return queue.failure(task, place, self.folder / f"log-{task}")

    def _tell(self, name: str, found: Outcome | LabError) -> None:
        with self.lock:
            one = self.waiting.pop(name, None)
        if one is None:
            return
        if isinstance(found, LabError):
            one.future.set_exception(found)
        else:
            one.future.set_result(found)

    def _tell_all(self, error: LabError) -> None:
        with self.lock:
            names = list(self.waiting)
        for name in names:
            self._tell(name, error)


def _submitted(folder: Path) -> Task | None:
    """The task that an earlier run submitted for this folder."""
    try:
        array, _, index = (folder / spool.SUBMITTED).read_text().partition("_")
        return Task(array, int(index))
    except (FileNotFoundError, ValueError):
        return None


def _forget(folder: Path) -> None:
    """Forget the task, so that the next run submits a new one."""
    (folder / spool.SUBMITTED).unlink(missing_ok=True)
