"""mpi-pingpong: one launcher starts both ranks, each on its own end of the link; over TCP or over verbs."""

from __future__ import annotations

from functools import partial

from lab.model.trial import DIRECTORY, End, Ends, Step, StepOutcome
from lab.options import TABLES
from lab.places import BENCH
from lab.programs import launchers
from lab.programs.launchers import Rank, Words
from lab.programs.program import ONE_WAY, Program, Reading, Request
from lab.programs.samples_csv import read_samples

BINARY = "mpi-pingpong"
MODES = {"latency": "ping-pong", ONE_WAY: "one-way"}
TABLE = TABLES["mpi"]

# Neither can bypass the cable: there is no shared memory, and each rank knows its own interface and device only.
TRANSPORTS = {
    "tcp": {"pml": "ob1", "btl": "self,tcp"},
    "verbs": {"pml": "ucx", "btl": "self"},
}


def launch(transport: str, ends: Ends, command: Words, other: Words = ()) -> Step:
    """The same program at both ends, or another at the server's. Rank 0 is at the client's."""
    first = Rank(ends.client.host, _values(transport, ends.client), command)
    second = Rank(ends.server.host, _values(transport, ends.server), other or command)
    return launchers.launch(ends.launcher, TRANSPORTS[transport], (first, second))


def _options(request: Request) -> tuple[str, ...]:
    values = request.parameters
    mode = ("--mode", MODES[request.measure], "--calls", values.calls)
    words = (*mode, "--sizes", request.sizes_option, "--seed", str(values.seed))
    verify = ("--verify",) if values.verify else ()
    lasting = ("--least-time", str(request.least_time_s)) if request.least_time_s else ()
    return (*words, "--deadline", str(values.wait_deadline_s), *lasting, *verify)


def parse(request: Request, outcomes: tuple[StepOutcome, ...]) -> Reading:
    """The samples that rank 0 printed; the launcher forwards them."""
    (outcome,) = outcomes
    return read_samples(outcome.client_out, request, ours=True)


def _values(transport: str, end: End) -> tuple[tuple[str, str], ...]:
    """One rank's own environment. UCX opens connections with datagrams (`rc_v` includes `ud_v`). It drops those of
    Soft-RoCE unless the check of their GID is off."""
    if transport == "tcp":
        return (("OMPI_MCA_btl_tcp_if_include", end.interface),)
    return (("UCX_TLS", "rc_v,self"), ("UCX_NET_DEVICES", f"{end.device}:1"), ("UCX_UD_VERBS_ETH_DGID_CHECK", "n"))


def _steps(transport: str, request: Request, ends: Ends) -> tuple[Step, ...]:
    return (launch(transport, ends, (f"{DIRECTORY}/{BINARY}", *_options(request))),)


def _program(transport: str) -> Program:
    return Program(
        f"mpi-{transport}",
        frozenset({("send", measure) for measure in MODES}),
        partial(_steps, transport),
        parse,
        (BENCH / BINARY,),
        prints_samples=True,
        rdma=transport == "verbs",
        uses=frozenset(TABLE.asked) - {"wait_deadline_s"},
        table=TABLE,
    )


PROGRAMS = (_program("tcp"), _program("verbs"))
