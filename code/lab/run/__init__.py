"""Run trials: each at most once, with checks, into a record."""
