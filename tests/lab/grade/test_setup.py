from pathlib import Path

import pytest

from lab.errors import SpecError
from lab.grade.setup import require_shut_in, require_witnessed
from lab.places import EXAMPLES, EXPERIMENTS
from lab.spec.reader import load


def test_a_program_that_mpi_starts_is_not_run_for_a_stranger() -> None:
    with pytest.raises(SpecError, match=r"mpi_bootstrap\.toml: ranks is started by MPI"):
        require_shut_in(load(EXAMPLES / "mpi_bootstrap.toml"))
    require_shut_in(load(EXAMPLES / "read_rate.toml"))


def test_a_program_whose_packets_the_link_cannot_tell_is_refused(tmp_path: Path) -> None:
    """Those of a modelled card are its own; Soft-RoCE over the same wire is read."""
    file = tmp_path / "read_rate.toml"
    text = (EXAMPLES / "read_rate.toml").read_text().replace('folder = "', f'folder = "{EXAMPLES}/')
    link = 'link = { card = "qdr" }\n'
    file.write_text(text.replace("[[series]]\n", f"[[series]]\n{link}", 1))
    with pytest.raises(SpecError, match="over a modelled card"):
        require_witnessed(load(file))
    file.write_text(text.replace("[[series]]\n", f"[[series]]\n{link}soft_roce = true\n", 1))
    require_witnessed(load(file))
    require_witnessed(load(EXPERIMENTS / "verbs_throughput.toml"))
