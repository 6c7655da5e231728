import pytest

from lab.checks import path
from lab.programs.request import Sample
from lab.trial import End, Ends, Outcome

ENDS = Ends(End("10.0.0.1", "rxe0", "v0"), End("10.0.0.2", "rxe1", "v1"), "127.0.0.1")
SAMPLES = (Sample(4096, "round_trip", 0, 100, 409_600, 1_000_000),)


@pytest.mark.parametrize(
    ("grown", "way"),
    [
        ({"v0.tx_bytes": 410_000, "lo.tx_bytes": 5_000}, "the kernel's network from v0"),
        ({"v0.tx_bytes": 420_000, "rxe0.sent_pkts": 100}, "RDMA from rxe0"),
        ({"v0.tx_bytes": 10_000, "mlx5_0.tx_bytes": 410_000}, "none that is counted here"),
        ({"v0.tx_bytes": 5_000, "lo.tx_bytes": 900_000}, "none that is counted here"),
    ],
)
def test_the_path_is_what_could_have_carried_all_of_the_bytes(grown: dict[str, int], way: str) -> None:
    before = dict.fromkeys(grown, 7)
    after = {name: 7 + count for name, count in grown.items()}
    assert path(ENDS, Outcome((), before, after, 0, 1, "", 0.0), SAMPLES) == way
