"""Root file systems in folders: Debian's by debootstrap, which needs root, and one of busybox and musl."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from lab.errors import LabError
from lab.places import CACHE

ROOTS = CACHE / "hosts" / "roots"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
# The mounts end with the command.
ALONE = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
LAB = "lab"  # the folder of the checkout in a userland
MUSL_LOADER = "ld-musl-x86_64.so.1"
# The kernel's headers are Debian's; what musl has too is musl's. `tc` was written for older headers.
HEADERS = "-idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu"
WITHOUT = ("TC",)


def run(*words: str | Path) -> str:
    """A command's output; an error contains its messages."""
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def kept(folder: Path, make: Callable[[Path], None]) -> Path:
    if not folder.exists():
        making = folder.with_name(f"{folder.name}.making")
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir(parents=True)
        make(making)
        making.rename(folder)
    return folder


def mirror() -> str:
    """The mirror of Debian's main part that this host's apt uses."""
    form = "$(ORIGIN)|$(COMPONENT)|$(REPO_URI)"
    listed = run("apt-get", "indextargets", "--format", form, "Created-By: Packages").splitlines()
    found = [line.rpartition("|")[2] for line in listed if line.startswith("Debian|main|")]
    if not found:
        raise LabError("this computer's apt has no mirror of Debian's main part")
    return found[0]


def userland(name: str, make: Callable[[Path], None]) -> Path:
    """The root of this name, with a folder for the checkout."""

    def with_lab(root: Path) -> None:
        make(root)
        (root / LAB).mkdir(exist_ok=True)

    return kept(ROOTS / name, with_lab)


def debootstrapped(suite: str, packages: Sequence[str] = ()) -> Path:
    """A suite's smallest userland, with some packages."""

    def make(root: Path) -> None:
        more = [f"--include={','.join(packages)}"] if packages else []
        run(*ALONE, "debootstrap", "--variant=minbase", *more, suite, root, mirror())

    return userland(suite, make)


def with_qemu(suite: str) -> Path:
    def make(root: Path) -> None:
        run("cp", "-a", f"{debootstrapped(suite, ['python3'])}/.", root)
        apt = (*ALONE, "chroot", root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q")
        run(*apt, "install", "-y", "--no-install-recommends", "qemu-system-x86")

    return userland(f"{suite}-qemu", make)


def musl() -> Path:
    return userland("musl", make_musl)


def make_musl(root: Path) -> None:
    """Busybox with a link for each of its commands, and the loader."""
    for name in ("bin", "lib", "proc", "dev", "tmp", "run", "etc"):
        (root / name).mkdir()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(compiled(source(Path(folder))), root / "bin")
    shutil.copy(Path("/lib") / MUSL_LOADER, root / "lib")
    (root / "etc" / "os-release").write_text('ID=musl\nPRETTY_NAME="busybox and musl"\n')
    for name in run("chroot", root, "/bin/busybox", "--list").split():
        if name != "busybox":
            (root / "bin" / name).symlink_to("busybox")


def source(folder: Path) -> Path:
    """Busybox's source, unpacked, with apt's lists, packages and settings in the folder."""
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
    """Busybox with all of its commands but those in WITHOUT, linked with musl."""
    make = ("make", "-s", "-C", folder)
    run(*make, "defconfig")
    settings = folder / ".config"
    text = settings.read_text()
    for name in WITHOUT:
        text = text.replace(f"CONFIG_{name}=y\n", f"# CONFIG_{name} is not set\n")
    settings.write_text(text)
    run(*make, f"-j{os.cpu_count()}", "CC=musl-gcc", f"EXTRA_CFLAGS={HEADERS}", "SKIP_STRIP=y", "busybox")
    return folder / "busybox"
