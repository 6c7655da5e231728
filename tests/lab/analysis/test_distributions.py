import subprocess
import sys

import pytest
from scipy import stats

from lab.analysis.distributions import binomial, fisher, student

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


@pytest.mark.parametrize(
    ("modules", "unwanted"),
    [
        (
            "lab.report.pdf.attachments, lab.report.evidence.evidence, lab.report.topics.published, "
            "lab.report.topics.rounds, lab.report.topics.sides",
            "matplotlib scipy.stats",
        ),
        (
            "lab.cli.commands, lab.report.commands, lab.submission.commands, lab.grade.commands",
            "numpy scipy matplotlib",
        ),
    ],
    ids=["topics", "what is up to date"],
)
def test_what_a_command_does_not_use_is_not_loaded(modules: str, unwanted: str) -> None:
    """Each takes longer to load than all answers to compute, or all records to be looked at."""
    loaded = f"set({unwanted.split()}) & set(sys.modules)"
    subprocess.run([sys.executable, "-c", f"import sys, {modules}; sys.exit(bool({loaded}))"], check=True)
