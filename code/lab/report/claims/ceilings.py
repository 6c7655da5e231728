"""The part of a link's rate that each protocol can reach, and the share of it that a curve reaches."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lab.analysis.ceiling import Limit, card_limit, tcp_limit, write_limit
from lab.analysis.estimate import Estimate
from lab.analysis.summary import estimate_median
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.claims.lines import scaled
from lab.report.evidence.curve import Subject
from lab.report.tex.units import in_words
from lab.spec.experiment import Series

HEADERS = "what headers leave of the link's rate"


@dataclass(frozen=True)
class CeilingClaims(ClaimGroup):
    """The rate of the link, and the largest share of the rate after headers that a curve reaches."""

    rate: Claim
    filled: Claim


def ceiling(series: Series, sizes: tuple[int, ...]) -> Limit | None:
    """The most that a series' protocol can carry; None for a link without a rate, or a protocol not worked out."""
    rate, mtu = series.link.rate_bit_s, series.link.mtu
    if rate is None:
        return None
    if series.program in ("tcp", "iperf3"):
        return tcp_limit(sizes, rate, mtu)
    if series.link.card and series.has_card and series.operation == "write":
        return card_limit(sizes, rate, mtu, series.link.card.header_bytes)
    is_write = series.program in ("verbs", "ib_write_bw") and series.operation == "write"
    return write_limit(sizes, rate, mtu) if is_write else None


def ceiling_claims(curve: Subject) -> CeilingClaims | None:
    """None where no ceiling is known."""
    limit = ceiling(curve.series, curve.sizes)
    if limit is None:
        return None
    shares = {
        size: scaled(estimate_median(curve.values(size)), 1 / most)
        for size, most in zip(curve.sizes, limit.y, strict=True)
    }
    best = max(shares, key=lambda size: shares[size].value)
    meaning = f"throughput of {curve.words} over {HEADERS}, messages of {in_words(best)}"
    rate = Estimate(float(curve.series.link.rate_bit_s or 0), None, shares[best].n)
    claim = curve.claim(f"{curve.name}.filled", shares[best], "", ClaimKind.RATIO, meaning, best)
    return CeilingClaims(
        curve.claim(f"{curve.name}.rate", rate, "bit/s", ClaimKind.DERIVED, f"rate of the link of {curve.words}", best),
        replace(claim, base=HEADERS, base_link=claim.link),
    )
