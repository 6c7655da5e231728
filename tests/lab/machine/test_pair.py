"""lab.machine.pair: what both ends are told."""

from __future__ import annotations

from contextlib import nullcontext
from typing import cast

import pytest

from lab.machine.fork_server import Origin
from lab.machine.pair import Pair
from lab.machine.results import Both
from lab.model.trial import Job, Link, Perturbation


@pytest.mark.parametrize(("processor", "told"), [(None, ""), (0, ",processor=1"), (7, ",processor=8")])
def test_both_are_told_which_processor_they_share(processor: int | None, told: str) -> None:
    job = Job((), Link(), Perturbation(), 1)
    nobody = Both("exact", lambda _: nullcontext())
    alone, pair = (Pair(cast("Origin", None), job, 1, nobody, 0, (), (), each) for each in (None, processor))
    assert pair.words == alone.words + told
