import subprocess
import sys

import pytest
from scipy import stats

from lab.analysis.estimate import binomial, fisher, student

TAILS = [tail for level in (0.9, 0.95, 0.99) for tail in ((1 - level) / 2, (1 + level) / 2)]


@pytest.mark.parametrize("n", [1, 2, 3, 6, 10, 30, 71, 199, 1000, 100_000])
def test_ranks_are_those_of_the_binomial_distribution(n: int) -> None:
    for chance in (0.05, 0.25, 0.5, 0.75, 0.9, 0.99, 0.9999):
        assert [binomial(tail, n, chance) for tail in TAILS] == [
            int(stats.binom.ppf(tail, n, chance)) for tail in TAILS
        ]


def test_quantiles_are_those_of_student_and_fisher() -> None:
    for freedom in (1, 2, 5, 9, 38, 500):
        assert [student(tail, freedom) for tail in TAILS] == [stats.t.ppf(tail, freedom) for tail in TAILS]
        assert [fisher(tail, 1, freedom) for tail in TAILS] == [stats.f.ppf(tail, 1, freedom) for tail in TAILS]


def test_a_report_whose_figures_are_cached_loads_no_drawing_library() -> None:
    """matplotlib takes longer to load than all answers to compute."""
    asked = "import sys, lab.report.build, lab.report.html.page; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", asked], check=True)
