"""A Slurm cluster: arrays of trials, two or more nodes each for a real link.

The jobs survive this process: every job has a folder in the spool, from which a later run takes the outcome.
"""

import shlex
import sys
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path

from lab.errors import LabError, SiteError, SiteStopped, Tell
from lab.model.trial import MOST_COMPUTERS, End, Ends, Job, Outcome
from lab.places import CACHE, HOSTS, ROOT
from lab.sites import queue
from lab.sites import task as spool
from lab.sites.hosts import Slurm, read_slurm
from lab.sites.queue import Place
from lab.sites.site import Clock, Shared, Traits
from lab.sites.wall import refuse_model

AT_ONCE = 256  # trials in the queue
TRAITS = Traits(Clock.WALL, Shared.NOTHING, takes_models=False, reachable=True, computers=MOST_COMPUTERS)
# Placeholders, which the nodes replace when the job starts.
ENDS = Ends(
    client=End("@client.host", "@client.device", "@client.interface", "@client.gid"),
    server=End("@server.host", "@server.device", "@server.interface", "@server.gid"),
    side_channel="@side_channel",
)
GATHER_S = 0.3  # after the first job of an array, for the others
LOOK_S = 0.5  # between looks at the files
ASK_S = 10.0  # between requests to the controller, which are costly for it
LONGEST_SILENCE_S = 600.0  # of a controller that restarts or is busy
GRACE_S = 5.0  # after the end of a task, before its files are visible over a network file system
STOPPED = "the slurm site was stopped"


@dataclass
class SubmittedJob:
    folder: Path
    nodes: int
    future: Future[Outcome] = field(default_factory=Future)
    task: str = ""  # such as 123_4; empty before it is submitted
    ended_s: float | None = None  # since when its task has ended
    starved_s: float | None = None  # since when its task has no nodes

    @property
    def array(self) -> str:
        return self.task.partition("_")[0]

    def forget_task(self) -> None:
        """Let the next run submit a new task."""
        (self.folder / spool.SUBMITTED).unlink(missing_ok=True)


class SlurmSite:
    """A thread submits the jobs and returns their outcomes."""

    name = "slurm"
    boots_image = False
    traits = TRAITS
    at_once: int | None = AT_ONCE

    def __init__(self, cluster: Slurm) -> None:
        self.cluster, self.folder = cluster, Path(cluster.spool) if cluster.spool else CACHE / "spool"
        self.ends = replace(ENDS, launcher=cluster.launcher)
        if not cluster.device:
            client, server = (replace(end, device="", gid="") for end in (ENDS.client, ENDS.server))
            self.ends = replace(self.ends, client=client, server=server)
        self.found_identity: dict[str, str] | None = None
        self.lock = threading.Condition()
        self.waiting: dict[str, SubmittedJob] = {}
        self.stopped = False
        self.thread: threading.Thread | None = None
        self.asked_s = self.answered_s = time.monotonic()  # when the controller was last asked, and last answered

    def identity(self) -> dict[str, str]:
        """The cluster and the requested kind of nodes; each record's state has its nodes."""
        if self.found_identity is None:
            names = ("partition", "constraint", "interface", "device")
            settings = {name: str(getattr(self.cluster, name)) for name in names if getattr(self.cluster, name)}
            self.found_identity = {"cluster": queue.cluster_name(), **settings}
        return self.found_identity

    def prepare(self, progress: Tell) -> None:
        """Read the cluster's name; raise without a cluster."""
        del progress
        self.identity()

    def run(self, job: Job) -> Outcome:
        """The outcome of a job, from its folder, from a running task or from a new one."""
        refuse_model(job.link)
        name = spool.digest(job)
        with self.lock:
            if self.stopped:
                raise SiteStopped(STOPPED)
            submission = self.waiting.setdefault(name, SubmittedJob(self.folder / name, job.computers))
            if not submission.folder.exists():
                spool.put_job(submission.folder, job)
            file = submission.folder / spool.SUBMITTED
            submission.task = submission.task or (file.read_text() if file.exists() else "")  # of an earlier run
            if self.thread is None:
                self.thread = threading.Thread(target=self._work, daemon=True)
                self.thread.start()
            self.lock.notify()
        return submission.future.result()

    def stop(self) -> None:
        with self.lock:
            self.stopped = True
            self.lock.notify()
        waiting = self._abandon(SiteStopped(STOPPED))
        queue.cancel(submission.array for submission in waiting.values() if submission.task)
        for submission in waiting.values():
            submission.forget_task()

    def _abandon(self, error: LabError) -> dict[str, SubmittedJob]:
        with self.lock:
            waiting, self.waiting = dict(self.waiting), {}
        for submission in waiting.values():
            submission.future.set_exception(error)
        return waiting

    def _work(self) -> None:
        while not self.stopped:
            with self.lock:
                if not self.waiting:
                    self.lock.wait()
            try:
                self._submit()
                self._look()
            except LabError as error:
                self._abandon(error)
            with self.lock:
                if not self.stopped:
                    self.lock.wait(LOOK_S)

    def _submit(self) -> None:
        """Submit one array of the new jobs for equally many nodes; write the number of its task into each job's
        folder."""
        if self._new():
            time.sleep(GATHER_S)
        if not (new := self._new()):
            return
        new = [submission for submission in new if submission.nodes == new[0].nodes]
        shape = ("--ntasks-per-node=1", "--exclusive", f"--nodes={new[0].nodes}", f"--time={self.cluster.minutes}")
        places = (f"--output={self.folder}/log-%A_%a", f"--chdir={ROOT}")
        command = [sys.executable, "-m", "lab.sites.task", self.cluster.interface, self.cluster.device]
        script = queue.script(self.cluster, shlex.join((*command, *(str(submission.folder) for submission in new))))
        array = queue.submit(script, len(new), self.cluster, (*shape, *places))
        self.answered_s = time.monotonic()
        for index, submission in enumerate(new):
            submission.task = f"{array}_{index}"
            (submission.folder / spool.SUBMITTED).write_text(submission.task)

    def _new(self) -> list[SubmittedJob]:
        with self.lock:
            return [submission for submission in self.waiting.values() if not submission.task]

    def _look(self) -> None:
        """Return the outcomes in the folders to their threads; fail the jobs that will have none."""
        with self.lock:
            waiting = dict(self.waiting)
        places = self._places(waiting) if time.monotonic() - self.asked_s >= ASK_S else None
        results: dict[str, Outcome | LabError] = {}
        for name, submission in waiting.items():
            result: Outcome | LabError | None = spool.take(submission.folder)
            if result is None and places is not None and submission.task:
                result = self._given_up(submission, places.get(submission.task))
            if result is not None:
                results[name] = result
        with self.lock:
            finished = [(self.waiting.pop(name), result) for name, result in results.items() if name in self.waiting]
        for submission, result in finished:
            if isinstance(result, Outcome):
                (self.folder / f"log-{submission.task}").unlink(missing_ok=True)
                submission.future.set_result(result)
            else:
                submission.future.set_exception(result)

    def _places(self, waiting: dict[str, SubmittedJob]) -> dict[str, Place] | None:
        """The states of the tasks; None if the controller did not answer: the jobs go on. Raise after a long silence;
        the next run finds the jobs in their folders."""
        self.asked_s = time.monotonic()
        try:
            places = queue.places(submission.array for submission in waiting.values() if submission.task)
        except SiteError:
            if time.monotonic() - self.answered_s > LONGEST_SILENCE_S:
                raise
            return None
        self.answered_s = time.monotonic()
        return places

    def _given_up(self, submission: SubmittedJob, place: Place | None) -> SiteError | None:
        """The error of a task that has ended, or waits too long for nodes that are down."""
        now = time.monotonic()
        if place is not None and place.state in queue.ALIVE:
            has_no_nodes = place.state == "PENDING" and any(word in place.reason for word in queue.WITHOUT_NODES)
            submission.ended_s = None
            submission.starved_s = (submission.starved_s or now) if has_no_nodes else None
            if submission.starved_s is None or now - submission.starved_s < self.cluster.patience_s:
                return None
            queue.cancel([submission.task])
            submission.forget_task()
            what = f"no node for it within {self.cluster.patience_s} s: {place.reason}"
            return SiteError(what, f"Slurm job {submission.task}", "sinfo -R")
        submission.ended_s = submission.ended_s or now
        if now - submission.ended_s < GRACE_S:
            return None
        submission.forget_task()
        return queue.failure(submission.task, place, self.folder / f"log-{submission.task}")


def open(wanted: str = "", hosts: Path = HOSTS) -> SlurmSite:  # noqa: A001 - as every site's module
    if wanted:
        raise SiteError(f"the slurm site has no variant {wanted!r}", hint="--site slurm")
    return SlurmSite(read_slurm(hosts))
