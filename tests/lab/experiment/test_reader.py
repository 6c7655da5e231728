"""What an experiment may say: lab.spec.{document,experiment,rules}."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab.errors import SpecError
from lab.experiment.experiment import Causes
from lab.experiment.reader import load
from lab.places import EXPERIMENTS

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
    assert "is not there" in refused(tmp_path / "none.toml").what


@pytest.mark.parametrize(
    ("series", "sentence"),
    [
        ("parameters = { post_list = 256 }\n", "post_list = 256"),
        ("parameters = { signal_every = 256 }\n", "signal_every = 256"),
        ("parameters = { signal_every = 100, post_list = 4 }\n", "signal_every = 100"),
        ("parameters = { signal_every = 6, post_list = 4 }\n", "signal_every = 6"),
        ("parameters = { iterations = 19 }\n", "iterations = 19"),
        ('parameters = { until_stable = 1, verify = true, wait = "event" }\n', "until_stable = 1"),
        ('parameters = { least_time_s = 2, until_stable = 1, wait = "event" }\n', "least_time_s = 2"),
        ("parameters = { least_time_s = -1 }\n", "least_time_s is -1"),
        ("parameters = { until_stable = 1, stable_window = 9, rounds_cap = 8 }\n", "rounds_cap = 8"),
        ("vary.iterations = [10]\n", "iterations = 10"),
        ("vary.peer_seconds = [1]\n", "peer_seconds changes nothing for verbs"),
        ("vary.tx_depth = [0]\n", "tx_depth is 0"),
    ],
)
def test_what_cannot_be_is_refused_on_the_line_that_says_it(experiment_file: Write, series: str, sentence: str) -> None:
    error = refused(experiment_file(HEAD + VERBS + series))
    assert sentence in error.what and error.line == 12


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ("tx_depth = 128", "warmup = 10_000_000_000", 6, "warmup is 10000000000, expected at most 1000000000"),
        ("tx_depth = 128", "seed = 1e3", 6, "(try: seed = 1000)"),
        ("tx_depth = 128", 'send_buffer = "4G"', 6, "send_buffer is 4294967296, expected at most 2147483647"),
        ("tx_depth = 128", "link.loss_seed = 0", 6, "unknown key 'link'"),
        ("1..1K*2", "8192G", 4, "sizes is 8796093022208, expected sizes such as 64"),
        ("1..1K*2", "1..4294967296G*2", 4, "sizes is"),
        ("2000", "1_000_000_000", 5, "iterations = 1000000000, expected no more bytes of a size"),
        ("2000", "1_000_000", 6, "deadline_s = auto, expected fewer bytes"),
    ],
)
def test_limits_are_told_before_anything_runs(experiment_file: Write, old: str, new: str, line: int, what: str) -> None:
    text = (HEAD + VERBS).replace(old, new)
    if "bytes of a size" in what or "fewer" in what:
        text = text.replace("1..1K*2", "16G")
    error = refused(experiment_file(text))
    assert what in str(error) and (error.line == line or "fewer" in what)


@pytest.mark.parametrize(
    ("link", "what"),
    [
        ("mtu = 575", "at least 576"),
        ("rate_bit_s = 1_000_000_000_000", "at most 100000000000"),
        ("delay_ns = 1", "a multiple of 1000"),
        ("delay_ns = 3_600_000_000_000", "at most 10000000000"),
        ("loss_seed = 9_223_372_036_854_775_808", "at most 9223372036854775807"),
        ("loss_ppm = 1_000_001", "at most 1000000"),
        ("clock_offset_ns = -10_000_000_001", "at least -10000000000"),
        ("clock_drift_ppm = 501", "at most 500"),
        ("mtu = 1500.0", "(try: mtu = 1500)"),
    ],
)
def test_a_link_that_the_model_does_not_take_is_refused(experiment_file: Write, link: str, what: str) -> None:
    for text, line in ((f"{HEAD}[link]\n{link}\n{VERBS}", 8), (f"{HEAD}{VERBS}link = {{ {link} }}\n", 12)):
        error = refused(experiment_file(text))
        assert what in str(error) and error.line == line


def test_a_path_mtu_must_fit_in_the_link(experiment_file: Write) -> None:
    text = HEAD + "path_mtu = 4096\n" + VERBS
    assert load(experiment_file(text))
    error = refused(experiment_file(text + "link = { mtu = 1500 }\n"))
    assert "path_mtu = 4096" in error.what and error.line == 7
    assert load(experiment_file(text.replace("4096", "1024") + "link = { mtu = 1500 }\n"))
    tcp = text.replace('"verbs"', '"tcp"').replace('"write"', '"send"')
    assert load(experiment_file(tcp + "link = { mtu = 1500 }\n"))


@pytest.mark.parametrize(
    ("program", "size", "profile", "fits"),
    [
        ("iperf3", "1M", "", True),
        ("iperf3", "2M", "", False),
        ("ib_write_bw", "2147483647", "", True),
        ("ib_write_bw", "2G", "", False),
        ("tcp", "4G", "", True),
        ("tcp", "256M", EXACT, True),
        ("tcp", "257M", EXACT, False),
    ],
)
def test_a_message_fits_where_it_is_sent(
    experiment_file: Write, program: str, size: str, profile: str, *, fits: bool
) -> None:
    operation = "write" if program == "ib_write_bw" else "send"
    series = VERBS.replace("verbs", program).replace("write", operation) + 'parameters = { wait = "event" }\n'
    file = experiment_file(HEAD.replace("1..1K*2", size).replace("2000", "20") + profile + series)
    if fits:
        assert load(file)
    else:
        assert "sizes = " in refused(file).what


@pytest.mark.parametrize(
    ("vary", "what", "hint"),
    [
        ("sizes = [1, 2]", "sizes cannot be varied", ""),
        ("repetitions = [1, 2]", "repetitions cannot be varied", ""),
        ("tx_dept = [1, 2]", "tx_dept changes nothing for verbs", "'tx_depth'?"),
    ],
)
def test_only_what_can_be_varied_is_offered(experiment_file: Write, vary: str, what: str, hint: str) -> None:
    error = refused(experiment_file(HEAD + VERBS + f"vary.{vary}\n"))
    assert (error.what, error.line, error.hint) == (what, 12, hint)
    assert "tx_depth" in error.expected and "sizes" not in error.expected


@pytest.mark.parametrize(
    ("more", "line", "what"),
    [
        ('name = "c"\nours = "a"\npeers = ["a"]\nat_least = 1', 15, "a is compared with itself"),
        ('name = "c"\nours = "a"\nat_least = 1', 12, "comparison has both or neither, expected either peers or limit"),
        ('name = "c"\nours = "a"\nlimit_bytes_per_s = 12_500_000_000\nat_least = nan', 16, "at_least is nan"),
    ],
)
def test_a_comparison_that_says_nothing_is_refused(experiment_file: Write, more: str, line: int, what: str) -> None:
    error = refused(experiment_file(f"{HEAD}{VERBS}[[comparison]]\n{more}\n"))
    assert what in str(error) and error.line == line


def test_a_profile_whose_least_is_above_its_most_is_refused(experiment_file: Write) -> None:
    profile = "iterations_at_most = 10\niterations_at_least = 20\n"
    error = refused(experiment_file(HEAD + EXACT + profile + VERBS))
    assert "iterations_at_least = 20 is above iterations_at_most = 10" in error.what and error.line == 10


@pytest.mark.parametrize("name", ["a\\n", "A", "a b", "", "a" * 61, "\\u001b[2J"])
def test_a_name_is_a_name_to_its_end(experiment_file: Write, name: str) -> None:
    assert refused(experiment_file(HEAD + VERBS.replace('"a"', f'"{name}"'))).line == 8


def test_a_sweep_of_more_points_than_are_planned_is_refused_at_once(experiment_file: Write) -> None:
    """Before any of them is made: the thousandth part of these would take seconds."""
    values = list(range(1, 1001))
    sweep = "".join(f"vary.{name} = {values}\n" for name in ("tx_depth", "rx_depth", "seed"))
    error = refused(experiment_file(HEAD + VERBS + sweep))
    assert "1,000,000,000 points" in error.what and "--yes" in error.hint and error.line


def test_a_program_is_not_asked_for_what_it_cannot_do(experiment_file: Write) -> None:
    error = refused(experiment_file(HEAD + VERBS.replace("write", "read").replace("verbs", "iperf3")))
    assert error.what == "iperf3 cannot do read throughput" and error.line == 10


def test_both_ends_may_poll_on_exact(experiment_file: Write) -> None:
    assert load(experiment_file(HEAD + EXACT + VERBS.replace("write", "send")))


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


def test_a_profile_lets_the_warm_up_fill_the_window_whatever_it_bounds(experiment_file: Write) -> None:
    profile = EXACT + 'bytes_per_size_at_most = "64K"\nwarmup_at_most = 20\nwarmup_depths_at_least = 1\n'
    (one,) = load(experiment_file(HEAD + profile + VERBS + "vary.tx_depth = [8, 64, 1024]\n")).series
    warmups = [{each.size: each.warmup for each in one.counts("exact", point)} for point in one.points()]
    assert [each[1] for each in warmups] == [20, 64, 500], "never more than the experiment asks for"
    assert [each[1024] for each in warmups] == [20, 64, 64], "no more than are timed are ever in flight"
    assert one.counts("host", one.points()[0])[0].warmup == 500


@pytest.mark.parametrize("file", sorted(EXPERIMENTS.glob("*.toml")), ids=lambda file: file.stem)
def test_no_experiment_starts_its_clock_before_the_window_is_full(file: Path) -> None:
    streams = [each for each in load(file).series if each.tool.engine and each.measure == "throughput"]
    for series in (each for each in streams if "warmup" not in each.vary):
        for point in series.points():
            depth = series.parameters("exact", point).tx_depth
            short = [
                each
                for each in series.counts("exact", point)
                if each.warmup < min(depth, each.iterations, series.published.warmup)
            ]
            assert not short, f"{series.name} {point}"


@pytest.mark.parametrize("file", sorted(EXPERIMENTS.glob("*.toml")), ids=lambda file: file.stem)
@pytest.mark.parametrize("site", ["exact", "host"])
def test_no_sweep_moves_its_counts_with_what_it_varies(file: Path, site: str) -> None:
    for series in (each for each in load(file).series if each.vary):
        for name in {"iterations", "warmup"} - series.vary.keys():
            counts = {tuple(getattr(each, name) for each in series.counts(site, point)) for point in series.points()}
            assert len(counts) == 1, f"{series.name}: {name}"


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


@pytest.mark.parametrize(
    ("series", "sizes", "what"),
    [
        ('"b"', "64", "there is no series 'b'"),
        ('"a"', '"64..1*2"', "never gets from its first size"),
    ],
)
def test_causes_are_counted_of_series_and_sizes_that_are_there(
    experiment_file: Write, series: str, sizes: str, what: str
) -> None:
    error = refused(experiment_file(f"{HEAD}[causes]\nseries = [{series}]\nsizes = {sizes}\n{VERBS}"))
    assert what in error.what and error.line in (8, 9)


def test_causes_have_series_and_sizes(experiment_file: Write) -> None:
    found = load(experiment_file(f'{HEAD}[causes]\nseries = ["a"]\nsizes = "1,1K"\n{VERBS}'))
    assert found.causes == Causes(("a",), (1, 1024))
