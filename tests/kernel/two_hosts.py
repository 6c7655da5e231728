"""Two computers joined by two wires, one to log in by and one for data, each with Soft-RoCE on the second.

alice is where the tests run. Both see the same files of this computer, and what either writes nobody else sees.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.kernel.machine import Joints, OtherKernel, Size
from tests.sites.daemons import write
from tests.sites.ssh_hosts import SshServers

from lab.sites.vm import sockets

CARD_MTU = 4200
OLDER = "bob-older"  # bob, with a preloaded library that turns all GIDs into RoCE v1
ADDRESSES = {"alice": "10.79.0.1", "bob": "10.79.0.2", OLDER: "10.79.0.3"}
DATA = {"alice": "10.77.0.1", "bob": "10.77.0.2"}
ALICE, BOB = 0, 1
ALICE_DEVICE, BOB_DEVICE = "rxe_alice", "rxe_bob"
OLDER_SOURCE = Path(__file__).with_name("older_gids.c")
QUICKLY = "Host *\n    KexAlgorithms ecdh-sha2-nistp256\n"  # the default takes a second of such a machine
JOIN = """
hostname {name}
for each in virtio_net rdma_rxe; do modprobe $each; done
ip link set eth0 name login0 && ip link set eth1 name data0
ip addr add {data}/24 dev data0
for each in {login}; do ip addr add $each/24 dev login0; done
ip link set login0 up && ip link set data0 up
"""


def prepare(folder: Path) -> None:
    """Their servers' files, which both see, and the script that makes each of them."""
    servers = SshServers(folder, ADDRESSES, QUICKLY)
    library = folder / "older.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, OLDER_SOURCE], check=True)
    config = folder / f"{OLDER}.sshd"  # of several lines SetEnv, the first one counts
    config.write_text(config.read_text().replace("SetEnv ", f"SetEnv LD_PRELOAD={library} "))
    write(folder / "alice.sh", join(servers, "alice"))
    write(folder / "bob.sh", join(servers, "bob", OLDER) + device(BOB_DEVICE))


def join(servers: SshServers, *names: str) -> str:
    """What makes a machine one of the two, by the names under which one logs in."""
    login = " ".join(ADDRESSES[each] for each in names)
    joined = JOIN.format(name=names[0], data=DATA[names[0]], login=login)
    return joined + "".join(f"({servers.serve(each)})\n" for each in names)


def device(name: str) -> str:
    """The line that makes a Soft-RoCE device of the data link."""
    return f"rdma link add {name} type rxe netdev data0\n"


@contextmanager
def bob_beside(kernel: OtherKernel, folder: Path) -> Iterator[Joints]:
    """bob runs; alice has the other ends of the wires."""
    with sockets() as login, sockets() as data:
        there = Joints(tuple(cards(BOB, login[1], data[1])), (login[1], data[1]))
        with kernel.start(("sh", "-c", f"sh {folder}/bob.sh; sleep infinity"), Size(1, 1024), there) as machine:
            try:
                yield Joints(tuple(cards(ALICE, login[0], data[0])), (login[0], data[0]))
            finally:
                machine.kill()


def cards(host: int, login: int, data: int) -> list[str]:
    """eth0 and eth1, at an end of a wire each."""
    words: list[str] = []
    for name, wire in (("login", login), ("data", data)):
        mac = f"02:00:00:00:0{host}:{len(words):02x}"
        words += ["-netdev", f"socket,id={name},fd={wire}"]
        words += ["-device", f"virtio-net-pci,netdev={name},mac={mac},host_mtu={CARD_MTU},romfile="]
    return words
