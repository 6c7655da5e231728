"""Set-up: the installed packages, the choice of Python and of package lists, and services for tests."""

import fcntl
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from tests.lab.supply.debs import member, package, tar
from tests.setup.setup_tree import Tree, tree

from lab.places import ROOT

PINS, TEST_PINS = "requirements.txt", "requirements-tests.txt"
SETUP_TOOLS = ("chmod", "cp", "flock", "mkdir", "mv", "rm", "sha256sum")
PYTHON = """case "$*" in
*venv*) mkdir -p .venv/bin .venv/lib/python3/site-packages && cp bin/python3 .venv/bin/python ;;
esac"""
OWN = "/usr/bin/python3"
FIT = 'code=$3\nexec {real} -c "import sys; {lacking}; sys.version_info = {version}; $code"'
LACKING = "sys.modules['ensurepip'] = None"  # as Debian's without python3-venv
OS_RELEASES = ROOT / "tests" / "data" / "os_release"
FAMILIES = {
    "debian-11": "debian debian-11",
    "debian-12": "debian debian-12",
    "debian-13": "debian debian-13",
    "debian-sid": "debian debian-",
    "ubuntu-22.04": "debian ubuntu-22.04",
    "ubuntu-24.04": "debian ubuntu-24.04",
    "linuxmint-22": "debian linuxmint-22",
    "fedora-42": "fedora fedora-42",
    "rocky-9": "fedora rocky-9.4",
    "arch": "arch arch-",
    "opensuse-leap-15.6": "suse opensuse-leap-15.6",
    "opensuse-tumbleweed": "suse opensuse-tumbleweed-20250801",
    "alpine-3.22": "unknown alpine-3.22.1",
}
UNPACK_TOOLS = ("cp", "dpkg-deb", "echo", "flock", "mkdir", "mktemp", "mv", "rm", "sha256sum", "tar", "xargs")
CONTENT = {
    "./usr/bin/daemon": b"a program",
    "./usr/lib/x86_64-linux-gnu/liba.so": b"a library",
    "./lib/x86_64-linux-gnu/libb.so": b"another",  # as some of Debian's packages have it
}
# A shell reads one line of it, Python the others.
OTHERS = {"beside"}


@pytest.fixture
def checkout(tmp_path: Path) -> Tree:
    """A new checkout on a host whose Python only records its arguments."""
    made = tree(tmp_path, "debian debian-12 amd64 Debian")
    for name in SETUP_TOOLS:
        (tmp_path / "bin" / name).unlink(missing_ok=True)
        (tmp_path / "bin" / name).symlink_to(shutil.which(name) or "missing")
    made.command("python3", PYTHON)
    made.write(tmp_path / "code/setup/python", f"echo {tmp_path}/bin/python3")
    return made


def installed(checkout: Tree, *groups: str) -> list[str]:
    """The files of pins that a set-up installs, both halves of each."""
    before = len(checkout.calls("python3"))
    done = checkout.run("setup", *groups)
    assert done.returncode == 0, done.stderr
    calls = checkout.calls("python3")[before:]
    halves = [Path(call.split()[-1]).name for call in calls if " --require-hashes --requirement " in call]
    files = list(dict.fromkeys(half[2:] for half in halves))
    assert sorted(halves) == sorted(f"{half}.{file}" for half in "01" for file in files)
    return files


def test_setup_installs_test_packages_only_for_lint_and_tests(checkout: Tree) -> None:
    assert installed(checkout) == [PINS]
    assert installed(checkout) == installed(checkout, "none") == []
    assert installed(checkout, "lint") == [TEST_PINS]
    assert installed(checkout, "lint") == installed(checkout) == []


def test_setup_removes_what_nothing_imports(checkout: Tree) -> None:
    unused = ("zstandard/_cffi.so", "numpy/_core/tests/test_x.py", "fontTools/misc/bezierTools.so")
    used = ("zstandard/backend_c.so", "numpy/_core/x.so", "fontTools/misc/bezierTools.py")
    folder = checkout.folder / ".venv/lib/python3/site-packages"
    files = " ".join(f"{folder}/{name}" for name in (*unused, *used))
    make = f'*venv*) for file in {files}; do mkdir -p "${{file%/*}}" && : >"$file"; done;;'
    checkout.command("python3", f'{PYTHON}\ncase "$*" in {make} esac')
    assert installed(checkout) == [PINS]
    assert {name for name in (*unused, *used) if (folder / name).exists()} == set(used)


def test_packages_are_installed_beside_what_follows_and_the_lock_is_held_until_then(checkout: Tree) -> None:
    os.mkfifo(checkout.folder / "gate")
    checkout.write(
        checkout.folder / "code/setup/install", f'[ "$1" = --lacking ] && echo x && exit; cat {checkout.folder}/gate'
    )
    lock = checkout.folder / ".cache/setup.lock"
    assert checkout.start("setup", "--beside", "report").wait() == 0
    with lock.open() as file:
        with pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        (checkout.folder / "gate").write_text("installed")
        fcntl.flock(file, fcntl.LOCK_SH)


def test_an_interrupted_setup_is_one_sentence(checkout: Tree) -> None:
    checkout.command("python3", "kill -INT $PPID")
    done = checkout.run("setup")
    assert done.returncode == 130 and done.stderr.endswith("setup: interrupted; the same command continues\n")


def test_changed_pins_are_installed_again(checkout: Tree) -> None:
    assert installed(checkout, "lint") == [PINS, TEST_PINS]
    for changed, again in ((TEST_PINS, [TEST_PINS]), (PINS, [PINS, TEST_PINS])):
        with (checkout.folder / "code/setup" / changed).open("a") as file:
            file.write("# changed\n")
        assert installed(checkout, "lint") == again


def test_a_link_to_another_environment_is_replaced_and_its_files_stay(checkout: Tree, tmp_path: Path) -> None:
    (tmp_path / "another").mkdir()
    (tmp_path / "another/file").touch()
    (tmp_path / ".venv").symlink_to("another")
    assert installed(checkout) == [PINS]
    assert not (tmp_path / ".venv").is_symlink()
    assert [file.name for file in (tmp_path / "another").iterdir()] == ["file"]


def test_pins_cover_every_group_and_users_get_no_test_tool() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = project["optional-dependencies"]
    users, testers = (
        {name.lower() for name in re.findall(r"^([\w.-]+)==", (ROOT / "code/setup" / file).read_text(), re.MULTILINE)}
        for file in (PINS, TEST_PINS)
    )
    needed = {name.lower() for name in project["dependencies"] + groups["report"]}
    tools = {name.lower() for name in groups["tests"]}
    assert needed <= users <= testers and tools <= testers
    assert not tools & users


@pytest.mark.parametrize(
    ("version", "lacking", "fits"),
    [
        ((3, 9, 2), "", False),
        ((3, 10, 12), "", False),
        ((3, 11, 0), "", True),
        ((3, 14, 1), "", True),
        ((3, 15, 0), "", False),
        ((3, 11, 0), LACKING, True),  # the locked pip runs on it
        ((3, 12, 0), LACKING, False),
    ],
)
def test_a_python_with_pinned_packages_and_a_pip_is_accepted(
    version: tuple[int, ...], lacking: str, tmp_path: Path, *, fits: bool
) -> None:
    made = tree(tmp_path)
    script = tmp_path / "code/setup/python"
    script.write_text(script.read_text().replace("/usr/bin/python3", f"{tmp_path}/none/python3"))
    made.write(tmp_path / "bin/python3", FIT.format(real=OWN, version=version, lacking=lacking or "pass"))
    done = made.run("python")
    assert (done.returncode, done.stdout) == ((0, f"{tmp_path}/bin/python3\n") if fits else (1, ""))


def test_setup_fetches_a_pip_for_a_python_without_ensurepip(checkout: Tree) -> None:
    folder = checkout.folder / "wheels/usr/share/python-wheels"
    folder.mkdir(parents=True)
    (folder / "pip-23.0.1-py3-none-any.whl").touch()
    checkout.command("python3", f'{PYTHON}\ncase "$*" in *ensurepip*) exit 1;; esac')
    checkout.write(
        checkout.folder / "code/setup/carry", f'[ "$1" = python3-pip-whl ] && cp -r {checkout.folder}/wheels "$2"'
    )
    assert installed(checkout) == [PINS]
    unpacked = next(call for call in checkout.calls("python3") if call.startswith("-m zipfile"))
    assert unpacked.split()[-2].endswith("/pip-23.0.1-py3-none-any.whl")


def family(file: Path) -> str:
    return subprocess.run([ROOT / "code/setup/family", file], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_a_distribution_has_its_family_or_none(name: str) -> None:
    assert " ".join(family(OS_RELEASES / name).split()[:2]) == FAMILIES[name]


def test_an_unknown_distribution_is_reported_by_name(tmp_path: Path) -> None:
    """Nothing is guessed from another distribution."""
    file = tmp_path / "os-release"
    file.write_text("ID=own\n")
    assert family(file).split()[:2] == ["unknown", "own-"] and family(file).endswith(" own\n")


@pytest.fixture
def computer(tmp_path: Path) -> Tree:
    """One whose apt gives one package for all that are asked for."""
    made = tree(tmp_path)
    for each in UNPACK_TOOLS:
        (tmp_path / "bin" / each).symlink_to(shutil.which(each) or "missing")
    content = tar(*(member(name, data) for name, data in CONTENT.items()))
    package(tmp_path / "given.deb", content, "data.tar")
    simulated = "echo Inst needed"
    made.command("apt-get", f'case $* in *simulate*) {simulated};; download*) cp "{tmp_path}/given.deb" .;; esac')
    return made


def test_all_libraries_are_in_the_one_folder_where_programs_look(computer: Tree) -> None:
    done = computer.run("unpack")
    assert done.returncode == 0, done.stderr
    daemons = computer.folder / ".cache/daemons"
    libraries = daemons / "usr/lib/x86_64-linux-gnu"
    found = {file.name: file.read_bytes() for file in libraries.iterdir()}
    assert found == {"liba.so": b"a library", "libb.so": b"another"}
    assert not (daemons / "lib").exists()


def test_unpacked_packages_are_not_fetched_again(computer: Tree) -> None:
    assert computer.run("unpack").returncode == 0
    asked = len(computer.calls("apt-get"))
    assert computer.run("unpack").returncode == 0 and len(computer.calls("apt-get")) == asked


def test_browser_has_its_data_beside_it_where_chromium_is_installed(computer: Tree) -> None:
    """Where a package is installed, apt does not list it; the browser reads its data from its program's folder only."""
    content = tar(member("./usr/lib/chromium/icudtl.dat", b"data"))
    package(computer.folder / "chromium-common.deb", content, "data.tar")
    installed = f'*simulate*) ;; *chromium-common*) cp "{computer.folder}"/*.deb . ;;'
    computer.command("apt-get", f'case $* in {installed} download*) cp "{computer.folder}/given.deb" . ;; esac')
    done = computer.run("unpack")
    assert done.returncode == 0, done.stderr
    assert (computer.folder / ".cache/daemons/usr/lib/chromium/icudtl.dat").read_bytes() == b"data"


def scripts() -> list[Path]:
    """All files of the ways in that a shell is to read."""
    files = [
        file for folder in ("setup", "container") for file in (ROOT / "code" / folder).rglob("*") if file.is_file()
    ]
    return [file for file in sorted(files) if file.name not in OTHERS and file.read_bytes().startswith(b"#!/bin/sh\n")]


@pytest.mark.parametrize("file", scripts(), ids=lambda file: file.name)
def test_shellcheck_finds_nothing(file: Path) -> None:
    done = subprocess.run(["shellcheck", "--shell", "sh", file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
