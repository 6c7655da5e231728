"""Two hosts by ssh, in wall-clock time: an agent on each, over one connection per host.

Nothing is assumed of their clocks: every duration is that of one host's own.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from lab.errors import SiteError
from lab.model.trial import End, Ends, Job, Link
from lab.places import HOSTS
from lab.sites.agent import bundle
from lab.sites.agent.connection import Connection
from lab.sites.agent.locate import locator, programs
from lab.sites.agent.pair import AgentPair, data_end
from lab.sites.hosts import Host, Ssh, read_ssh
from lab.sites.links.own_devices import refuse_model
from lab.sites.traits import Clock, Shared, Traits
from lab.sites.wall import WallSite


class TwoHosts:
    """Both hosts reached, and their ends of the data link."""

    traits = Traits(Clock.WALL, Shared.NOTHING, takes_models=False, reachable=True)

    def __init__(self, hosts: Ssh) -> None:
        self.client = Connection("client", hosts.client, hosts.config)
        try:
            self.server = Connection("server", hosts.server, hosts.config)
            self.pair = AgentPair(self.client.end, self.server.end)
            client, server = _end(self.client), _end(self.server)
            self.ends = Ends(client, server, side_channel=server.host, launcher="orterun apart")
            self.pair.pin(self.ends)
        except BaseException:
            self.close()
            raise
        self.about = {"hosts": f"{hosts.client.login} to {hosts.server.login}"}

    def apply(self, link: Link) -> None:
        """Refuse a link model: a real link takes none."""
        refuse_model(link)

    def with_programs(self, job: Job) -> AgentPair:
        """The pair, once both hosts have the job's programs."""
        sides = {"client": self.client, "server": self.server}
        places = {role: programs(bundle.ensure(at, job.overlay)) for role, at in sides.items()}
        return replace(self.pair, locate={role: locator(each) for role, each in places.items()})

    def close(self) -> None:
        """Both connections end, and the agents with them."""
        for each in (self.client, getattr(self, "server", None)):
            if each is not None:
                each.end.kill()


def _end(connection: Connection) -> End:
    host = connection.host
    known = {"device": host.device, "interface": host.interface, "address": host.address}
    return data_end(connection.end, known, "interface and address of the data link in hosts.toml")


def open(wanted: str = "", hosts: Path = HOSTS) -> WallSite:  # noqa: A001 - as every site's module
    """`ssh` takes the hosts of hosts.toml, `ssh:CLIENT,SERVER` those two."""
    chosen = _named(wanted) if wanted else read_ssh(hosts)
    return WallSite("ssh", lambda: TwoHosts(chosen), nullcontext)


def _named(wanted: str) -> Ssh:
    names = wanted.split(",")
    if len(names) != 2 or not all(names):
        raise SiteError(f"{wanted!r} does not name two hosts", hint="--site ssh:CLIENT,SERVER")
    return Ssh(Host(names[0]), Host(names[1]))
