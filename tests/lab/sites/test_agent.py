import os

import pytest

from lab.sites import node
from lab.sites.agent import Agent


@pytest.mark.parametrize(("near", "pinned"), [({1, 2, 900}, [{1, 2}]), ({900}, []), (set(), [])])
def test_an_end_stays_near_its_card_but_never_leaves_the_processors_it_was_given(
    monkeypatch: pytest.MonkeyPatch, near: set[int], pinned: list[set[int]]
) -> None:
    given: list[set[int]] = []
    monkeypatch.setattr(node, "near", lambda *_: near)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2})
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, cpus: given.append(cpus))
    Agent().do_pin("eth0", "mlx5_0")
    assert given == pinned
