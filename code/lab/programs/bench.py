"""Verbyte's programs verbs and tcp: one pair of processes goes through all sizes and prints Verbyte's CSV."""

from lab.model.parameters import ROUNDS
from lab.model.trial import DIRECTORY, Ends, Step, StepOutcome
from lab.options import TABLES, Table
from lab.places import BENCH
from lab.programs.launchers import Words
from lab.programs.program import Program, Reading, Request
from lab.programs.samples_csv import read_samples

PORT = 18600
# The order of the options is part of every key, and so are options that are always passed. A new option of options.json
# comes after these, and only with a value other than its default: older records keep their keys.
FIRST = ("path_mtu", "windows", "wait", "seed")
LATER = ("tx_depth", "rx_depth", "post_list", "signal_every", "inline", "send_buffer", "receive_buffer")
PLACED = frozenset({*FIRST, *LATER, *ROUNDS, "sizes", "iterations", "warmup", "least_time_s", "wait_deadline_s"})


def steps(request: Request, ends: Ends) -> tuple[Step, ...]:
    """Return one step: the options that both ends share, then those of each end."""
    shared, program = _shared(request, TABLES[request.program]), f"{DIRECTORY}/{request.program}"
    source = ("--source", ends.client.host)
    if request.program == "verbs":  # the data go between devices; the rendezvous may use another network
        side = ends.side_channel
        server: Words = ("--listen", side, "--device", ends.server.device)
        client: Words = (*(source if side == ends.server.host else ()), "--device", ends.client.device, side)
    else:
        server, client = ("--listen", ends.server.host), (*source, ends.server.host)
    return (Step((f"{program}-server", *shared, *server), (f"{program}-client", *shared, *client), PORT),)


def parse(request: Request, outcomes: tuple[StepOutcome, ...]) -> Reading:
    """Read the CSV of the client, or of rank 0; raise unless it has all samples of the request."""
    (outcome,) = outcomes
    return read_samples(outcome.client_out, request, by_lab=True)


def sizes_option(request: Request) -> str:
    """Return the --sizes of Verbyte's programs: `64@1000/10` is 1000 messages of 64 bytes after 10 for warm-up."""
    return ",".join(f"{counts.size}@{counts.iterations}/{counts.warmup}" for counts in request.counts)


def _shared(request: Request, table: Table) -> tuple[str, ...]:
    values, asked = vars(request.parameters), table.asked
    options = {"measure": request.measure, "sizes": sizes_option(request)}
    if request.program == "verbs":
        options["operation"] = request.operation
    names = [name for name in (*FIRST, *LATER) if name in asked]
    names += ROUNDS if request.parameters.until_stable else ()
    names += [name for name in asked if name not in PLACED and str(values[name]) != asked[name].default]
    names = [name for name in names if asked[name].kind != "flag"]
    options |= {asked[name].name: str(values[name]) for name in names}
    if request.least_time_s:
        options["least-time"] = str(request.least_time_s)
    options["deadline"] = str(request.parameters.wait_deadline_s)
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    flags = [name for name in sorted(asked, key="verify".__ne__) if asked[name].kind == "flag" and values[name]]
    return (*words, *(f"--{asked[name].name}" for name in flags))


def _program(name: str, operations: tuple[str, ...]) -> Program:
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
        parameters=frozenset(TABLES[name].asked) - {"wait_deadline_s"},
        table=TABLES[name],
    )


PROGRAMS = (_program("verbs", ("write", "read", "send", "write-imm")), _program("tcp", ("send",)))
