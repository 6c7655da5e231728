"""Measure everything again and compare the tables with results/reference."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.plan.plan import Plan
from lab.records.row import format_table, parse_table
from lab.records.table import columns, make_table
from lab.records.tolerance import TOLERANCE, Ratio, first_difference, ratios, same_identity


@dataclass(frozen=True)
class Verification:
    """The comparison of one experiment's table with its reference."""

    experiment: str
    rows: int
    identical: bool
    difference: str | None
    ratios: tuple[Ratio, ...]

    @property
    def holds(self) -> bool:
        """Equal bytes, or under another identity every ratio within its tolerance."""
        return self.identical or (bool(self.ratios) and all(ratio.holds for ratio in self.ratios))

    def lines(self) -> list[str]:
        """The result for people: equal, the first difference, or each ratio with its tolerance."""
        if self.identical:
            return [f"{self.experiment}: identical ({self.rows} rows)"]
        lines = [f"{self.experiment}: {self.difference or 'the same rows, other bytes'}"]
        if self.ratios:
            lines.append(f"another identity: medians over the reference's, each to be within {TOLERANCE:.0%}")
        return lines + [
            f"  {each.ratio:6.3f} {'ok' if each.holds else 'OUTSIDE'}  {each.label} {each.column}"
            for each in self.ratios
        ]


def verify(plan: Plan, results: Path, reference: str) -> Verification:
    """Compare the table of fresh records with the reference's text."""
    rows, wanted = make_table(plan, results), parse_table(reference)
    identical = format_table(columns(plan, rows), rows) == reference
    other_identity = bool(rows) and not same_identity(rows, wanted)
    difference = None if identical else first_difference(rows, wanted)
    return Verification(
        plan.experiment.name, len(rows), identical, difference, tuple(ratios(rows, wanted)) if other_identity else ()
    )
