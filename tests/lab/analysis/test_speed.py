"""Ten million samples, within bounds: lab.analysis.{ratios,lines,estimate}."""

import subprocess
import sys

SECONDS = 10
KILOBYTES = 1_000_000

PROGRAM = f"""
import resource
import numpy as np
from lab.analysis import estimate, lines, ratios

resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))
samples = np.random.default_rng(1).integers(1_000, 100_000, 10_000_000)
estimate.estimate_median(samples)
estimate.estimate_mean(samples)
estimate.supported_quantile(samples, 0.99)
ratios.ratio_of_medians(samples, samples)
lines.fit_line(samples, samples)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_ten_million_samples_take_at_most_ten_seconds_and_a_gigabyte() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"ended by its limit of {SECONDS} s of processor time, or: {done.stderr}"
    assert int(done.stdout) <= KILOBYTES
