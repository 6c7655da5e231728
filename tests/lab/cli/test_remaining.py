from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite

from lab.cli import measure
from lab.cli.measure import run_remaining
from lab.cli.progress import Progress
from lab.errors import StorageError
from lab.plan.plan import Plan, SiteFacts
from lab.plan.planning import Workshop


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[Progress]:
    found: list[Progress] = []

    def close(progress: Progress) -> None:
        found.append(progress)

    monkeypatch.setattr(Progress, "close", close)
    return found


def test_what_is_missing_is_run_and_the_rest_is_counted(
    make_small_plan: Callable[..., Plan], fake_site: FakeSite, facts: SiteFacts, tmp_path: Path, closed: list[Progress]
) -> None:
    shop = Workshop(fake_site, facts, (make_small_plan(),))
    first, second = (run_remaining(shop, tmp_path, 2) for _ in range(2))
    assert (first.measured, first.done_before, second.measured, second.done_before) == (10, 0, 0, 10)
    assert len(closed) == 1


def test_the_line_of_progress_ends_when_the_disk_is_full(
    make_small_plan: Callable[..., Plan],
    fake_site: FakeSite,
    facts: SiteFacts,
    tmp_path: Path,
    closed: list[Progress],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fill(*_: object) -> None:
        raise StorageError("the disk is full")

    monkeypatch.setattr(measure, "run_trials", fill)
    with pytest.raises(StorageError):
        run_remaining(Workshop(fake_site, facts, (make_small_plan(),)), tmp_path, 2)
    assert len(closed) == 1
