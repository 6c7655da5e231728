import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lab.fake_site import lab_csv, lab_rounds

from lab.errors import ParseError
from lab.model.parameters import Counts, Parameters
from lab.programs.program import ONE_WAY, SUMMARIES, Request, Sample
from lab.programs.samples_csv import load_samples, read_samples, write_samples

COUNTS = (Counts(1, 40, 4), Counts(64, 20, 4))
ASKED = Request("verbs", "write", "throughput", COUNTS, Parameters())
UNTIL_STABLE = Parameters().with_values({"until_stable": 1, "stable_window": 3, "rounds_cap": 4})
ASKED_ROUNDS = Request("tcp", "send", "throughput", COUNTS, UNTIL_STABLE)
LASTING = Request("tcp", "send", "throughput", (Counts(64, 40, 4),), Parameters().with_values({"least_time_s": 1}))
WHOLE, ROUNDS = lab_csv({1: 40, 64: 20}, "throughput", 20), lab_rounds({1: 40, 64: 20}, 3)
NUMBERS = st.integers(0, 2**63 - 1)


def require_refused(text: str, request: Request, *, by_lab: bool = False, why: str = "those of the request") -> None:
    with pytest.raises(ParseError, match=why):
        read_samples(text, request, by_lab=by_lab)


def test_whole_csv_is_read_and_lines_of_one_size_are_named_after_it() -> None:
    reading = read_samples(WHOLE, ASKED)
    assert len(reading.samples) == 44 and reading.header == {"program": "fake"}
    text = WHOLE.replace("# program", "# size_bytes=64 iterations=20 post_list=4\n# program")
    assert read_samples(text, ASKED).header["size 64"] == "iterations=20 post_list=4"


def test_no_prefix_of_a_csv_is_whole() -> None:
    for cut in range(len(WHOLE) - 1):
        require_refused(WHOLE[:cut], ASKED, why=".")


def with_costs(text: str, messages: int = 40) -> str:
    """A CSV with both ends' CPU times at both sizes."""
    names = ("client_processor,0,{},{},900", "client_kernel,0,{},{},400", "server_processor,0,{},{},800")
    costs = [f"{size},{name.format(n, size * n)}" for size, n in ((1, messages), (64, 20)) for name in names]
    costs += [f"{size},server_kernel,0,{n},{size * n},0" for size, n in ((1, messages), (64, 20))]
    rows, _, count = text.rpartition("# end rows=")
    return "\n".join([rows + "\n".join(costs), f"# end rows={int(count) + 8}", ""])


COSTS = with_costs(WHOLE)


@pytest.mark.parametrize(
    ("text", "request_", "old", "new"),
    [
        (WHOLE, ASKED, "# lab-bench 1", "# lab-bench 2"),
        (WHOLE, ASKED, "1,completed,0,40,40,", "1,completed,0,39,39,"),
        (WHOLE, ASKED, "1,completed,0,40,40,", "1,completed,0,40,41,"),
        (WHOLE, ASKED, "1,completed,0,40,40,", "2,completed,0,40,80,"),
        (WHOLE, ASKED, "rows=44", "rows=43"),
        *((WHOLE, ASKED, "64,window,3,4,256,", f"64,window,3,4,256,{sign}") for sign in ("-", "0x", "9")),
        (WHOLE, ASKED, "64,window,3,4,256,", "64,window,3,3,192,"),
        (WHOLE, ASKED, "64,window,3,4,256,", "64,window,4,4,256,"),
        (WHOLE, ASKED, "64,window,19,20,1280,", "64,window,19,21,1344,"),
        (WHOLE, ASKED, "64,window,19,20,1280,", "2,window,19,20,40,"),
        (WHOLE, replace(ASKED, counts=COUNTS[:1]), "", ""),
        (ROUNDS, ASKED_ROUNDS, "1,round,2,40,40,", "1,round,2,39,39,"),
        (ROUNDS, ASKED_ROUNDS, "1,round_completed,2,40,40,", "1,round_completed,2,39,39,"),
        (ROUNDS, ASKED_ROUNDS, "1,round_completed,2,40,40,", "1,round_completed,2,40,40,9"),
        (ROUNDS, ASKED_ROUNDS, "1,round_completed,2,40,40,", "1,control_trip,2,0,0,"),
        (ROUNDS, ASKED_ROUNDS, "1,round,2,40,40,", "1,window,2,40,40,"),
        (ROUNDS, ASKED_ROUNDS, "1,settled,0,120,120,", "1,settled,0,120,120,1"),
        (ROUNDS, ASKED_ROUNDS, "1,settled,0,120,120,", "1,round,0,120,120,"),
        (ROUNDS, ASKED_ROUNDS, "1,control_trip,0,0,0,", "1,control_trip,0,1,1,"),
        (ROUNDS, ASKED_ROUNDS, "64,control_trip,0,0,0,", "2,control_trip,0,0,0,"),
        (lab_rounds({1: 40, 64: 20}, 4), ASKED_ROUNDS, "", ""),  # more rounds than the cap
        (COSTS, ASKED, "1,client_processor,0,40,40,900", "2,client_processor,0,40,80,900"),  # of no size
        (COSTS, ASKED, "1,client_kernel,0,", "1,client_processor,0,"),  # twice
        (COSTS, ASKED, "1,server_kernel,0,40,40,0", "1,server_kernel,0,80,80,0"),  # of other messages
        (COSTS, ASKED, "1,server_kernel,0,40,40,0", "1,server_kernel,0,40,41,0"),
        (COSTS, ASKED, "1,client_kernel,0,40,40,400", "1,client_kernel,0,40,40,901"),  # more than the whole
        *((with_costs(WHOLE, messages), ASKED, "", "") for messages in (0, 41)),
    ],
)
def test_changed_csv_is_refused(text: str, request_: Request, old: str, new: str) -> None:
    assert old in text
    require_refused(text.replace(old, new, 1), request_, by_lab="_processor," in text, why=".")


SHARED = replace(ASKED, counts=COUNTS[1:], parameters=Parameters().with_values({"pairs": 2}))
SHARES = "64,share,0,11,704,800\n64,share,1,9,576,900\n"


def test_shares_of_queue_pairs_add_up_to_the_messages() -> None:
    text = lab_csv({64: 20}, "throughput", 20).replace("# end rows=22", f"{SHARES}# end rows=24")
    assert [row.messages for row in read_samples(text, SHARED).samples if row.sample == "share"] == [11, 9]
    for wrong in (text.replace("1,9,576", "1,8,512"), lab_csv({64: 20}, "throughput", 20)):
        require_refused(wrong, SHARED)
    require_refused(text, replace(SHARED, parameters=Parameters()))


def test_messages_of_the_server_are_read_if_both_ends_send() -> None:
    both = replace(ASKED, counts=COUNTS[1:], parameters=Parameters().with_values({"both": True}))
    text = lab_csv({64: 20}, "throughput", 20)
    more = text.replace("# end rows=22", "64,back,0,20,1280,900\n# end rows=23")
    assert read_samples(more, both).samples[-1] == Sample(64, "back", 0, 20, 1280, 900)
    for wrong, asked in ((text, both), (more.replace("back,0,20,1280", "back,0,19,1216"), both), (more, ASKED)):
        require_refused(wrong, asked)


def unreliable(operation: str, **values: int | str) -> Request:
    parameters = Parameters().with_values({"connection": "uc", **values})
    return replace(ASKED, operation=operation, counts=COUNTS[1:], parameters=parameters)


def test_lost_messages_are_those_without_confirmation() -> None:
    text = lab_csv({64: 20}, "throughput", 20).replace("confirmed,0,20,1280", "confirmed,0,17,1088")
    more = text.replace("# end rows=22", "64,sent,0,20,1280,900\n# end rows=23")
    assert [row.messages for row in read_samples(more, unreliable("send")).samples[-3:]] == [20, 17, 20]
    too_many = more.replace("confirmed,0,17,1088", "confirmed,0,21,1344")
    for wrong, asked in (
        (text, unreliable("send")),
        (more, ASKED),
        (more, unreliable("write")),
        (too_many, unreliable("send")),
    ):
        require_refused(wrong, asked)
    unseen = re.sub("64,confirmed.*\n", "", more).replace("rows=23", "rows=22")
    assert len(read_samples(unseen, unreliable("write")).samples) == 22
    timed = WHOLE[: WHOLE.index("1,window")] + "\n".join(
        [*TIMED_ROWS[:4], "64,sent,0,43,2752,2050", "# end rows=5", ""]
    )
    assert read_samples(timed, unreliable("send", duration_s=4)).samples[-1].messages == 43
    require_refused(timed.replace("sent,0,43,2752", "sent,0,40,2560"), unreliable("send", duration_s=4))


TIMED = replace(SHARED, parameters=Parameters().with_values({"pairs": 2, "duration_s": 4}))
TIMED_ROWS = (
    *("64,window,0,9,576,500", "64,window,1,20,1280,1000", "64,completed,0,20,1280,1000"),
    *("64,confirmed,0,41,2624,2100", "64,share,0,21,1344,2000", "64,share,1,20,1280,2000"),
)


def test_middle_of_a_duration_is_read() -> None:
    head = WHOLE[: WHOLE.index("1,window")]
    text = head + "\n".join([*TIMED_ROWS, "# end rows=6", ""])
    assert [row.messages for row in read_samples(text, TIMED).samples] == [9, 20, 20, 41, 21, 20]
    for old, new in (
        ("window,1,20,1280", "window,1,19,1216"),  # completed is another
        ("confirmed,0,41,2624", "confirmed,0,20,1280"),  # no more than the middle
        ("share,1,20,1280", "share,1,19,1216"),
        ("confirmed,0", "settled,0"),
    ):
        require_refused(text.replace(old, new), TIMED)


@pytest.mark.parametrize("kinds", [("round_trip",), ("send", "receive")])
def test_single_messages_of_a_duration_are_any_number_of_rows(kinds: tuple[str, ...]) -> None:
    head, measure = WHOLE[: WHOLE.index("1,window")], "latency" if len(kinds) == 1 else ONE_WAY
    asked = replace(TIMED, program="mpi-tcp", measure=measure)
    rows = [f"64,{kind},{i},1,64,{90 + i}" for kind in kinds for i in range(3)]
    text = head + "\n".join([*rows, f"# end rows={len(rows)}", ""])
    assert len(read_samples(text, asked).samples) == len(rows)
    without_last = text.replace(rows[-1] + "\n", "").replace(f"rows={len(rows)}", f"rows={len(rows) - 1}")
    wrong = [text.replace("0,1,64,90", "0,2,128,90"), text.replace(kinds[0], "window")]
    wrong += [without_last] if len(kinds) == 2 else []  # each send has its receive
    for each in wrong:
        require_refused(each, asked)


def test_cpu_times_are_read_of_the_labs_programs_only() -> None:
    samples = read_samples(COSTS, ASKED, by_lab=True).samples
    assert len(samples) == 44 + 8
    assert [sample.time_ns for sample in samples if sample.size_bytes == 64][-4:] == [900, 400, 800, 0]
    assert len(read_samples(with_costs(ROUNDS, 160), ASKED_ROUNDS, by_lab=True).samples) == 30 + 8
    require_refused(COSTS, ASKED, why=".")
    require_refused(with_costs(ROUNDS).replace(",0\n", ",1\n"), ASKED_ROUNDS)


def test_latency_has_one_round_trip_for_each_message() -> None:
    for request in (LASTING, replace(LASTING, parameters=Parameters())):
        trips = replace(request, measure="latency")
        assert len(read_samples(lab_csv({64: 40}, "latency", 20), trips).samples) == 40
        for count in (39, 80):
            require_refused(lab_csv({64: count}, "latency", 20), trips)


def test_of_more_than_a_million_messages_only_some_are_recorded() -> None:
    trips = Request("tcp", "send", "latency", (Counts(1, 1_500_000, 0),), Parameters())
    rows = [Sample(1, "round_trip", 0, 750_000, 750_000, 5)]
    assert read_samples(write_samples(rows), trips).samples == tuple(rows)


def test_size_that_must_last_may_be_sent_a_multiple_of_its_messages() -> None:
    text = lab_csv({64: 400}, "throughput", 20)
    samples = read_samples(text, LASTING).samples
    assert {sample.messages for sample in samples if sample.sample in SUMMARIES} == {400}
    changed = text.replace("64,confirmed,0,400,25600,", "64,confirmed,0,440,28160,")
    others = [lab_csv({64: count}, "throughput", 20) for count in (20, 401)]
    for wrong, request in [(changed, LASTING), (text, replace(LASTING, parameters=Parameters()))] + [
        (other, LASTING) for other in others
    ]:
        require_refused(wrong, request)


@given(
    st.lists(st.builds(Sample, NUMBERS, st.sampled_from(["window", "completed"]), NUMBERS, NUMBERS, NUMBERS, NUMBERS))
)
def test_written_samples_read_back(samples: list[Sample]) -> None:
    assert load_samples(write_samples(samples)) == tuple(samples)
