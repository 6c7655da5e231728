"""One lie and one honest sentence of a kind: lab.report.check.*, a module a kind."""

from dataclasses import replace

import pytest
from tests.lab.report.check.test_corpus import ledger

from lab.report.check.text import all_refused
from lab.report.claim import Ledger

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
    ("verbs_throughput", "We measured TCP and RDMA. The former is slower at every size.", "the data say otherwise"),
    ("verbs_throughput", "Neither of the two is faster.", "the data say otherwise"),
    ("verbs_throughput", "TCP is edged out by RDMA.", "the data say otherwise"),
    ("verbs_throughput", "As expected, RDMA wins.", "the data say otherwise"),
    ("verbs_throughput", "RDMA confabulates TCP.", "is no word of the check"),
    ("verbs_throughput", "RDMA sits way upstairs from TCP for 4 KiB.", "no rule can read"),
    ("verbs_throughput", "The ratio of RDMA to TCP stays above one half.", "it is not"),
    ("verbs_throughput", "The curves of RDMA and TCP cross.", "they do not cross"),
    ("verbs_throughput", "The throughput of TCP is insensitive to the message size.", "depends on the size"),
    ("verbs_throughput", r"RDMA and TCP reach \claim{tcp.1M} and \claim{verbs.1M}.", "is about TCP"),
    ("verbs_throughput", "Without Nagle's algorithm TCP is faster for one byte.", "says otherwise"),
    ("verbs_throughput", "TCP collapses at 64 KiB.", "that is no collapse"),
    ("write_parameters", "The throughput is sensitive to the depth.", "is what its sweep shows"),
    ("write_parameters", "Posting requests in lists slows down small messages.", "is what its sweep shows"),
    ("mpi_bandwidth_latency", "Verbs transfers 256 kB sooner than TCP.", "the data say otherwise"),
    ("mpi_bandwidth_latency", "The time over verbs rises with every step of the size.", "it falls between"),
    ("mpi_bandwidth_latency", "The published file has 2000 rows.", r"\claim{report_c.points}"),
    ("mpi_blocking_nonblocking", "Over TCP a non-blocking send returns sooner than a blocking one.", "the times say"),
    ("mpi_blocking_nonblocking", "The send over verbs has a step at 2048 bytes.", "a step lies at"),
    ("mpi_blocking_nonblocking", "The receive over TCP leaps at 4088 bytes.", "no step there"),
    ("verbs_throughput_card", "Over the modelled card TCP wins at every size.", "the data say otherwise"),
    (
        "verbs_throughput_card",
        r"TCP reaches \claim{tcp.card.4K}. That is more than the card.",
        "the data say otherwise",
    ),
    ("verbs_throughput_card", r"ConnectX cards reach \claim{card.peak}.", "the card is a model"),
    (
        "verbs_throughput_card",
        r"Over the cable RDMA reaches \claim{soft.card.peak}.",
        "was measured on the card's wire",
    ),
    ("verbs_throughput_card", "Inline data make the card faster at 1 KiB.", "says otherwise"),
    ("verbs_throughput_card", "The card needs 64 KiB to get near its peak.", "near already with less"),
    ("verbs_throughput_card", "The gigabit link lies idle under TCP.", "it fills"),
    ("verbs_throughput_card", "TCP exceeds the nominal rate of its wire.", "nothing can exceed"),
    ("verbs_throughput_card", "With one byte the card moves more than TCP with a kilobyte.", "two sizes"),
    ("verbs_throughput", r"RDMA needs \claim{verbs.knee}.", "is a knee"),
    ("verbs_throughput", "The speed of TCP improves all along.", "it falls once"),
    ("write_parameters", "The warm-up matters more than lists of requests.", "says otherwise"),
    ("write_parameters", "The warm-up has the largest effect of all parameters.", "is more"),
    (
        "throughput_until_stable",
        "The correction over Ethernet matters most for the long messages.",
        "that is elsewhere",
    ),
    ("throughput_until_stable", "Most sizes never became stable over RDMA.", "sizes they did not"),
    ("mpi_bandwidth_latency", "The sizes went up to 2 GB.", "is not the end"),
    ("mpi_bandwidth_latency", "The round trip does not depend on the size.", "depends on the size"),
]
HONEST = [
    ("verbs_throughput_card", "Over the modelled card RDMA wins at every size."),
    ("verbs_throughput_card", r"TCP reaches \claim{tcp.card.4K}. That is less than the card."),
    ("verbs_throughput_card", "Inline data make the card slower at 1 KiB."),
    ("verbs_throughput_card", "The card needs 1 KiB to get near its peak."),
    ("verbs_throughput_card", "Hardly a paper says how much of its time a program waits."),
    ("verbs_throughput", r"RDMA has its knee at \claim{verbs.knee}."),
    ("write_parameters", "The lists matter more than the warm-up."),
    ("throughput_until_stable", "The correction over Ethernet matters most for small messages."),
    ("mpi_bandwidth_latency", "The sizes went up to 536000 bytes."),
    ("verbs_throughput", "The gap between RDMA and TCP is smallest at 4 KiB."),
    ("verbs_throughput", "Switching from TCP to RDMA never paid off."),
    ("verbs_throughput", "The gap between RDMA and TCP does not shrink steadily."),
    ("verbs_throughput", "The smallest message that we sent was 1 byte."),
    ("verbs_throughput", "Real cards would bypass the kernel."),
    ("mpi_bandwidth_latency", "Up to 64 kB one line follows the times of MPI over TCP."),
    ("throughput_until_stable", "The rounds of RDMA agreed at all 19 sizes."),
    ("verbs_throughput", "We measured TCP and RDMA. The former is faster at every size."),
    ("verbs_throughput", "RDMA is edged out by TCP."),
    ("verbs_throughput", "Contrary to what one would expect, TCP wins."),
    ("verbs_throughput", "The curves of RDMA and TCP do not cross."),
    ("verbs_throughput", "The ratio of RDMA to TCP stays below one at every size."),
    ("verbs_throughput", r"RDMA and TCP reach \claim{verbs.1M} and \claim{tcp.1M}."),
    ("verbs_throughput", "The published factor of 33 compares two links."),
    ("write_parameters", "Warm-up hardly matters."),
    ("write_parameters", "Posting requests in lists speeds up small messages."),
    ("mpi_bandwidth_latency", "TCP transfers 256 kB sooner than verbs."),
    ("mpi_bandwidth_latency", "Over verbs the time falls at 264 kB."),
    ("mpi_blocking_nonblocking", "Over TCP a non-blocking send returns no sooner than a blocking one."),
    (
        "throughput_until_stable",
        r"TCP's rounds agreed in every trial at \claim{ethernet.agreed} of \claim{count.sizes} sizes.",
    ),
    (
        "verbs_throughput",
        r"RDMA in single requests still grows at the end: the last step is \claim{verbs.single.last}.",
    ),
    ("mpi_blocking_nonblocking", "The send over verbs has a step at 4088 bytes."),
]


@pytest.mark.parametrize(("experiment", "sentence", "what"), KINDS)
def test_a_lie_of_each_kind_is_refused_for_what_it_says(experiment: str, sentence: str, what: str) -> None:
    assert what in "\n".join(map(str, all_refused(sentence, "discussion.tex", ledger(experiment), None)))


@pytest.mark.parametrize(("experiment", "sentence"), HONEST)
def test_the_honest_sentence_beside_it_passes(experiment: str, sentence: str) -> None:
    assert not all_refused(sentence, "discussion.tex", ledger(experiment), None)


def test_nothing_taken_off_is_not_said_to_be_little() -> None:
    known = ledger("throughput_until_stable")
    large = Ledger(
        {
            name: replace(claim, estimate=replace(claim.estimate, value=20.0)) if name.endswith(".share") else claim
            for name, claim in known.items()
        }
    )
    large.setting = known.setting
    said = "The corrected throughput over Ethernet goes from nothing taken off to the whole round trip off."
    assert not all_refused(said, "discussion.tex", large, None)
    assert all_refused("The correction over Ethernet is negligible.", "discussion.tex", large, None)
