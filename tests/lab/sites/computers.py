"""Hosts that are only a tree of files: /sys and /proc of a host with real RDMA devices."""

import shutil
from pathlib import Path

import pytest

from lab.sites.agent import computer

DEVICE = {
    "fw_ver": "28.39.1002",
    "hca_type": "MT4129",
    "device/local_cpulist": "8-10,12",
    "ports/1/state": "4: ACTIVE",
    "ports/1/rate": "400 Gb/sec (4X NDR)",
    "ports/1/link_layer": "Ethernet",
    "ports/1/counters/port_xmit_data": "1000",
    "ports/1/counters/port_rcv_data": "20",
    "ports/1/hw_counters/out_of_sequence": "3",
}
NETDEV = {"mtu": "9000", "device/vendor": "0x15b3", "device/device": "0x1021", "device/msi_irqs/77": "msix"}


def pretend(root: Path, monkeypatch: pytest.MonkeyPatch, *devices: str) -> None:
    """Let this host have RDMA devices, each with an interface: mlx5_0 on eth0 ..."""
    monkeypatch.setattr(computer, "SYS", root / "sys")
    monkeypatch.setattr(computer, "PROC", root / "proc")
    put(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance")
    put(root / "sys/devices/system/cpu/intel_pstate/no_turbo", "1")
    put(root / "proc/sys/net/ipv4/tcp_congestion_control", "cubic")
    put(root / "proc/irq/77/smp_affinity_list", "8-9")
    for number, device in enumerate(devices):
        folder = root / "sys/class/infiniband" / device
        for name, value in DEVICE.items():
            put(folder / name, value)
        put(folder / "ports/1/gid_attrs/ndevs/0", f"eth{number}")
        for name, value in NETDEV.items():
            put(root / "sys/class/net" / f"eth{number}" / name, value)


def of_software(root: Path, device: str) -> None:
    """Let a device be one of the kernel's own: nothing behind it, and no model."""
    folder = root / "sys/class/infiniband" / device
    shutil.rmtree(folder / "device")
    (folder / "hca_type").unlink()
    put(folder / "node_type", "1: CA")


def put(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text + "\n")
