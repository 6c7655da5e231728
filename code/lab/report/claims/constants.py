"""Claims that nobody measured: the experiment's parameters, its link, and how much there is of everything."""

from __future__ import annotations

from dataclasses import dataclass

from lab.analysis.estimate import LEVEL
from lab.analysis.overhead import LARGEST_SHARE
from lab.analysis.ratios import LEAST
from lab.files import included
from lab.model.parameters import ROUNDS
from lab.report.claim import Claim, ClaimGroup, constant
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.margin import margin_of
from lab.spec.experiment import Series

COUNTED = ("iterations", "warmup", "tx_depth", "rx_depth", "repetitions", "windows")
OF_ALL = ("iterations", "warmup", "repetitions")  # the rest concern our engine
MEGABYTE = 10**6
NO_BOUNDS = (None, 1)  # one iteration at least
BOUNDS = {"iterations_at_most": "", "iterations_at_least": "", "bytes_per_size_at_most": "size", "warmup_at_most": ""}


@dataclass(frozen=True)
class ParameterClaims(ClaimGroup):
    """One parameter, as the experiment asks for it and as run: over all sizes, the most and the least."""

    published: Claim
    most: Claim
    least: Claim


@dataclass(frozen=True)
class LinkClaims(ClaimGroup):
    """The link that the site models."""

    mtu: Claim
    rate: Claim | None


@dataclass(frozen=True)
class SizesClaims(ClaimGroup):
    """The sizes as published and as run, and the factor between them where the site's profile has its own."""

    published_smallest: Claim
    published_largest: Claim
    scale: Claim
    count: Claim
    smallest: Claim
    largest: Claim


@dataclass(frozen=True)
class CountClaims(ClaimGroup):
    """The number of trials, records and sizes, and the time of the run."""

    trials: Claim
    series: Claim
    time: Claim
    disk: Claim


@dataclass(frozen=True)
class JudgingClaims(ClaimGroup):
    """The constants of intervals and verdicts."""

    least_n: Claim
    share_limit: Claim
    level: Claim
    margin: Claim


@dataclass(frozen=True)
class ConstantClaims(ClaimGroup):
    """All that nobody measured."""

    parameters: dict[str, ParameterClaims]
    bounds: dict[str, Claim]  # of the site's profile
    link: LinkClaims | None
    sizes: SizesClaims
    counts: CountClaims
    judging: JudgingClaims


def constant_claims(evidence: Evidence) -> ConstantClaims:
    """Parameters as published and as run, the profile's bounds, the link, the counts."""
    first = evidence.plan.experiment.series[0]
    return ConstantClaims(
        _parameters(evidence, first),
        _bounds(evidence, first),
        _link(evidence, first),
        _sizes(evidence, first),
        _counts(evidence),
        _judging(evidence),
    )


def source_of(evidence: Evidence, *path: str) -> str:
    """The file and line of the TOML that sets a value; wherever the file lies, the report is the same."""
    return included.source_of(evidence.plan.experiment.file, path)


def _parameters(evidence: Evidence, series: Series) -> dict[str, ParameterClaims]:
    run = series.parameters(evidence.plan.site.name, {})
    counted = (*COUNTED, *(ROUNDS if run.until_stable else ()))
    return {name: _parameter(evidence, series, name) for name in (counted if series.tool.engine else OF_ALL)}


def _parameter(evidence: Evidence, series: Series, name: str) -> ParameterClaims:
    site, where = evidence.plan.site.name, source_of(evidence, "parameters", name)
    own = source_of(evidence, "profile", site, name) if name in series.profile(site).values else where
    least, most = _range(series, site, name)
    return ParameterClaims(
        constant(f"published.{name}", getattr(series.published, name), "", f"{name}, as the experiment asks", where),
        constant(f"parameter.{name}", most, "", f"{name}, as run on {site}, the most of all sizes", own),
        constant(f"parameter.{name}.least", least, "", f"{name}, as run on {site}, the least of all sizes", own),
    )


def _bounds(evidence: Evidence, series: Series) -> dict[str, Claim]:
    site = evidence.plan.site.name
    return {
        name: constant(f"profile.{name}", bound, unit, f"{name} on {site}", source_of(evidence, "profile", site, name))
        for name, unit in BOUNDS.items()
        if (bound := getattr(series.profile(site), name)) not in NO_BOUNDS
    }


def _range(series: Series, site: str, name: str) -> tuple[int, int]:
    """Least and most over the sizes of the counts that the profile bounds."""
    if name not in ("iterations", "warmup"):
        used = getattr(series.parameters(site, {}), name)
        return used, used
    values = [getattr(each, name) for each in series.counts(site, {})]
    return min(values), max(values)


def _link(evidence: Evidence, series: Series) -> LinkClaims | None:
    if not evidence.plan.site.traits.takes_models:
        return None
    link, where = series.link, source_of(evidence, "link", "mtu")
    mtu, rate = constant("link.mtu", link.mtu, "B", "bytes of IP in a frame of the link", where), None
    if link.rate_bit_s:
        where = source_of(evidence, "link", "rate_bit_s")
        rate = constant("link.rate", link.rate_bit_s, "bit/s", "rate of the link", where)
    return LinkClaims(mtu, rate)


def _counts(evidence: Evidence) -> CountClaims:
    guest_ns = sum(facts.clock_ns for facts in evidence.facts.values())
    meaning, disk = "time of the site's clock that all trials take together", _megabytes(evidence.bytes_on_disk)
    return CountClaims(
        constant("count.trials", len(evidence.facts), "", "trials, each with its record", "the plan"),
        constant("count.series", len(evidence.plan.experiment.series), "", "series", "the plan"),
        constant("run.time", round(guest_ns / 1e9), "s", meaning, "records"),
        constant("disk", disk, "B", "disk that the records take, rounded up", "records"),
    )


def _judging(evidence: Evidence) -> JudgingClaims:
    margin, share = margin_of(evidence.plan.site.traits) * 100, "part of a round's time up to which it is corrected"
    luck = "by which two equal programs may differ on this site by luck: no verdict within it"
    return JudgingClaims(
        constant("least.n", LEAST, "", "repetitions that an interval needs", "lab.analysis.ratios"),
        constant("share.limit", LARGEST_SHARE * 100, "percent", share, "lab.analysis.overhead"),
        constant("level", 100 * LEVEL, "percent", "confidence of all intervals", "lab.analysis"),
        constant("margin", margin, "percent", luck, "lab.report.evidence.margin"),
    )


def divided_by(published: tuple[int, ...], sizes: tuple[int, ...]) -> float:
    """The largest factor that makes each of the sizes a published one; without any, what the largest ones give."""
    factors = sorted({each / max(sizes) for each in published}, reverse=True)
    whole = (each for each in factors if {size * each for size in sizes} <= {*published})
    return next(whole, max(published) / max(sizes))


def _sizes(evidence: Evidence, series: Series) -> SizesClaims:
    site, published, file = evidence.plan.site.name, series.published.sizes, source_of(evidence, "parameters", "sizes")
    sizes, own = series.sizes(site), "sizes" in series.profile(site).values
    run, scale = source_of(evidence, "profile", site, "sizes") if own else file, divided_by(published, sizes)
    return SizesClaims(
        constant("published.smallest.size", min(published), "size", "smallest message, as published", file),
        constant("published.largest.size", max(published), "size", "largest message, as published", file),
        constant("scale", scale, "", f"what sizes as published are divided by on {site}", run),
        constant("count.sizes", len(sizes), "", "message sizes", run),
        constant("smallest.size", min(sizes), "size", "smallest message", run),
        constant("largest.size", max(sizes), "size", "largest message", run),
    )


def _megabytes(count: int) -> int:
    """Rounded up, since the machine's load changes the length of a record by a few bytes."""
    return -(-count // MEGABYTE) * MEGABYTE
