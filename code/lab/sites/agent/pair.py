"""A job run by two agents, one at each end of a link: the counterpart of init in a VM, on a wall clock."""

import signal
import time
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass, field, replace
from typing import Any

from lab.errors import SiteError
from lab.machine.results import settled
from lab.model.trial import (
    DAEMON,
    DEADLINE_STATUS,
    MARK,
    NS_PER_S,
    PADDING,
    End,
    Ends,
    Job,
    Outcome,
    Ready,
    Step,
    StepOutcome,
)
from lab.sites.agent.client import ANSWER_S, FarEnd, Locate, Reply, kept, locator
from lab.typed_json import JsonTable

AFTER_FAILURE_S = 1.0  # a client's remaining time after its server failed
AFTER_CLIENT_S = 0.5  # a server's time for each gentler way to end


@dataclass(frozen=True)
class AgentPair:
    """Two agents, and how each replaces the words of a job."""

    client: FarEnd
    server: FarEnd
    locate: Mapping[str, Locate] = field(default_factory=dict)  # by "client" and "server"

    def with_ends(self, ends: Ends) -> tuple[tuple[FarEnd, End], tuple[FarEnd, End]]:
        return (self.client, ends.client), (self.server, ends.server)

    def pin(self, ends: Ends) -> None:
        """Keep both agents on CPUs near their network cards."""
        for far, end in self.with_ends(ends):
            far.ask("pin", interface=end.interface, device=end.device)

    def both(self, what: str, ends: Ends) -> tuple[Any, Any]:
        """Ask both agents about their end of the link."""
        calls = [(far, far.call(what, interface=end.interface, device=end.device)) for far, end in self.with_ends(ends)]
        client, server = (far.answer(call)["found"] for far, call in calls)
        return client, server


def data_end(far: FarEnd, settings: Mapping[str, str], hint: str) -> End:
    """The agent's end of the data link, which it completes from the settings."""
    end = far.table("end", **{"device": "", "interface": "", "address": "", **settings})
    if not end["interface"]:
        what = f"no RDMA device {end['device']}, or without an interface" if end["device"] else "no data link found"
        raise SiteError(what, where=far.name, hint=f"rdma link, over there; or {hint}")
    if not end["address"]:
        what = f"the data link's interface {end['interface']} has no address"
        raise SiteError(what, where=far.name, hint=f"ip addr add, over there; or {hint}")
    return End(end["address"], end["device"], end["interface"], end["gid"])


def near_by(pair: AgentPair, job: Job) -> AgentPair:
    """The pair on this host, where both agents use the cached programs under test."""
    locate = locator(kept(job.overlay))
    return replace(pair, locate={"client": locate, "server": locate})


def run_between(pair: AgentPair, ends: Ends, job: Job) -> Outcome:
    """Run a job, with the state of both ends before it; of a failed job also whether the link was down after it."""
    client, server = pair.both("state", ends)
    state = {"client": client, "server": server}
    outcome = run_job(pair, job)
    lost = down(pair, ends) if outcome.failed else []
    return replace(outcome, state={**state, "down": lost} if lost else state)


def down(pair: AgentPair, ends: Ends) -> list[str]:
    """The ends of the link that are down; none if an agent is gone, which has its own message."""
    try:
        states = pair.both("down", ends)
    except SiteError:
        return []
    return [
        f"{far.name}'s {end.interface}" for (far, end), off in zip(pair.with_ends(ends), states, strict=True) if off
    ]


def run_job(pair: AgentPair, job: Job) -> Outcome:
    """Run all steps; a step that the deadline kept from starting has the deadline's status."""
    started = time.monotonic()
    deadline = started + job.deadline_s
    before, start_ns = _look(pair)
    time.sleep(job.perturbation.start_delay_ns / NS_PER_S)
    steps = tuple(_Run(pair, job, step, deadline).outcome() for step in job.steps)
    after, end_ns = _look(pair)
    return Outcome(steps, before, after, start_ns, end_ns, console="", host_seconds=time.monotonic() - started)


def identity(pair: AgentPair, ends: Ends) -> dict[str, str]:
    """The identity of both ends; a value that both have is listed once."""
    client, server = pair.both("identity", ends)
    same = {name: value for name, value in client.items() if server.get(name) == value}
    only = {f"client_{name}": value for name, value in client.items() if name not in same}
    return same | only | {f"server_{name}": value for name, value in server.items() if name not in same}


def _look(pair: AgentPair) -> tuple[dict[str, int], int]:
    """The client's counters by their names and the server's behind `server.`; the client's clock."""
    calls = [(far, far.call("look")) for far in (pair.client, pair.server)]
    client, server = (far.answer(call) for far, call in calls)
    counters = {f"server.{name}": count for name, count in server["counters"].items()}
    return client["counters"] | counters, client["clock_ns"]


class _Run:
    """One step: the server, then the client, then the end of both."""

    def __init__(self, pair: AgentPair, job: Job, step: Step, deadline: float) -> None:
        self.pair, self.step, self.deadline = pair, step, deadline
        self.environment = dict(job.environment)
        if job.perturbation.environment_bytes:
            self.environment[PADDING] = "x" * job.perturbation.environment_bytes

    def outcome(self) -> StepOutcome:
        if not self.left_s:
            return self.late()
        if self.step.server == DAEMON:
            return self.launched()
        server, client = self.pair.server, self.pair.client
        started = self.start("server", self.words("server"), self.step.sign)
        served = server.call("wait", name="server")
        if started["status"] == DEADLINE_STATUS:
            return self.late(self.answer(server, served))
        marks = {MARK.format(number): value for number, value in enumerate(started["printed"])}
        self.start("client", [locator(marks)(word) for word in self.words("client")])
        return self.left(self.await_client(client.call("wait", name="client"), served), self.end_server(served))

    def launched(self) -> StepOutcome:
        """Run a launcher, whose first line is the command that starts its daemon at the other end."""
        client = self.pair.client
        self.start("client", self.launcher())
        line = self.answer(client, client.call("line", name="client"))["line"]
        done = client.call("wait", name="client")
        daemon = ["sh", "-c", line.partition(" ")[2]] if DAEMON[0] in line else []
        self.start("server", daemon)
        served = self.pair.server.call("wait", name="server")
        reply = self.await_client(done, served)
        if daemon:
            reply["out"] = reply["out"][len(line) :]
        daemon_reply = self.end_server(served)
        return self.left(reply, daemon_reply if reply["status"] else {**daemon_reply, "status": 0})

    def left(self, client: Reply, server: Reply) -> StepOutcome:
        outputs = (client["out"], client["err"], server["out"], server["err"])
        client_status, server_status = settled(client["status"], server["status"])
        return StepOutcome(*outputs, client_status, server_status, client["start_ns"], client["end_ns"])

    def late(self, server: Reply | None = None) -> StepOutcome:
        """The outcome of a step whose client the deadline kept from starting."""
        now = self.pair.client.ask("look")["clock_ns"]
        out, err = (server["out"], server["err"]) if server else ("", "")
        return StepOutcome("", "", out, err, DEADLINE_STATUS, DEADLINE_STATUS, now, now)

    def await_client(self, done: Future[Reply], served: Future[Reply]) -> Reply:
        """Wait for the client; one whose server failed has a second left."""
        client = self.pair.client
        wait((done, served), self.patience_s, FIRST_COMPLETED)
        if served.done() and not done.done() and self.answer(self.pair.server, served)["status"]:
            wait((done,), AFTER_FAILURE_S)
            client.ask("signal", name="client", number=signal.SIGKILL)
        return self.answer(client, done)

    def end_server(self, served: Future[Reply]) -> Reply:
        """Wait for the server; end one that stays, ever less gently."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                served.result(AFTER_CLIENT_S)
                break
            except Late:
                self.pair.server.ask("signal", name="server", number=number)
        return self.answer(self.pair.server, served)

    def words(self, role: str) -> list[str]:
        return [self.pair.locate.get(role, str)(word) for word in getattr(self.step, role)]

    def launcher(self) -> list[str]:
        """The launcher's command; its words behind the colon are for the rank at the other end."""
        colon = self.step.client.index(":")
        ends = (("client", self.step.client[:colon]), ("server", self.step.client[colon:]))
        return [self.pair.locate.get(role, str)(word) for role, words in ends for word in words]

    def start(self, role: str, argv: list[str], sign: Ready | None = None) -> Reply:
        """Start a program and return its status if it has ended, and what it printed; without a command, `true` stands
        for it."""
        end: FarEnd = getattr(self.pair, role)
        printed = list(self.step.printed or ()) if sign else []
        request: JsonTable = {"environment": self.environment, "sign": vars(sign) if sign else None, "printed": printed}
        call = end.call("start", name=role, argv=argv or ["true"], deadline_s=max(self.left_s, 0.001), **request)
        return self.answer(end, call)

    @property
    def left_s(self) -> float:
        return max(0.0, self.deadline - time.monotonic())

    @property
    def patience_s(self) -> float:
        """The time for a reply: an agent ends its programs at the deadline, and then reports that."""
        return self.left_s + ANSWER_S

    def answer(self, end: FarEnd, future: Future[Reply]) -> Reply:
        return end.answer(future, self.patience_s)
