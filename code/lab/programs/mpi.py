"""mpi-pingpong: one launcher starts both ranks, one at each end of the link; over TCP or over verbs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from lab.model.trial import DIRECTORY, End, Ends, Step
from lab.options import TABLES
from lab.places import BENCH
from lab.programs import bench
from lab.programs.launchers import Rank, Words, starter
from lab.programs.program import ONE_WAY, Program, Request

BINARY = "mpi-pingpong"
MODES = {"latency": "ping-pong", ONE_WAY: "one-way"}
TABLE = TABLES["mpi"]

# Neither can bypass the link: shared memory is off, and each rank is limited to one interface and device.
TRANSPORTS = {
    "tcp": {"pml": "ob1", "btl": "self,tcp", "osc": "^ucx"},  # UCX would use the RDMA device
    "verbs": {"pml": "ucx", "btl": "self"},
}


def launch(
    transport: str, ends: Ends, command: Words, other: Words = (), more: Mapping[str, str] | None = None
) -> Step:
    """Return the step that runs a command as both ranks, or another at the server, with more settings of Open MPI.
    Rank 0 runs at the client."""
    ranks = _rank(transport, ends.client, command), _rank(transport, ends.server, other or command)
    return starter(ends.launcher)({**TRANSPORTS[transport], **(more or {})}, ranks)


def launch_together(
    transport: str, launcher: str, ends: Sequence[End], commands: Sequence[Words], more: Mapping[str, str]
) -> Step:
    """Return the step that runs a rank on each of several computers: the launcher on the first, its daemons, if it has
    any, on the others."""
    ranks = [_rank(transport, end, command) for end, command in zip(ends, commands, strict=True)]
    step = starter(launcher)({**TRANSPORTS[transport], **more}, ranks)
    return replace(step, server=(), ranks=(step.client, *(step.server,) * (len(ranks) - 1)))


def _options(request: Request) -> tuple[str, ...]:
    values = request.parameters
    mode = ("--mode", MODES[request.measure], "--calls", values.calls)
    words = (*mode, "--sizes", bench.sizes_option(request), "--seed", str(values.seed))
    verify = ("--verify",) if values.verify else ()
    times = {"--least-time": request.least_time_s, "--duration": values.duration_s}
    lasting = [word for name, seconds in times.items() if seconds for word in (name, str(seconds))]
    return (*words, "--deadline", str(values.wait_deadline_s), *lasting, *verify)


def _rank(transport: str, end: End, command: Words) -> Rank:
    return Rank(end.host, _environment(transport, end), command)


def _environment(transport: str, end: End) -> tuple[tuple[str, str], ...]:
    """UCX opens connections with datagrams (`rc_v` includes `ud_v`). It drops those of Soft-RoCE unless the check of
    their GID is off."""
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
        bench.parse,
        (BENCH / BINARY,),
        prints_samples=True,
        rdma=transport == "verbs",
        parameters=frozenset(TABLE.asked) - {"wait_deadline_s"},
        table=TABLE,
    )


PROGRAMS = (_program("tcp"), _program("verbs"))
