"""`lab doctor`: what each site needs on this host, and what is missing."""

from __future__ import annotations

import fcntl
import json
import math
import os
import re
import resource
import shutil
import subprocess
from argparse import Namespace
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

from lab.errors import LabError, SiteError
from lab.experiment.experiment import Experiment
from lab.experiment.reader import load as load_experiment
from lab.machine import runner, snapshot
from lab.places import CACHE, MACHINE, REFERENCE, ROOT, SETTINGS
from lab.plan.planning import all_experiments
from lab.records.compare import read_identity
from lab.sites import cable, hosts, queue, vm
from lab.sites.agent import computer
from lab.sites.hosts import Host, Slurm
from lab.sites.site import EVERYWHERE, silent
from lab.sites.ssh import Connection
from lab.sites.vm import KVM
from lab.supply.lock import COMPILER, GUEST, read
from lab.supply.providers import load
from lab.typed_json import JsonTable


@dataclass(frozen=True)
class Diagnosis:
    """What was looked for, and what was found."""

    site: str
    what: str
    found: str
    remedy: str = ""  # empty when all is well
    missing: bool = False  # not there, and the site does without it


def program(site: str, name: str, remedy: str) -> Diagnosis:
    """Whether a program is on the PATH."""
    place = shutil.which(name)
    return Diagnosis(site, name, place) if place else Diagnosis(site, name, "not installed", remedy)


EXACT = "exact"
FREE_BYTES = 2 * 2**30  # image, frozen machine and results, with room to spare


def examine_exact() -> Iterator[Diagnosis]:
    """Everything, in the order in which it is needed."""
    yield _packages(MACHINE, CACHE / "packages", SETTINGS)
    yield _qemu()
    yield _machine()
    yield _disk(ROOT)
    yield Diagnosis(EXACT, "processors", f"{os.cpu_count()}: as many trials at once")


def _packages(machine: Path, store: Path, settings: Path) -> Diagnosis:
    """What a first run will have to fetch; digests are asked then."""
    try:
        lock = read(machine / "packages.lock")
        wanted = {*lock.of(GUEST), *lock.of(COMPILER), *lock.of(runner.section())}
        missing = [each.size_bytes for each in wanted if not (store / f"{each.sha256}.deb").exists()]
        asked = ", ".join(load(settings).providers)
    except LabError as error:
        return Diagnosis(EXACT, "packages", error.what, error.hint)
    if missing:
        return Diagnosis(EXACT, "packages", f"{len(missing)} to fetch, {sum(missing) / 1e6:.0f} MB, from {asked}")
    return Diagnosis(EXACT, "packages", f"all {len(wanted)} are there")


def _qemu() -> Diagnosis:
    """The one that runs the machine: nothing of the host's."""
    try:
        place = runner.place(MACHINE, CACHE)
        said = runner.Runner(place).version() if place.exists() else "not unpacked here yet: the first run fetches it"
    except (SiteError, OSError) as error:
        return Diagnosis(EXACT, "QEMU's version", str(error), "lab run")
    return Diagnosis(EXACT, "QEMU's version", said)


def _machine() -> Diagnosis:
    """Another machine counts other instructions: then results are compared with tolerances."""
    known, reference = snapshot.read(MACHINE), read_identity(REFERENCE) or {}
    if known and known.frozen["memory"] == reference.get("frozen"):
        return Diagnosis(EXACT, "machine", "as of the reference")
    return Diagnosis(EXACT, "machine", "not the reference's: verify compares with tolerances")


def _disk(folder: Path) -> Diagnosis:
    free = shutil.disk_usage(folder).free
    return Diagnosis(EXACT, "disk", f"{free / 2**30:.1f} GiB free", "" if free >= FREE_BYTES else "free some space")


HOST = "host"
VERIFIED_BYTES = 32 << 20  # the buffer of a --verify round (bench/buffer.c), which a preflight runs
QUEUES_BYTES = 1 << 20  # all else that a program locks
MODULES = {
    "rdma_rxe": "Soft-RoCE",
    "vrf": "both ends of Soft-RoCE on one computer",
    "siw": "Soft-iWARP",
    "sch_tbf": "link models with a rate",
    "sch_netem": "link models with a delay or a loss",
}
PEERS = {"iperf3": "iperf3", "ib_write_bw": "perftest", "qperf": "qperf", "orterun": "openmpi-bin"}


def examine_host() -> Iterator[Diagnosis]:
    """Devices first: without them there is TCP in namespaces."""
    names = computer.devices()
    if not names:
        instead = "none: TCP over a cable between two namespaces; --site exact has RDMA"
        yield Diagnosis(HOST, "RDMA devices", instead, missing=True)
    for name in names:
        yield from _device(name)
    yield _locked(all_experiments())
    yield _namespaces()
    yield from (_module(name, use) for name, use in MODULES.items())
    yield from (program(HOST, name, f"make build, or apt install {package}") for name, package in PEERS.items())
    settings = {"governor": computer.governor(), "turbo": computer.turbo()}
    yield from (
        Diagnosis(HOST, name, value or "this computer does not say", missing=not value)
        for name, value in settings.items()
    )


def _device(name: str) -> Iterator[Diagnosis]:
    port = computer.SYS / "class/infiniband" / name / "ports/1"
    state, interface = computer.port_state(name), computer.interface_of(name)
    up = "ACTIVE" in state
    yield Diagnosis(
        HOST, name, f"{state}, {computer.text(port / 'rate')}, {interface}", "" if up else f"ip link set {interface} up"
    )
    gids = computer.gid_kinds(name)
    yield Diagnosis(HOST, f"{name} GIDs", gids or "none", "" if gids else f"an address for {interface}")
    yield Diagnosis(HOST, f"{name} messages", f"{_max_message(name)} in one request; larger ones are cut")


def _max_message(name: str) -> str:
    """The largest message of a device, from ibv_devinfo: sysfs does not have it."""
    if not shutil.which("ibv_devinfo"):
        return "unknown size (apt install ibverbs-utils)"
    asked = subprocess.run(["ibv_devinfo", "-v", "-d", name], capture_output=True, text=True, check=False)
    found = re.search(r"max_msg_sz:\s*(\S+)", asked.stdout)
    return f"{found[1]} bytes" if found else "unknown size"


def locked_bytes(experiments: Iterable[Experiment]) -> int:
    """The most that one end locks: room to send and to receive the largest message planned over RDMA."""
    series = (each for experiment in experiments for each in experiment.series if each.tool.rdma)
    largest = max((size for each in series for size in each.sizes(HOST)), default=0)
    return max(2 * largest, VERIFIED_BYTES) + QUEUES_BYTES


def _locked(experiments: Iterable[Path]) -> Diagnosis:
    """The limit is per process, and does not hold for root."""
    try:
        need = locked_bytes(map(load_experiment, experiments))
    except LabError as error:
        return Diagnosis(HOST, "locked memory", f"no plan to hold it against: {error}", "lab plan")
    limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    plan = f"the plans of experiments/ need {math.ceil(need / 2**20)} MiB"
    if os.geteuid() == 0 or limit == resource.RLIM_INFINITY:
        return Diagnosis(HOST, "locked memory", f"no limit; {plan}")
    remedy = "" if limit >= need else "ulimit -l unlimited, or memlock in /etc/security/limits.conf"
    return Diagnosis(HOST, "locked memory", f"{limit >> 20} MiB; {plan}", remedy)


def _namespaces() -> Diagnosis:
    why = cable.refusal()
    return Diagnosis(HOST, "network namespaces", why or "yes", cable.HINT if why else "")


def _module(name: str, use: str) -> Diagnosis:
    """Whether a module is loaded or can be; one that is built in may show neither."""
    if (computer.SYS / "module" / name).exists():
        return Diagnosis(HOST, name, f"loaded ({use})")
    if shutil.which("modinfo") and subprocess.run(["modinfo", name], capture_output=True, check=False).returncode == 0:
        return Diagnosis(HOST, name, f"there ({use})")
    return Diagnosis(HOST, name, f"not in this kernel, unless built in ({use})", missing=True)


SLURM = "slurm"
TRY = "log in to the cluster; or make slurm-up for one on this computer"


def examine_slurm(file: Path) -> Iterator[Diagnosis]:
    """Ask a cluster only if this computer has one."""
    yield program(SLURM, "sbatch", TRY)
    if shutil.which("sbatch"):
        try:
            wanted = hosts.read_slurm(file) if hosts.has(file, "slurm") else hosts.Slurm()
        except LabError as error:
            yield Diagnosis(SLURM, file.name, error.what, str(error))
            return
        yield _cluster(wanted)
        yield _mpi(wanted)


def _cluster(wanted: Slurm) -> Diagnosis:
    try:
        name, up = queue.cluster_name(), queue.nodes_up(wanted.partition)
    except LabError as error:
        return Diagnosis(SLURM, "cluster", error.what, error.hint or "sinfo")
    enough = up >= 2
    return Diagnosis(SLURM, "cluster", f"{name}: {up} nodes up", "" if enough else "two nodes; sinfo -R says why not")


def _mpi(wanted: Slurm) -> Diagnosis:
    """How MPI's ranks are started, or the key of hosts.toml that would make it work."""
    if wanted.mpi == hosts.ORTERUN:
        return program(SLURM, hosts.ORTERUN, "make build, or apt install openmpi-bin")
    asked = subprocess.run(["srun", "--mpi=list"], capture_output=True, text=True, check=False)
    known = _kinds(asked.stdout + asked.stderr)
    if wanted.mpi in known:
        whose = "" if wanted.mpi.startswith("pmix") else ", for an MPI library that is built with it"
        return Diagnosis(SLURM, "MPI", f"srun --mpi={wanted.mpi}{whose}")
    instead = next((each for each in known if each.startswith("pmix")), hosts.ORTERUN)
    there = ", ".join(known) or "nothing"
    return Diagnosis(SLURM, "MPI", f"srun --mpi has no {wanted.mpi}, but {there}", f'mpi = "{instead}" under [slurm]')


def _kinds(listed: str) -> list[str]:
    """The kinds that `srun --mpi=list` prints, one a line; older versions put `srun:` before each."""
    lines = (line.removeprefix("srun: ").split() for line in listed.splitlines())
    return [words[0] for words in lines if len(words) == 1 and words[0] != "none"]


SSH = "ssh"


def examine_ssh(file: Path) -> Iterator[Diagnosis]:
    """Ask the hosts of hosts.toml, if it names any."""
    yield program(SSH, "ssh", "make build, or apt install openssh-client")
    if not hosts.has(file, "ssh"):
        yield Diagnosis(SSH, file.name, "names no hosts", "a table [ssh], as in docs/sites.md")
        return
    try:
        ssh = hosts.read_ssh(file)
    except LabError as error:
        yield Diagnosis(SSH, file.name, error.what, str(error))
        return
    yield from (_host(role, each, ssh.config) for role, each in (("client", ssh.client), ("server", ssh.server)))


def _host(role: str, host: Host, config: str) -> Diagnosis:
    try:
        found, state = _ask(Connection(role, host, config))
    except LabError as error:
        return Diagnosis(SSH, host.login, error.what, error.hint or f"ssh {host.login}")
    return Diagnosis(SSH, host.login, f"reached; {role} on {_link(found, state)}", _remedy(found, state))


def _ask(connection: Connection) -> tuple[JsonTable, JsonTable]:
    """The host's end of the data link, and the state of that end."""
    host, end = connection.host, connection.end
    try:
        found = end.table("end", device=host.device, interface=host.interface, address=host.address)
        there = {"interface": found["interface"], "device": found["device"]}
        return found, {**end.table("state", **there), "down": end.ask("down", **there)["found"]}
    finally:
        end.kill()


def _link(found: JsonTable, state: JsonTable) -> str:
    """What a preflight compares at both ends: the port's state, its GIDs' kinds, the MTU."""
    device = f"{found['device']} ({state.get('link_state', 'not there')})" if found["device"] else ""
    gids = f"GIDs: {state['gids']}" if "gids" in state else ""
    interface = f"{found['interface']} (MTU {state.get('mtu', 'unknown')})" if found["interface"] else ""
    return ", ".join(filter(None, (device, gids, interface, str(found["address"])))) or "no data link"


def _remedy(found: JsonTable, state: JsonTable) -> str:
    """The remedy for an end that cannot be used, as far as this end alone shows."""
    interface = found["interface"]
    if interface and not found["address"]:
        return f"an address for {interface} over there"
    if found["device"] and "link_state" not in state:
        return f"rdma link over there; there is no {found['device']}"
    return f"ip link set {interface} up over there" if state.get("down") else ""


VM = "vm"
DEVICE = Path("/dev/kvm")
GET_API_VERSION, CREATE_VM = 0xAE00, 0xAE01  # linux/kvm.h
API_VERSION = 12  # since Linux 2.6.22, for good


def examine_vm(device: Path = DEVICE) -> Iterator[Diagnosis]:
    """Say whether KVM works: it is only quicker, not needed."""
    problem = _problem(device) or _not_booting()
    found = f"{problem}: machines run in software, with all cores" if problem else "works"
    yield Diagnosis(VM, "KVM", found, missing=bool(problem))
    yield Diagnosis(VM, "machines", "two, joined by a link" if (os.cpu_count() or 1) > 1 else "one, with a cable in it")


def _problem(device: Path) -> str:
    """Why KVM makes no machine; that its file exists says nothing."""
    try:
        descriptor = os.open(device, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        return f"{device}: {error.strerror}"
    try:
        if fcntl.ioctl(descriptor, GET_API_VERSION, 0) != API_VERSION:
            return f"{device} is not KVM's"
        os.close(fcntl.ioctl(descriptor, CREATE_VM, 0))
    except OSError as error:
        return f"{device} makes no machine: {error.strerror}"
    finally:
        os.close(descriptor)
    return ""


def _not_booting() -> str:
    """Whether a machine boots, which one that was made may not do; tried only if there is an image already."""
    if not (CACHE / "machine").is_dir():
        return "not tried before the first trial"
    try:
        booted = vm.open().machine(silent).acceleration is KVM
    except LabError as error:
        return f"not tried: {error.what}"
    return "" if booted else "a machine is made, but does not boot"


def doctor(options: Namespace) -> int:
    """Print what each site needs, what is there, and what is missing."""
    findings = list(examine(options.hosts))
    print(as_json(findings) if options.json else format_findings(findings))
    return int(any(each.remedy for each in findings if each.site == EVERYWHERE))


def examine(hosts: Path) -> Iterator[Diagnosis]:
    """Site by site, in the order in which things are needed."""
    yield from examine_exact()
    yield from examine_vm()
    yield from examine_host()
    yield from examine_ssh(hosts)
    yield from examine_slurm(hosts)


def format_findings(findings: list[Diagnosis]) -> str:
    """A line for each under the name of its site: `no` with a remedy, `--` if the site does without it."""
    width = max(len(each.what) for each in findings)
    lines = []
    for site, mine in groupby(findings, key=lambda each: each.site):
        lines += ["", site, *(_line(each, width) for each in mine)]
    return "\n".join(lines[1:])


def as_json(findings: list[Diagnosis]) -> str:
    """The same for programs."""
    return json.dumps([asdict(each) for each in findings], indent=1)


def _line(finding: Diagnosis, width: int) -> str:
    advice = f"; try: {finding.remedy}" if finding.remedy else ""
    mark = "no" if finding.remedy else "--" if finding.missing else "ok"
    return f"  {mark} {finding.what:<{width}}  {finding.found}{advice}"
