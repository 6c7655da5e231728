"""A cable on this computer: two network namespaces joined by a veth pair, with an agent in each.

The namespaces have no names: each lives as long as the processes in it, and those end with their agent, which ends
with the harness. The kernel then takes the veth pair away, so that nothing can be left over, not even by kill -9.
"""

from __future__ import annotations

import os
import subprocess

from lab.errors import SiteError
from lab.model.trial import End, Ends, Job, Link
from lab.sites.agent.client import FarEnd, here, last_line
from lab.sites.agent.pair import AgentPair, near_by
from lab.sites.links import link_model, namespaces
from lab.sites.traits import Clock, Shared, Traits

ENDS = Ends(End("10.0.0.1", "", "v0"), End("10.0.0.2", "", "v1"), "10.0.0.2", launcher="orterun beside")
MACS = {"v0": "02:00:00:00:00:01", "v1": "02:00:00:00:00:02"}
TRAITS = Traits(Clock.WALL, Shared.COMPUTER, takes_models=True, reachable=False)
PROCESSES = ("--pid", "--fork", "--kill-child=KILL", "--mount-proc")


class Cable:
    """Both ends, and the link model that lies on them."""

    traits = TRAITS

    def __init__(self) -> None:
        self.ends, self.about = ENDS, {"cable": "veth between two network namespaces"}
        self.link: Link | None = None
        self.client = self._end("client", None)
        try:
            self.server = self._end("server", self.client)
            self._plug()
        except BaseException:
            self.close()
            raise
        self.pair = AgentPair(self.client, self.server)

    def apply(self, link: Link) -> None:
        """Put a link model on both ends, unless it is there."""
        if link == self.link:
            return
        self.link = None
        try:
            for end, interface in ((self.client, "v0"), (self.server, "v1")):
                for command in link_model.commands(link, interface):
                    _enter(end, *command)
        except SiteError:
            for far in (self.client, self.server):
                far.ask("look")  # an agent that is gone took the cable with it, and the error says so
            raise
        self.link = link

    def with_programs(self, job: Job) -> AgentPair:
        """The pair as it is: the namespaces are of the network alone, so both ends see the same files."""
        return near_by(self.pair, job)

    def close(self) -> None:
        """End both agents, and with them the namespaces and the cable."""
        for end in (self.client, getattr(self, "server", None)):
            if end is not None:
                end.kill()

    def _end(self, name: str, beside: FarEnd | None) -> FarEnd:
        return FarEnd(name, [*_unshare(beside), *here()], _explain)

    def _plug(self) -> None:
        v0, v1 = (("name", name, "address", mac) for name, mac in MACS.items())
        peer = ("peer", *v1, "netns", str(self.server.popen.pid))
        _enter(self.client, "ip", "link", "add", *v0, "type", "veth", *peer)
        for end, ours, theirs in ((self.client, "client", "server"), (self.server, "server", "client")):
            _bring_up(end, getattr(ENDS, ours), getattr(ENDS, theirs))


def _bring_up(end: FarEnd, ours: End, theirs: End) -> None:
    """Set up one end; the neighbour is entered by hand, so that no ARP request disturbs a measurement."""
    _enter(end, "ip", "link", "set", "lo", "up")
    _enter(end, "ip", "addr", "add", f"{ours.host}/24", "dev", ours.interface)
    _enter(end, "ip", "link", "set", ours.interface, "up")
    known = ("lladdr", MACS[theirs.interface], "dev", ours.interface, "nud", "permanent")
    _enter(end, "ip", "neigh", "replace", theirs.host, *known)


def _unshare(beside: FarEnd | None) -> list[str]:
    """The words before an agent's command: other users become root in a user namespace that both ends share."""
    if os.geteuid() == 0 or beside is None:
        return [*namespaces.unshare(), *PROCESSES]
    return ["nsenter", *_user_of(beside), "unshare", "--net", *PROCESSES]


def _user_of(end: FarEnd) -> tuple[str, ...]:
    return () if os.geteuid() == 0 else ("--user", "--preserve-credentials", "--target", str(end.popen.pid))


def _enter(end: FarEnd, *command: str) -> None:
    """Run a command in the namespace of an end."""
    place = ["nsenter", *_user_of(end), "--net", "--target", str(end.popen.pid)]
    try:
        done = subprocess.run([*place, *command], capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise SiteError("nsenter is not on this computer", hint="apt install util-linux") from error
    if done.returncode:
        advice = link_model.advice(command, done.stderr)
        raise SiteError(f"{' '.join(command)}: {done.stderr.strip()}", "the host's cable", advice)


def _explain(name: str, words: str) -> SiteError:
    if "unshare failed" in words or "Operation not permitted" in words:
        return SiteError(namespaces.refused(words), hint=namespaces.HINT)
    return SiteError(f"the agent ended: {last_line(words)}", where=f"the {name}'s namespace")
