"""Experiment files: what is refused with its line, layers of values, profiles and cards."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab.errors import SpecError
from lab.experiment.experiment import Causes
from lab.experiment.reader import card_names, load, read_card
from lab.places import CARDS, EXPERIMENTS
from lab.sites.cable import Cable
from lab.sites.host import OwnDevices
from lab.sites.site import EXACT as EXACT_SITE

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
CARD_HEAD = 'title = "t"\nquestion = "q"\n[parameters]\nsizes = 64\n'
SERIES = '[[series]]\nname = "{}"\nprogram = "{}"\noperation = "{}"\nmeasure = "throughput"\n'
CARD, TCP = SERIES.format("card", "verbs", "write"), SERIES.format("tcp", "tcp", "send")
LINK = '[link]\ncard = "qdr"\n'


def refused(file: Path) -> SpecError:
    with pytest.raises(SpecError) as caught:
        load(file)
    return caught.value


FILES = [*sorted(EXPERIMENTS.glob("*.toml")), *sorted(EXPERIMENTS.glob("examples/*.toml"))]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_experiments_of_the_repository_are_accepted(file: Path) -> None:
    assert load(file).name == file.stem


def series(**values: str) -> str:
    """The series `a` with other values."""
    keys = {"name": "a", "program": "verbs", "operation": "write", "measure": "throughput"} | values
    return "[[series]]\n" + "".join(f'{key} = "{value}"\n' for key, value in keys.items())


COMPARISON = VERBS + '[[comparison]]\nname = "c"\nours = "a"\n'
CAUSES = "[causes]\nseries = [{}]\nsizes = {}\n" + VERBS


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("title = = 1", 1, "is not TOML"),
        ('title = "t"\n[parameters]\nsizes = 1\n' + VERBS, 1, "the key 'question' is missing"),
        ("order = 0\n" + HEAD + VERBS, 1, "order is 0, expected at least 1"),
        ('order = "first"\n' + HEAD + VERBS, 1, 'order is "first", expected an integer'),
        (HEAD + "tx_dept = 3\n" + VERBS, 7, "unknown key 'tx_dept'.*try: 'tx_depth'"),
        (HEAD + 'warmup = "many"\n' + VERBS, 7, 'warmup is "many", expected an integer'),
        (HEAD + "warmup = 10_000_000_000\n" + VERBS, 7, "warmup is 10000000000, expected at most 1000000000"),
        (HEAD + "seed = 1e3\n" + VERBS, 7, "try: seed = 1000"),
        (HEAD + 'send_buffer = "4G"\n' + VERBS, 7, "send_buffer is 4294967296, expected at most 2147483647"),
        (HEAD + "link.loss_seed = 0\n" + VERBS, 7, "unknown key 'link'"),
        (HEAD.replace("1..1K*2", "8..4*2") + VERBS, 4, "never gets from its first size"),
        (HEAD.replace("1..1K*2", "8192G") + VERBS, 4, "sizes is 8796093022208, expected sizes such as 64"),
        (HEAD.replace("1..1K*2", "1..4294967296G*2") + VERBS, 4, "sizes is"),
        (HEAD.replace("1..1K*2", "16G").replace("2000", "1_000_000_000") + VERBS, 5, "no more bytes of a size than"),
        (HEAD.replace("1..1K*2", "16G").replace("2000", "1_000_000") + VERBS, 8, "deadline_s = auto, expected fewer"),
        (HEAD + '[profile.exact]\nwait = "event"\n' + VERBS, 7, "the key 'why' is missing"),
        (
            HEAD + EXACT + "iterations_at_most = 10\niterations_at_least = 20\n" + VERBS,
            10,
            "is above iterations_at_most",
        ),
        (HEAD + EXACT + "iterations_at_most = 500\n" + VERBS + "vary.iterations = [1000]\n", 15, "iterations = 1000"),
        (HEAD + VERBS + VERBS, 13, "a second series is called 'a'"),
        (HEAD + series(program="iperf3", operation="read"), 10, "iperf3 cannot do read throughput"),
        (HEAD + series(measure="latency") + 'parameters.wait = "event"\n', 12, "wait = event"),
        (HEAD + series(program="ib_write_bw") + "parameters.peer_post_list = 64\n", 12, "peer_post_list = 64"),
        (HEAD + VERBS + "parameters = { post_list = 256 }\n", 12, "post_list = 256"),
        (HEAD + VERBS + "parameters = { signal_every = 256 }\n", 12, "signal_every = 256"),
        (HEAD + VERBS + "parameters = { signal_every = 6, post_list = 4 }\n", 12, "signal_every = 6"),
        (HEAD + VERBS + "parameters = { iterations = 19 }\n", 12, "iterations = 19"),
        (HEAD + VERBS + 'parameters = { until_stable = 1, verify = true, wait = "event" }\n', 12, "until_stable = 1"),
        (HEAD + VERBS + "parameters = { least_time_s = -1 }\n", 12, "least_time_s is -1"),
        (HEAD + VERBS + "parameters = { until_stable = 1, stable_window = 9, rounds_cap = 8 }\n", 12, "rounds_cap = 8"),
        (HEAD + VERBS + "vary.iterations = [10]\n", 12, "iterations = 10"),
        (HEAD + VERBS + "vary.tx_depth = [0]\n", 12, "tx_depth is 0"),
        (HEAD + COMPARISON + 'peers = ["a"]\nat_least = 1\n', 15, "a is compared with itself"),
        (HEAD + COMPARISON + "at_least = 1\n", 12, "comparison has both or neither, expected either peers or limit"),
        (HEAD + COMPARISON + "limit_bytes_per_s = 1\nat_least = nan\n", 16, "at_least is nan"),
        (HEAD + CAUSES.format('"b"', "64"), 8, "unknown series 'b'"),
        (HEAD + CAUSES.format('"a"', '"64..1*2"'), 9, "never gets from its first size"),
        (CARD_HEAD + '[link]\ncard = "qdrr"\n' + CARD, 6, "try: 'qdr'"),
        (CARD_HEAD + LINK + CARD + "link = { rate_bit_s = 1_000_000 }\n", 12, "wire has its own rate_bit_s"),
        (CARD_HEAD + CARD + "soft_roce = true\n", 10, "in place of a card"),
        (CARD_HEAD + LINK + TCP + "soft_roce = true\n", 12, "in place of a card"),
    ],
)
def test_impossible_experiment_is_refused_on_its_line(
    experiment_file: Write, text: str, line: int, message: str
) -> None:
    error = refused(experiment_file(text))
    assert re.search(message, str(error)) and error.line == line, str(error)


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


@pytest.mark.parametrize("name", ["a\\n", "A", "a b", "", "a" * 61, "\\u001b[2J"])
def test_a_name_is_a_name_to_its_end(experiment_file: Write, name: str) -> None:
    assert refused(experiment_file(HEAD + VERBS.replace('"a"', f'"{name}"'))).line == 8


def test_a_sweep_of_more_points_than_are_planned_is_refused_at_once(experiment_file: Write) -> None:
    """Before any of them is made: the thousandth part of these would take seconds."""
    values = list(range(1, 1001))
    sweep = "".join(f"vary.{name} = {values}\n" for name in ("tx_depth", "rx_depth", "seed"))
    error = refused(experiment_file(HEAD + VERBS + sweep))
    assert "1,000,000,000 points" in error.what and "--yes" in error.hint and error.line


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


def test_causes_have_series_and_sizes(experiment_file: Write) -> None:
    found = load(experiment_file(f'{HEAD}[causes]\nseries = ["a"]\nsizes = "1,1K"\n{VERBS}'))
    assert found.causes == Causes(("a",), (1, 1024))


@pytest.mark.parametrize("name", card_names())
def test_every_parameter_of_a_card_says_where_it_comes_from(name: str) -> None:
    file = read_card(name)
    assert file.card.name == name and all(each.source for each in file.known.values())
    assert {name: known.value for name, known in file.known.items()}.items() <= vars(file.card).items()


@pytest.mark.parametrize(
    ("old", "new", "line", "expected"),
    [
        ("value = 228_200", "value = -1", 40, "at least 0"),
        ('origin = "fitted"', 'origin = "guessed"', 15, "one of data sheet, fitted, assumed"),
        ('fitted_to = "Report A"', "", 13, "fitted_to = ..."),
        ("[gap_ps]", "[gap_ns]", 39, "one of ack_ps"),
    ],
)
def test_a_fault_in_a_card_is_told_with_its_line(tmp_path: Path, old: str, new: str, line: int, expected: str) -> None:
    text = (CARDS / "qdr.toml").read_text()
    (tmp_path / "mine.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(SpecError) as caught:
        read_card("mine", tmp_path)
    assert caught.value.line == line and caught.value.expected.startswith(expected)


def test_a_link_with_a_card_has_the_rate_of_its_wire(experiment_file: Write) -> None:
    (series,) = load(experiment_file(CARD_HEAD + LINK + CARD)).series
    card = read_card("qdr").card
    assert (series.link.card, series.link.rate_bit_s, series.has_card) == (card, card.rate_bit_s, True)


def test_sockets_on_such_a_link_take_its_wire_without_the_card(experiment_file: Write) -> None:
    (series,) = load(experiment_file(CARD_HEAD + LINK + TCP)).series
    assert series.link.card and not series.has_card


def test_a_card_is_left_out_where_time_is_not_the_count_of_instructions(experiment_file: Write) -> None:
    other = SERIES.format("cable", "tcp", "send")
    experiment = load(experiment_file(CARD_HEAD + CARD + 'link = { card = "qdr" }\n' + other))
    assert experiment.on(EXACT_SITE).left_out == ()
    for traits in (Cable.traits, OwnDevices.traits):
        assert experiment.on(traits).left_out == ("card",)


def test_nothing_but_cards_is_refused_elsewhere(experiment_file: Write) -> None:
    with pytest.raises(SpecError, match="every series has a modelled card, and this site has none"):
        load(experiment_file(CARD_HEAD + LINK + CARD)).on(Cable.traits)


def test_soft_roce_takes_the_wire_in_place_of_the_card(experiment_file: Write) -> None:
    soft = SERIES.format("soft", "verbs", "write") + "soft_roce = true\n"
    card, soft_roce = load(experiment_file(CARD_HEAD + LINK + CARD + soft)).series
    assert card.link == soft_roce.link and (card.has_card, soft_roce.has_card) == (True, False)
