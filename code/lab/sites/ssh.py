"""Hosts reached by ssh, and the programs copied there."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from lab.errors import SiteError
from lab.model.trial import MOST_COMPUTERS, End, Ends, Job
from lab.places import BENCH_SOURCES, HOSTS
from lab.sites.agent.client import INTERPRETER, FarEnd, last_line, locator, programs
from lab.sites.agent.jobs import Agents, data_end, name_of
from lab.sites.hosts import Host, Ssh, read_ssh
from lab.sites.site import Clock, Shared, Traits
from lab.sites.wall import RealLink, WallSite

CONNECT_S = 10
ALIVE_S, ALIVE_COUNT = 3, 4  # a host counts as lost after a silence of 3 s x 4
COPY_S = 120

# A message of ssh, its meaning, and what to try. {} is the login.
FAULTS = (
    (
        "REMOTE HOST IDENTIFICATION HAS CHANGED",
        "its host key has changed",
        "ssh-keygen -R {}, if the host was reinstalled",
    ),
    ("Host key verification failed", "its host key is not in known_hosts", "ssh {}, and compare the key"),
    ("Permission denied", "it refuses to log you in without a password", "ssh-copy-id {}"),
    ("Could not resolve hostname", "its name cannot be resolved", "ssh {}"),
    ("No space left on device", "its disk is full", "ssh {} df -h"),
    ("python3: not found", "it has no python3", "ssh {} sudo apt install python3"),
    ("python3: command not found", "it has no python3", "ssh {} sudo apt install python3"),
    ("not responding", "it does not answer any more", "ssh {}"),
    ("timed out", "it cannot be reached", "ssh {}"),
    ("unreachable", "it cannot be reached", "ssh {}"),
    ("Connection refused", "it cannot be reached: no ssh server there", "ssh {}"),
)


class Connection:
    def __init__(self, role: str, host: Host, config: str) -> None:
        self.host = host
        self.folder, self.programs = host.folder, set[str]()  # the folder of programs there, and its content
        self.options = _options(_socket(role), config)
        agent = shlex.join(["exec", "python3", *INTERPRETER])
        command = ["ssh", *self.options, "-o", "ControlMaster=yes", "-T", host.login, agent]
        self.end = FarEnd(host.login, command, explain)

    def copy(self, files: list[Path], target: str) -> None:
        """Copy files there, over the same connection."""
        command = ["scp", "-q", *self.options, *map(str, files), f"{self.host.login}:{target}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=COPY_S)
        except subprocess.TimeoutExpired as error:
            what = f"the programs were not copied within {COPY_S} s"
            raise SiteError(what, self.host.login, f"ssh {self.host.login} df: full disk or slow link") from error
        if done.returncode:
            raise explain(self.host.login, done.stderr.strip())


def explain(login: str, messages: str) -> SiteError:
    for message, meaning, hint in FAULTS:
        if message in messages:
            return SiteError(meaning, where=login, hint=hint.format(login))
    return SiteError(f"the connection ended: {last_line(messages)}", where=login, hint=f"ssh {login}")


def _options(socket: Path, config: str) -> list[str]:
    settings = {
        "BatchMode": "yes",
        "ConnectTimeout": str(CONNECT_S),
        "ServerAliveInterval": str(ALIVE_S),
        "ServerAliveCountMax": str(ALIVE_COUNT),
        "ControlPath": str(socket),
        "ControlPersist": "no",
    }
    user_config = ["-F", str(Path(config).expanduser())] if config else []
    return user_config + [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]


def _socket(role: str) -> Path:
    """The socket, in a folder of this user alone; not in the checkout, because a socket's path has 104 bytes."""
    folder = Path(tempfile.gettempdir()) / f"lab-ssh-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid() or folder.stat().st_mode & 0o077:
        raise SiteError("belongs to another user, or others may write there", where=str(folder), hint=f"rm -r {folder}")
    return folder / f"{os.getpid()}-{os.urandom(4).hex()}-{role}"


BUILD_S = 120.0


def ensure(connection: Connection, programs: Iterable[Path]) -> dict[str, str]:
    """The path of each program there, by its name; missing programs are copied."""
    files = {f"{path.parent.name}/{path.name}": path for path in programs}
    if not files.keys() <= connection.programs:
        made = connection.end.ask("folder", folder=connection.host.folder)
        connection.folder = made["folder"]
        missing = connection.end.ask("missing", folder=connection.folder, names=sorted(files))["missing"]
        _send(connection, {name: files[name] for name in missing}, made["free_bytes"])
        connection.programs |= files.keys()
    return {path.name: f"{connection.folder}/{name}" for name, path in files.items()}


def _send(connection: Connection, missing: dict[str, Path], free_bytes: int) -> None:
    needed = sum(path.stat().st_size for path in missing.values())
    if needed > free_bytes:
        what = f"no room for the programs in {connection.folder}: {needed} bytes needed, {free_bytes} free"
        raise SiteError(what, where=connection.host.login, hint="another folder for this host in hosts.toml")
    for name, path in missing.items():
        arrived = f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}"
        connection.copy([path], f"{connection.folder}/{arrived}")
        if not connection.end.ask("adopt", folder=connection.folder, name=name, arrived=arrived)["runs"]:
            # Build the programs on a host with another CPU or C library; the record lists them.
            source = f"source-{name.partition('/')[0]}"
            files = sorted([*BENCH_SOURCES.glob("*.[ch]"), BENCH_SOURCES / "Makefile"])
            connection.end.ask("folder", folder=f"{connection.folder}/{source}")
            connection.copy(files, f"{connection.folder}/{source}/")
            build = connection.end.call("build", folder=connection.folder, name=name, source=source)
            connection.end.answer(build, BUILD_S)


class LinkOfHosts(RealLink):
    traits = Traits(Clock.WALL, Shared.NOTHING, takes_models=False, reachable=True, computers=2)

    def __init__(self, ssh: Ssh) -> None:
        self.traits = replace(self.traits, computers=len(ssh.hosts))
        self.connections: list[Connection] = []
        try:
            for rank, host in enumerate(ssh.hosts):
                self.connections.append(Connection(name_of(rank), host, ssh.config))
            client, server, *others = map(_end, self.connections)
            self.ends = Ends(client, server, server.host, "orterun apart", tuple(others))
            self.agents = Agents(tuple(each.end for each in self.connections))
            self.agents.pin(self.ends)
        except BaseException:
            self.close()
            raise
        self.about = {"hosts": " to ".join(host.login for host in ssh.hosts)}

    def with_programs(self, job: Job) -> Agents:
        """Copy the job's programs to its hosts; return the agents with their paths."""
        agents = self.agents.of(job)
        connections = self.connections[: len(agents.far)]
        return replace(agents, locate=tuple(locator(programs(ensure(each, job.overlay))) for each in connections))

    def close(self) -> None:
        for connection in self.connections:
            connection.end.kill()


def _end(connection: Connection) -> End:
    host = connection.host
    settings = {"device": host.device, "interface": host.interface, "address": host.address}
    return data_end(connection.end, settings, "interface and address of the data link in hosts.toml")


def open(wanted: str = "", hosts: Path = HOSTS) -> WallSite:  # noqa: A001 - as every site's module
    """`ssh` uses the hosts of hosts.toml, `ssh:CLIENT,SERVER` those two, and `ssh:A,B,C` three or more."""
    names = wanted.split(",")
    if wanted and not (2 <= len(names) <= MOST_COMPUTERS and all(names)):
        what = f"{wanted!r} does not name two hosts, or more for programs with `each`"
        raise SiteError(what, hint="--site ssh:CLIENT,SERVER")
    client, server, *others = map(Host, names if wanted else ("", ""))
    chosen = Ssh(client, server, others=tuple(others)) if wanted else read_ssh(hosts)
    return WallSite("ssh", lambda _: LinkOfHosts(chosen), nullcontext)
