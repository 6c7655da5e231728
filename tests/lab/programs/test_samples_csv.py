from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lab import fake_site as fake_module

from lab.errors import ParseError
from lab.model.parameters import Counts, Parameters
from lab.programs.program import SUMMARIES, Request, Sample
from lab.programs.samples_csv import _kept, load_samples, read_samples, write_samples

ASKED = Request("verbs", "write", "throughput", (Counts(1, 40, 4), Counts(64, 20, 4)), Parameters())
NUMBERS = st.integers(0, 2**63 - 1)


@pytest.fixture
def whole() -> str:
    return str(fake_module.lab_csv({1: 40, 64: 20}, "throughput", 20))


def test_a_whole_csv_is_read(whole: str) -> None:
    reading = read_samples(whole, ASKED)
    assert len(reading.samples) == 44 and reading.header == {"program": "fake"}


def test_what_is_said_of_one_size_is_kept_under_it(whole: str) -> None:
    text = whole.replace("# program", "# size_bytes=64 iterations=20 post_list=4\n# program")
    assert read_samples(text, ASKED).header["size 64"] == "iterations=20 post_list=4"


def test_no_prefix_of_a_csv_is_whole(whole: str) -> None:
    for cut in range(len(whole) - 1):
        with pytest.raises(ParseError):
            read_samples(whole[:cut], ASKED)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# lab-bench 1", "# lab-bench 2"),
        ("1,completed,0,40,40,", "1,completed,0,39,39,"),
        ("1,completed,0,40,40,", "1,completed,0,40,41,"),
        ("1,completed,0,40,40,", "2,completed,0,40,80,"),
        ("64,window,3,4,256,", "64,window,3,4,256,-"),
        ("64,window,3,4,256,", "64,window,3,4,256,0x"),
        ("rows=44", "rows=43"),
        ("64,window,3,4,256,", "64,window,3,3,192,"),
        ("64,window,3,4,256,", "64,window,4,4,256,"),
        ("64,window,3,4,256,", "64,window,3,4,256,9"),
        ("64,window,19,20,1280,", "64,window,19,21,1344,"),
        ("64,window,19,20,1280,", "2,window,19,20,40,"),
    ],
)
def test_a_changed_csv_is_refused(whole: str, old: str, new: str) -> None:
    assert old in whole
    with pytest.raises(ParseError):
        read_samples(whole.replace(old, new, 1), ASKED)


def test_the_csv_of_another_request_is_refused(whole: str) -> None:
    with pytest.raises(ParseError, match="what was asked"):
        read_samples(whole, Request("verbs", "write", "throughput", ASKED.counts[:1], Parameters()))


def with_costs(text: str, messages: int = 40) -> str:
    """A CSV with both ends' processor times at both sizes."""
    names = ("client_processor,0,{},{},900", "client_kernel,0,{},{},400", "server_processor,0,{},{},800")
    costs = [f"{size},{name.format(n, size * n)}" for size, n in ((1, messages), (64, 20)) for name in names]
    costs += [f"{size},server_kernel,0,{n},{size * n},0" for size, n in ((1, messages), (64, 20))]
    rows, _, count = text.rpartition("# end rows=")
    return "\n".join([rows + "\n".join(costs), f"# end rows={int(count) + 8}", ""])


def test_processor_times_of_our_programs_are_read_beside_the_rest(whole: str, rounds: str) -> None:
    found = read_samples(with_costs(whole), ASKED, ours=True).samples
    assert len(found) == 44 + 8
    assert [each.time_ns for each in found if each.size_bytes == 64][-4:] == [900, 400, 800, 0]
    assert len(read_samples(with_costs(rounds, 160), ASKED_ROUNDS, ours=True).samples) == 30 + 8


def test_another_program_may_not_name_processor_times(whole: str, rounds: str) -> None:
    with pytest.raises(ParseError):
        read_samples(with_costs(whole), ASKED)
    with pytest.raises(ParseError, match="what was asked"):
        read_samples(with_costs(rounds).replace(",0\n", ",1\n"), ASKED_ROUNDS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1,client_processor,0,40,40,900", "2,client_processor,0,40,80,900"),  # of no size
        ("1,client_kernel,0,", "1,client_processor,0,"),  # twice
        ("1,server_kernel,0,40,40,0", "1,server_kernel,0,80,80,0"),  # of other messages
        ("1,server_kernel,0,40,40,0", "1,server_kernel,0,40,41,0"),
        ("1,client_kernel,0,40,40,400", "1,client_kernel,0,40,40,901"),  # more than the whole
        ("1,client_processor,0,40,40,900", "1,client_processor,0,40,40,399"),
    ],
)
def test_processor_times_that_cannot_be_are_refused(whole: str, old: str, new: str) -> None:
    text = with_costs(whole)
    assert text.count(old) == 1
    with pytest.raises(ParseError, match="processor times"):
        read_samples(text.replace(old, new), ASKED, ours=True)


def test_processor_times_of_messages_that_nobody_asked_for_are_refused(whole: str) -> None:
    for messages in (0, 41):
        with pytest.raises(ParseError, match="processor times of 1 bytes are impossible"):
            read_samples(with_costs(whole, messages), ASKED, ours=True)


ROUNDS = Parameters().with_values({"until_stable": 1, "stable_window": 3, "rounds_cap": 4})
ASKED_ROUNDS = Request("tcp", "send", "throughput", ASKED.counts, ROUNDS)


@pytest.fixture
def rounds() -> str:
    return str(fake_module.lab_rounds({1: 40, 64: 20}, 3))


def test_rounds_are_read_with_their_round_trips(rounds: str) -> None:
    kinds = [sample.sample for sample in read_samples(rounds, ASKED_ROUNDS).samples]
    assert [kinds.count(kind) for kind in ("control_trip", "round", "settled")] == [12, 8, 2]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1,round,2,40,40,", "1,round,2,39,39,"),
        ("1,round_completed,2,40,40,", "1,round_completed,2,39,39,"),
        ("1,round_completed,2,40,40,", "1,round_completed,2,40,40,9"),
        ("1,round_completed,2,40,40,", "1,control_trip,2,0,0,"),
        ("1,round,2,40,40,", "1,window,2,40,40,"),
        ("1,settled,0,120,120,", "1,settled,0,120,120,1"),
        ("1,settled,0,120,120,", "1,round,0,120,120,"),
        ("1,control_trip,0,0,0,", "1,control_trip,0,1,1,"),
        ("64,control_trip,0,0,0,", "2,control_trip,0,0,0,"),
    ],
)
def test_rounds_that_were_changed_are_refused(rounds: str, old: str, new: str) -> None:
    assert old in rounds
    with pytest.raises(ParseError, match="are not what was asked for"):
        read_samples(rounds.replace(old, new, 1), ASKED_ROUNDS)


def test_more_rounds_than_the_cap_are_refused() -> None:
    with pytest.raises(ParseError, match="are not what was asked for"):
        read_samples(fake_module.lab_rounds({1: 40, 64: 20}, 4), ASKED_ROUNDS)


def test_a_latency_has_one_round_trip_for_each_message() -> None:
    asked = Request("tcp", "send", "latency", (Counts(64, 5, 0),), Parameters())
    assert len(read_samples(fake_module.lab_csv({64: 5}, "latency", 20), asked).samples) == 5
    with pytest.raises(ParseError):
        read_samples(fake_module.lab_csv({64: 4}, "latency", 20), asked)


@given(
    st.lists(st.builds(Sample, NUMBERS, st.sampled_from(["window", "completed"]), NUMBERS, NUMBERS, NUMBERS, NUMBERS))
)
def test_written_samples_read_back(samples: list[Sample]) -> None:
    assert load_samples(write_samples(samples)) == tuple(samples)


@given(st.text())
def test_garbage_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        read_samples(text, ASKED)


LASTING = Parameters().with_values({"least_time_s": 1})


def both(sent: int, measure: str = "throughput") -> str:
    return str(fake_module.lab_csv({64: sent}, measure, 20))


def test_a_size_that_must_last_may_have_been_sent_a_multiple_of_what_was_asked() -> None:
    asked = Request("tcp", "send", "throughput", (Counts(64, 40, 4),), LASTING)
    samples = read_samples(both(400), asked).samples
    assert {each.messages for each in samples if each.sample in SUMMARIES} == {samples[-3].messages} == {400}
    for wrong in (20, 401):
        with pytest.raises(ParseError, match="what was asked"):
            read_samples(both(wrong), asked)
    with pytest.raises(ParseError, match="what was asked"):
        read_samples(both(400).replace("64,confirmed,0,400,25600,", "64,confirmed,0,440,28160,"), asked)
    with pytest.raises(ParseError, match="what was asked"):
        read_samples(both(400), replace(asked, parameters=Parameters()))


def test_no_more_round_trips_are_kept_than_were_asked_for() -> None:
    asked = Request("tcp", "send", "latency", (Counts(64, 40, 4),), LASTING)
    assert len(read_samples(both(40, "latency"), asked).samples) == 40
    with pytest.raises(ParseError, match="what was asked"):
        read_samples(both(80, "latency"), asked)


@pytest.mark.parametrize(("asked", "kept"), [(1, 1), (10**6, 10**6), (1_500_000, 750_000), (2_500_000, 833_334)])
def test_of_more_than_a_million_messages_one_in_every_so_many_is_kept(asked: int, kept: int) -> None:
    assert _kept(asked) == kept
