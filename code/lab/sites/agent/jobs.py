"""A job run by agents, one at each end of a link: the counterpart of init in a VM, on a wall clock."""

import signal
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass, replace
from typing import Any

from lab.errors import SiteError
from lab.machine.results import NAMES, counters, settled, tagged
from lab.model import trial
from lab.model.trial import End, Ends, Job, Outcome, Ready, Step, StepOutcome
from lab.sites.agent.client import ANSWER_S, FarEnd, Locate, Reply, locator
from lab.typed_json import JsonTable

AFTER_FAILURE_S = 1.0  # a program's remaining time after that of another end failed
AFTER_CLIENT_S = 0.5  # a server's time for each gentler way to end


@dataclass(frozen=True)
class Agents:
    """The agents by their ranks, which begin with the client and the server, and how each replaces the words of a
    job."""

    far: tuple[FarEnd, ...]
    locate: tuple[Locate, ...] = ()  # of each agent; without them every word remains

    def of(self, job: Job) -> "Agents":
        return replace(self, far=self.far[: job.computers])

    def with_ends(self, ends: Ends) -> list[tuple[FarEnd, End]]:
        return list(zip(self.far, ends.first(len(self.far)), strict=True))

    def pin(self, ends: Ends) -> None:
        """Keep all agents on CPUs near their network cards."""
        for far, end in self.with_ends(ends):
            far.ask("pin", interface=end.interface, device=end.device)

    def all(self, what: str, ends: Ends) -> dict[str, Any]:
        """The replies of all agents about their end of the link, by the names of the ends."""
        calls = [(far, far.call(what, interface=end.interface, device=end.device)) for far, end in self.with_ends(ends)]
        return {name_of(rank): far.answer(call)["found"] for rank, (far, call) in enumerate(calls)}


def name_of(rank: int) -> str:
    """The name of an end: the client and the server have the first two ranks."""
    return NAMES[rank] if rank < len(NAMES) else f"rank{rank}"


def data_end(far: FarEnd, settings: Mapping[str, str], hint: str) -> End:
    """The agent's end of the data link, which it completes from the settings."""
    end = far.ask("end", **{"device": "", "interface": "", "address": "", **settings})["found"]
    if not end["interface"]:
        what = f"no RDMA device {end['device']}, or without an interface" if end["device"] else "no data link found"
        raise SiteError(what, where=far.name, hint=f"rdma link, over there; or {hint}")
    if not end["address"]:
        what = f"the data link's interface {end['interface']} has no address"
        raise SiteError(what, where=far.name, hint=f"ip addr add, over there; or {hint}")
    return End(end["address"], end["device"], end["interface"], end["gid"])


def run_between(agents: Agents, ends: Ends, job: Job) -> Outcome:
    """Run a job, with the state of all ends before it; of a failed job also whether the link was down after it."""
    agents = agents.of(job)
    state: JsonTable = agents.all("state", ends)
    outcome = run_job(agents, job)
    lost = down(agents, ends) if outcome.failed else []
    return replace(outcome, state={**state, "down": lost} if lost else state)


def down(agents: Agents, ends: Ends) -> list[str]:
    """The ends of the link that are down; none if an agent is gone, which has its own message."""
    try:
        states = agents.all("down", ends).values()
    except SiteError:
        return []
    pairs = zip(agents.with_ends(ends), states, strict=True)
    return [f"{far.name}'s {end.interface}" for (far, end), off in pairs if off]


def run_job(agents: Agents, job: Job) -> Outcome:
    """Run all steps; a step that the deadline kept from starting has the deadline's status."""
    started = time.monotonic()
    deadline = started + job.deadline_s
    before, start_ns = _look(agents, job)
    time.sleep(job.perturbation.start_delay_ns / trial.NS_PER_S)
    steps = tuple(_Run(agents, job, step, deadline).outcome() for step in job.steps)
    after, end_ns = _look(agents, job)
    return Outcome(steps, before, after, start_ns, end_ns, console="", host_seconds=time.monotonic() - started)


def identity(agents: Agents, ends: Ends) -> dict[str, str]:
    """The identity of all ends; a value that all have is listed once."""
    facts = agents.all("identity", ends)
    client, *others = facts.values()
    same = {name: value for name, value in client.items() if all(each.get(name) == value for each in others)}
    only = {f"{end}_{name}": value for end, each in facts.items() for name, value in each.items() if name not in same}
    return same | only


def _look(agents: Agents, job: Job) -> tuple[dict[str, int], int]:
    """The client's counters by their names, and those of others behind `server.`, or behind `rank1.`, `rank2.` and so
    on; the client's clock."""
    calls = [(far, far.call("look")) for far in agents.far]
    looks = [far.answer(call) for far, call in calls]
    counted = dict[str, int]()
    for rank, look in enumerate(looks):
        prefix = "" if rank == 0 else f"rank{rank}." if job.is_switched else f"{name_of(rank)}."
        of_end = counters(look["interfaces"]) | look["counters"]
        counted |= {f"{prefix}{name}": count for name, count in of_end.items()}
    return counted, looks[0]["clock_ns"]


PROGRAM = "program"  # the name of a step's program at each agent


class _Run:
    """One step: the server, then the client, then the end of both; or the programs of all ranks at once."""

    def __init__(self, agents: Agents, job: Job, step: Step, deadline: float) -> None:
        self.agents, self.step, self.deadline = agents, step, deadline
        self.environment = dict(job.environment)
        if job.perturbation.environment_bytes:
            self.environment[trial.PADDING] = "x" * job.perturbation.environment_bytes

    def outcome(self) -> StepOutcome:
        if not self.left_s:
            return self.late()
        if trial.DAEMON in (self.step.server, *(self.step.ranks or ())):
            return self.launched()
        if self.step.ranks:
            return self.together(self.step.ranks)
        started = self.start(1, self.words(1, self.step.server), self.step.sign)
        served = self.ended(1)
        if started["status"] == trial.DEADLINE_STATUS:
            return self.late(self.answer(1, served))
        marks = {trial.MARK.format(number): value for number, value in enumerate(started["printed"])}
        self.start(0, [locator(marks)(word) for word in self.words(0, self.step.client)])
        running = [self.ended(0), served]
        self.outlast(running, 1)
        return self.left([self.answer(0, running[0]), self.end(1, served)])

    def together(self, commands: Sequence[tuple[str, ...]]) -> StepOutcome:
        for rank, command in enumerate(commands):
            self.start(rank, self.words(rank, command))
        running = [self.ended(rank) for rank in range(len(commands))]
        failed = self.outlast(running, len(running))
        outcome = self.left([self.answer(rank, future) for rank, future in enumerate(running)])
        # The others were killed after the first that failed.
        return replace(outcome, server_status=self.answer(failed, running[failed])["status"]) if failed else outcome

    def launched(self) -> StepOutcome:
        """Run a launcher, whose first lines are the commands that start its daemons, each behind its host."""
        hosts = launcher_hosts(self.step.client)
        self.start(0, self.launcher())
        call = self.agents.far[0].call("lines", name=PROGRAM, count=len(self.agents.far) - 1)
        lines = self.answer(0, call)["lines"]
        split = [line.partition(" ") for line in lines if trial.DAEMON[0] in line]
        daemons = {hosts[host]: ["sh", "-c", command] for host, _, command in split if host in hosts}
        running = [self.ended(0)]
        for rank in range(1, len(self.agents.far)):
            self.start(rank, daemons.get(rank, []))
            running.append(self.ended(rank))
        self.outlast(running, 1)
        client = self.answer(0, running[0])
        if daemons:
            client["out"] = client["out"][sum(map(len, lines)) :]
        others = [self.end(rank, future) for rank, future in enumerate(running[1:], 1)]
        return self.left([client, *(other if client["status"] else {**other, "status": 0} for other in others)])

    def left(self, replies: Sequence[Reply]) -> StepOutcome:
        client, *others = replies
        status = next((other["status"] for other in others if other["status"]), 0)
        client_status, server_status = settled(client["status"], status)
        texts = [[other[name] for other in others] for name in ("out", "err")]
        out, err = map(tagged, texts) if self.step.ranks else (text for (text,) in texts)
        outputs = (client["out"], client["err"], out, err)
        return StepOutcome(*outputs, client_status, server_status, client["start_ns"], client["end_ns"])

    def late(self, server: Reply | None = None) -> StepOutcome:
        """The outcome of a step whose client the deadline kept from starting."""
        now = self.agents.far[0].ask("look")["clock_ns"]
        out, err = (server["out"], server["err"]) if server else ("", "")
        return StepOutcome("", "", out, err, trial.DEADLINE_STATUS, trial.DEADLINE_STATUS, now, now)

    def outlast(self, running: Sequence[Future[Reply]], count: int) -> int:
        """Wait for the first programs, this many; once one of all has failed, they have a second left. Return the rank
        of a program that failed first, else 0."""
        awaited, open_ = running[:count], set(running)
        while not all(future.done() for future in awaited):
            done, open_ = wait(open_, self.reply_limit_s, FIRST_COMPLETED)
            failed = [rank for rank, each in enumerate(running) if each in done and self.answer(rank, each)["status"]]
            if failed or not done:
                wait(awaited, AFTER_FAILURE_S)
                for rank, future in enumerate(awaited):
                    if not future.done():
                        self.agents.far[rank].ask("signal", name=PROGRAM, number=signal.SIGKILL)
                return failed[0] if failed else 0
        return 0

    def end(self, rank: int, served: Future[Reply]) -> Reply:
        """Wait for a server; end one that stays, ever less gently."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                served.result(AFTER_CLIENT_S)
                break
            except Late:
                self.agents.far[rank].ask("signal", name=PROGRAM, number=number)
        return self.answer(rank, served)

    def words(self, rank: int, command: Sequence[str]) -> list[str]:
        return [*map(self.agents.locate[rank], command)] if self.agents.locate else list(command)

    def launcher(self) -> list[str]:
        """The launcher's command; the words behind each colon are for the next rank."""
        words, rank = list[str](), 0
        for word in self.step.client:
            rank = min(rank + (word == ":"), len(self.agents.far) - 1)
            words += self.words(rank, [word])
        return words

    def start(self, rank: int, argv: list[str], sign: Ready | None = None) -> Reply:
        """Start a program and return its status if it has ended, and what it printed; without a command, `true` stands
        for it."""
        end, printed = self.agents.far[rank], list(self.step.printed or ()) if sign else []
        request: JsonTable = {"environment": self.environment, "sign": vars(sign) if sign else None, "printed": printed}
        call = end.call("start", name=PROGRAM, argv=argv or ["true"], deadline_s=max(self.left_s, 0.001), **request)
        return self.answer(rank, call)

    def ended(self, rank: int) -> Future[Reply]:
        return self.agents.far[rank].call("wait", name=PROGRAM)

    @property
    def left_s(self) -> float:
        return max(0.0, self.deadline - time.monotonic())

    @property
    def reply_limit_s(self) -> float:
        """The time for a reply: an agent ends its programs at the deadline, and then reports that."""
        return self.left_s + ANSWER_S

    def answer(self, rank: int, future: Future[Reply]) -> Reply:
        return self.agents.far[rank].answer(future, self.reply_limit_s)


def launcher_hosts(launcher: Sequence[str]) -> dict[str, int]:
    """The ranks by their hosts, which a launcher's command names in this order."""
    words = zip(launcher, launcher[1:], launcher[2:], strict=False)
    hosts = (host for name, host, count in words if (name, count) == ("--host", "-np"))
    return {host: rank for rank, host in enumerate(hosts)}
