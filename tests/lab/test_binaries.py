from pathlib import Path

import pytest

from lab.binaries import keep_binaries, kept_binary
from lab.errors import LabError
from lab.places import BENCH


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
