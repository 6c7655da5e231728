"""Two ranks of Open MPI, each in a VM, so without shared memory."""

import re
import subprocess

from lab.model.trial import Job, Link, Perturbation
from lab.places import BENCH, BENCH_SOURCES
from lab.programs.launchers import Rank, launch
from lab.programs.mpi import BINARY
from lab.sites.exact import ExactSite

SIZE, PINGS = 4096, 50
COMMAND = (f"/lab/bin/{BINARY}", "--mode", "ping-pong", "--calls", "blocking", "--sizes", f"{SIZE}@{PINGS}/0")
ENVIRONMENT = (("LAB_TOKEN", "t"), ("OMPI_MCA_btl_base_verbose", "20"))
USED = re.compile(r"Using (\w+) btl for send to \[\[\d+,1\],(\d)\]")


def test_default_transport_between_ranks_is_the_link_and_shared_memory_is_refused(exact: ExactSite) -> None:
    subprocess.run(["make", "-s", "-C", BENCH_SOURCES], check=True)
    ends = (exact.ends.client, exact.ends.server)
    first, second = (Rank(end.host, (("OMPI_MCA_btl_tcp_if_include", end.interface),), COMMAND) for end in ends)
    settings: tuple[dict[str, str], ...] = ({}, {"pml": "ob1", "btl": "self,vader"})
    steps = tuple(launch(exact.ends.launcher, chosen, (first, second)) for chosen in settings)
    outcome = exact.run(Job(steps, Link(), Perturbation(), 60, ENVIRONMENT, (BENCH / BINARY,)))
    default, shared = outcome.steps
    assert default.client_status == 0, default
    assert {*USED.findall(default.client_err)} == {("self", "0"), ("self", "1"), ("tcp", "0"), ("tcp", "1")}
    for end in (0, 1):
        assert outcome.counters_after[f"link{end}.bytes"] > SIZE * PINGS
    assert shared.client_status != 0 and re.search(r"Component: +vader", shared.client_err)
