from pathlib import Path

import pytest

from lab.errors import LabError
from lab.places import BENCH
from lab.plan.builds import keep_binaries, kept_binary, require_kept


def test_a_build_beside_a_run_does_not_change_what_runs(tmp_path: Path) -> None:
    program, kept = tmp_path / "verbs-client", tmp_path / "kept"
    program.write_bytes(b"one")
    digest = keep_binaries([program], kept)[program]
    program.write_bytes(b"two")
    assert kept_binary("verbs-client", digest, kept).read_bytes() == b"one"
    assert keep_binaries([program], kept)[program] != digest


def test_a_kept_program_can_be_executed(tmp_path: Path) -> None:
    program = tmp_path / "tcp-client"
    program.write_bytes(b"one")
    digest = keep_binaries([program], tmp_path / "kept")[program]
    assert kept_binary("tcp-client", digest, tmp_path / "kept").stat().st_mode & 0o111


@pytest.mark.parametrize(("folder", "command"), [(BENCH, "make build"), (Path("/nowhere"), "a build command")])
def test_a_program_that_is_not_built_comes_with_the_command_that_builds_it(
    tmp_path: Path, folder: Path, command: str
) -> None:
    with pytest.raises(LabError, match=command):
        keep_binaries([folder / "no-client"], tmp_path / "kept")


def test_a_damaged_copy_is_made_good_before_it_runs_and_never_runs(tmp_path: Path) -> None:
    program, kept = tmp_path / "tcp-client", tmp_path / "kept"
    program.write_bytes(b"one")
    digest = keep_binaries([program], kept)[program]
    copy = kept_binary("tcp-client", digest, kept)
    copy.write_bytes(b"One")
    with pytest.raises(LabError, match="differs from the copy that was kept there"):
        require_kept([copy])
    assert keep_binaries([program], kept)[program] == digest and copy.read_bytes() == b"one"
    require_kept([copy])


def test_an_empty_program_of_a_build_that_was_cut_off_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.plan.builds.BENCH", tmp_path)
    (tmp_path / "tcp-client").touch()
    with pytest.raises(LabError, match="is empty: its build was cut off"):
        keep_binaries([tmp_path / "tcp-client"], tmp_path / "kept")
