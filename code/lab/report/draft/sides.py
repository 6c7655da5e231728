"""What the draft says of each end's own calls."""

from __future__ import annotations

from collections.abc import Iterator

from lab.analysis.verdict import Verdict, judge
from lab.model.sizes import format_size
from lab.report.claim import Ledger
from lab.report.claims.sides import Side, probed, series_of_sides, sides
from lab.report.evidence.evidence import Evidence
from lab.report.tables.sides import verdict
from lab.report.tex.escape import escape

STEP = 0.05  # of a call's time, within two bytes


def side_sentences(evidence: Evidence, ledger: Ledger) -> Iterator[str]:
    """Of each end, both variants and whether the data can tell them apart."""
    for series in series_of_sides(evidence):
        found = list(sides(evidence, series))
        for side in dict.fromkeys(each.side for each in found):
            variants = [each for each in found if each.side == side]
            yield from (_sentence(each, ledger) for each in variants)
            yield _difference(variants, ledger)


def _sentence(side: Side, ledger: Ledger) -> str:
    name, words = side.name, escape(side.words)
    if f"{name}.knee" not in ledger:
        return (
            rf"\par The {words} has no knee that the data support: "
            rf"over all sizes it takes \claim{{{name}.below}} in the mean."
        )
    rate = rf", and from there on \claim{{{name}.above}} by its slope" if f"{name}.above" in ledger else ""
    return (
        rf"\par The {words} takes \claim{{{name}.below}} in the mean up to its knee at \claim{{{name}.knee}}{rate}."
        f"{_step(side, ledger)}"
    )


def _step(side: Side, ledger: Ledger) -> str:
    """Whether the knee is rather a step: within two bytes the time grows by more than noise."""
    steps = {size: f"{side.name}.{format_size(size)}.step" for size in probed(side)}
    found = [size for size, name in steps.items() if judge(ledger[name].estimate, margin=STEP) is Verdict.MORE]
    if not found:
        return ""
    return (
        " It is a step and no change of slope: from a byte below to a byte above, "
        rf"the time of a message grows to \claim{{{steps[found[0]]}}} times what it was, on the same link."
    )


def _difference(variants: list[Side], ledger: Ledger) -> str:
    """By the means, which every curve has."""
    differ = verdict([ledger[f"{each.name}.below"] for each in variants], variants[0].curve.margin) == "yes"
    names = " and ".join(each.variant for each in variants)
    if differ:
        return (
            f"Between the intervals of these means, {names}, lies more than the margin of \\claim{{margin}}: "
            "the two calls take different times here."
        )
    return (
        f"The intervals of these means, {names}, leave no gap wider than the margin of \\claim{{margin}}: "
        "the data cannot tell the two calls apart."
    )
