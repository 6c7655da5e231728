"""Statistics: pure functions from samples to estimates. No other package computes statistics.

The choice of statistics follows T. Hoefler and R. Belli, "Scientific Benchmarking of Parallel Computing Systems:
Twelve Ways to Tell the Masses when Reporting Performance Results", SC'15. Each function names its estimator, what it
assumes, and its source.
"""
