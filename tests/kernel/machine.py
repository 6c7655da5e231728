"""This computer under another kernel: Debian's, with all its modules, in a machine that reads this computer's files.

What is started there sees the same programs at the same paths, as root; what it writes is gone with the machine.
"""

import base64
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.machine import contents, cpio
from lab.machine.runner import bundled
from lab.places import CACHE, MACHINE, ROOT
from lab.supply import deb
from lab.supply.lock import GUEST, read
from lab.supply.providers import opened_store

HERE = Path(__file__).parent
BOOT = ("virtio_pci", "9p", "9pnet_virtio", "overlay")
MODULES = (
    *(*BOOT, "crc32_generic", "virtio_net", "rdma_rxe", "ib_uverbs", "rdma_ucm"),
    *("veth", "vrf", "sch_netem", "sch_tbf"),
)
SHARE = "local,security_model=none,readonly=on,multidevs=remap"
ARGUMENTS = (
    "-machine", "q35", "-accel", "tcg,thread=multi,tb-size=512", "-cpu", "max",
    "-nodefaults", "-nic", "none", "-display", "none", "-no-reboot", "-no-user-config", "-serial", "stdio",
)  # fmt: skip


@dataclass(frozen=True)
class Size:
    """What a machine takes of this computer."""

    processors: int = 2
    memory_mib: int = 3072


@dataclass(frozen=True)
class Joints:
    """What connects a machine with others: words for QEMU, and the descriptors that they name."""

    words: tuple[str, ...] = ()
    descriptors: tuple[int, ...] = ()


ALONE = Joints()


class OtherKernel:
    """The kernel of the exact machine's lock, and those of its modules that are wanted, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.qemu = folder, bundled(MACHINE, CACHE, print)
        with tempfile.TemporaryDirectory(dir=folder) as name:
            root = Path(name)
            lock, store = read(MACHINE / "packages.lock"), opened_store(CACHE, print)
            wanted = [each for each in lock.of(GUEST) if each.package.startswith(("linux-image", "busybox"))]
            store.obtain(wanted, lock.date)
            for package in wanted:
                deb.unpack(store.file(package), root)
            self.keep(root)

    def keep(self, root: Path) -> None:
        """Kernel, modules with their index, and the first file system."""
        paths = contents.modules(root, MODULES)
        for path in paths:
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).rename(self.folder / path)
        subprocess.run(["depmod", "-b", self.folder, self.release], check=True, stderr=subprocess.DEVNULL)
        (kernel,) = root.glob("boot/vmlinuz-*")
        kernel.rename(self.folder / "vmlinuz")
        files = {path: cpio.Entry((self.folder / path).read_bytes()) for path in contents.modules(self.folder, BOOT)}
        listed = "".join(f"/{path}\n" for path in files).encode()
        files["bin/busybox"] = cpio.Entry((root / "bin/busybox").read_bytes(), executable=True)
        files["init"] = cpio.Entry((HERE / "init").read_bytes(), executable=True)
        (self.folder / "initrd").write_bytes(cpio.archive({**files, "modules": cpio.Entry(listed)}))

    @property
    def release(self) -> str:
        (folder,) = (self.folder / "lib/modules").iterdir()
        return folder.name

    def run(self, *command: str, limit_s: float, joints: Joints = ALONE) -> str:
        """All that a command prints under this kernel, and `status N` at its end."""
        with self.start(command, Size(), joints) as machine:
            try:
                said, _ = machine.communicate(timeout=limit_s)
            finally:
                machine.kill()
        assert machine.returncode == 0, said
        return said

    def start(self, command: Sequence[str], size: Size, joints: Joints = ALONE) -> subprocess.Popen[str]:
        """A machine that runs a command, and is off when that has ended."""
        drain = "stty onlcr <&1"  # else the kernel's last message begins in the midst of what is still to be sent
        work = f"cd {shlex.quote(str(ROOT))} && {shlex.join(command)} 2>&1; echo status $?"
        line = f"{work}; {drain}; echo o >/proc/sysrq-trigger"
        coded = base64.b64encode(line.encode()).decode()
        boot = ("-kernel", str(self.folder / "vmlinuz"), "-initrd", str(self.folder / "initrd"))
        append = ("-append", f"console=ttyS0 quiet panic=-1 no_timer_check mitigations=off lab_run={coded}")
        shares = (f"{SHARE},path=/,mount_tag=files", f"{SHARE},path={self.folder}/lib/modules,mount_tag=of-the-kernel")
        files = [word for share in shares for word in ("-virtfs", share)]
        parts = ["-m", str(size.memory_mib), "-smp", str(size.processors)]
        return subprocess.Popen(
            self.qemu.command([*ARGUMENTS, *parts, *boot, *append, *files, *joints.words]),
            cwd=self.qemu.folder, env=self.qemu.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, pass_fds=joints.descriptors,
        )  # fmt: skip
