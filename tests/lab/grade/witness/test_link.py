"""A log of the link, and the counters beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lab.grade.finding import Flaw
from lab.grade.witness.claims import MOST_BESIDE_BYTES, Seen, beside, forged
from lab.grade.witness.messages import Streams
from lab.model.trial import Outcome, StepOutcome

STEP = StepOutcome("", "", "", "", 0, 0, 0, 1)
OUTCOME = Outcome((STEP, STEP), {"rxe0.sent_pkts": 5}, {"rxe0.sent_pkts": 105, "rxe1.sent_pkts": 20}, 0, 1, "", 0.0)


def test_packets_that_no_device_sent_are_named() -> None:
    assert list(forged(OUTCOME, Seen(Streams(()), packets={True: 100, False: 20}))) == []
    ((kind, what),) = forged(OUTCOME, Seen(Streams(()), packets={True: 101, False: 20}))
    assert kind is Flaw.WAY and what == "101 packets of RDMA left the client, and its device sent 100"
    ((kind, what),) = forged(OUTCOME, Seen(Streams(()), packets={True: 100, False: 21}))
    assert kind is Flaw.WAY and "left the server" in what


@pytest.mark.parametrize(("bytes_", "found"), [(2 * MOST_BESIDE_BYTES, 0), (2 * MOST_BESIDE_BYTES + 1, 1)])
def test_what_goes_over_the_network_beside_the_link_is_bounded(bytes_: int, found: int) -> None:
    counted = replace(OUTCOME, counters_after={"side0.bytes": bytes_ // 2, "side1.bytes": bytes_ - bytes_ // 2})
    assert len(list(beside(counted))) == found
