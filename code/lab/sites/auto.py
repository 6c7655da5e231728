"""Which site a run takes when nobody names one: a real link where there is one, else the exact machine."""

from __future__ import annotations

from pathlib import Path

from lab.sites import EVERYWHERE, hosts
from lab.sites.agent import computer

ANY = "any"  # for commands that read records: the site with most records


def choose(file: Path) -> tuple[str, str]:
    """The site's name, and why."""
    if own := real_devices():
        return "host", f"this computer has the RDMA device {own[0]}"
    if hosts.has(file, "ssh"):
        ssh = hosts.read_ssh(file)
        if named := ssh.client.device or ssh.server.device:
            return "ssh", f"{file.name} names the RDMA device {named}"
    if hosts.has(file, "slurm") and (named := hosts.read_slurm(file).device):
        return "slurm", f"{file.name} names the RDMA device {named}"
    return EVERYWHERE, f"no RDMA device on this computer or in {file.name}"


def real_devices() -> list[str]:
    """Devices of hardware whose port is up: those of software have no device behind them."""
    folder = computer.SYS / "class/infiniband"
    return [
        name
        for name in computer.devices()
        if (folder / name / "device").exists() and "ACTIVE" in computer.port_state(name)
    ]
