"""Rates round by round: lab.figures.fits."""

from __future__ import annotations

import pytest

from lab.analysis.estimate import Estimate
from lab.figures.drawers import by_round
from lab.figures.inputs import ByRound, Curve, FigureError, LineLook


def rounds(label: str, *over: float) -> Curve:
    estimates = tuple(Estimate(value, None, 1) for value in over)
    return Curve(label, tuple(map(float, range(1, len(over) + 1))), estimates)


def test_the_words_have_the_number_of_rounds_and_their_extremes() -> None:
    curves = (rounds("card", 1.0, 0.996, 1.0), rounds("TCP", 1.09, 0.97, 1.0, 1.01))
    alt = by_round(ByRound("rounds", curves, (LineLook("#0072B2"), LineLook("#D55E00", "s")), 0.01)).alt
    assert "card 3 rounds, from \N{MINUS SIGN}0.400 to 0 %; TCP 4 rounds, from \N{MINUS SIGN}3.00 to 9.00 %" in alt
    assert alt.endswith("The rule asks for 1%.")


def test_a_series_without_rounds_is_refused() -> None:
    with pytest.raises(FigureError, match="has 0 x"):
        by_round(ByRound("rounds", (rounds("card"),), (LineLook("#0072B2"),), 0.01))
