"""The sandbox in which sources of a hand-in are compiled, with the real bubblewrap and the real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.grade.own_program import experiment
from tests.lab.strange_archives import archive

from lab.errors import LabError
from lab.grade import sandbox
from lab.grade.programs import build_programs
from lab.grade.sandbox import BuildRefused, SandboxMissing, build_shut_in
from lab.spec.reader import load
from lab.submission.archive import pack

MAKEFILE = b"mine: mine.c\n\tgcc -o $@ mine.c\n"
ROOT = (b"bin", b"dev", b"etc", b"lib", b"lib64", b"proc", b"sbin", b"tmp", b"usr", b"w")
PROGRAM = b"int main(void) { return 0; }\n"


def made_by(recipe: str) -> bytes:
    return build_shut_in({"Makefile": f"mine:\n\t{recipe}\n".encode()}, ("make", "-s"), ("mine",))["mine"]


def refused(recipe: str) -> str:
    with pytest.raises(BuildRefused) as error:
        made_by(recipe)
    return error.value.what


def test_sources_give_programs() -> None:
    files = {"Makefile": MAKEFILE, "mine.c": PROGRAM}
    assert build_shut_in(files, ("make", "-s"), ("mine",))["mine"].startswith(b"\x7fELF")


def test_what_the_compiler_says_is_told() -> None:
    assert "nothing.c: No such file" in refused("gcc -o $@ nothing.c")


def test_a_build_sees_no_network_no_file_and_no_process_of_this_computer() -> None:
    assert made_by("cat /proc/net/dev >$@").count(b":") == 1  # lo
    assert set(made_by("ls / /etc >$@").split()) <= {b"/:", *ROOT, b"/etc:", b"alternatives"}
    assert made_by("ls -d /proc/[0-9]* | wc -l >$@").strip() in (b"5", b"6", b"7")
    assert made_by("id -u >$@; grep CapEff /proc/self/status >>$@").split() == [b"65534", b"CapEff:", b"0" * 16]


@pytest.mark.parametrize("place", ["/usr/x", "/bin/sh", "/etc/alternatives/x"])
def test_a_build_writes_nothing_here(place: str) -> None:
    assert "cannot create" in refused(f"echo x >{place}")


def test_a_build_has_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "No space left" in refused("head -c 300000000 /dev/zero >a && cat a >b && cat a >c")
    assert "Cannot fork" in refused("i=0; while [ $$i -lt 300 ]; do sleep 9 & i=$$((i + 1)); done")
    assert "larger than" in refused("head -c 60000000 /dev/zero >$@")
    monkeypatch.setattr(sandbox, "DEADLINE_S", 1)
    assert refused("sleep 1000") == "make -s did not end within 1 s"


def test_a_link_is_no_program() -> None:
    assert refused("ln -s /etc/passwd $@") == "the sources don't give mine"


def test_a_build_that_takes_over_what_comes_out_gives_no_file_with_holes(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = archive({"GNU.sparse.map": "0,1", "GNU.sparse.size": str(10**12)}, name="mine").getvalue()
    monkeypatch.setattr(sandbox, "SCRIPT", "tar -x && cat bomb")
    with pytest.raises(BuildRefused, match="the sources don't give mine"):
        build_shut_in({"bomb": bomb}, ("make", "-s"), ("mine",))


def test_without_a_sandbox_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "WALLS", ("bwrap", "--ro-bind", "/nowhere", "/"))
    with pytest.raises(SandboxMissing, match="nothing can be compiled safely here: bwrap"):
        made_by("true")


def test_what_the_whitelist_does_not_name_is_the_courses_own(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "Makefile").write_bytes(MAKEFILE)
    (tmp_path / "mine" / "mine.c").write_text("#error the course's own")
    (tmp_path / "small.toml").write_text(experiment("make -s", 'sources = ["*.c"]'))
    handed_in = {"sources/mine/mine.c": PROGRAM, "sources/mine/Makefile": b"mine:\n\tcp /bin/true mine\n"}
    (binary,) = build_programs(pack(handed_in), load(tmp_path / "small.toml"), tmp_path / "built")
    assert binary == tmp_path / "mine" / "mine"
    assert (tmp_path / "built" / "mine").read_bytes() != Path("/bin/true").read_bytes()
    with pytest.raises(LabError, match="No rule to make target 'mine"):
        build_programs(pack({}), load(tmp_path / "small.toml"), tmp_path / "built")
