"""One lie and one honest sentence of a kind: lab.report.check.{gaps,rounds,extremes,lines,verdicts,world}."""

import pytest
from tests.lab.report.check.test_corpus import ledger

from lab.report.check.text import all_refused

KINDS = [
    ("verbs_throughput", "The gap between RDMA and TCP vanishes for large messages.", "there is one"),
    ("verbs_throughput", "The ratio of RDMA to TCP is largest for single bytes.", "that is elsewhere"),
    ("verbs_throughput", "The ratio of RDMA to TCP grows steadily with the size.", "it gets smaller"),
    ("verbs_throughput", "The gap between RDMA and TCP shrinks steadily with the size.", "it gets larger"),
    ("verbs_throughput", "Only for messages below 1 KiB does TCP stay ahead of RDMA.", "the same holds at other sizes"),
    ("verbs_throughput", "Switching from TCP to RDMA paid off.", "the data say otherwise"),
    ("verbs_throughput", "At 4 KiB both programs are level.", "the data say otherwise"),
    ("verbs_throughput", "The smallest message that we sent was 64 bytes.", "is not the one"),
    ("verbs_throughput", "RDMA bypasses the kernel here.", "nothing goes past the kernel"),
    ("verbs_throughput", r"TCP gets \claim{verbs_over_tcp.4K} of the throughput of RDMA at 4 KiB.", "turns it round"),
    ("mpi_bandwidth_latency", "One straight line describes the times of MPI over TCP.", "they break"),
    ("throughput_until_stable", "The rounds agreed at all 19 sizes over Ethernet.", "sizes they did not"),
]
HONEST = [
    ("verbs_throughput", "The gap between RDMA and TCP is smallest at 4 KiB."),
    ("verbs_throughput", "Switching from TCP to RDMA never paid off."),
    ("verbs_throughput", "The gap between RDMA and TCP does not shrink steadily."),
    ("verbs_throughput", "The smallest message that we sent was 1 byte."),
    ("verbs_throughput", "Real cards would bypass the kernel."),
    ("mpi_bandwidth_latency", "Up to 64 kB one line follows the times of MPI over TCP."),
    ("throughput_until_stable", "The rounds of RDMA agreed at all 19 sizes."),
]


@pytest.mark.parametrize(("experiment", "sentence", "what"), KINDS)
def test_a_lie_of_each_kind_is_refused_for_what_it_says(experiment: str, sentence: str, what: str) -> None:
    assert what in "\n".join(map(str, all_refused(sentence, "discussion.tex", ledger(experiment), None)))


@pytest.mark.parametrize(("experiment", "sentence"), HONEST)
def test_the_honest_sentence_beside_it_passes(experiment: str, sentence: str) -> None:
    assert not all_refused(sentence, "discussion.tex", ledger(experiment), None)
