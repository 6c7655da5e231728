"""The bundled Python: packages of the lock, fetched, checked and unpacked by sh alone."""

import gzip
import hashlib
import lzma
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard
from tests.lab.supply.debs import member, package, tar
from tests.setup.setup_tree import Tree, tree

LOADER = "lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
POOL = "pool/main/p/python3.11/python3.11-minimal_1%3a3.11_amd64.deb"
DATE = "20261122T013403Z"
# In place of a program and its loader: a script that prints its arguments.
FILES = tar(
    member("./usr/bin/python3.11", b"a program", mode=0o755),
    member("./usr/lib/python3.11/ensurepip/__init__.py", b"import sys\n_WHEEL_PKG_DIR = '/usr/share/wheels'\n"),
    member("./usr/share/doc/python3.11/copyright", b"a document"),
    member(f"./{LOADER}", b'#!/bin/sh\nfor word; do echo "$word"; done\n', mode=0o755),
)
COMPRESSED = {
    "data.tar": FILES,
    "data.tar.xz": lzma.compress(FILES),
    "data.tar.gz": gzip.compress(FILES),
    "data.tar.zst": zstandard.compress(FILES),
}
TOOLS = ("cp", "gzip", "mkdir", "mv", "readlink", "rm", "sha256sum", "tar", "xz")
# Debian's packages are of xz, so that zstd is not asked for where the tests run.
ZSTD = "from sys import *; import zstandard; zstandard.ZstdDecompressor().copy_stream(stdin.buffer, stdout.buffer)"


def computer(folder: Path, name: str = "data.tar.xz") -> tuple[Tree, bytes]:
    """One without Python whose lock has one package, which its folder `store` provides; the package."""
    made = tree(folder, "fedora fedora-42 amd64 x")
    for each in TOOLS:
        (folder / "bin" / each).symlink_to(shutil.which(each) or "missing")
    made.command("zstd", f'exec "{sys.executable}" -c "{ZSTD}"')
    fetch = folder / "code/setup/fetch"
    fetch.write_text(fetch.read_text().replace("/usr/lib/apt/apt-helper", f"{folder}/bin/apt-helper"))
    content = package(folder / "x.deb", COMPRESSED[name], name).read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    line = f"python3.11-minimal 1:3.11 amd64 {POOL} {digest} {len(content)}"
    (folder / "code/machine").mkdir()
    (folder / "code/machine/packages.lock").write_text(
        f"date {DATE}\n\n[runner amd64]\nother 1 amd64 pool/o.deb 00 1\n\n[python amd64]\n{line}\n\n[python arm64]\n"
    )
    (folder / "x.deb").unlink()
    put(folder / "store" / POOL, content)
    settings(made, "store")
    return made, content


def put(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def settings(made: Tree, *providers: str) -> None:
    typed = ",\n".join(f'    "{each}"' for each in providers)
    (made.folder / "lab.toml").write_text(f"[supply]\nproviders = [ # in turn\n{typed},\n]\npatience_s = 3\n")


@pytest.mark.parametrize("name", COMPRESSED)
def test_it_starts_by_its_own_loader_under_its_own_name(name: str, tmp_path: Path) -> None:
    """Without dpkg too, of which other distributions have none."""
    made, _ = computer(tmp_path, name)
    put(tmp_path / "store/a.deb", b"another")
    done = made.run("carry")
    assert done.returncode == 0, done.stderr
    program = Path(done.stdout.strip())
    root = program.parents[2]
    printed = subprocess.run([program, "-c", "a b"], capture_output=True, text=True, check=True).stdout.splitlines()
    libraries = f"{root}/lib/x86_64-linux-gnu:{root}/usr/lib/x86_64-linux-gnu"
    own = f"{root}/usr/bin/python3.11"
    assert printed == ["--inhibit-cache", "--library-path", libraries, "--argv0", str(program), own, "-c", "a b"]
    assert made.run("carry").stdout == done.stdout


@pytest.mark.parametrize(("more", "kept"), [("", 0), ("keep = true\n", 1)])
def test_a_fetched_package_is_removed_unless_the_settings_keep_it(more: str, kept: int, tmp_path: Path) -> None:
    made, _ = computer(tmp_path)
    with (tmp_path / "lab.toml").open("a") as file:
        file.write(more)
    assert made.run("carry").returncode == 0
    assert len(list((tmp_path / ".cache/packages").glob("*.deb"))) == kept
    assert not list((tmp_path / ".cache/python").glob("*/usr/share/doc"))


@pytest.mark.parametrize("provider", ["store", "{folder}/store", "file://{folder}/store", "http://mirror.test/debian/"])
def test_packages_come_from_the_providers_of_the_settings(provider: str, tmp_path: Path) -> None:
    made, content = computer(tmp_path)
    digest = hashlib.sha256(content).hexdigest()
    (tmp_path / "store" / POOL).rename(tmp_path / "store" / f"{digest}.deb")
    made.command(
        "curl", f'for last; do :; done; [ "$last" = http://mirror.test/debian/{POOL} ] && cp store/{digest}.deb "$6"'
    )
    settings(made, "nowhere", provider.format(folder=tmp_path))
    assert made.run("carry").returncode == 0


def test_one_package_is_unpacked_alone(tmp_path: Path) -> None:
    made, _ = computer(tmp_path)
    assert made.run("carry", "other", f"{tmp_path}/nothing").returncode == 1
    assert made.run("carry", "python3.11-minimal", f"{tmp_path}/alone").returncode == 0
    assert (tmp_path / "alone/usr/bin/python3.11").exists()
    assert not (tmp_path / ".cache/python").exists() and not (tmp_path / "nothing").exists()


def test_an_archive_is_asked_by_date_and_digest(tmp_path: Path) -> None:
    made, content = computer(tmp_path)
    made.command("curl", "exit 22")
    settings(made, "https://archive.test/{date}/{path}", "https://course.test/{sha256}/{file}")
    assert made.run("carry").returncode == 1
    asked = [call.split()[-1] for call in made.calls("curl")]
    file = POOL.rpartition("/")[2]
    digest = hashlib.sha256(content).hexdigest()
    assert asked == [f"https://archive.test/{DATE}/{POOL}", f"https://course.test/{digest}/{file}"]


def test_other_bytes_are_refused_and_the_next_is_asked(tmp_path: Path) -> None:
    made, _ = computer(tmp_path)
    put(tmp_path / "liar" / POOL, b"other bytes")
    settings(made, "liar", "store")
    done = made.run("carry")
    assert done.returncode == 0 and "setup: liar does not have python3.11-minimal" in done.stderr


def test_without_a_provider_an_error_has_a_hint(tmp_path: Path) -> None:
    made, _ = computer(tmp_path)
    put(tmp_path / "liar" / POOL, b"other bytes")
    settings(made, "liar", "oci://registry.test/lab")
    done = made.run("carry")
    assert done.returncode == 1 and done.stdout == ""
    assert "unknown provider (apt, http://, https://, file:// or a folder)" in done.stderr
    assert "in lab.toml (docs/your-computer.md)" in done.stderr
    assert not list((tmp_path / ".cache/packages").iterdir())


def test_a_damaged_package_of_the_store_is_fetched_again(tmp_path: Path) -> None:
    made, content = computer(tmp_path)
    put(tmp_path / ".cache/packages" / f"{hashlib.sha256(content).hexdigest()}.deb", content[:-9])
    assert made.run("carry").returncode == 0


def test_a_processor_without_a_locked_python_is_named(tmp_path: Path) -> None:
    made, _ = computer(tmp_path)
    made.write(tmp_path / "code/setup/family", "echo unknown own- riscv64 Own")
    done = made.run("carry")
    assert done.returncode == 1 and "none is bundled for riscv64" in done.stderr


def test_a_folder_that_a_loader_would_split_is_refused(tmp_path: Path) -> None:
    made, _ = computer(tmp_path / "a;b")
    done = made.run("carry")
    assert done.returncode == 1 and "with : or ; in its path" in done.stderr
