"""The names of the files that a report attaches beside those that a person wrote."""

from __future__ import annotations

MADE = ("claims.csv", "manifest.json", "identity.json", "experiment.toml")


def names_made(experiment: str) -> tuple[str, ...]:
    """With the table of its rows."""
    return (f"{experiment}.csv", *MADE)
