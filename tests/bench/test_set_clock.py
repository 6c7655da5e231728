"""What is no clock to be set: set_clock.c. tests/machine/test_clocks.py sets those of guests."""

from __future__ import annotations

import subprocess

import pytest

from lab.places import BENCH_SOURCES, SET_CLOCK


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("1", "2", "3"), "set-clock: usage: set-clock OFFSET_NS DRIFT_PPM\n"),
        (("5", "x"), "set-clock: x is no whole number\n"),
        (("5", ""), "set-clock:  is no whole number\n"),
    ],
)
def test_what_is_no_number_is_a_sentence_before_any_clock_is_set(words: tuple[str, ...], sentence: str) -> None:
    subprocess.run(["make", "-s", "-C", BENCH_SOURCES], check=True)
    done = subprocess.run([SET_CLOCK, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, sentence)
