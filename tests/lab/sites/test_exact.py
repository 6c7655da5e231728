"""The exact site before there is a snapshot."""

from pathlib import Path

import pytest

from lab.machine.contents import INIT, SCRIPTS
from lab.model.trial import Job, Link, Perturbation
from lab.sites.exact import ExactSite
from lab.supply.lock import LockError


def test_a_lock_that_cannot_be_read_stops_it_before_anything_is_built(tmp_path: Path) -> None:
    for name in ("packages.lock", "image.toml", INIT, *SCRIPTS):
        (tmp_path / name).write_text("nonsense\n", encoding="utf-8")
    with pytest.raises(LockError, match=r"packages\.lock:1"):
        ExactSite(tmp_path, tmp_path / "cache").run(Job((), Link(), Perturbation(), 1))
    assert not (tmp_path / "cache").exists()
