"""A Slurm cluster: arrays of trials, two nodes each for a real link, or one node each for the exact machine.

What runs there survives this process: every job has a folder in the spool, and a later run takes what it finds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from lab.errors import SiteError
from lab.model.trial import End, Ends, Job, Outcome
from lab.places import CACHE, HOSTS
from lab.sites import exact, queue
from lab.sites.dispatch import Dispatch
from lab.sites.host import refuse_model
from lab.sites.hosts import Slurm, read_slurm
from lab.sites.site import EXACT, Clock, Shared, Traits

AT_ONCE = 256  # trials that wait in the queue together

# No node is known before a job has started: the nodes replace these words.
ENDS = Ends(
    client=End("@client.host", "@client.device", "@client.interface", "@client.gid"),
    server=End("@server.host", "@server.device", "@server.interface", "@server.gid"),
    side_channel="@side_channel",
)


TRAITS = Traits(Clock.WALL, Shared.NOTHING, takes_models=False, reachable=True)


class SlurmSite:
    """Two nodes for each trial."""

    name = "slurm"
    boots_image = False
    traits = TRAITS
    kind = "pair"
    at_once: int | None = AT_ONCE

    def __init__(self, cluster: Slurm) -> None:
        self.cluster = cluster
        self.dispatch = Dispatch(cluster, Path(cluster.spool) if cluster.spool else CACHE / "spool", self.kind)
        self.known: dict[str, str] | None = None

    @property
    def ends(self) -> Ends:
        """Both ends under names that the nodes replace; no device without one in hosts.toml."""
        ends = replace(ENDS, launcher=self.cluster.launcher)
        if self.cluster.device:
            return ends
        client, server = (replace(each, device="", gid="") for each in (ends.client, ends.server))
        return replace(ends, client=client, server=server)

    def identity(self) -> dict[str, str]:
        """The cluster and the kind of nodes that were asked for; which ones it gave is in each record's state."""
        if self.known is None:
            asked = ("partition", "constraint", "interface", "device")
            named = {name: str(getattr(self.cluster, name)) for name in asked if getattr(self.cluster, name)}
            self.known = {"cluster": queue.cluster_name(), **named}
        return self.known

    def prepare(self, progress: Callable[[str], None]) -> None:
        """Ask for the cluster's name: an error if there is none."""
        del progress
        self.identity()

    def run(self, job: Job) -> Outcome:
        """Wait for the cluster to run a job."""
        refuse_model(job.link)
        return self.dispatch.run(job)

    def stop(self) -> None:
        """Cancel what this run submitted."""
        self.dispatch.stop()


class ExactOnSlurm(SlurmSite):
    """The exact machine on a cluster's nodes: the same records as from this computer."""

    name = "exact"
    boots_image = True
    traits = EXACT
    kind = "exact"

    def __init__(self, cluster: Slurm) -> None:
        self.machine = exact.open()
        super().__init__(cluster)

    @property
    def ends(self) -> Ends:
        """The traits of the machine."""
        return self.machine.ends

    def identity(self) -> dict[str, str]:
        """The identity of the machine: the node makes no difference."""
        return self.machine.identity()

    def prepare(self, progress: Callable[[str], None]) -> None:
        """Freeze the machine here, once: all nodes see the same folder."""
        queue.version()
        self.machine.prepare(progress)

    def run(self, job: Job) -> Outcome:
        """Wait for a node to run a job."""
        return self.dispatch.run(job)


def open(wanted: str = "", hosts: Path = HOSTS) -> SlurmSite:  # noqa: A001 - as every site's module
    """`slurm` measures between two nodes, `slurm:exact` spreads trials of the exact machine over nodes."""
    kinds = {"": SlurmSite, "exact": ExactOnSlurm}
    if wanted not in kinds:
        raise SiteError(f"the site slurm has no kind {wanted!r}", hint="--site slurm, or --site slurm:exact")
    return kinds[wanted](read_slurm(hosts))
