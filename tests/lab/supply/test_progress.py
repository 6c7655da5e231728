"""What fetching says."""

from __future__ import annotations

from lab.supply.progress import Fetching

MB = 1_000_000


def test_nothing_is_said_in_two_seconds_then_a_line_every_ten() -> None:
    times = iter([0, 1.9, 2.0, 2.0, 11.9, 12.0, 12.0])
    said: list[str] = []
    progress = Fetching(40 * MB, said.append, lambda: float(next(times)))
    for _ in range(4):
        progress.add(5 * MB)
    assert said == ["fetched 10.0 of 40.0 MB", "fetched 20.0 of 40.0 MB"]
