"""Fitting a card to a curve, and the two published ones."""

from __future__ import annotations

from statistics import median

import pytest

from lab.analysis.card import Conditions, Rates, errors, fit
from lab.analysis.estimate import TooFewSamples

SIZES = [2**n for n in range(21)]
KNOWN = Conditions(rate_bit_s=32e9, mtu=4096, inline_most=1024)
CARD = Rates(rate_bit_s=32e9, header_bytes=40, gap_ps=228_000, block_ps=79_500)


def curve() -> dict[int, float]:
    return {size: CARD.bytes_per_s(size, KNOWN.mtu, KNOWN.inline_most) for size in SIZES}


def found_of(measured: dict[int, float]) -> tuple[float, float, float]:
    found = fit(measured, KNOWN)
    return found.gap_ps, found.block_ps, found.header_bytes


def test_the_parameters_of_a_made_curve_are_found_again() -> None:
    assert found_of(curve()) == pytest.approx((228_000, 79_500, 40), rel=0.02)


def test_sizes_that_something_else_slows_down_do_not_bend_the_fit() -> None:
    slowed = {size: rate * (0.7 if size in (1, 2, 64, 128) else 1) for size, rate in curve().items()}
    assert found_of(slowed) == pytest.approx((228_000, 79_500, 40), rel=0.02)


def test_errors_are_those_of_the_model() -> None:
    off = errors({64: CARD.bytes_per_s(64) / 2}, CARD, KNOWN)
    assert median(off.values()) == pytest.approx(1)


def test_three_sizes_fit_no_three_parameters() -> None:
    with pytest.raises(TooFewSamples):
        fit(dict(list(curve().items())[:3]), KNOWN)
