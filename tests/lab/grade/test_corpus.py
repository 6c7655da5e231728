"""Every kind of tampering is found, and named by its kind; what is honest raises no alarm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.lab.grade.forger import Forger, make_forger
from tests.lab.grade.tampered import KINDS, Tampering, file_of

from lab.grade.result import Grade, Status

GradeFile = Callable[..., Grade]


@pytest.fixture(scope="module")
def forger(course: Any, ada: Any, tmp_path_factory: pytest.TempPathFactory) -> Forger:
    return make_forger(course, ada, tmp_path_factory.mktemp("forger"))


@pytest.mark.parametrize("tampering", KINDS, ids=[each.name for each in KINDS])
def test_tampering_is_found_and_named(grade_file: GradeFile, forger: Forger, tampering: Tampering) -> None:
    (result,) = grade_file(file_of(forger, tampering, 0), [tampering.check]).results
    assert result.status is Status.FAILED and result.points == 0
    assert tampering.kind in {each.kind for each in result.findings}, result.evidence()


def test_files_repacked_by_hand_raise_no_alarm(grade_file: GradeFile, forger: Forger, tmp_path: Path) -> None:
    file = tmp_path / "ada.pdf"
    file.write_bytes(forger.pdf())
    assert grade_file(file).kinds == ()
