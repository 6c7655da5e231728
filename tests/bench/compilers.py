"""Compile the C programs and their tests with every gcc and clang of Debian's suites, for three kinds of CPU, and
report warnings: `make compilers`. Each suite is unpacked into its folder under .cache/compilers."""

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.release.hosts.roots import KEYS, apt_in, run

from lab.places import CACHE, ROOT

FOLDER = CACHE / "compilers"
HEADERS = ("libibverbs-dev", "libopenmpi-dev", "libcmocka-dev", "libc6-dev-arm64-cross", "libc6-dev-s390x-cross")
TOOLS = ("make", "dash", "coreutils", "findutils")
# The first suite with each compiler: Verbyte runs on bookworm, and sid has the newest.
COMPILERS = {
    "bookworm": ("gcc-12", "clang-14", "clang-15", "clang-16"),
    "trixie": ("gcc-13", "gcc-14", "clang-17", "clang-18", "clang-19"),
    "sid": ("gcc-15", "gcc-16", "clang-21", "clang-22", "clang-23"),
}
NATIVE = "x86_64-linux-gnu"
TARGETS = (NATIVE, "aarch64-linux-gnu", "s390x-linux-gnu")
# Headers that are the same for every CPU, behind those of the target.
SHARED = ("/usr/include", f"/usr/lib/{NATIVE}/openmpi/include", f"/usr/lib/{NATIVE}/openmpi/include/openmpi")


@dataclass(frozen=True)
class Suite:
    name: str

    @property
    def folder(self) -> Path:
        return FOLDER / self.name

    @property
    def root(self) -> Path:
        return self.folder / "root"

    def unpack(self) -> None:
        """Fetch and unpack the compilers with all that they need, unless that is done."""
        done = self.folder / "unpacked"
        names = "\n".join((*packages(self.name), ""))
        if done.exists() and done.read_text() == names:
            return
        (self.root / "usr").mkdir(parents=True, exist_ok=True)
        run(*apt_in(self.folder, "deb", self.name), "-y", "--download-only", "install", *names.split())
        for name in ("bin", "sbin", "lib", "lib64"):
            (self.root / "usr" / name).mkdir(exist_ok=True)
            if not (self.root / name).is_symlink():
                (self.root / name).symlink_to(f"usr/{name}")
        for archive in sorted((self.folder / "cache" / "archives").glob("*.deb")):
            extract(archive, self.root)
        shell = self.root / "bin" / "sh"
        shell.unlink(missing_ok=True)
        shell.symlink_to("dash")
        done.write_text(names)

    def compile(self, compiler: str, target: str) -> str:
        """The warnings and errors of a compiler; empty if there are none."""
        out = f"/out/{compiler}-{target}"
        headers = " ".join(f"-idirafter {folder}" for folder in SHARED)
        command = f"{command_of(compiler, target)} {headers}"
        done = subprocess.run(
            [
                *("bwrap", "--bind", str(self.root), "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"),
                *("--ro-bind", str(ROOT / "code"), "/lab/code", "--ro-bind", str(ROOT / "tests"), "/lab/tests"),
                *("--dir", "/out", "--unshare-net", "--chdir", "/lab/code/bench", "--clearenv"),
                *("--setenv", "PATH", "/usr/bin", "make", "-s", "-B", "warnings"),
                *(f"OUT={out}", f"CC={command}", f"MPICC={command}"),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        return "" if done.returncode == 0 else done.stdout + done.stderr


def packages(suite: str) -> tuple[str, ...]:
    """The compilers (gcc once for each target), the headers, and what make needs."""
    cross = (f"{name}-{target}" for name in COMPILERS[suite] if name.startswith("gcc") for target in TARGETS[1:])
    return (*COMPILERS[suite], *cross, *HEADERS, *TOOLS)


def extract(archive: Path, root: Path) -> None:
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE) as packed:
        tar = ("tar", "-x", "-C", root, "--keep-directory-symlink", "--no-same-owner")
        subprocess.run(tar, stdin=packed.stdout, check=True)


def command_of(compiler: str, target: str) -> str:
    if compiler.startswith("clang"):
        sysroot = "" if target == NATIVE else f" -isystem /usr/{target}/include"
        return f"{compiler} --target={target}{sysroot}"
    name, _, major = compiler.partition("-")
    return compiler if target == NATIVE else f"{target}-{name}-{major}"


def warnings_of(suite: Suite) -> list[str]:
    suite.unpack()
    pairs = [(compiler, target) for compiler in COMPILERS[suite.name] for target in TARGETS]
    warnings = []
    with ThreadPoolExecutor() as pool:
        outputs = pool.map(lambda pair: suite.compile(*pair), pairs)
        for (compiler, target), output in zip(pairs, outputs, strict=True):
            print(f"{compiler:9} {target:18} {'WARNS' if output else 'no warning'}", flush=True)
            if output:
                warnings.append(f"{compiler} for {target}:\n{output}")
    return warnings


def main() -> int:
    missing = [tool for tool in ("apt-get", "dpkg-deb", "bwrap") if shutil.which(tool) is None]
    missing += [] if Path(KEYS).exists() else [KEYS]
    if missing:
        print(f"compilers: {', '.join(missing)} not found; this needs a Debian with bubblewrap")
        return 2
    warnings = [warning for name in COMPILERS for warning in warnings_of(Suite(name))]
    print("\n".join(warnings), end="")
    return 1 if warnings else 0


if __name__ == "__main__":
    sys.exit(main())
