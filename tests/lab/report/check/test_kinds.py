"""One lie and one honest sentence of a kind: lab.report.check.*, a module a kind."""

import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace

import pytest
from tests.lab.report.check.test_corpus import ledger

from lab.places import ROOT
from lab.report.check.text import all_refused
from lab.report.claim import Claim, Ledger

KINDS = [
    ("verbs_throughput", r"RDMA is faster than TCP at every size~\cite{kalia}.", "less at 21 of 21"),
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
    ("mpi_bandwidth_latency", "The intercept of the line over TCP lies below the time of a 1 B message.", "times that"),
    ("mpi_bandwidth_latency", "Verbs breaks at a smaller size than TCP.", "says otherwise"),
    ("mpi_bandwidth_latency", "The break of TCP lies at the same place as the break of verbs.", "says otherwise"),
    ("latency", "At 1 KiB MPI over the card was even quicker than the raw SEND over the card.", "says otherwise"),
    ("latency", "At 4 KiB it is the WRITE and not the READ that is the fastest over the card.", "says otherwise"),
    ("latency", "MPI adds nothing to the latency of verbs on the modelled card.", "says otherwise"),
    ("latency", "Between 16 B and 64 B the latency of MPI on the modelled card does not change.", "says otherwise"),
    (
        "mpi_blocking_nonblocking",
        "Over verbs a send of 4088 bytes takes no longer than one of 4087 bytes.",
        "says otherwise",
    ),
    (
        "latency",
        "A client that reads over Soft-RoCE spends more processor time for 16 KiB than for 256 B.",
        "says otherwise",
    ),
    ("latency", "Over Soft-RoCE a WRITE takes less processor time than a SEND.", "says otherwise"),
    ("latency", "The wire of fdr makes TCP much slower than the unlimited cable does.", "says otherwise"),
    (
        "latency",
        "Of all series over the modelled card READ has the p99 that lies furthest above its median.",
        "that is",
    ),
    ("latency", "MPI over verbs (modelled card fdr) shows no jump between 1 B and 256 B.", "there is one"),
    ("latency", "From 1 B to 1 KiB the latency of TCP grows steadily.", "says otherwise"),
    ("latency", "Without the card READ is ahead of TCP at every size.", "the data say otherwise"),
    (
        "mpi_blocking_nonblocking",
        "The send over TCP makes the same step at 4088 bytes as the one over verbs.",
        "none there",
    ),
    ("mpi_blocking_nonblocking", "The send over verbs grows without any step.", "there is one"),
    ("verbs_throughput_card", "TCP exceeds the nominal rate of its wire.", "nothing can exceed"),
    ("verbs_throughput_card", "With one byte the card moves more than TCP with a kilobyte.", "two sizes"),
    ("verbs_throughput_card", "At every one of the 21 sizes TCP moves more than the modelled card.", "say otherwise"),
    ("mpi_bandwidth_latency", "One straight line is enough for MPI over Soft-RoCE.", "they break"),
    ("latency", "During a READ over the card the server's processor is as busy as the client's.", "against"),
    ("mpi_bandwidth_latency", "One line describes the times over verbs, and no break could be found.", "they break"),
    ("latency", "Among the operations of Soft-RoCE SEND is the fastest at every size.", "says otherwise"),
    ("latency", "For TCP, qperf reports a shorter time at one byte than our own program.", "can't tell"),
    ("throughput_until_stable", "TCP's rounds settled at more sizes on the Ethernet than on the cable.", "against"),
    ("write_parameters", "No matter if lists of requests are posted, RDMA is unaffected at one byte.", "is what its"),
    ("mpi_bandwidth_latency", "The times over verbs show no break between 16 kB and 528 kB.", "they break"),
    ("mpi_blocking_nonblocking", "A receive is over sooner than a send, no matter over which transport.", "against"),
    ("write_parameters", "Whether 512 messages of warm-up come first or none at all makes a difference.", "is what"),
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
    ("mpi_bandwidth_latency", "MPI over TCP has the larger bandwidth below its break.", "says otherwise"),
    (
        "mpi_bandwidth_latency",
        r"The slope of MPI over TCP above its break stands for \claim{tcp.fit.below.rate}.",
        "is of the line below",
    ),
    ("verbs_throughput_card", "Most of the card's instructions at the client are the kernel's.", "the kernel executes"),
    ("throughput_until_stable", "On the gigabit link TCP is faster than on the cable at 64 KiB.", "says otherwise"),
    ("throughput_until_stable", "RDMA reaches its peak at the smallest messages.", "the peak lies"),
    ("throughput_until_stable", "The cable was no faster than Ethernet for TCP.", "says otherwise"),
    ("verbs_throughput", r"RDMA gets \claim{verbs_over_tcp.least} of the rate of TCP at 4 KiB.", "is of"),
    ("write_parameters", r"The warm-up brings a gain of \claim{depth.1.gain} at 1 B.", "depth gains"),
    ("mpi_blocking_nonblocking", "Over verbs the send has no step.", "there is one"),
    ("throughput_until_stable", "The rounds of RDMA failed to settle at most sizes.", "sizes they did not"),
    ("verbs_throughput", "I expected RDMA to win and it did.", "the data say otherwise"),
    ("verbs_throughput", "In summary: verbs first, then TCP.", "another order"),
    ("verbs_throughput_card", "Soft-RoCE sits between the card and TCP.", "between them"),
    ("mpi_blocking_nonblocking", "Receiving is cheaper than sending.", "says otherwise"),
    ("verbs_throughput", "Past 4 KiB the two curves approach each other.", "the distance goes"),
    ("verbs_throughput", "One should use verbs for large files.", "advise the other"),
    ("verbs_throughput", "The rate of messages of RDMA grows with their size.", "get no more"),
    ("verbs_throughput", "For large messages RDMA is about three times as fast as TCP.", "not what the data say"),
    ("verbs_throughput", "Increasing the message from 32 KiB to 64 KiB gives TCP a boost.", "says otherwise"),
    ("verbs_throughput", "TCP wins, but above 128 KiB it is the other way round.", "the data say otherwise"),
    ("write_parameters", "Parameters do not matter.", "is what its sweep shows"),
    ("throughput_until_stable", "The correction lowers the throughput.", "makes its throughput larger"),
]
HONEST = [
    ("verbs_throughput", r"A card reads and writes memory by itself~\cite{kalia}."),
    ("verbs_throughput", "I expected RDMA to win, but it did not."),
    ("mpi_blocking_nonblocking", "Sending is cheaper than receiving."),
    ("verbs_throughput", "Past 4 KiB the two curves drift apart."),
    ("verbs_throughput", "One should use sockets for large files."),
    ("verbs_throughput", "The rate of messages of RDMA falls with their size."),
    ("verbs_throughput", "At one mebibyte RDMA manages only about a fifth of what TCP does."),
    ("verbs_throughput", r"In the literature RDMA is many times faster than TCP~\cite{kalia}."),
    ("verbs_throughput", "Whenever a message exceeds the path MTU, RDMA has to cut it into packets."),
    ("verbs_throughput_card", "Over the modelled card RDMA wins at every size."),
    ("verbs_throughput_card", r"TCP reaches \claim{tcp.card.4K}. That is less than the card."),
    ("verbs_throughput_card", "Inline data make the card slower at 1 KiB."),
    ("verbs_throughput_card", "The card needs 1 KiB to get near its peak."),
    ("verbs_throughput_card", "Hardly a paper says how much of its time a program waits."),
    ("verbs_throughput_card", "At every one of the 21 sizes the modelled card moves more than TCP."),
    ("latency", "During a READ over the card the server's processor is less busy than the client's."),
    ("latency", "READ is the quickest of the card at 4 KiB, while at one byte it is WRITE that is quickest."),
    ("latency", "By the card every one of the verbs needs less time than TCP through the same wire."),
    ("verbs_throughput_card", "The card is ahead of TCP at every size, and this lead has its peak at 1 KiB."),
    ("verbs_throughput_card", "TCP loses a great deal of throughput when it may not join messages."),
    ("verbs_throughput_card", "Nowhere does the throughput of the card go down."),
    ("latency", "Over the card hardly a WRITE takes longer than the median."),
    ("throughput_until_stable", "TCP's rounds settled at more sizes on the cable than on the Ethernet."),
    ("write_parameters", "No matter if 512 messages of warm-up come first, RDMA is unaffected at one byte."),
    ("verbs_throughput_card", "TCP and Soft-RoCE alike fill the gigabit link at 256 KiB."),
    ("verbs_throughput_card", "Up to 512 B the card gets through the same number of messages per second."),
    ("verbs_throughput_card", "TCP needs messages of 32 KiB until its curve is level."),
    ("verbs_throughput_card", "The gigabit link is full at 256 KiB, and TCP gains nothing from larger messages."),
    ("write_parameters", "Whether 512 messages of warm-up come first or none at all makes no difference."),
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
    ("mpi_bandwidth_latency", "MPI over TCP has the larger bandwidth above its break."),
    ("verbs_throughput_card", "Most of the instructions of TCP at the client are the kernel's."),
    ("throughput_until_stable", "RDMA reaches its peak at the largest messages."),
    ("throughput_until_stable", "On the gigabit link TCP is slower than on the cable at 64 KiB."),
    ("verbs_throughput", r"RDMA gets \claim{verbs_over_tcp.least} of the rate of TCP at 1 B."),
    ("write_parameters", r"The depth brings a gain of \claim{depth.1.gain} at 1 B."),
    ("throughput_until_stable", "The rounds of RDMA settled at most sizes."),
]


@pytest.mark.parametrize(("experiment", "sentence", "what"), KINDS)
def test_a_lie_of_each_kind_is_refused_for_what_it_says(experiment: str, sentence: str, what: str) -> None:
    assert what in "\n".join(map(str, all_refused(sentence, "discussion.tex", ledger(experiment), None)))


@pytest.mark.parametrize(("experiment", "sentence"), HONEST)
def test_the_honest_sentence_beside_it_passes(experiment: str, sentence: str) -> None:
    assert not all_refused(sentence, "discussion.tex", ledger(experiment), None)


def valued(claim: Claim, name: str, value: float) -> Claim:
    """The same claim under a name, with another value."""
    return replace(claim, name=name, estimate=replace(claim.estimate, value=value))


def with_claims(known: Ledger, claims: Iterable[Claim]) -> Ledger:
    """The ledger with these in place of those of their names."""
    found = Ledger({**known, **{each.name: each for each in claims}})
    found.setting = known.setting
    return found


def with_all(experiment: str, ending: str, value: float) -> Ledger:
    """An experiment's ledger with one value for all claims whose names end so."""
    known = ledger(experiment)
    return with_claims(known, [valued(each, name, value) for name, each in known.items() if name.endswith(ending)])


def test_nothing_taken_off_is_not_said_to_be_little() -> None:
    large = with_all("throughput_until_stable", ".share", 20.0)
    said = "The corrected throughput over Ethernet goes from nothing taken off to the whole round trip off."
    assert not all_refused(said, "discussion.tex", large, None)
    assert all_refused("The correction over Ethernet is negligible.", "discussion.tex", large, None)


def with_errors(**percents: float) -> Ledger:
    """The card's ledger with what the model is in error by from Report A."""
    known = ledger("verbs_throughput_card")
    errors = [valued(known[f"card.{size}"], f"card.report_a.{size}", value) for size, value in percents.items()]
    return with_claims(known, [replace(each, unit="percent") for each in errors])


@pytest.mark.parametrize(
    ("sentence", "refused"),
    [
        ("The model is furthest off at 64 KiB.", True),
        ("The model is furthest off at 1 KiB.", False),
        ("Compared with Report A the model is most accurate at 1 KiB and worst at 64 KiB.", True),
        ("Compared with Report A the model is most accurate at 64 KiB and worst at 1 KiB.", False),
        ("One would expect the model to be furthest off at 64 KiB.", False),
        ("If nothing is inlined, the model falls short of Report A at 1 KiB.", True),
        ("If nothing is inlined, the model lies above Report A at 1 KiB.", False),
        ("The model lies above Report A at 16 B.", True),
        ("The model is too slow against Report A at every size.", True),
        ("The model reproduces Report A very well at 1 KiB.", True),
        ("The model reproduces Report A very well at 64 KiB.", False),
        ("The bigger the message, the worse the model fits Report A.", True),
        ("The bigger the message, the better the model fits Report A.", False),
        ("At 1 KiB the model reproduces Report A well, better than at any other size.", True),
        ("At 64 KiB the model reproduces Report A well, better than at any other size.", False),
    ],
)
def test_the_model_is_off_where_and_in_the_way_that_its_errors_say(sentence: str, *, refused: bool) -> None:
    known = with_errors(**{"16": -5.0, "1K": 340.0, "64K": 0.2})
    said = str(all_refused(sentence, "discussion.tex", known, None))
    assert (
        any(each in said for each in ("that is elsewhere", "it is the other way", "says otherwise", "its error is"))
        is refused
    )


def test_more_messages_in_a_round_do_not_make_the_round_trip_a_bigger_part() -> None:
    known = ledger("throughput_until_stable")
    (strand, *others) = known.setting.strands
    first = next(claim for name, claim in known.items() if name.endswith(".1K.share"))
    shares = [valued(first, f"{strand.name}.{count}.1K.share", value) for count, value in ((1, 37.0), (256, 0.6))]
    longer = with_claims(known, shares)
    longer.setting = replace(known.setting, strands=(replace(strand, varied=("iterations",)), *others))
    said = "Packing more messages into a round makes the round trip a {} part of it."
    assert "with the longest rounds" in str(all_refused(said.format("bigger"), "discussion.tex", longer, None))
    assert "with the longest rounds" not in str(all_refused(said.format("smaller"), "discussion.tex", longer, None))


def test_the_cap_is_not_reached_where_all_rounds_agreed() -> None:
    said = "Over Ethernet the rounds of TCP went on varying until the cap ended them."
    settled, unsettled = (with_all("throughput_until_stable", ".unsettled", each) for each in (0, 3))
    assert "which are all" in str(all_refused(said, "discussion.tex", settled, None))
    assert "which are all" not in str(all_refused(said, "discussion.tex", unsettled, None))


def with_work(**counts: float) -> Ledger:
    """The card's ledger with what each end executes of which kind, as `lab causes` counts it."""
    known = ledger("verbs_throughput_card")
    client = known["causes.tcp.card.1.client"]
    added = {f"causes.tcp.card.1.{name.replace('__', '.')}": value for name, value in counts.items()}
    counted = [valued(client, name, value) for name, value in added.items()]
    return with_claims(
        known, [replace(each, unit="percent" if each.name.count(".") > CAUSE_DOTS else "") for each in counted]
    )


CAUSE_DOTS = 4  # causes.tcp.card.1.client: what has one more is a kind of its work


@pytest.mark.parametrize(
    ("sentence", "what"),
    [
        ("Most of the instructions of TCP at the client go to copies.", "the largest part is"),
        ("The server of TCP executes more instructions than its client at 1 B.", "says otherwise"),
        ("The server of TCP executes fewer instructions than its client at 1 B.", ""),
        ("Packets are the largest part of the instructions of TCP at the client.", ""),
    ],
)
def test_the_largest_part_of_the_work_is_what_is_said_to_be_it(sentence: str, what: str) -> None:
    known = with_work(server=100.0, client__copies=13.0, client__packets=41.0)
    said = "\n".join(map(str, all_refused(sentence, "discussion.tex", known, None)))
    assert what in said if what else not said


def test_a_short_tail_has_its_slow_trips_near_the_median() -> None:
    known = ledger("mpi_bandwidth_latency")
    trip = next(each for each in known.values() if each.name == "tcp.small.1.round_trip")
    slow = replace(trip, name="tcp.small.1.p99", estimate=replace(trip.estimate, value=2 * trip.estimate.value))
    found = Ledger({**known, slow.name: slow})
    found.setting = known.setting
    lie = "The p99 of TCP hardly differs from its median."
    assert "further off" in "".join(map(str, all_refused(lie, "discussion.tex", found, None)))
    assert not all_refused("The p99 of TCP lies far above its median.", "discussion.tex", found, None)


WORDS = """
from tests.lab.report.check.test_corpus import ledger
from lab.report.check.text import all_refused
said = "Over TCP a non-blocking send returns much sooner than a blocking one."
print(all_refused(said, "discussion.tex", ledger("mpi_blocking_nonblocking"), None))
"""


def test_a_refusal_has_the_same_words_in_every_process() -> None:
    def words(seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": f"{ROOT}:{ROOT / 'code'}"}
        return subprocess.run(
            [sys.executable, "-c", WORDS], env=environment, capture_output=True, text=True, check=True
        ).stdout

    first, *others = map(words, "1234")
    assert "the times say otherwise" in first and {first} == {*others}
