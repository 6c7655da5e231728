"""The packages that `make setup` installs with each package manager, and its messages if it cannot."""

import re
from pathlib import Path

import pytest
from tests.setup.setup_tree import Tree, tree

from lab.places import ROOT

LISTS = ROOT / "code/setup/packages"
FAMILIES = {
    "debian": "debian debian-12 amd64 Debian",
    "fedora": "fedora fedora-42 amd64 Fedora",
    "arch": "arch arch- amd64 Arch",
    "suse": "suse opensuse-tumbleweed-2 amd64 openSUSE",
}
INSTALLERS = {"debian": "apt-get", "fedora": "dnf", "arch": "pacman", "suse": "zypper"}
REPORTS = ("bibtex", "pdflatex", "qpdf", "pdftotext", "prlimit", "kpsewhich")


def groups(name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in re.sub("#.*", "", (LISTS / name).read_text()).split("\n"):
        if line.startswith("["):
            found[line.strip("[]")] = []
        elif line:
            list(found.values())[-1].extend(line.split())
    return found


def computer(folder: Path, family: str) -> Tree:
    """A host of a family with its package manager's commands and no installed package."""
    made = tree(folder, FAMILIES.get(family, family))
    for name in ("dpkg-query", "rpm"):
        made.command(name, "exit 1")
    made.command("pacman", '[ "$1" = -T ] && echo "$2" && exit 127')
    for name in ("apt-get", "dnf", "zypper"):
        made.command(name)
    return made


def brings(made: Tree, installer: str, *names: str) -> None:
    """Have an installer bring commands, as its packages would."""
    files = " ".join(f"{made.folder}/bin/{name}" for name in names)
    asks = '[ "$1" = -T ] && echo "$2" && exit 127; ' if installer == "pacman" else ""
    made.command(installer, f"{asks}for file in {files}; do echo '#!/bin/sh' >$file; chmod +x $file; done")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_names_packages_for_every_group(family: str) -> None:
    lists = groups(f"{family}.txt")
    assert lists.keys() == groups("needs.txt").keys()
    words = [word for words in lists.values() for word in words]
    assert all(lists.values()) and all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+-]+", word) for word in words)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_packages_of_the_groups_that_lack_something_are_installed(family: str, tmp_path: Path) -> None:
    made = computer(tmp_path, family)
    brings(made, INSTALLERS[family], *REPORTS)
    done = made.run("install", "report")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    words = [word for call in made.calls(INSTALLERS[family]) if "-T" not in call for word in call.split()]
    assert set(groups(f"{family}.txt")["report"]) <= set(words)
    assert not set(groups(f"{family}.txt")["links"]) & set(words)


@pytest.mark.parametrize("family", [*FAMILIES, "unknown own-1 amd64 Own Linux"])
def test_without_missing_commands_no_package_manager_is_called(family: str, tmp_path: Path) -> None:
    """As with a TeX Live that no package installed."""
    made = computer(tmp_path, family)
    for name in REPORTS:
        made.command(name)
    done = made.run("install", "report")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not [call for name in (*INSTALLERS.values(), "dpkg-query", "rpm") for call in made.calls(name)]


def test_a_latex_package_is_lacking_where_tex_does_not_find_it(tmp_path: Path) -> None:
    made = computer(tmp_path, "debian")
    for name in REPORTS:
        made.command(name)
    made.command("kpsewhich", '[ "$1" != siunitx.sty ]')
    assert made.run("install", "--lacking", "report").stdout == "siunitx.sty\n"


def test_on_other_systems_the_missing_commands_are_listed(tmp_path: Path) -> None:
    made = computer(tmp_path, "unknown own-1 amd64 Own Linux 7")
    made.command("bibtex")
    done = made.run("install", "report")
    assert done.returncode == 1
    assert "this is Own Linux 7, for which Verbyte has no list of packages. It lacks: pdflatex qpdf" in done.stderr
    assert "docs/your-computer.md" in done.stderr


@pytest.mark.parametrize("family", FAMILIES)
def test_an_ordinary_user_gets_the_command_for_root(family: str, tmp_path: Path) -> None:
    made = computer(tmp_path, family)
    made.command("id", "echo 1000")
    done = made.run("install", "grade")
    assert done.returncode == 1
    assert re.search(rf"as root, then try again:\n  .*{INSTALLERS[family]} .*bubblewrap poppler\S*\n", done.stderr)
    assert not [call for call in made.calls(INSTALLERS[family]) if "-T" not in call]


def test_a_command_that_packages_did_not_install_is_named(tmp_path: Path) -> None:
    """As where an MPI is there, and not on the PATH."""
    made = computer(tmp_path, "fedora")
    done = made.run("install", "grade")
    assert done.returncode == 1 and "not there or not on the PATH: bwrap" in done.stderr


def test_a_failure_shows_the_end_of_the_log(tmp_path: Path) -> None:
    made = computer(tmp_path, "suse")
    made.command("zypper", "echo no such package >&2; exit 104")
    done = made.run("install", "grade")
    assert done.returncode == 1 and "failed: zypper --non-interactive install" in done.stderr


@pytest.mark.parametrize(
    ("here", "package"),
    [
        ("debian debian-12 amd64 x", "python3-venv"),
        ("debian debian-11 amd64 x", None),
        ("debian ubuntu-22.04 amd64 x", "python3.11-venv"),
        ("debian ubuntu-24.04 amd64 x", "python3-venv"),
        ("suse opensuse-leap-15.6 amd64 x", "python311"),
        ("suse opensuse-tumbleweed-20250801 amd64 x", "python3"),
        ("arch arch- amd64 x", "python"),
        ("fedora fedora-42 amd64 x", "python3"),
    ],
)
def test_python_comes_from_a_package_where_one_is_new_enough(here: str, package: str | None, tmp_path: Path) -> None:
    made = computer(tmp_path, here)
    made.write(tmp_path / "code/setup/python", "exit 1")
    made.run("install", "python")
    calls = [call for name in INSTALLERS.values() for call in made.calls(name) if "install" in call or "-S" in call]
    assert {call.split()[-1] for call in calls} == ({package} if package else set())
