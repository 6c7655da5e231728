"""The choice between the sandbox and the guest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests import namespaces
from tests.lab.compiler.builds import HONEST

from lab.compiler import build, compilation, sandbox
from lab.compiler.build import CompilerMissing, build_shut_in
from lab.compiler.guest import Guest
from lab.files import bounded
from lab.places import ROOT
from lab.supply.packages import SupplyError

BUILD = """
from tests.lab.compiler.builds import HONEST
from lab.compiler.build import build_shut_in
program = build_shut_in(HONEST.files, HONEST.command, HONEST.wanted, print)["mine"]
print(program == open("{}", "rb").read())
"""


@pytest.mark.usefixtures("users_namespaces")
def test_a_sandbox_is_taken_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Guest, "run", lambda *_: pytest.fail("a guest"))
    (program,) = build_shut_in(HONEST.files, HONEST.command, HONEST.wanted, lambda _: None).values()
    assert program.startswith(b"\x7fELF")


@pytest.mark.usefixtures("users_namespaces")
def test_where_the_kernel_gives_no_name_spaces_a_guest_compiles_the_same_bytes_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(build_shut_in(HONEST.files, HONEST.command, HONEST.wanted, print)["mine"])
    command = [*namespaces.WITHOUT, sys.executable, "-c", BUILD.format(tmp_path / "mine")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    why, equal = done.stdout.splitlines()
    assert why.startswith("compiling in a guest, since this computer has no sandbox: bwrap: ")
    assert equal == "True"


def test_a_computer_without_bubblewrap_takes_a_guest_too(monkeypatch: pytest.MonkeyPatch) -> None:
    told, made = list[str](), bounded.pack({"mine": b"made in a guest"})
    monkeypatch.setattr(sandbox, "walls", lambda _: ("no-such-bwrap",))
    monkeypatch.setattr(Guest, "run", lambda *_: (0, made))
    assert build_shut_in({}, ("make",), ("mine",), told.append) == {"mine": b"made in a guest"}
    assert told == ["compiling in a guest, since this computer has no sandbox: bwrap is not installed"]


def test_a_computer_that_cannot_compile_blames_no_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> tuple[int, bytes]:
        raise SupplyError("nobody gives gcc")

    monkeypatch.setattr(build, "run", fail)
    with pytest.raises(CompilerMissing, match="nothing can be compiled safely here: nobody gives gcc"):
        build_shut_in({}, ("make",), ("mine",), print)
    assert not issubclass(CompilerMissing, compilation.BuildRefused)
