from lab.experiment.experiment import Comparison
from lab.experiment.reader import load
from lab.places import EXPERIMENTS
from lab.records.compare import compare, format_result
from lab.records.table import Row

RATIO = Comparison("ours / peers", "ours", ("slow", "fast"), 1.0)


def row(series: str, size: int, **values: int) -> Row:
    return Row(series, "", "", "", 1, size, "", counts=values)


def rows(name: str, **rates: int) -> list[Row]:
    return [row(series, 64, **{name: rate}) for series, rate in rates.items()]


def test_throughput_is_compared_with_the_best_peer() -> None:
    result = compare(RATIO, rows("completed_bytes_per_s", ours=300, slow=100, fast=200))
    assert result.ratios == {64: 1.5} and result.holds


def test_latency_is_compared_with_the_shortest_and_above_one_is_faster() -> None:
    result = compare(RATIO, rows("round_trip_ns", ours=200, slow=400, fast=300))
    assert result.ratios == {64: 1.5} and result.unit == "ns"


def test_the_receivers_word_is_taken_only_where_all_have_it() -> None:
    table = [
        row("ours", 64, completed_bytes_per_s=400, confirmed_bytes_per_s=300),
        row("slow", 64, completed_bytes_per_s=100, confirmed_bytes_per_s=100),
        row("fast", 64, completed_bytes_per_s=200),
    ]
    assert compare(RATIO, table).ratios == {64: 2.0}
    table[2] = row("fast", 64, completed_bytes_per_s=200, confirmed_bytes_per_s=200)
    assert compare(RATIO, table).ratios == {64: 1.5}


def test_a_bound_on_the_mean_speaks_of_the_mean() -> None:
    mean = Comparison("mean", "ours", ("fast",), 1.1, 64)
    table = [*rows("completed_bytes_per_s", ours=120, fast=100), row("ours", 128, completed_bytes_per_s=1)]
    table.append(row("fast", 128, completed_bytes_per_s=100))
    result = compare(mean, table)
    assert result.holds and round(result.geometric_mean, 3) == 1.2
    assert "geometric mean up to 64: 1.200" in format_result(result)


def test_nothing_measured_holds_nothing() -> None:
    assert not compare(RATIO, []).holds


def test_a_limit_of_physics_is_neither_missed_nor_passed() -> None:
    limit = Comparison("limit", "ours", (), 0.995, limit_bytes_per_s=1000)
    held = {rate: compare(limit, rows("confirmed_bytes_per_s", ours=rate)).holds for rate in (990, 996, 1000, 1001)}
    assert held == {990: False, 996: True, 1000: True, 1001: False}


def test_over_a_card_too_the_bench_compares_with_every_setting_of_ib_write_bw_at_the_21_sizes() -> None:
    bench = load(EXPERIMENTS / "bench.toml")
    series = {each.name: each for each in bench.series}
    kernel, card = (each for each in bench.comparisons if each.name.endswith("the best of ib_write_bw"))
    assert [each.replace("wb.", "wb.card.") for each in kernel.peers] == list(card.peers)
    for name in (card.ours, *card.peers):
        assert series[name].has_card and series[name].sizes("exact") == tuple(2**power for power in range(21))
