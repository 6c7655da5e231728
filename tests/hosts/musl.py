"""A userland of musl: busybox, compiled here from Debian's source, and musl's loader; no glibc is in it."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from tests.hosts.debian import KEYS, mirror, userland
from tests.hosts.making import run

LOADER = "ld-musl-x86_64.so.1"
# The kernel's headers are Debian's; what musl has too is musl's. `tc` was written for older headers.
HEADERS = "-idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu"
WITHOUT = ("TC",)


def musl() -> Path:
    """Its root."""
    return userland("musl", make)


def make(root: Path) -> None:
    """Busybox with a link for each of its commands, and the loader."""
    for name in ("bin", "lib", "proc", "dev", "tmp", "run", "etc"):
        (root / name).mkdir()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(compiled(source(Path(folder))), root / "bin")
    shutil.copy(Path("/lib") / LOADER, root / "lib")
    (root / "etc" / "os-release").write_text('ID=musl\nPRETTY_NAME="busybox and musl"\n')
    for name in run("chroot", root, "/bin/busybox", "--list").split():
        if name != "busybox":
            (root / "bin" / name).symlink_to("busybox")


def source(folder: Path) -> Path:
    """Busybox's source, unpacked; apt's own lists and settings are left alone."""
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    (folder / "sources.list").write_text(f"deb-src [signed-by={KEYS}] {mirror()} bookworm main\n")
    places = {"State": "", "State::status": "status", "Cache": "cache", "Etc::sourcelist": "sources.list"}
    options = {f"Dir::{name}": str(folder / file) for name, file in places.items()}
    options |= {"Dir::Etc::sourceparts": "-", "APT::Sandbox::User": "root"}
    apt = ["apt-get", "-q", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]
    run(*apt, "update")
    run("env", "-C", folder, *apt, "source", "--download-only", "busybox")
    (archive,) = folder.glob("busybox_*.orig.tar.*")
    run("tar", "-x", "-C", folder, "-f", archive)
    (unpacked,) = (each for each in folder.iterdir() if (each / "Makefile").exists())
    return unpacked


def compiled(folder: Path) -> Path:
    """Busybox with all of its commands but a few, linked with musl."""
    make = ("make", "-s", "-C", folder)
    run(*make, "defconfig")
    settings = folder / ".config"
    text = settings.read_text()
    for name in WITHOUT:
        text = text.replace(f"CONFIG_{name}=y\n", f"# CONFIG_{name} is not set\n")
    settings.write_text(text)
    run(*make, f"-j{os.cpu_count()}", "CC=musl-gcc", f"EXTRA_CFLAGS={HEADERS}", "SKIP_STRIP=y", "busybox")
    return folder / "busybox"
