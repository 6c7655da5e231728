import pytest

from lab.errors import SpecError
from lab.experiment.reader import load
from lab.grade.grading import require_shut_in
from lab.places import EXAMPLES


def test_a_program_that_mpi_starts_is_not_run_for_a_stranger() -> None:
    with pytest.raises(SpecError, match=r"mpi_bootstrap\.toml: ranks is started by MPI"):
        require_shut_in(load(EXAMPLES / "mpi_bootstrap.toml"))
    require_shut_in(load(EXAMPLES / "read_rate.toml"))
