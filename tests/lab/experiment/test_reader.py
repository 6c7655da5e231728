"""Experiment files: errors with their lines, layers of values, profiles and cards."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.toml import series_of

from lab.errors import SpecError
from lab.experiment.reader import load, read_card
from lab.places import CARDS, EXAMPLES, EXPERIMENTS
from lab.sites.cable import Cable
from lab.sites.host import OwnDevices
from lab.sites.site import EXACT as EXACT_SITE
from lab.sites.site import Traits
from lab.sites.ssh import LinkOfHosts

HEAD = """title = "t"
question = "q"
[parameters]
sizes = "1..1K*2"
iterations = 2000
tx_depth = 128
"""


VERBS, PERFTEST = series_of("a verbs write throughput"), series_of("a ib_write_bw write throughput")
EXACT = '[profile.exact]\nwhy = "time is dear"\n'
Write = Callable[[str], Path]
CARD_HEAD = 'title = "t"\nquestion = "q"\n[parameters]\nsizes = 64\n'
CARD, TCP = series_of("card verbs write throughput"), series_of("tcp tcp send throughput")
LINK = '[link]\ncard = "qdr"\n'


def refused(file: Path) -> SpecError:
    with pytest.raises(SpecError) as caught:
        load(file)
    return caught.value


FILES = [*sorted(EXPERIMENTS.glob("*.toml")), *sorted(EXPERIMENTS.glob("examples/*.toml"))]


COMPARISON = VERBS + '[[comparison]]\nname = "c"\nours = "a"\n'
SWEEP = "".join(f"vary.{name} = {list(range(1, 1001))}\n" for name in ("tx_depth", "rx_depth", "seed"))
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
        (HEAD.replace("1..1K*2", "8..4*2") + VERBS, 4, "never reaches its last size"),
        (HEAD.replace("1..1K*2", "8192G") + VERBS, 4, "sizes is 8796093022208, expected sizes such as 64"),
        (HEAD.replace("1..1K*2", "16G").replace("2000", "1_000_000_000") + VERBS, 5, "no more bytes of a size than"),
        (HEAD.replace("1..1K*2", "16G").replace("2000", "1_000_000") + VERBS, 8, "deadline_s = auto, expected fewer"),
        (HEAD + '[profile.exact]\nwait = "event"\n' + VERBS, 7, "the key 'why' is missing"),
        (HEAD + EXACT + "iterations_at_most = 10\niterations_at_least = 20\n" + VERBS, 10,
         "is above iterations_at_most"),
        (HEAD + EXACT + "iterations_at_most = 500\n" + VERBS + "vary.iterations = [1000]\n", 15, "iterations = 1000"),
        (HEAD + VERBS + VERBS, 13, "a second series is called 'a'"),
        (HEAD + series_of("a iperf3 read throughput"), 10, "iperf3 cannot do read throughput"),
        (HEAD + series_of("a verbs write latency") + 'parameters.wait = "event"\n', 12, "wait = event"),
        (HEAD + PERFTEST + "parameters.peer_post_list = 64\n", 12, "peer_post_list = 64"),
        (HEAD + VERBS + "parameters = { post_list = 256 }\n", 12, "post_list = 256"),
        (HEAD + VERBS + "parameters = { signal_every = 6, post_list = 4 }\n", 12, "signal_every = 6"),
        (HEAD + VERBS + 'parameters.connection = "ud"\n', 12, "connection = ud"),
        (HEAD + series_of("a verbs read throughput") + 'parameters.connection = "uc"\n', 12, "connection = uc"),
        (HEAD + series_of("a verbs send throughput") + 'parameters = { connection = "ud", path_mtu = 512 }\n', 12,
         "connection = ud"),
        (HEAD + PERFTEST + 'parameters.connection = "ud"\n', 12, "connection = ud"),
        (HEAD + VERBS + "parameters = { iterations = 19 }\n", 12, "iterations = 19"),
        (HEAD + VERBS + 'parameters = { until_stable = 1, verify = true, wait = "event" }\n', 12, "until_stable = 1"),
        (HEAD + VERBS + "parameters = { until_stable = 1, stable_window = 9, rounds_cap = 8 }\n", 12, "rounds_cap = 8"),
        (HEAD + VERBS + "vary.iterations = [10]\n", 12, "iterations = 10"),
        (HEAD + VERBS + "vary.tx_depth = [0]\n", 12, "tx_depth is 0"),
        (HEAD + VERBS + "vary.tx_depth = [16, 32.0]\n", 12, "tx_depth is 32.0, expected an integer"),
        (HEAD + VERBS + "vary.tx_depth = [[16]]\n", 12, r"tx_depth is \[16\], expected an integer"),
        (HEAD + VERBS + "vary.tx_depth = [{ a = 1 }]\n", 12, r'tx_depth is .?{"a": 1}.*, expected an integer'),
        (HEAD + VERBS + "vary.tx_depth = [16, 1979-05-27]\n", 12, "tx_depth is .?1979.*, expected an integer"),
        (HEAD + VERBS + SWEEP, 12, "1,000,000,000 points.*--yes"),
        (HEAD + COMPARISON + 'peers = ["a"]\nat_least = 1\n', 15, "a is compared with itself"),
        (HEAD + COMPARISON + "at_least = 1\n", 12, "comparison has both or neither, expected either peers or limit"),
        (HEAD + COMPARISON + "limit_bytes_per_s = 1\nat_least = nan\n", 16, "at_least is nan"),
        (HEAD + CAUSES.format('"b"', "64"), 8, "unknown series 'b'"),
        (HEAD + CAUSES.format('"a"', '"64..1*2"'), 9, "never reaches its last size"),
        (CARD_HEAD + '[link]\ncard = "qdrr"\n' + CARD, 6, "try: 'qdr'"),
        (CARD_HEAD + LINK + CARD + "link = { rate_bit_s = 1_000_000 }\n", 12, "wire has its own rate_bit_s"),
        (CARD_HEAD + CARD + "soft_roce = true\n", 10, "in place of a card"),
        (CARD_HEAD + LINK + TCP + "soft_roce = true\n", 12, "in place of a card"),
    ],
)  # fmt: skip
def test_impossible_experiment_is_refused_on_its_line(
    experiment_file: Write, text: str, line: int, message: str
) -> None:
    error = refused(experiment_file(text))
    assert re.search(message, str(error)) and error.line == line, str(error)


@pytest.mark.parametrize(
    ("link", "what"),
    [
        ("mtu = 575", "at least 576"),
        ("rate_bit_s = 1_000_000_000_000", "at most 400000000000"),
        ("delay_ns = 1", "a multiple of 1000"),
        ("mtu = 1500.0", "(try: mtu = 1500)"),
    ],
)
def test_impossible_link_model_is_refused_in_the_file_and_in_a_series(
    experiment_file: Write, link: str, what: str
) -> None:
    for text, line in ((f"{HEAD}[link]\n{link}\n{VERBS}", 8), (f"{HEAD}{VERBS}link = {{ {link} }}\n", 12)):
        error = refused(experiment_file(text))
        assert what in str(error) and error.line == line


def of_size(program: str, size: str, profile: str = "") -> str:
    operation = "write" if program == "ib_write_bw" else "send"
    head = HEAD.replace("1..1K*2", size).replace("2000", "20") + profile
    return f'{head}{series_of(f"a {program} {operation} throughput")}parameters = {{ wait = "event" }}\n'


def by_datagrams(size: int, more: str) -> str:
    """SENDs of one size, which a packet must hold."""
    text = HEAD.replace("1..1K*2", str(size)) + series_of("a verbs send throughput")
    return f'{text}parameters = {{ connection = "ud" }}\nlink = {{ {more} }}\n'


SIGNALS = VERBS + "parameters = { post_list = %d, signal_every = %d }\n"
PAIRS = HEAD.replace("2000", "%d") + PERFTEST + "parameters = { peer_post_list = 32, pairs = 2 }\n"
VARIED = HEAD + EXACT + 'bytes_per_size_at_most = "%s"\n' + VERBS + "vary.iterations = [500]\n"
WIDE, ROUNDS = HEAD + "path_mtu = 4096\n", "parameters = { until_stable = 1, iterations = 4 }\n"
ONE_WAY_CALLS = HEAD + series_of("a mpi-tcp send one-way") + "parameters = { iterations = %d }\n"


@pytest.mark.parametrize(
    ("allowed", "refused_text", "line", "what"),
    [
        (of_size("iperf3", "1M"), of_size("iperf3", "2M"), 4, "sizes = "),
        (of_size("ib_write_bw", "2147483647"), of_size("ib_write_bw", "2G"), 4, "sizes = "),
        (of_size("tcp", "4G"), of_size("tcp", "257M", EXACT), 4, "sizes = "),
        (of_size("tcp", "256M", EXACT), of_size("tcp", "4G", EXACT), 4, "sizes = "),
        (WIDE + VERBS, WIDE + VERBS + "link = { mtu = 1500 }\n", 7, "path_mtu = 4096"),
        (WIDE + series_of("a tcp send throughput") + "link.mtu = 1500", WIDE + VERBS + "link.mtu = 1500", 7,
         "mtu"),
        (HEAD + VERBS + ROUNDS, HEAD + PERFTEST + ROUNDS, 12, "until_stable = 1"),
        (ONE_WAY_CALLS % 2, ONE_WAY_CALLS % 1, 12, "iterations = 1"),
        (HEAD + "path_mtu = 1024\n" + VERBS + "link.mtu = 1104", HEAD + "path_mtu = 1024\n" + VERBS + "link.mtu = 1103",
         7, "path_mtu = 1024"),
        (by_datagrams(1024, "mtu = 1500"), by_datagrams(1025, "mtu = 1500"), 12, "connection = ud"),
        (by_datagrams(4096, "mtu = 9000"), by_datagrams(4097, "mtu = 9000"), 12, "connection = ud"),
        (HEAD + SIGNALS % (1, 100), HEAD + SIGNALS % (20, 100), 12, "signal_every = 100"),
        (PAIRS % 2048, PAIRS % 2016, 12, "peer_post_list = 32"),
        (VARIED % "1M", VARIED % "64K", 15, "iterations = 500"),
    ],
)  # fmt: skip
def test_value_must_fit_in_the_program_the_link_and_the_site(
    experiment_file: Write, allowed: str, refused_text: str, line: int, what: str
) -> None:
    assert load(experiment_file(allowed))
    error = refused(experiment_file(refused_text))
    assert what in error.what and error.line == line, str(error)


@pytest.mark.parametrize(
    ("vary", "what", "hint"),
    [
        ("sizes = [1, 2]", "sizes cannot be varied", ""),
        ("repetitions = [1, 2]", "repetitions cannot be varied", ""),
        ("tx_dept = [1, 2]", "tx_dept changes nothing for verbs", "'tx_depth'?"),
    ],
)
def test_parameter_that_cannot_be_varied_is_refused_with_those_that_can(
    experiment_file: Write, vary: str, what: str, hint: str
) -> None:
    error = refused(experiment_file(HEAD + VERBS + f"vary.{vary}\n"))
    assert (error.what, error.line, error.hint) == (what, 12, hint)
    assert "tx_depth" in error.expected and "sizes" not in error.expected


@pytest.mark.parametrize("name", ["a\\n", "A", "a b", "", "a" * 61, "\\u001b[2J"])
def test_name_has_only_the_letters_of_names(experiment_file: Write, name: str) -> None:
    assert refused(experiment_file(HEAD + VERBS.replace('"a"', f'"{name}"'))).line == 8


def test_later_layers_replace_values_of_earlier_ones(experiment_file: Write) -> None:
    profile = EXACT + 'tx_depth = 64\nrx_depth = 64\nwait = "event"\n'
    series = VERBS + "parameters = { tx_depth = 32 }\nprofile.exact = { rx_depth = 8 }\nvary.post_list = [1, 4]\n"
    (one,) = load(experiment_file(HEAD + profile + series)).series
    assert one.published.tx_depth == 32 and one.published.rx_depth == 512
    used = one.parameters("exact", one.points()[1])
    assert (used.tx_depth, used.rx_depth, used.wait, used.post_list) == (32, 8, "event", 4)
    assert one.parameters("host", {}).wait == "poll"


@pytest.mark.parametrize(
    ("bounds", "depths", "counts"),
    [
        ('bytes_per_size_at_most = "64K"\niterations_at_most = 1500\niterations_at_least = 100\n', [128],
         [{1: (1500, 500), 128: (512, 500), 1024: (100, 64)}]),
        ('bytes_per_size_at_most = "100K"\niterations_multiple_of = 64\niterations_at_least = 100\n', [128],
         [{1: (2000, 500), 128: (768, 500), 1024: (100, 100)}]),
        ("iterations_at_most = 500\ndepths_at_least = 2\n", [16, 400], [{1: (500, 500)}, {1: (800, 500)}]),
        ('bytes_per_size_at_most = "64K"\nwarmup_at_most = 20\nwarmup_depths_at_least = 1\n', [8, 64, 1024],
         [{1: (2000, 20), 1024: (64, 20)}, {1: (2000, 64), 1024: (64, 64)}, {1: (2000, 500), 1024: (64, 64)}]),
    ],
    ids=["bytes", "lists", "depths", "warm-up"],
)  # fmt: skip
def test_profile_bounds_the_messages_of_each_size_on_its_site_only(
    experiment_file: Write, bounds: str, depths: list[int], counts: list[dict[int, tuple[int, int]]]
) -> None:
    (one,) = load(experiment_file(HEAD + EXACT + bounds + VERBS + f"vary.tx_depth = {depths}\n")).series
    for point, expected in zip(one.points(), counts, strict=True):
        found = {each.size: (each.iterations, each.warmup) for each in one.counts("exact", point)}
        assert found.items() >= expected.items()
        assert {(each.iterations, each.warmup) for each in one.counts("host", point)} == {(2000, 500)}


@pytest.mark.parametrize("file", sorted(EXPERIMENTS.glob("*.toml")), ids=lambda file: file.stem)
def test_no_experiment_starts_its_clock_before_the_send_window_is_full(file: Path) -> None:
    streams = [each for each in load(file).series if each.tool.engine and each.measure == "throughput"]
    for series in (each for each in streams if "warmup" not in each.vary):
        for point in series.points():
            depth, warmup = series.parameters("exact", point).tx_depth, series.published.warmup
            counts = series.counts("exact", point)
            assert all(each.warmup >= min(depth, each.iterations, warmup) for each in counts), f"{series.name} {point}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_sweep_changes_counts_that_it_does_not_vary(file: Path) -> None:
    for series in load(file).series:
        for name in {"iterations", "warmup"} - series.vary.keys():
            for site in ("exact", "host"):
                counts = {tuple(getattr(each, name) for each in series.counts(site, at)) for at in series.points()}
                assert len(counts) == 1, f"{series.name}: {name}"


@pytest.mark.parametrize(
    ("old", "new", "line", "expected"),
    [
        ("value = 228_200", "value = -1", 40, "at least 0"),
        ('origin = "fitted"', 'origin = "guessed"', 15, "one of data sheet, fitted, assumed"),
        ('fitted_to = "Report A"', "", 13, "fitted_to = ..."),
        ("[gap_ps]", "[gap_ns]", 39, "one of ack_ps"),
    ],
)
def test_fault_in_a_card_is_reported_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, expected: str
) -> None:
    text = (CARDS / "qdr.toml").read_text()
    (tmp_path / "mine.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(SpecError) as caught:
        read_card("mine", tmp_path)
    assert caught.value.line == line and caught.value.expected.startswith(expected)


def test_card_sets_the_wire_for_all_and_carries_only_the_messages_of_verbs(experiment_file: Write) -> None:
    soft = series_of("soft verbs write throughput") + "soft_roce = true\n"
    experiment = load(experiment_file(CARD_HEAD + LINK + CARD + soft + TCP))
    card = read_card("qdr").card
    assert {(each.link.card, each.link.rate_bit_s) for each in experiment.series} == {(card, card.rate_bit_s)}
    assert {each.name: each.has_card for each in experiment.series} == {"card": True, "soft": False, "tcp": False}


@pytest.mark.parametrize(
    ("traits", "why"),
    [
        (OwnDevices.traits, "needs 4 computers that start at once, and this site has a server and a client"),
        (LinkOfHosts.traits, "needs 4 computers that start at once, and this site has 2 computers"),
        (replace(LinkOfHosts.traits, computers=4), "models a link, and this site's link is real"),
    ],
)
def test_series_of_more_computers_than_a_site_has_are_left_out(traits: Traits, why: str) -> None:
    experiment = load(EXAMPLES / "ring.toml")
    assert not experiment.on(EXACT_SITE).left_out and not experiment.on(Cable.traits).left_out
    with pytest.raises(SpecError, match=f"every series {why}"):
        experiment.on(traits)


def test_switchs_queue_needs_a_switch(experiment_file: Write) -> None:
    experiment = load(experiment_file(CARD_HEAD + TCP + "link = { queue_bytes = 65536 }\n"))
    with pytest.raises(SpecError, match="has a switch's queue, and this link has no switch"):
        experiment.on(Cable.traits)


def test_series_with_a_card_are_left_out_on_a_wall_clock(experiment_file: Write) -> None:
    other = series_of("cable tcp send throughput")
    experiment = load(experiment_file(CARD_HEAD + CARD + 'link = { card = "qdr" }\n' + other))
    assert experiment.on(EXACT_SITE).left_out == ()
    for traits in (Cable.traits, OwnDevices.traits):
        assert experiment.on(traits).left_out == ("card",)
    with pytest.raises(SpecError, match="every series has a modelled card, and this site has none"):
        load(experiment_file(CARD_HEAD + LINK + CARD)).on(Cable.traits)
