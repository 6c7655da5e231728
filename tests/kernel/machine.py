"""This computer under another kernel: Debian's, with all its modules, in a machine that reads this computer's files.

What is started there sees the same programs at the same paths, as root; what it writes is gone with the machine.
"""

from __future__ import annotations

import base64
import shlex
import subprocess
import tempfile
from pathlib import Path

from lab.machine import cpio, debian, elf, lock, qemu
from lab.places import CACHE, ROOT
from lab.sites.exact import MACHINE

HERE = Path(__file__).parent
BOOT = ("virtio_pci", "9p", "9pnet_virtio", "overlay")
MODULES = (*BOOT, "crc32_generic", "rdma_rxe", "ib_uverbs", "rdma_ucm", "veth", "vrf", "sch_netem", "sch_tbf")
SHARE = "local,security_model=none,readonly=on,multidevs=remap"
ARGUMENTS = (
    "-machine", "q35", "-m", "3072", "-smp", "2", "-accel", "tcg,thread=multi,tb-size=512", "-cpu", "max",
    "-nodefaults", "-nic", "none", "-display", "none", "-no-reboot", "-no-user-config", "-serial", "stdio",
)  # fmt: skip


class OtherKernel:
    """The kernel of the exact machine's lock, and those of its modules that are wanted, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with tempfile.TemporaryDirectory(dir=folder) as name:
            root = Path(name)
            for package in lock.obtain(wanted(), CACHE / "packages"):
                debian.unpack(lock.archive_of(package, CACHE / "packages"), root)
            self.keep(root)

    def keep(self, root: Path) -> None:
        """Kernel, modules with their index, and the first file system."""
        paths = elf.modules(root, MODULES)
        for path in paths:
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).rename(self.folder / path)
        subprocess.run(["depmod", "-b", self.folder, self.release], check=True, stderr=subprocess.DEVNULL)
        (kernel,) = root.glob("boot/vmlinuz-*")
        kernel.rename(self.folder / "vmlinuz")
        files = {path: cpio.Entry((self.folder / path).read_bytes()) for path in elf.modules(self.folder, BOOT)}
        listed = "".join(f"/{path}\n" for path in files).encode()
        files["bin/busybox"] = cpio.Entry((root / "bin/busybox").read_bytes(), executable=True)
        files["init"] = cpio.Entry((HERE / "init").read_bytes(), executable=True)
        (self.folder / "initrd").write_bytes(cpio.archive({**files, "modules": cpio.Entry(listed)}))

    @property
    def release(self) -> str:
        (folder,) = (self.folder / "lib/modules").iterdir()
        return folder.name

    def run(self, *command: str, limit_s: float) -> str:
        """All that a command prints under this kernel, and `status N` at its end."""
        line = f"cd {shlex.quote(str(ROOT))} && {shlex.join(command)} 2>&1; echo status $?; echo o >/proc/sysrq-trigger"
        coded = base64.b64encode(line.encode()).decode()
        boot = ("-kernel", self.folder / "vmlinuz", "-initrd", self.folder / "initrd")
        append = ("-append", f"console=ttyS0 quiet panic=-1 mitigations=off lab_run={coded}")
        shares = (f"{SHARE},path=/,mount_tag=files", f"{SHARE},path={self.folder}/lib/modules,mount_tag=of-the-kernel")
        files = [word for share in shares for word in ("-virtfs", share)]
        ended = subprocess.run(
            [qemu.PROGRAM, *ARGUMENTS, *boot, *append, *files],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=limit_s, check=True,
        )  # fmt: skip
        return ended.stdout


def wanted() -> list[lock.Locked]:
    """Of the exact machine's packages, the kernel and what boots it."""
    return [
        each for each in lock.read(MACHINE / "packages.lock") if each.package.startswith(("linux-image", "busybox"))
    ]
