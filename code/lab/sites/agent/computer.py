"""The identity, the state, the counters and the devices of a host, read from /proc and /sys.

Agents use this module on hosts without Verbyte, so it imports only the standard library.
"""

from __future__ import annotations

import ipaddress
import json
import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lab.typed_json import JsonValue

SYS = Path("/sys")
PROC = Path("/proc")
SOFTWARE = "software"  # in place of a driver's name
WORD_BYTES = 4  # InfiniBand counts data in words (InfiniBand Architecture 1.3, 16.1.3.5)


def text(path: Path) -> str:
    """The value in a file; empty without the file."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def counters() -> dict[str, int]:
    """The counters of all RDMA ports, such as mlx5_0.port_rcv_packets."""
    return {name: count for device in devices() for name, count in port_counters(device).items()}


def port_counters(device: str) -> dict[str, int]:
    """The counters of the device's first port, and its bytes by the names of network interfaces' counters."""
    port, counts = SYS / "class/infiniband" / device / "ports/1", {}
    for file in (*port.glob("counters/*"), *port.glob("hw_counters/*")):
        value = text(file)
        if value.isdecimal():
            counts[f"{device}.{file.name}"] = int(value)
    for way, name in (("tx", "xmit"), ("rx", "rcv")):
        if f"{device}.port_{name}_data" in counts:
            counts[f"{device}.{way}_bytes"] = counts[f"{device}.port_{name}_data"] * WORD_BYTES
    return counts


def devices() -> list[str]:
    folder = SYS / "class/infiniband"
    return sorted(file.name for file in folder.iterdir()) if folder.is_dir() else []


def interface_of(device: str) -> str:
    """The network interface of an RDMA device's first port: that of its first GID, else its only netdev."""
    folder = SYS / "class/infiniband" / device
    named = text(folder / "ports/1/gid_attrs/ndevs/0")
    return named or min((file.name for file in folder.glob("device/net/*")), default="")


def address_of(interface: str) -> str:
    """The interface's first IPv4 address, else its first IPv6 address, global ones first; empty if it has none but a
    link-local one, for which programs would need an option."""
    usable = [row for row in _addresses("dev", interface) if row["scope"] != "link"]
    return min(usable, key=lambda row: (row["scope"] != "global", row["family"]), default={"local": ""})["local"]


def _addresses(*which: str) -> list[dict[str, str]]:
    """The addresses of interfaces in this network namespace."""
    return [
        {"interface": link["ifname"], **{name: str(row.get(name, "")) for name in ("local", "scope", "family")}}
        for link in _links(*which)
        for row in link.get("addr_info", ())
    ]


def _links(*which: str) -> list[dict[str, Any]]:
    """The interfaces of this network namespace, from iproute2: /sys may show another namespace."""
    listed = subprocess.run(["ip", "-json", "addr", "show", *which], stdout=subprocess.PIPE, check=False).stdout
    links: list[dict[str, Any]] = json.loads(listed or "[]")
    return links


def end(device: str, interface: str, address: str) -> dict[str, str]:
    """One end of the data link; missing parts follow from the others, else from the address of the ssh login."""
    came_in = (os.environ.get("SSH_CONNECTION", "").split() + [""] * 3)[2]
    if not (device or interface or address):
        # The first RDMA device whose port is up; empty if there is none.
        device = next((name for name in devices() if "ACTIVE" in port_state(name)), "")
    if device and not interface:
        interface = interface_of(device)
    elif not interface:
        interface = next((row["interface"] for row in _addresses() if row["local"] == (address or came_in)), "")
    address = address or address_of(interface)
    return {"device": device, "interface": interface, "address": address, "gid": gid_of(device, address)}


def gid_of(device: str, address: str) -> str:
    """The number of an address in the GID table of the device's first port: for RoCE v2 if there are several, and 0 if
    there is none, as on InfiniBand."""
    if not device:
        return ""
    port = SYS / "class/infiniband" / device / "ports/1"
    gid = ipaddress.IPv6Address(address if ":" in address else f"::ffff:{address or '0.0.0.0'}").exploded
    numbers = [file.name for file in (port / "gids").glob("*") if text(file) == gid]
    return min(numbers, key=lambda n: (text(port / "gid_attrs/types" / n) != "RoCE v2", int(n)), default="0")


def is_down(interface: str, device: str) -> bool:
    off = any(link["operstate"] in ("DOWN", "LOWERLAYERDOWN") for link in _links("dev", interface))
    return off or (bool(device) and "ACTIVE" not in port_state(device))


def port_state(device: str) -> str:
    """The state of the first port, such as `4: ACTIVE`."""
    return text(SYS / "class/infiniband" / device / "ports/1/state")


def kind(device: str) -> str:
    """The kind of a device: driver or `software`, model, board, kind of node, and link layer of its port."""
    folder = SYS / "class/infiniband" / device
    driver = driver_of(folder / "device") if (folder / "device").exists() else SOFTWARE
    names = ("hca_type", "board_id", "node_type", "ports/1/link_layer")
    return " ".join(filter(None, (driver, *(text(folder / name) for name in names))))


def driver_of(card: Path) -> str:
    driver = card / "driver"
    return driver.resolve().name if driver.is_symlink() else ""


def gid_kinds(device: str) -> str:
    """The number of GIDs of each kind in the table of the device's first port: 1 IB/RoCE v1, 2 RoCE v2."""
    kinds = [text(file) for file in (SYS / "class/infiniband" / device / "ports/1/gid_attrs/types").glob("*")]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds)) if kind)


def identity(interface: str, device: str) -> dict[str, str]:
    """The facts that make measurements comparable; none of them changes by itself."""
    card, port = SYS / "class/net" / interface / "device", SYS / "class/infiniband" / device
    facts = {
        "kernel": os.uname().release,
        "processor": processor(),
        "governor": governor(),
        "turbo": turbo(),
        "congestion": text(PROC / "sys/net/ipv4/tcp_congestion_control"),
        "card": " ".join(filter(None, (text(card / "vendor"), text(card / "device")))),
        "driver": driver_of(card),
        "rdma": text(port / "hca_type") or text(port / "node_desc") if device else "",
        "firmware": text(port / "fw_ver") if device else "",
        "link": port_rate(device),
    }
    return {name: value for name, value in facts.items() if value}


def state(interface: str, device: str) -> dict[str, JsonValue]:
    """Facts that may change from trial to trial: recorded, never compared."""
    facts: dict[str, JsonValue] = {
        "load": list(os.getloadavg()),
        "temperatures_c": [int(text(zone)) / 1000 for zone in sorted(SYS.glob("class/thermal/thermal_zone*/temp"))],
        "irq_affinity": irq_affinity(interface),
        "cpus": sorted(os.sched_getaffinity(0)),
        "rate_bit_s": rate_bit_s(interface, device),
        "mtu": text(SYS / "class/net" / interface / "mtu"),
        "link_state": port_state(device) if device else "",
        "gids": gid_kinds(device) if device else "",
        "memlock_bytes": resource.getrlimit(resource.RLIMIT_MEMLOCK)[0],
    }
    return {name: value for name, value in facts.items() if value not in ("", [], {}, 0)}


def port_rate(device: str) -> str:
    """The rate that a card reports: `400 Gb/sec (4X NDR)`; empty for software devices, whose 2.5 Gb/sec is a default
    (ib_get_eth_speed of the kernel)."""
    folder = SYS / "class/infiniband" / device
    return text(folder / "ports/1/rate") if device and (folder / "device").exists() else ""


def rate_bit_s(interface: str, device: str) -> int:
    """The link's rate, from its card or its interface; 0 without a card."""
    words = port_rate(device).split()
    if words:
        return int(float(words[0]) * 1e9)
    card = SYS / "class/net" / interface
    speed = text(card / "speed") if (card / "device").exists() else ""
    return int(speed) * 1_000_000 if speed.isdecimal() else 0


def processor() -> str:
    for line in text(PROC / "cpuinfo").splitlines():
        if line.startswith(("model name", "cpu model", "Processor")):
            return line.partition(":")[2].strip()
    return os.uname().machine


def governor() -> str:
    names = {text(file) for file in SYS.glob("devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")}
    return " ".join(sorted(names - {""}))


def turbo() -> str:
    """Whether the CPUs' turbo is on or off; empty if unknown."""
    off = text(SYS / "devices/system/cpu/intel_pstate/no_turbo")
    on = text(SYS / "devices/system/cpu/cpufreq/boost")
    return {"0": "on", "1": "off"}.get(off, "") or {"0": "off", "1": "on"}.get(on, "")


def irq_affinity(interface: str) -> dict[str, str]:
    """The CPUs that each interrupt of the network card may go to."""
    numbers = sorted(file.name for file in (SYS / "class/net" / interface / "device/msi_irqs").glob("*"))
    return {number: text(PROC / "irq" / number / "smp_affinity_list") for number in numbers}


def near(interface: str, device: str) -> set[int]:
    """The CPUs of the network card's NUMA node, from the file that hwloc reads too (hwloc/openfabrics-verbs.h); none
    without that file."""
    cards = (SYS / "class/infiniband" / device / "device", SYS / "class/net" / interface / "device")
    lists = (set(cpu_list(text(card / "local_cpulist"))) for card in cards)
    return next(filter(None, lists), set())


def cpu_list(words: str) -> Iterator[int]:
    """The numbers of a list such as 0-3,8."""
    for word in filter(None, words.split(",")):
        first, _, last = word.partition("-")
        yield from range(int(first), int(last or first) + 1)
