"""Throughput with and without the time after the data have arrived, against the message size."""

from __future__ import annotations

from collections.abc import Iterator

from lab.figures import BySize, Curve
from lab.figures.drawers import throughput
from lab.report.claims.ledger import AllClaims
from lab.report.claims.rounds import RoundsClaims
from lab.report.evidence.links import link_groups
from lab.report.pictures.colours import colour
from lab.report.pictures.sketch import MB_S, Sketch, rate_curve
from lab.report.pictures.throughput import limits, no_limit


def by_round(claims: AllClaims) -> Iterator[Sketch[BySize]]:
    """A figure for each link."""
    site, traits = claims.evidence.plan.site.name, claims.evidence.plan.site.traits
    repeated = {each.curve.series.name: each for each in claims.rounds if not each.curve.point}
    for group in link_groups(claims.evidence):
        found = [repeated[each] for each in group.names if each in repeated]
        if found:
            drawn = [curve for each in found for curve in (_plain(claims, each), _corrected(each))]
            name, shown = f"corrected{group.suffix}", tuple(each for each in drawn if each.x)
            link = f"{found[0].curve.link}{no_limit(group, traits)}"
            caption = f"Throughput with nothing taken off, and corrected, {link}."
            yield Sketch(name, caption, BySize(name, shown, site, limits(group, site), MB_S), throughput)


def _plain(claims: AllClaims, found: RoundsClaims) -> Curve:
    return rate_curve(claims.curves[found.curve.series.name].rates)


def _corrected(found: RoundsClaims) -> Curve:
    """Only the sizes at which the correction is not refused."""
    claims = {size: each.corrected for size, each in found.by_size.items() if each.corrected}
    estimates, curve = tuple(each.estimate for each in claims.values()), found.curve
    look = colour(curve.series)
    return Curve(f"{curve.words}, corrected", tuple(map(float, claims)), estimates, curve.keys(claims), colour=look)
