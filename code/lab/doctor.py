"""`lab doctor`: what each site needs on this host, and what is missing."""

import math
import os
import resource
import shutil
import subprocess
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from lab.errors import LabError, plural
from lab.experiment.reader import load as load_experiment
from lab.machine import runner, snapshot
from lab.places import CACHE, MACHINE, REFERENCE, ROOT, SETTINGS
from lab.plan.planning import all_experiments
from lab.records.reference import read_identity
from lab.sites import cable, hosts, queue, vm
from lab.sites.agent import computer
from lab.sites.agent.jobs import name_of
from lab.sites.hosts import Host
from lab.sites.site import EVERYWHERE, silent
from lab.sites.ssh import Connection
from lab.sites.vm import KVM
from lab.supply.lock import COMPILER, GUEST, read
from lab.supply.providers import load
from lab.typed_json import JsonTable

FREE_BYTES = 2 * 2**30  # image, snapshot and results, with room to spare
VERIFIED_BYTES = 32 << 20  # the buffer of a --verify round (bench/buffer.c), which a preflight runs
QUEUES_BYTES = 1 << 20  # the rest of what a program locks
MODULES = {
    "rdma_rxe": "Soft-RoCE",
    "vrf": "both ends of Soft-RoCE on one host",
    "siw": "Soft-iWARP",
    "sch_tbf": "link models with a rate",
    "sch_netem": "link models with a delay or a loss",
}
REFERENCE_TOOLS = {"iperf3": "iperf3", "ib_write_bw": "perftest", "qperf": "qperf", "orterun": "openmpi-bin"}


class Diagnosis(NamedTuple):
    """The answer to one question about a site; the remedy is empty when all is well."""

    what: str
    found: str
    remedy: str = ""
    missing: bool = False  # absent, and the site does without it


def doctor(options: Namespace) -> int:
    findings = {site: list(examine(site, options.hosts)) for site in CHECKS}
    print(format_findings(findings))
    return int(any(finding.remedy for finding in findings[EVERYWHERE]))


def examine(site: str, file: Path) -> Iterator[Diagnosis]:
    """All answers of a site's checks; `file` names other hosts."""
    for check in CHECKS[site]:
        try:
            yield from check(file)
        except LabError as error:
            yield Diagnosis(check.__name__.replace("_", " "), error.what, error.hint or str(error))


def format_findings(findings: Mapping[str, Sequence[Diagnosis]]) -> str:
    """A line for each under the name of its site: `no` with a remedy, `--` if the site does without it."""
    width = max(len(finding.what) for of_site in findings.values() for finding in of_site)
    lines = []
    for site, of_site in findings.items():
        lines += ["", site]
        for finding in of_site:
            mark = "no" if finding.remedy else "--" if finding.missing else "ok"
            advice = f"; try: {finding.remedy}" if finding.remedy else ""
            lines.append(f"  {mark} {finding.what:<{width}}  {finding.found}{advice}")
    return "\n".join(lines[1:])


def packages(_: Path) -> Iterator[Diagnosis]:
    """The packages that a first run will download; digests are checked then."""
    lock = read(MACHINE / "packages.lock")
    packages = {*lock.of(GUEST), *lock.of(COMPILER), *lock.of(runner.section())}
    missing = [each.size_bytes for each in packages if not (CACHE / "packages" / f"{each.sha256}.deb").exists()]
    to_fetch = f"{len(missing)} to fetch, {sum(missing) / 1e6:.0f} MB, from {', '.join(load(SETTINGS).providers)}"
    yield Diagnosis("packages", to_fetch if missing else f"all {len(packages)} are there")


def qemu(_: Path) -> Iterator[Diagnosis]:
    try:
        program = runner.place(MACHINE, CACHE)
        version = runner.Runner(program).version() if program.exists() else "not unpacked yet: the first run fetches it"
        yield Diagnosis("QEMU's version", version)
    except (LabError, OSError) as error:
        yield Diagnosis("QEMU's version", str(error), "lab run")


def exact_machine(_: Path) -> Iterator[Diagnosis]:
    """Another VM counts other instructions: results are then compared with tolerances."""
    expected, reference = snapshot.read(MACHINE), read_identity(REFERENCE) or {}
    is_reference = expected and expected.frozen["memory"] == reference.get("frozen")
    other = "not the reference's: verify compares with tolerances"
    yield Diagnosis("machine", "as of the reference" if is_reference else other)


def host_resources(_: Path) -> Iterator[Diagnosis]:
    free = shutil.disk_usage(ROOT).free
    yield Diagnosis("disk", f"{free / 2**30:.1f} GiB free", "" if free >= FREE_BYTES else "free some space")
    yield Diagnosis("CPUs", f"{os.cpu_count()}: as many trials at once")


def kvm(_: Path) -> Iterator[Diagnosis]:
    """Whether KVM works: VMs run without it, but slower. Its device file proves nothing, so a VM is booted, if there is
    an image already."""
    problem = "" if os.access(vm.KVM_DEVICE, os.R_OK | os.W_OK) else f"{vm.KVM_DEVICE} cannot be opened"
    if not problem and not (CACHE / "machine").is_dir():
        problem = "not tried before the first trial"
    try:
        if not problem and vm.open().machine(silent).acceleration is not KVM:
            problem = f"{vm.KVM_DEVICE} is there, but no VM boots"
    except LabError as error:
        problem = f"not tried: {error.what}"
    found = f"{problem}: VMs run in software, with all cores" if problem else "works"
    yield Diagnosis("KVM", found, missing=bool(problem))
    yield Diagnosis("machines", "two, joined by a link" if (os.cpu_count() or 1) > 1 else "one, with a cable in it")


def devices(_: Path) -> Iterator[Diagnosis]:
    names = computer.devices()
    if not names:
        instead = "none: TCP over a cable between two namespaces; --site exact has RDMA"
        yield Diagnosis("RDMA devices", instead, missing=True)
    for name in names:
        state, interface = computer.port_state(name), computer.interface_of(name)
        rate = computer.text(computer.SYS / "class/infiniband" / name / "ports/1/rate")
        gids = computer.gid_kinds(name)
        remedy = "" if "ACTIVE" in state else f"ip link set {interface} up"
        yield Diagnosis(name, f"{state}, {rate}, {interface}", remedy)
        yield Diagnosis(f"{name} GIDs", gids or "none", "" if gids else f"an address for {interface}")


def locked_memory(_: Path) -> Iterator[Diagnosis]:
    """The limit per process, from which root is exempt, and the most that one end locks: buffers to send and to receive
    the largest message planned over RDMA."""
    series = [each for file in all_experiments() for each in load_experiment(file).series if each.tool.rdma]
    largest = max((size for each in series for size in each.sizes("host")), default=0)
    need = max(2 * largest, VERIFIED_BYTES) + QUEUES_BYTES
    limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    is_unlimited = os.geteuid() == 0 or limit == resource.RLIM_INFINITY
    found = f"{'no limit' if is_unlimited else f'{limit >> 20} MiB'}; experiments/ needs {math.ceil(need / 2**20)} MiB"
    remedy = "ulimit -l unlimited, or memlock in /etc/security/limits.conf"
    yield Diagnosis("locked memory", found, "" if is_unlimited or limit >= need else remedy)


def namespaces(_: Path) -> Iterator[Diagnosis]:
    problem = cable.refusal()
    yield Diagnosis("network namespaces", problem or "yes", cable.HINT if problem else "")


def modules(_: Path) -> Iterator[Diagnosis]:
    """Whether each kernel module is loaded or can be; one that is built in may show neither."""
    for name, use in MODULES.items():
        modinfo = shutil.which("modinfo")
        if (computer.SYS / "module" / name).exists():
            yield Diagnosis(name, f"loaded ({use})")
        elif modinfo and not subprocess.run([modinfo, name], capture_output=True, check=False).returncode:
            yield Diagnosis(name, f"there ({use})")
        else:
            yield Diagnosis(name, f"not in this kernel, unless built in ({use})", missing=True)


def reference_tools(_: Path) -> Iterator[Diagnosis]:
    return (_program(name, f"make build, or apt install {package}") for name, package in REFERENCE_TOOLS.items())


def _program(name: str, remedy: str) -> Diagnosis:
    file = shutil.which(name)
    return Diagnosis(name, file) if file else Diagnosis(name, "not installed", remedy)


def frequency(_: Path) -> Iterator[Diagnosis]:
    for name, value in (("governor", computer.governor()), ("turbo", computer.turbo())):
        yield Diagnosis(name, value or "this host does not report it", missing=not value)


def ssh_hosts(file: Path) -> Iterator[Diagnosis]:
    yield _program("ssh", "make build, or apt install openssh-client")
    if not hosts.has(file, "ssh"):
        yield Diagnosis(file.name, "names no hosts", "a table [ssh], as in docs/real-links.md")
        return
    ssh = hosts.read_ssh(file)
    for rank, host in enumerate(ssh.hosts):
        role = name_of(rank)
        try:
            end, state = ask_host(role, host, ssh.config)
            yield Diagnosis(host.login, f"reached; {role} on {_link(end, state)}", _remedy(end, state))
        except LabError as error:
            yield Diagnosis(host.login, error.what, error.hint or f"ssh {host.login}")


def ask_host(role: str, host: Host, config: str) -> tuple[JsonTable, JsonTable]:
    """The host's end of the data link, and the state of that end."""
    end = Connection(role, host, config).end
    try:
        found = end.ask("end", device=host.device, interface=host.interface, address=host.address)["found"]
        names = {"interface": found["interface"], "device": found["device"]}
        return found, {**end.ask("state", **names)["found"], "down": end.ask("down", **names)["found"]}
    finally:
        end.kill()


def _link(end: JsonTable, state: JsonTable) -> str:
    """The parts that a preflight compares at both ends: the port's state, its GIDs' kinds, the MTU."""
    device = f"{end['device']} ({state.get('link_state', 'not there')})" if end["device"] else ""
    gids = f"GIDs: {state['gids']}" if "gids" in state else ""
    interface = f"{end['interface']} (MTU {state.get('mtu', 'unknown')})" if end["interface"] else ""
    return ", ".join(filter(None, (device, gids, interface, str(end["address"])))) or "no data link"


def _remedy(end: JsonTable, state: JsonTable) -> str:
    """The remedy for an end that cannot be used, as far as this end alone shows."""
    interface = end["interface"]
    if interface and not end["address"]:
        return f"an address for {interface} over there"
    if end["device"] and "link_state" not in state:
        return f"rdma link over there, which lacks {end['device']}"
    return f"ip link set {interface} up over there" if state.get("down") else ""


def cluster(file: Path) -> Iterator[Diagnosis]:
    yield _program("sbatch", "log in to the cluster; or make slurm-up for one on this host")
    if not shutil.which("sbatch"):
        return
    slurm = hosts.read_slurm(file) if hosts.has(file, "slurm") else hosts.Slurm()
    try:
        name, up = queue.cluster_name(), queue.nodes_up(slurm.partition)
        remedy = "" if up >= 2 else "two nodes; sinfo -R prints why not"
        yield Diagnosis("cluster", f"{name}: {plural(up, 'node')} up", remedy)
    except LabError as error:
        yield Diagnosis("cluster", error.what, error.hint or "sinfo")
    yield _mpi(slurm.mpi)


def _mpi(pmi: str) -> Diagnosis:
    """How MPI's ranks are started, or the key of hosts.toml that would make it work."""
    if pmi == hosts.ORTERUN:
        return _program(hosts.ORTERUN, "make build, or apt install openmpi-bin")
    done = subprocess.run(["srun", "--mpi=list"], capture_output=True, text=True, check=False)
    # One kind a line; older versions print `srun:` before each.
    lines = (line.removeprefix("srun: ").split() for line in (done.stdout + done.stderr).splitlines())
    kinds = [words[0] for words in lines if len(words) == 1 and words[0] != "none"]
    if pmi in kinds:
        library = "" if pmi.startswith("pmix") else ", for an MPI library that is built with it"
        return Diagnosis("MPI", f"srun --mpi={pmi}{library}")
    instead = next((kind for kind in kinds if kind.startswith("pmix")), hosts.ORTERUN)
    listed = ", ".join(kinds) or "nothing"
    return Diagnosis("MPI", f"srun --mpi has no {pmi}, but {listed}", f'mpi = "{instead}" under [slurm]')


# The checks of each site, in the order in which their subjects are needed.
CHECKS: dict[str, tuple[Callable[[Path], Iterator[Diagnosis]], ...]] = {
    "exact": (packages, qemu, exact_machine, host_resources),
    "vm": (kvm,),
    "host": (devices, locked_memory, namespaces, modules, reference_tools, frequency),
    "ssh": (ssh_hosts,),
    "slurm": (cluster,),
}
