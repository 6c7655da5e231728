"""Where things are in a checkout."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENTS = ROOT / "experiments"
BENCH = ROOT / ".cache" / "bench"  # the C programs
RESULTS = ROOT / "results"
REFERENCE = RESULTS / "reference"
