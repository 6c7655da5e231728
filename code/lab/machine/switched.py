"""A job on several VMs behind a switch: one process on each, all at once."""

import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from lab.files.store import sha256, sha256_of, sums_of
from lab.machine import link, results
from lab.machine.fork_server import ForkFiles, ForkServer, opened_logs
from lab.machine.job import pack
from lab.machine.qemu import DIE_WITH_PARENT, MachineError, path_of
from lab.machine.results import CLIENT, EXIT_S, NAMES, SERVER, EndResult, Watch, run_all, tagged
from lab.machine.runner import LOADER
from lab.model.trial import DAEMON, PS_PER_NS, Job, Outcome, StepOutcome

# In place of init's functions for a pair: no VM tells another one when it begins or ends.
ALONE = """
end() { [ -f "$2.status" ] || kill "-$1" "-$(cat "$2.pid")"; } 2>/dev/null
step() { visit "$1"; }
"""
# All VMs are forks of two. Those from rank 2 on have the addresses of rank 0 until their job begins.
MOVE = """
meet() {{ $ip -batch - <<-WORDS
	link set v0 address 02:00:00:00:00:{number:02x}
	link set side address 02:00:00:00:01:{number:02x}
	addr del 10.0.0.1/24 dev v0
	addr add 10.0.0.{number}/24 dev v0
	addr del fd00::1/64 dev v0
	addr add fd00::{number:x}/64 dev v0
	addr del 192.168.7.1/24 dev side
	addr add 192.168.7.{number}/24 dev side
WORDS
}}
"""
BLAMED = re.compile(r"at port (\d+)")  # a rank


def digest(machine: Path) -> str:
    """A digest of all that decides what happens between the VMs, besides the wires."""
    sources = {file.name: sha256(file) for file in machine.glob("switch/*.[ch]")}
    return sha256_of(sums_of(sources) + f"{ALONE}{MOVE}{WRITE_ASK}".encode())


def run(
    server: ForkServer,
    job: Job,
    limit_s: float,
    watch: Watch,
    program: Path,
    logs: Path | None = None,
    card: Path | None = None,
) -> Outcome:
    """Run a job whose steps have a process for each rank. The outcome has rank 0 as the client and all others as the
    server; their counters have the rank before their names. `watch` registers each process while it runs. client.pcapng
    in the folder for logs gets the frames at rank 0. Each VM gets the card."""
    started, ranks = time.monotonic(), range(job.link.computers)
    with ExitStack() as stack:
        shared = [stack.enter_context(link.shared_file()) for _ in ranks]
        switch = stack.enter_context(_switch(server, program, job, shared))
        (log,) = stack.enter_context(opened_logs(logs, NAMES[:1]))
        device = (stack.enter_context(card.open("rb")).fileno(),) if card else ()

        def run_rank(rank: int, watch: Watch) -> EndResult:
            end = SERVER if rank == 1 else CLIENT
            functions = ALONE + (MOVE.format(number=rank + 1) if rank > 1 else "")
            files = ForkFiles(shared[rank], () if rank else log, device)
            archive = pack(of_rank(job, rank), functions, END=str(end))
            arguments = f"{link.wire(job.link, link.latency_ns(job))},end=0,computer={rank + 1}"
            if job.link.ecn:
                arguments += f",card_notify_ps={job.link.notify_ns * PS_PER_NS}"
            return server.run(end, archive, arguments, files, limit_s, watch)

        ends = run_all("exact", watch, run_rank, [f"the computer of rank {rank}" for rank in ranks], _blamed)
        if switch.wait(EXIT_S):
            assert switch.stderr is not None
            raise MachineError(f"the switch ended with status {switch.returncode}: {switch.stderr.read().decode()}")
        counted = [link.counts(each) | link.depths(each, job.link) for each in shared]
    return joined_outcome(ends, counted, len(job.steps), time.monotonic() - started)


@contextmanager
def _switch(server: ForkServer, program: Path, job: Job, shared: Sequence[int]) -> Iterator[subprocess.Popen[bytes]]:
    """The switch, started as QEMU is: by the loader and the libraries that are bundled with it."""
    runner = server.snapshot.runner
    model = job.link
    words = f"latency={link.latency_ns(job)},rate={model.rate_bit_s or 0},queue={model.queue_bytes}"
    if model.pfc and job.takes_card:
        words += f",xoff={model.xoff_bytes},xon={model.xoff_bytes // 2}"
    if model.ecn and job.takes_card:
        words += f",mark={model.mark_bytes}"
    with program.open("rb") as opened:
        command = [str(runner.folder / LOADER), "--inhibit-cache", "--library-path", ".", path_of(opened.fileno())]
        with subprocess.Popen(
            [*DIE_WITH_PARENT, *command, words, *map(path_of, shared)],
            pass_fds=[opened.fileno(), *shared], cwd=runner.folder, env=runner.environment, start_new_session=True,
            stderr=subprocess.PIPE,  # it also names a computer that was killed because another one failed
        ) as process:  # fmt: skip
            try:
                yield process
            finally:
                process.kill()


def _blamed(error: MachineError) -> int | None:
    """The rank of the VM that failed, if the switch has told this one."""
    found = BLAMED.search(error.what)
    return int(found[1]) if found else None


# The remote shell of MPI's launcher. Its first argument is a host on the link, which it asks over the side network, as
# soon as a shell listens there.
WRITE_ASK = f"""
cat >$0 <<'END'
#!/bin/sh
at=192.168.7.${{1##*.}}; shift
until echo "ln -s /bin/sh $0; exec $*" | nc $at {results.DAEMON_PORT}; do usleep 20000; done 2>/dev/null
END
chmod +x $0 && exec "$@"
"""


def of_rank(job: Job, rank: int) -> Job:
    """The job of one VM, as if its process were a client."""
    steps = (replace(step, client=_command(step.ranks, rank), ranks=None) for step in job.steps if step.ranks)
    return replace(job, steps=tuple(steps))


def _command(ranks: Sequence[tuple[str, ...]], rank: int) -> tuple[str, ...]:
    """The command of one VM: of MPI, the launcher or a shell that waits for the command of its daemon."""
    if DAEMON not in ranks:
        return ranks[rank]
    return results.LISTEN if rank else ("sh", "-c", WRITE_ASK, results.ASK, *results.asking(ranks[0]))


def joined_outcome(
    ends: Sequence[EndResult], counted: Sequence[dict[str, int]], steps: int, host_seconds: float
) -> Outcome:
    """The outcome of all VMs, with rank 0's clock."""
    no_server = {f"{number}.server.status": "0" for number in range(steps)}
    outcomes = [results.outcome(files | no_server, steps, console, host_seconds) for files, console in ends]
    before, after = dict[str, int](), dict[str, int]()
    for rank, (each, of_wires) in enumerate(zip(outcomes, counted, strict=True)):
        prefix = f"rank{rank}." if rank else ""
        before |= {prefix + name: count for name, count in (dict.fromkeys(of_wires, 0) | each.counters_before).items()}
        after |= {prefix + name: count for name, count in (of_wires | each.counters_after).items()}
    return replace(
        outcomes[0],
        steps=tuple(_joined_step([each.steps[number] for each in outcomes]) for number in range(steps)),
        counters_before=before,
        counters_after=after,
        console="".join(each.console for each in outcomes),
    )


def _joined_step(ranks: Sequence[StepOutcome]) -> StepOutcome:
    first, *others = ranks
    return replace(
        first,
        server_out=tagged([each.client_out for each in others]),
        server_err=tagged([each.client_err for each in others]),
        server_status=next((each.client_status for each in others if each.client_status), 0),
    )
