"""What `lab causes` prints of a share."""

from __future__ import annotations

from lab.causes.symbols import Tally, of_kernel
from lab.causes.table import Share
from lab.cli.tools import lines


def test_kinds_of_work_stand_above_the_functions_that_executed_most() -> None:
    tally = Tally({of_kernel("memcpy"): 300, of_kernel("rxe_rcv", "rdma_rxe"): 100})
    assert list(lines(Share("verbs", 4096, "client", 10, 500_000, tally, "abc"), top=1)) == [
        "verbs, 4K, client: 40.0 instructions a message (50.00 us a message, 10 messages)",
        "  75.00%         30.0  copies",
        "  25.00%         10.0  packets",
        "",
        "  75.00%         30.0  [kernel]             memcpy",
    ]
