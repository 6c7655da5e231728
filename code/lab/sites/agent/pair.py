"""A job run by two agents, one at each end of a link: what init does on the exact machine, on a wall clock."""

from __future__ import annotations

import signal
import time
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass, field, replace

from lab.errors import SiteError
from lab.machine.results import settled
from lab.model.trial import (
    DAEMON,
    DEADLINE_STATUS,
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
from lab.sites.agent.client import (
    ANSWER_S,
    DataEnd,
    FarEnd,
    FirstLine,
    Left,
    Locate,
    Look,
    Made,
    Started,
    kept,
    locator,
)
from lab.typed_json import JsonTable, JsonValue

AFTER_FAILURE_S = 1.0  # a client's remaining time after its server failed
AFTER_CLIENT_S = 0.5  # a server's time for each gentler way to end


@dataclass(frozen=True)
class AgentPair:
    """Two ends, and how each replaces the words of a job."""

    client: FarEnd
    server: FarEnd
    locate: Mapping[str, Locate] = field(default_factory=dict)  # by "client" and "server"

    def pin(self, ends: Ends) -> None:
        """Let both ends stay near their network cards."""
        for far, end in ((self.client, ends.client), (self.server, ends.server)):
            far.ask("pin", interface=end.interface, device=end.device)


def data_end(far: FarEnd, known: Mapping[str, str], hint: str) -> End:
    """Its end of the data link, found there from the known parts."""
    found = far.read(DataEnd, far.ask("end", **{"device": "", "interface": "", "address": "", **known})["found"])
    if not found.interface:
        what = f"no RDMA device {found.device}, or without an interface" if found.device else "no data link found"
        raise SiteError(what, where=far.name, hint=f"rdma link, over there; or {hint}")
    if not found.address:
        what = f"the data link's interface {found.interface} has no address"
        raise SiteError(what, where=far.name, hint=f"ip addr add, over there; or {hint}")
    return End(found.address, found.device, found.interface, found.gid)


def near_by(pair: AgentPair, job: Job) -> AgentPair:
    """Both ends are this computer, and find the programs under test where they are kept."""
    locate = locator(kept(job.overlay))
    return replace(pair, locate={"client": locate, "server": locate})


class Deadline:
    """The time that a job has left."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds

    @property
    def left_s(self) -> float:
        return max(0.0, self.end - time.monotonic())


def run_between(pair: AgentPair, ends: Ends, job: Job) -> Outcome:
    """Run a job, with the state of both ends before it; of a failed job also whether the link was down after it."""
    found = state(pair, ends)
    outcome = run_job(pair, job)
    lost = down(pair, ends) if outcome.failed else []
    return replace(outcome, state={**found, "down": lost} if lost else found)


def down(pair: AgentPair, ends: Ends) -> list[str]:
    """The ends of the link that are down now; none if an agent is gone, which has its own message."""
    try:
        found = _both(pair, "down", ends)
    except SiteError:
        return []
    sides = ((pair.client, ends.client), (pair.server, ends.server))
    return [f"{far.name}'s {end.interface}" for (far, end), off in zip(sides, found, strict=True) if off]


def run_job(pair: AgentPair, job: Job) -> Outcome:
    """Run all steps; a step that the deadline kept from starting says so."""
    started, deadline = time.monotonic(), Deadline(job.deadline_s)
    before = _look(pair)
    time.sleep(job.perturbation.start_delay_ns / NS_PER_S)
    steps = tuple(_Run(pair, job, step, deadline).outcome() for step in job.steps)
    after = _look(pair)
    return Outcome(
        steps, before.counters, after.counters, before.clock_ns, after.clock_ns,
        console="", host_seconds=time.monotonic() - started,
    )  # fmt: skip


def identity(pair: AgentPair, ends: Ends) -> dict[str, str]:
    """The identity of both ends; equal values stand once."""
    client, server = (_texts(each) for each in _both(pair, "identity", ends))
    same = {name: value for name, value in client.items() if server.get(name) == value}
    ours = {f"client_{name}": value for name, value in client.items() if name not in same}
    return same | ours | {f"server_{name}": value for name, value in server.items() if name not in same}


def state(pair: AgentPair, ends: Ends) -> JsonTable:
    """The state of both ends now."""
    client, server = _both(pair, "state", ends)
    return {"client": client, "server": server}


def _both(pair: AgentPair, what: str, ends: Ends) -> tuple[JsonValue, JsonValue]:
    sides = ((pair.client, ends.client), (pair.server, ends.server))
    asked = [(far, far.call(what, interface=end.interface, device=end.device)) for far, end in sides]
    client, server = (far.answer(future)["found"] for far, future in asked)
    return client, server


def _texts(found: JsonValue) -> dict[str, str]:
    return {name: str(value) for name, value in found.items()} if isinstance(found, dict) else {}


def _look(pair: AgentPair) -> Look:
    """The client's clock, its counters by their names, and the server's behind `server.`"""
    asked = [(far, far.call("look")) for far in (pair.client, pair.server)]
    here, there = (far.read(Look, far.answer(future)) for far, future in asked)
    return replace(here, counters=here.counters | {f"server.{name}": count for name, count in there.counters.items()})


class _Run:
    """One step: the server, then the client, then the end of both."""

    def __init__(self, pair: AgentPair, job: Job, step: Step, deadline: Deadline) -> None:
        self.pair, self.step, self.deadline = pair, step, deadline
        self.environment = dict(job.environment)
        if job.perturbation.environment_bytes:
            self.environment[PADDING] = "x" * job.perturbation.environment_bytes

    def outcome(self) -> StepOutcome:
        if not self.deadline.left_s:
            return self.late()
        if self.step.server == DAEMON:
            return self.launched()
        server, client = self.pair.server, self.pair.client
        listening = self.answer(server, Started, self.start("server", self.words("server"), self.step.sign))
        served = server.call("wait", name="server")
        if listening.status == DEADLINE_STATUS:
            return self.late(self.answer(server, Left, served))
        self.answer(client, Started, self.start("client", self.words("client")))
        return self.left(self.await_client(client.call("wait", name="client"), served), self.end_server(served))

    def launched(self) -> StepOutcome:
        """The launcher first: its first line says how to start its daemon at the other end."""
        client = self.pair.client
        self.answer(client, Started, self.start("client", self.launcher()))
        line = self.answer(client, FirstLine, client.call("line", name="client")).line
        done = client.call("wait", name="client")
        asked = ["sh", "-c", line.partition(" ")[2]] if DAEMON[0] in line else []
        self.answer(self.pair.server, Started, self.start("server", asked))
        served = self.pair.server.call("wait", name="server")
        left = self.await_client(done, served)
        if asked:
            left = replace(left, out=left.out.removeprefix(line))
        return self.left(left, self.end_server(served))

    def left(self, client: Left, server: Left) -> StepOutcome:
        statuses = settled(client.status, server.status)
        return StepOutcome(client.out, client.err, server.out, server.err, *statuses, client.start_ns, client.end_ns)

    def late(self, server: Left | None = None) -> StepOutcome:
        """The deadline came before the client did."""
        now = self.pair.client.read(Look, self.pair.client.ask("look")).clock_ns
        said = (server.out, server.err) if server else ("", "")
        return StepOutcome("", "", *said, DEADLINE_STATUS, DEADLINE_STATUS, now, now)

    def await_client(self, done: Future[JsonTable], served: Future[JsonTable]) -> Left:
        """A client whose server failed has a second left."""
        end = self.pair.client
        wait((done, served), self.patience_s, FIRST_COMPLETED)
        if served.done() and not done.done() and self.answer(self.pair.server, Left, served).status:
            wait((done,), AFTER_FAILURE_S)
            end.ask("signal", name="client", number=signal.SIGKILL)
        return self.answer(end, Left, done)

    def end_server(self, served: Future[JsonTable]) -> Left:
        """End servers that stay, ever less gently."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                served.result(AFTER_CLIENT_S)
                break
            except Late:
                self.pair.server.ask("signal", name="server", number=number)
        return self.answer(self.pair.server, Left, served)

    def words(self, role: str) -> list[str]:
        """A command with the words of its end."""
        return [self.pair.locate.get(role, str)(word) for word in getattr(self.step, role)]

    def launcher(self) -> list[str]:
        """The words behind the colon are for the rank at the other end."""
        colon = self.step.client.index(":")
        ends = (("client", self.step.client[:colon]), ("server", self.step.client[colon:]))
        return [self.pair.locate.get(role, str)(word) for role, words in ends for word in words]

    def start(self, role: str, argv: list[str], sign: Ready | None = None) -> Future[JsonTable]:
        """The outcome of no server, where a launcher starts both ends."""
        end: FarEnd = getattr(self.pair, role)
        deadline_s = max(self.deadline.left_s, 0.001)
        said = vars(sign) if sign else None
        return end.call(
            "start", name=role, argv=argv or ["true"], environment=self.environment, deadline_s=deadline_s, sign=said
        )

    @property
    def patience_s(self) -> float:
        """An agent ends its programs at the deadline by itself; then it has this long to say so."""
        return self.deadline.left_s + ANSWER_S

    def answer(self, end: FarEnd, kind: type[Made], future: Future[JsonTable]) -> Made:
        return end.read(kind, end.answer(future, self.patience_s))
