"""Sentences that compare without evidence: lab.report.text.check."""

from __future__ import annotations

from lab.report.text.check import unsupported

COMPARING = r"""
RDMA is faster.
The throughput increases with the size.
TCP peaks at 1 MiB.
It takes twice the time.
It jumps at 2 KiB.
It is three times as fast.
"""
OTHERS = r"""
RDMA is faster.\shows{card > tcp everywhere}
TCP peaks at \claim{tcp.peak}.
We sent 21 sizes.
Report A gives \given{4 GB/s}, which is more.
It no longer waits for one more.
See \figureof{more_or_less} and \cite{faster}.
The completion times are listed.
"""


def test_comparisons_without_evidence_are_noted() -> None:
    noted = [sentence.text for sentence in unsupported(COMPARING + OTHERS)]
    assert noted == COMPARING.strip().splitlines()
