"""The lab's own programs, verbs and tcp: one pair of processes goes through all sizes and prints the lab's CSV."""

from __future__ import annotations

from lab.model.parameters import Counts
from lab.model.trial import Ends, Step, StepOutcome
from lab.places import BENCH
from lab.programs.request import DIRECTORY, Program, Reading, Request
from lab.programs.samples_csv import read_samples

PORT = 18600

ROUNDS = ("until_stable", "stable_window", "rounds_cap")
COMMON = frozenset({"iterations", "warmup", "sizes", "windows", "least_time_s", "wait", "verify", "seed", *ROUNDS})
VERBS = COMMON | {"tx_depth", "rx_depth", "post_list", "signal_every", "inline", "path_mtu"}
TCP = COMMON | {"nodelay", "send_buffer", "receive_buffer"}


def steps(request: Request, ends: Ends) -> tuple[Step, ...]:
    """One step: the options that both ends share, then those of each end."""
    shared = _shared(request)
    server = (*shared, "--listen", ends.server.host)
    client = (*shared, "--source", ends.client.host)
    if request.program == "verbs":
        server = (*server, "--device", ends.server.device)
        client = (*client, "--device", ends.client.device)
    program = f"{DIRECTORY}/{request.program}"
    return (Step((f"{program}-server", *server), (f"{program}-client", *client, ends.server.host), PORT),)


def parse(request: Request, outcomes: tuple[StepOutcome, ...]) -> Reading:
    """The CSV as it stands; everything that was asked for must be there."""
    (outcome,) = outcomes
    return read_samples(outcome.client_out, request)


def _shared(request: Request) -> tuple[str, ...]:
    values = request.parameters
    options = {"measure": request.measure, "sizes": ",".join(_item(each) for each in request.counts)}
    names = ["windows", "wait", "seed"]
    if request.program == "verbs":
        options["operation"] = request.operation
        options["mtu"] = str(values.path_mtu)
        names += ["tx_depth", "rx_depth", "post_list", "signal_every", "inline"]
    else:
        names += ["send_buffer", "receive_buffer"]
    if values.until_stable:
        names += ROUNDS
    options |= {name.replace("_", "-"): str(getattr(values, name)) for name in names}
    if request.least_time_s:
        options["least-time"] = str(request.least_time_s)
    options["deadline"] = str(values.wait_deadline_s)
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return (*words, *(f"--{flag}" for flag in _flags(request)))


def _flags(request: Request) -> list[str]:
    flags = {"verify": request.parameters.verify}
    if request.program == "tcp":
        flags["nodelay"] = request.parameters.nodelay
    return [name for name, is_set in flags.items() if is_set]


def _item(each: Counts) -> str:
    return f"{each.size}@{each.iterations}/{each.warmup}"


def _program(name: str, operations: tuple[str, ...], uses: frozenset[str]) -> Program:
    abilities = frozenset((operation, measure) for operation in operations for measure in ("throughput", "latency"))
    binaries = (BENCH / f"{name}-server", BENCH / f"{name}-client")
    return Program(
        name,
        abilities,
        steps,
        parse,
        binaries,
        engine=True,
        prints_samples=True,
        rdma=name == "verbs",
        uses=uses,
    )


PROGRAMS = (
    _program("verbs", ("write", "read", "send", "write-imm"), VERBS),
    _program("tcp", ("send",), TCP),
)
