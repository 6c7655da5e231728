"""Figures of one topic each, from results/reference or measured on the fake site."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lab.report import laboratory

from lab.figures.marks import MINUS, plain
from lab.figures.repetitions import Distribution, Tails
from lab.places import EXPERIMENTS
from lab.report.errors import ReportError
from lab.report.exhibits import plots
from lab.report.exhibits.core import ABSENT, LOOKS, Exhibits, render
from lab.report.exhibits.plots import Found, LinePanel, against, dots, extrapolated, multiples, parts, tails
from lab.report.query.grammar import QueryError
from lab.report.query.numbers import Numbers
from lab.report.tex.render import Markup

ROUNDS = "throughput_until_stable"
NONE = ("no such link", [["nothing", "none", "TCP"]])
LATENCIES = [["write.card", "WRITE", "card"], ["ib_write_lat.card", "perftest"], ["nothing", "none"]]
KINDS = ["read of memory", "wire", "bytes", "the rest"]
BARS = [
    ["1 B", "write.card at 1", "", "fdr.wire", "61 B / fdr.rate"],
    ["1 KiB", "write.card at 1K", "fdr.fetch", "fdr.wire", "1K / fdr.bus"],
    ["3 B", "write.card at 3", "", "fdr.wire", "61 B / fdr.rate"],
]
SENDS = [["tcp[blocking].send", "TCP"], ["verbs[blocking].send", "kernel RDMA"], ["card[blocking].send", "card"]]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Exhibits]:
    folder = tmp_path_factory.mktemp("measured")
    evidence = {name: laboratory.evidence_of(name, folder) for name in ("latency", ROUNDS)}
    return {name: Exhibits(Numbers(of_name), {}) for name, of_name in evidence.items()}


def alt(exhibits: Exhibits, name: str) -> str:
    return plain(exhibits.gallery[name].data.alt)


def test_dot_is_a_median_with_a_line_to_the_99_percent_quantile_of_single_round_trips(
    measured: dict[str, Exhibits],
) -> None:
    exhibits = measured["latency"]
    text = dots(exhibits, "answer", "All of them.", "half of the round trip", "1", [("with a card", LATENCIES), NONE])
    assert r"\label{figure:answer}" in text and "All of them." in text
    words = alt(exhibits, "answer")
    assert words.startswith("Half of the round trip, the axis logarithmic: with a card: WRITE ")
    write, perftest = words.split(": ")[-1].split(", ")
    assert " to " in write and " to " not in perftest and "none" not in words and "no such link" not in words
    median, slow = (exhibits.value(f"write.card{measure} at 1") for measure in ("", ".p99"))
    ((_, (dot, _)),) = exhibits.gallery["answer"].data.groups
    assert (dot.value.value, dot.end) == (median, slow) and slow >= median


def test_tails_show_all_round_trips_of_a_series(measured: dict[str, Exhibits]) -> None:
    exhibits = measured["latency"]
    assert r"\label{figure:slow}" in tails(exhibits, "slow", "The slow ones.", "1", LATENCIES)
    (shown,) = exhibits.gallery["slow"].data.distributions
    assert shown.label == "WRITE" and len(shown.samples) == 6 * 400 and len(shown.keys) == 6


def test_caption_of_a_figure_that_shows_a_record_with_a_warning_has_a_mark(measured: dict[str, Exhibits]) -> None:
    evidence = measured["latency"].numbers.evidence
    warned = laboratory.judged(evidence, evidence.keys("tcp.card"), notes=("a busy host",))
    for name, is_marked in (("write.card", False), ("tcp.card", True)):
        text = tails(Exhibits(Numbers(warned), {}), "slow", "The slow ones.", "1", [[name, name]])
        assert (r"The slow ones.\labwarned{}" in text) is is_marked


def test_slow_messages_are_a_step_at_their_share() -> None:
    samples = (1000.0,) * 375 + (1500.0,) * 25
    data = Tails("tails", (Distribution("WRITE", samples, LOOKS["card"]),))
    assert data.alt.endswith("at most so long: WRITE 1 at 90 %, 1.5 at 95 %, 1.5 at 99 %.")


def test_matrix_has_a_square_for_each_repetition_at_the_sizes_of_a_series(measured: dict[str, Exhibits]) -> None:
    exhibits = measured[ROUNDS]
    plots.agreed(exhibits, "agreed", "All agree.", [["card", "card"], ["verbs", "kernel RDMA"], ["absent", "TCP"]])
    assert alt(exhibits, "agreed").endswith("card 6 of 6 at 1 B to 256 KiB; kernel RDMA 6 of 6 at 1 B to 256 KiB.")
    card, verbs = exhibits.gallery["agreed"].data.rows
    assert None not in card.cells and verbs.cells[:3] == ((6, 6), None, (6, 6))


def test_rounds_are_relative_to_the_median_of_the_last(measured: dict[str, Exhibits]) -> None:
    plots.by_round(measured[ROUNDS], "rounds", "They agree.", [["tcp.card", "1K", "TCP, 1 KiB", "TCP"]])
    (curve,) = measured[ROUNDS].gallery["rounds"].data.curves
    assert curve.x == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0) and curve.values[1:] == pytest.approx([1.0] * 5, rel=0.01)


def test_round_has_a_time_and_a_rate_is_answered_in_bits(measured: dict[str, Exhibits]) -> None:
    exhibits, numbers = measured[ROUNDS], measured[ROUNDS].numbers
    # A repetition is timed over its last five rounds.
    assert exhibits.value("card.round / (card.time * card.iterations) at 64") == pytest.approx(1 / 5, rel=1e-3)
    bits = numbers.ask("card at 64 in bit/s")
    assert (bits.shown_unit, bits.answer.value) == ("bit/s", 8 * exhibits.value("card at 64"))
    assert exhibits.table(["card in bit/s"], ["64"])[0][1] == exhibits.cell("card at 64 in bit/s")
    with pytest.raises(QueryError, match="no unit"):
        numbers.ask("card.round at 64 in bit/s")


def test_experiment_without_its_card_has_a_report_about_the_other_series(tmp_path: Path) -> None:
    series = (EXPERIMENTS / f"{ROUNDS}.toml").read_text().split("[[series]]")
    text = "[[series]]".join(part for part in series if not re.search(r"card =|1_000_000_000", part))
    text = text.replace('series = ["card", "tcp.card", "soft.card"]', 'series = ["cable"]')
    body = laboratory.body_of(laboratory.evidence_of_text(text, tmp_path, ROUNDS))
    assert "Throughput at five sizes, as the rounds give it and corrected" in body
    assert "Report E's results" not in body


@pytest.mark.parametrize(
    ("label", "scale", "panels", "words"),
    [
        ("send:\nmore", "linear", [[["tcp[non-blocking].send - tcp[blocking].send", "TCP"]], [["none", "none"]]],
         "Against message size, in 1 panels. send: more, TCP: TCP 134 ns at 1 B"),
        ("less", "linear", [[["tcp[blocking].send - tcp[non-blocking].send", "TCP"]]], f"TCP {MINUS}134 ns at 1 B"),
        ("time", "log", [SENDS], "; a step between 4087 and 4088 B; a step between 32 and 64 B."),
    ],
)  # fmt: skip
def test_small_panels_show_differences_and_mark_the_steps_of_times(
    label: str, scale: str, panels: list[list[list[str]]], words: str
) -> None:
    exhibits = laboratory.exhibits_of("mpi_blocking_nonblocking")
    multiples(exhibits, "shown", "A finding.", ("TCP", "no such link"), [(label, scale, panels)])
    assert words in alt(exhibits, "shown") and "no such link" not in alt(exhibits, "shown")


def test_small_panels_of_rates_have_no_marks(measured: dict[str, Exhibits]) -> None:
    rows = [("throughput", "plain", [[["tcp.card", "TCP"], ["card", "card"]]])]
    multiples(measured[ROUNDS], "rates", "A finding.", ("link",), rows)
    assert "B/s at 1 B" in alt(measured[ROUNDS], "rates") and "a step" not in alt(measured[ROUNDS], "rates")


def test_queue_in_time_is_that_of_rank_0_in_the_first_repetition(measured: dict[str, Exhibits]) -> None:
    evidence = measured["latency"].numbers.evidence
    depths = {"queue.bytes_at_2048": 90, "queue.bytes_at_6144": 1000, "rank1.queue.bytes_at_0": 7000}
    facts = {
        key: replace(facts, measured=replace(facts.measured, counters_after=depths))
        for key, facts in evidence.facts.items()
    }
    exhibits = Exhibits(Numbers(replace(evidence, facts=facts)), {})
    assert r"\label{figure:depth}" in plots.queues(
        exhibits, "depth", "Some.", [["write.card at 1", "card"], ["none", "none"]]
    )
    assert alt(exhibits, "depth") == "Bytes that wait in the switch, in time: card at most 1 kB in 8.19 µs."


def test_parts_mark_assumed_parameters_and_end_with_the_rest() -> None:
    exhibits = laboratory.exhibits_of("latency")
    parts(exhibits, "path", "Mostly assumed.", "half of the round trip", KINDS, BARS)
    assert alt(exhibits, "path") == (
        "Half of the round trip, in parts: 1 B 1.41 µs: wire (assumed) 1 µs, bytes 8.95 ns, the rest 398 ns; "
        "1 KiB 2.38 µs: read of memory (assumed) 500 ns, wire (assumed) 1 µs, bytes 172 ns, the rest 705 ns."
    )
    parts(exhibits, "above", "Too much.", "time", ["wires", "rest"], [["1 B", "fdr.wire", "2 * fdr.wire"]])
    with pytest.raises(match="more than the whole"):
        render(exhibits.gallery["above"].data)


@pytest.mark.parametrize(
    ("draw", "what"),
    [
        (lambda exhibits: dots(exhibits, "empty", "Nothing.", "time", "1", [NONE]), "no row"),
        (lambda exhibits: tails(exhibits, "empty", "Nothing.", "1", LATENCIES[1:]), "no round trips"),
        (lambda exhibits: parts(exhibits, "empty", "Nothing.", "time", KINDS, BARS[2:]), "no bar"),
        (lambda exhibits: multiples(exhibits, "empty", "Nothing.", ("TCP",), [("time", "log", [NONE[1]])]), "no curve"),
    ],
)
def test_figure_without_data_is_refused(
    draw: Callable[[Exhibits], Markup], what: str, measured: dict[str, Exhibits]
) -> None:
    with pytest.raises(ReportError, match=f"the data give {what} of empty"):
        draw(measured["latency"])


ROWS = [["warm-up", "warmup.card[{x}]"], ["nothing", "depht.card[{x}]"], ["depth", "depth.card[{x}]"]]
AXES = ("{x}", "depth", "messages a second")
LINES = ["up to 256000", "from 272000"]
CURVES = [["depth.card[{x}].messages at 1", "1 B"], ["depth.card[{x}].messages at 4K", "4 KiB"]]


@pytest.fixture
def varied() -> Exhibits:
    return laboratory.exhibits_of("write_parameters")


@pytest.mark.parametrize(
    ("pattern", "size", "enough", "gain"),
    [
        ("depth.card[{x}]", "1", "16", "11.0"),
        ("depth.card[{x}]", "4K", "16", "4.19"),
        ("inline.card[{x}, 1]", "1", "1024", "1.17"),
        ("inline.card[{x}, 128]", "1K", "0", "4.39"),
        ("lists.card[1, {x}]", "1", "64", "1.31"),
        ("warmup.card[{x}]", "1K", "0", "1.00"),
    ],
)
def test_effect_is_the_gain_of_the_best_value_and_names_the_smallest_one_as_good(
    varied: Exhibits, pattern: str, size: str, enough: str, gain: str
) -> None:
    answer = plots.effect(varied, pattern, size)
    assert enough == answer.enough.removeprefix(r"\labnum{").removesuffix("}")
    assert answer.gain.startswith(rf"\labnum{{{gain}}}")


@pytest.mark.parametrize("pattern", ["depht.card[{x}]", "card[{x}]", "depth.card[16]", "lists.card[{x}]"])
def test_pattern_without_a_varied_value_has_no_effect(varied: Exhibits, pattern: str) -> None:
    assert plots.effect(varied, pattern, "1") == Found(ABSENT, ABSENT)


def test_tornado_has_the_largest_effect_first_and_leaves_out_constant_parameters(varied: Exhibits) -> None:
    text = plots.tornado(varied, "effects", "The depth matters most.", ROWS, ["1", "4K"])
    assert r"\label{figure:effects}" in text
    seen = alt(varied, "effects")
    assert "size: depth: 1 B 11.0 times with 16 in place of 1, 4 KiB 4.19 times with 16 in place of 1; warm-up:" in seen
    assert "1 B no difference" in seen and "nothing" not in seen
    with pytest.raises(ReportError, match="the data give no effect of nothing"):
        plots.tornado(varied, "nothing", "No parameter.", [["none", "nothing[{x}]"]], ["1"])


def test_figure_against_a_varied_value_shows_models_and_limits_that_have_data(varied: Exhibits) -> None:
    models = [["{x} / (depth.card[1].time at 1)", "depth over round trip"], ["{x} / nothing", "unknown"]]
    limits = [["1 / qdr.gap", "gap"], ["1 / fdr.gap", "gap of another card"]]
    against(varied, "depth", "The rate follows.", AXES, [*CURVES, ["nothing[{x}] at 1", "1 KiB"]], models, limits)
    words = alt(varied, "depth")
    assert "1 B 303 thousand/s at 1, 1.21 million/s at 4, 3.32 million/s at 16" in words
    assert "depth over round trip, a line: 303 thousand/s at 1" in words and "gap: 4.38 million/s" in words
    assert not [word for word in ("1 KiB", "unknown", "another card") if word in words]


def test_figure_against_another_query_is_in_the_order_of_its_x(varied: Exhibits) -> None:
    axes = ("1 / {x}", "1/n", "time per message")
    against(varied, "runs", "A line.", axes, [["iterations.card[{x}].whole.time at 1", "1 B"]], linear=True)
    data = varied.gallery["runs"].data
    assert data.curves[0].x == (1 / 20000, 1 / 2000, 1 / 100)
    assert "both axes linear: 1 B 301 ns at 1/20000, 307 ns at 1/2000, 427 ns at 1/100" in alt(varied, "runs")


def test_small_panels_against_a_varied_value_have_their_own_kinds_and_ticks(varied: Exhibits) -> None:
    rows = [
        ("messages", [[["depth.card[{x}].messages at 1", "1 B"], ["nothing[{x}] at 1", "1 KiB"]]]),
        ("throughput", [[["depth.card[{x}] at 4K", "4 KiB"]]]),
    ]
    plots.multiples_against(varied, "depths", "A finding.", ["card"], "depth", rows)
    words = alt(varied, "depths")
    assert words.startswith("Against depth, in 2 panels. messages, card: 1 B 303 thousand/s at 1, 3.32 million/s at 16")
    assert "throughput, card: 4 KiB" in words and "GB/s at 512" in words and "1 KiB" not in words
    with pytest.raises(ReportError, match="no curve of empty"):
        plots.multiples_against(varied, "empty", "Nothing.", ["card"], "depth", [("time", [[["no[{x}] at 1", "1 B"]]])])


@pytest.fixture
def exhibits() -> Exhibits:
    return laboratory.exhibits_of("mpi_bandwidth_latency")


def alt_of_lines(exhibits: Exhibits, **panel: Any) -> str:
    extrapolated(exhibits, "figure", "A finding.", "RTT/2", [LinePanel(title="times", look="card", **panel)])
    return alt(exhibits, "figure")


def test_line_has_its_rate_and_its_time_at_0_bytes_as_a_table_prints_them(exhibits: Exhibits) -> None:
    words = alt_of_lines(exhibits, times="card", lines=LINES, small="card.small", breaks=[["256 KiB", 262144.0]])
    assert "card.small 2.19 µs at 1 B" in words and "Break at 256 KiB." in words
    assert "Line up to 256 kB: 3.71 GB/s, 7.0 µs at 0 B." in words
    assert "Line from 272 kB: 5.94 GB/s, 11.1 µs at 0 B." in words
    intercept = exhibits.cell("card.intercept from 272000")
    assert intercept.startswith(r"\qty{11.1}{\micro\second}"), "one number has one rounding"


def test_lines_and_the_smallest_message_have_names_near_0_bytes(exhibits: Exhibits) -> None:
    alt_of_lines(exhibits, times="card", lines=LINES, small="card.small", most=32_000)
    svg = render(exhibits.gallery["figure"].data).svg.decode()
    for name in ("from 272 kB", "up to 256 kB", "1 B measured"):
        assert name.replace(" ", "") in plain(svg).replace(" ", ""), name


def test_published_times_may_be_drawn_less_the_line_through_all_of_them(exhibits: Exhibits) -> None:
    lines = ["up to 528000000", "at 544000000..1072000000", "from 1088000000"]
    breaks = [["512 MiB", 536870912.0], ["1 GiB", 1073741824.0]]
    words = alt_of_lines(exhibits, times="report_c", lines=lines, breaks=breaks, beyond=True)
    assert "Line 544 MB to 1.072 GB: 6.24 GB/s, 9.00 ms at 0 B." in words and "Break at 1 GiB." in words
    (panel,) = exhibits.gallery["figure"].data.panels
    assert len(panel.times.x) == 134 and max(abs(y.value) for y in panel.times.y) < 0.01
    below, between, above = panel.rays
    assert below.intercept_s < between.intercept_s < above.intercept_s and (below.low, above.high) == (16e6, 2144e6)


def test_line_without_data_is_left_out_and_a_figure_needs_times(exhibits: Exhibits) -> None:
    assert "Line" not in alt_of_lines(exhibits, times="tcp", lines=["up to 48000", "up to 4"])
    with pytest.raises(ReportError, match="no times of nothing"):
        alt_of_lines(exhibits, times="nothing")
