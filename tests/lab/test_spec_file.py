from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab.errors import SpecError
from lab.places import EXPERIMENTS
from lab.spec_file import load

HEAD = """title = "t"
question = "q"
[parameters]
sizes = "1..1K*2"
iterations = 2000
tx_depth = 128
"""
VERBS = '[[series]]\nname = "a"\nprogram = "verbs"\noperation = "write"\nmeasure = "throughput"\n'
EXACT = '[profile.exact]\nwhy = "time is dear"\n'
Write = Callable[[str], Path]


def refused(file: Path) -> SpecError:
    with pytest.raises(SpecError) as caught:
        load(file)
    return caught.value


FILES = [*sorted(EXPERIMENTS.glob("*.toml")), *sorted(EXPERIMENTS.glob("examples/*.toml"))]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_experiments_of_the_repository_are_accepted(file: Path) -> None:
    assert load(file).name == file.stem


def test_unknown_key_is_rejected_with_its_line_and_the_nearest_name(experiment_file: Write) -> None:
    error = refused(experiment_file(HEAD + "tx_dept = 3\n" + VERBS))
    assert (error.line, "'tx_dept'" in error.what, "tx_depth" in error.hint) == (7, True, True)


def test_wrong_type_says_what_was_expected(experiment_file: Write) -> None:
    error = refused(experiment_file(HEAD + 'warmup = "many"\n' + VERBS))
    assert (error.line, error.expected) == (7, "an integer")


def test_a_missing_key_is_named(experiment_file: Write) -> None:
    assert "'question'" in refused(experiment_file('title = "t"\n[parameters]\nsizes = 1\n' + VERBS)).what


def test_broken_toml_names_its_place(experiment_file: Write) -> None:
    assert "line 1" in refused(experiment_file("title = = 1")).what


def test_a_bad_size_is_rejected_with_its_line(experiment_file: Write) -> None:
    assert refused(experiment_file(HEAD.replace("1..1K*2", "8..4*2") + VERBS)).line == 4


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    assert "cannot be read" in refused(tmp_path / "none.toml").what


@pytest.mark.parametrize(
    ("series", "sentence"),
    [
        ("parameters = { post_list = 256 }\n", "post_list = 256"),
        ("parameters = { signal_every = 256 }\n", "signal_every = 256"),
        ("parameters = { signal_every = 100, post_list = 4 }\n", "signal_every = 100"),
        ("parameters = { signal_every = 6, post_list = 4 }\n", "signal_every = 6"),
        ("parameters = { iterations = 19 }\n", "iterations = 19"),
        ('parameters = { until_stable = 1, verify = true, wait = "event" }\n', "until_stable = 1"),
        ("parameters = { until_stable = 1, stable_window = 9, rounds_cap = 8 }\n", "rounds_cap = 8"),
        ("vary.iterations = [10]\n", "iterations = 10"),
        ("vary.peer_seconds = [1]\n", "peer_seconds changes nothing for verbs"),
        ("vary.tx_depth = [0]\n", "tx_depth is 0"),
    ],
)
def test_what_cannot_be_is_refused_on_the_line_that_says_it(experiment_file: Write, series: str, sentence: str) -> None:
    error = refused(experiment_file(HEAD + VERBS + series))
    assert sentence in error.what and error.line == 12


def test_a_program_is_not_asked_for_what_it_cannot_do(experiment_file: Write) -> None:
    error = refused(experiment_file(HEAD + VERBS.replace("write", "read").replace("verbs", "iperf3")))
    assert error.what == "iperf3 cannot do read throughput" and error.line == 10


def test_polling_at_both_ends_is_refused_on_one_core(experiment_file: Write) -> None:
    text = HEAD + EXACT + VERBS.replace("write", "send")
    assert "a on exact: wait = poll" in refused(experiment_file(text)).what
    assert load(experiment_file(text.replace(EXACT, EXACT + 'wait = "event"\n')))


def test_an_event_cannot_tell_of_a_write(experiment_file: Write) -> None:
    error = refused(experiment_file(HEAD + VERBS.replace("throughput", "latency") + 'parameters.wait = "event"\n'))
    assert "wait = event" in error.what


def test_a_profile_may_not_flatten_a_sweep(experiment_file: Write) -> None:
    text = HEAD + EXACT + "iterations_at_most = 500\n" + VERBS + "vary.iterations = [100, 1000]\n"
    error = refused(experiment_file(text))
    assert "iterations = 1000" in error.what and error.line == 15


def test_a_profile_must_say_why(experiment_file: Write) -> None:
    assert refused(experiment_file(HEAD + '[profile.exact]\nwait = "event"\n' + VERBS)).line == 7


def test_rounds_need_not_fill_windows_and_no_peer_repeats_them(experiment_file: Write) -> None:
    rounds = "parameters = { until_stable = 1, iterations = 4 }\n"
    assert load(experiment_file(HEAD + VERBS + rounds))
    error = refused(experiment_file(HEAD + VERBS.replace("verbs", "ib_write_bw") + rounds))
    assert "until_stable = 1" in error.what and error.line == 12


def test_one_way_messages_are_enough_for_a_deviation(experiment_file: Write) -> None:
    calls = VERBS.replace("verbs", "mpi-tcp").replace("write", "send").replace("throughput", "one-way")
    assert load(experiment_file(HEAD + calls + "parameters = { iterations = 2 }\n"))
    error = refused(experiment_file(HEAD + calls + "parameters = { iterations = 1 }\n"))
    assert "iterations = 1" in error.what and error.line == 12


def test_two_series_may_not_share_a_name(experiment_file: Write) -> None:
    assert refused(experiment_file(HEAD + VERBS + VERBS)).line == 13


def test_perftest_wants_whole_lists(experiment_file: Write) -> None:
    text = HEAD + VERBS.replace("verbs", "ib_write_bw") + "parameters = { peer_post_list = 64 }\n"
    assert "peer_post_list = 64" in refused(experiment_file(text)).what


def test_layers_are_laid_in_order(experiment_file: Write) -> None:
    profile = EXACT + 'tx_depth = 64\nrx_depth = 64\nwait = "event"\n'
    series = VERBS + "parameters = { tx_depth = 32 }\nprofile.exact = { rx_depth = 8 }\nvary.post_list = [1, 4]\n"
    (one,) = load(experiment_file(HEAD + profile + series)).series
    assert one.published.tx_depth == 32 and one.published.rx_depth == 512
    used = one.parameters("exact", one.points()[1])
    assert (used.tx_depth, used.rx_depth, used.wait, used.post_list) == (32, 8, "event", 4)
    assert one.parameters("host", {}).wait == "poll"


def test_a_profile_bounds_iterations_by_bytes(experiment_file: Write) -> None:
    profile = EXACT + 'bytes_per_size_at_most = "64K"\niterations_at_most = 1500\niterations_at_least = 100\n'
    (one,) = load(experiment_file(HEAD + profile + VERBS)).series
    counts = {each.size: (each.iterations, each.warmup) for each in one.counts("exact", {})}
    assert counts[1] == (1500, 500) and counts[128] == (512, 500) and counts[1024] == (100, 64)
    assert {each.iterations for each in one.counts("host", {})} == {2000}


def test_a_profile_lets_the_window_slide_at_every_depth(experiment_file: Write) -> None:
    profile = EXACT + "iterations_at_most = 500\ndepths_at_least = 2\n"
    (one,) = load(experiment_file(HEAD + profile + VERBS + "vary.tx_depth = [16, 400]\n")).series
    assert [one.counts("exact", point)[0].iterations for point in one.points()] == [500, 800]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    name=st.sampled_from(["sizes", "tx_depth", "wait", "post_list", "seed", "unknown"]),
    value=st.one_of(st.integers(-5, 10**6), st.booleans(), st.sampled_from(['"auto"', '"poll"', '"4K"', "[]", "1.5"])),
)
def test_any_value_is_accepted_or_refused_with_its_line(experiment_file: Write, name: str, value: object) -> None:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    file = experiment_file(HEAD + VERBS + f"[series.parameters]\n{name} = {text}\n")
    try:
        (one,) = load(file).series
    except SpecError as error:
        assert error.line and error.line > 2
    else:
        assert all(each.iterations >= one.published.windows for each in one.counts("", {}))
