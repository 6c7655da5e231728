"""How much sooner two nodes of a cluster are through with trials of the exact machine than one; on an idle computer.

PYTHONPATH=.:code .venv/bin/python -m tests.sites.speedup
"""

from __future__ import annotations

import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.sites.cluster import Cluster
from tests.sites.jobs import Jobs

from lab.model.trial import Perturbation
from lab.places import BENCH
from lab.plan.builds import keep_binaries
from lab.sites import slurm

TRIALS = 12
SIZES = "64K@4000/1"  # several seconds of a processor


def seconds(hosts: Path) -> float:
    """What a cluster takes for all trials."""
    site = slurm.open("exact", hosts)
    site.prepare(print)
    tcp = Jobs(site.ends, keep_binaries([BENCH / "tcp-server", BENCH / "tcp-client"]))
    jobs = [tcp.pair(*tcp.tcp(SIZES), deadline_s=100, perturbation=Perturbation(number)) for number in range(TRIALS)]
    started = time.monotonic()
    with ThreadPoolExecutor(TRIALS) as pool:
        assert all(outcome.steps[0].client_status == 0 for outcome in pool.map(site.run, jobs))
    site.stop()
    return time.monotonic() - started


def main() -> None:
    """One node, then both."""
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(Path(folder))
        try:
            one, two = seconds(cluster.toml(options=["--nodelist=n1"])), seconds(cluster.toml())
        finally:
            cluster.stop()
    print(f"{TRIALS} trials: {one:.1f} s on one node, {two:.1f} s on two: {one / two:.2f} x")


if __name__ == "__main__":
    main()
