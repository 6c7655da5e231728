import math

import numpy as np
import pytest

from lab.analysis import ratios as reproducible

ROWS = np.random.default_rng(1).normal(size=(40, 9))


def test_products_are_those_of_linear_algebra() -> None:
    assert reproducible.dot(ROWS, ROWS[0]) == pytest.approx(ROWS @ ROWS[0], rel=1e-12)
    assert reproducible.norm(ROWS) == pytest.approx(np.linalg.norm(ROWS, axis=1), rel=1e-12)
    assert reproducible.all_dots(ROWS, ROWS[:7]) == pytest.approx(ROWS @ ROWS[:7].T, rel=1e-12)


def test_logarithms_and_powers_are_rounded_to_the_nearest_number() -> None:
    values = [2.0**place for place in range(-30, 63)]
    assert reproducible.log2(values) == [float(place) for place in range(-30, 63)]
    assert [reproducible.exp2(float(place)) for place in range(-30, 63)] == values
    odd = np.abs(ROWS[0]).tolist()
    assert reproducible.log2(odd) == pytest.approx([math.log2(each) for each in odd], rel=4e-16)


def test_a_geometric_mean_does_not_depend_on_the_order() -> None:
    ratios = np.exp(ROWS[:, 0]).tolist()
    assert reproducible.portable_geometric_mean(ratios) == reproducible.portable_geometric_mean(ratios[::-1])
    assert reproducible.portable_geometric_mean([4, 9]) == 6
