"""Parts one after the other: lab.report.prose.listing."""

from __future__ import annotations

from lab.report.prose.listing import listed


def test_the_last_two_stand_beside_an_and() -> None:
    assert listed(["the depth"]) == "the depth"
    assert listed(iter(["the depth", "the warm-up"])) == "the depth and the warm-up"
    assert listed(["the depth", "the warm-up", "the interval"]) == "the depth, the warm-up and the interval"
