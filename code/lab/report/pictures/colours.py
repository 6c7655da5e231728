"""The colour of a series: that of its transport, in every report."""

from __future__ import annotations

from lab.figures.marks import RDMA, RDMA_PEER, TCP, TCP_PEER
from lab.spec.experiment import Series

OURS = {"verbs": RDMA, "mpi-verbs": RDMA, "tcp": TCP, "mpi-tcp": TCP}
PEERS = {"iperf3": TCP_PEER, "qperf": TCP_PEER, "netpipe-tcp": TCP_PEER, "netpipe-mpi": TCP_PEER}


def colour(series: Series) -> str:
    """Strong for the lab's own programs, pale for others of the same transport; nothing for an unknown program."""
    other = RDMA_PEER if series.program.startswith("ib_") else PEERS.get(series.program, "")
    return OURS.get(series.program, other)


def pale(series: Series) -> str:
    """The other one of the transport's two colours."""
    return {RDMA: RDMA_PEER, TCP: TCP_PEER}.get(colour(series), "")
