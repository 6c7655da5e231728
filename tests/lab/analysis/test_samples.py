import numpy as np
import pytest

from lab.analysis.estimate import BadSample, TooFewSamples, check_pairs, check_samples


def test_no_samples_are_an_error_that_says_how_many_are_needed() -> None:
    with pytest.raises(TooFewSamples) as caught:
        check_samples([], least=2)
    assert (caught.value.needed, caught.value.found) == (2, 0)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf"), 2.0**54])
def test_a_sample_that_is_no_exact_number_is_named_by_its_index(bad: float) -> None:
    with pytest.raises(BadSample) as caught:
        check_samples([1.0, 2.0, bad])
    assert caught.value.index == 2


def test_integer_nanoseconds_keep_every_digit() -> None:
    nanoseconds = np.array([2**53 - 1, 2**53], dtype=np.int64)
    assert check_samples(nanoseconds).astype(np.int64).tolist() == nanoseconds.tolist()


def test_points_with_a_missing_coordinate_are_an_error() -> None:
    with pytest.raises(TooFewSamples):
        check_pairs([1, 2, 3], [1, 2], least=2)
