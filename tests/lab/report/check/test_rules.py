"""Each rule with a lab.report.check.statement that it refuses and one that it lets pass."""

from dataclasses import replace

from lab.analysis.estimate import Estimate, Interval
from lab.report.check import rules
from lab.report.check.statement import Statement
from lab.report.claim import Claim, ClaimKind

CLEAR = Estimate(1.05, Interval(1.04, 1.06), 10)
OPEN = Estimate(1.05, Interval(0.95, 1.15), 10)
SPEED_UP = Claim("up", CLEAR, "", ClaimKind.RATIO, "A over TCP", ("k",), 10, "TCP", "cable", "cable")
RATE = Claim("rate", Estimate(2e8, Interval(1.9e8, 2.1e8), 10), "B/s", ClaimKind.RATE, "rate", ("k",), 10, link="cable")
WORDS = "Over TCP on this link it is faster by \\claim."


def test_an_unknown_claim_is_refused() -> None:
    assert rules.claim_is_known(Statement(WORDS, "upp", None))
    assert rules.claim_is_known(Statement(WORDS, "up", SPEED_UP)) is None


def test_a_speed_up_without_base_or_over_two_links_is_refused() -> None:
    check = rules.speed_up_names_base_and_link
    assert check(Statement(WORDS, "up", replace(SPEED_UP, base="")))
    assert check(Statement(WORDS, "up", replace(SPEED_UP, base_link="1 Gbit/s Ethernet")))
    assert check(Statement(WORDS, "up", SPEED_UP)) is None


def test_the_rate_of_a_slope_is_no_throughput() -> None:
    slope = replace(RATE, kind=ClaimKind.SLOPE)
    assert rules.slope_is_no_throughput(Statement("The link carries \\claim.", "rate", slope))
    assert rules.slope_is_no_throughput(Statement("The slope stands for \\claim.", "rate", slope)) is None
    assert rules.slope_is_no_throughput(Statement("The link carries \\claim.", "rate", RATE)) is None


def test_a_time_is_no_throughput_and_a_rate_no_latency() -> None:
    check, time = rules.unit_is_of_what_is_said, replace(RATE, unit="s")
    assert "is a time, and no bandwidth" in str(check(Statement("It attains a bandwidth of \\claim.", "t", time)))
    assert "is a rate, and no latency" in str(check(Statement("The latency of TCP is \\claim.", "rate", RATE)))
    assert check(Statement("The latency of TCP is \\claim.", "t", time)) is None
    assert check(Statement("Its throughput is \\claim.", "rate", RATE)) is None


def test_an_intercept_is_no_latency() -> None:
    intercept = replace(RATE, kind=ClaimKind.INTERCEPT, unit="s")
    assert rules.latency_is_measured(Statement("The latency is \\claim.", "t", intercept))
    assert rules.latency_is_measured(Statement("The intercept is \\claim.", "t", intercept)) is None


def test_a_comparison_that_the_interval_leaves_open_is_refused() -> None:
    check = rules.comparison_is_supported
    assert check(Statement(WORDS, "up", replace(SPEED_UP, estimate=OPEN)))
    assert check(Statement(WORDS, "up", SPEED_UP)) is None
    assert check(Statement("The data cannot tell which is faster.", "up", replace(SPEED_UP, estimate=OPEN))) is None


def test_digits_beyond_the_interval_are_refused() -> None:
    check = rules.rounding_is_no_finer_than_the_interval
    assert check(Statement("\\claim", "up", SPEED_UP, place=-5))
    assert check(Statement("\\claim", "up", SPEED_UP, place=-2)) is None


def test_another_n_than_found_is_refused() -> None:
    assert rules.n_is_as_found(Statement("\\claim", "up", replace(SPEED_UP, wanted_n=12)))
    assert rules.n_is_as_found(Statement("\\claim", "up", SPEED_UP)) is None


def test_a_record_that_failed_its_checks_is_refused() -> None:
    assert rules.records_are_sound(Statement("\\claim", "rate", replace(RATE, unchecked=("abc",))))
    assert rules.records_are_sound(Statement("\\claim", "rate", RATE)) is None


def test_what_lies_within_the_margin_of_its_site_is_no_comparison() -> None:
    check = rules.comparison_is_supported
    near = replace(SPEED_UP, estimate=Estimate(1.005, Interval(1.004, 1.006), 10))
    assert check(Statement(WORDS, "up", near)) is None
    assert "margin" in str(check(Statement(WORDS, "up", replace(near, margin=0.01))))
    assert check(Statement(WORDS, "up", replace(SPEED_UP, margin=0.01))) is None
    assert "margin of 5%" in str(check(Statement(WORDS, "up", replace(SPEED_UP, margin=0.05))))


def test_an_effect_of_two_factors_is_refused_as_that_of_one() -> None:
    check, gain = rules.one_factor_is_varied, replace(SPEED_UP, moved=("post_list", "signal_every"))
    assert "post_list and signal_every" in str(check(Statement(WORDS, "depth.1.gain", gain)))
    assert "effect of signal_every" in str(check(Statement(f"{WORDS} Lists (post_list) grew too.", "up", gain)))
    assert check(Statement(r"With \texttt{post\_list} and \texttt{signal\_every} it gains.", "up", gain)) is None
    assert check(Statement(WORDS, "up", SPEED_UP)) is None


def test_every_rule_has_its_test() -> None:
    assert len(rules.RULES) == 10
