"""Claims that nobody measured: the experiment's parameters, its link, and how much there is of everything."""

from __future__ import annotations

from collections.abc import Iterator

from lab.analysis.estimate import LEVEL
from lab.analysis.overhead import LARGEST_SHARE
from lab.analysis.ratios import LEAST
from lab.files import included
from lab.model.parameters import ROUNDS
from lab.report.claim import Claim, constant
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.margin import margin_of
from lab.spec.experiment import Series

COUNTED = ("iterations", "warmup", "tx_depth", "rx_depth", "repetitions", "windows")
OF_ALL = ("iterations", "warmup", "repetitions")  # the rest concern our engine
MEGABYTE = 10**6
NO_BOUNDS = (None, 1)  # one iteration at least
BOUNDS = {"iterations_at_most": "", "iterations_at_least": "", "bytes_per_size_at_most": "size", "warmup_at_most": ""}


def constant_claims(evidence: Evidence) -> Iterator[Claim]:
    """Parameters as published and as run, the profile's bounds, the link, the counts."""
    first = evidence.plan.experiment.series[0]
    yield from _parameters(evidence, first)
    yield from _link(evidence, first)
    yield from _counts(evidence, first)


def source_of(evidence: Evidence, *path: str) -> str:
    """The file and line of the TOML that sets a value; wherever the file lies, the report is the same."""
    return included.source_of(evidence.plan.experiment.file, path)


def _parameters(evidence: Evidence, series: Series) -> Iterator[Claim]:
    site = evidence.plan.site.name
    profile, run = series.profile(site), series.parameters(site, {})
    counted = (*COUNTED, *(ROUNDS if run.until_stable else ()))
    for name in counted if series.tool.engine else OF_ALL:
        published, used = getattr(series.published, name), getattr(run, name)
        where = source_of(evidence, "parameters", name)
        yield constant(f"published.{name}", published, "", f"{name}, as published", where)
        where = source_of(evidence, "profile", site, name) if name in profile.values else where
        least, most = _range(series, site, name, used)
        yield constant(f"parameter.{name}", most, "", f"{name}, as run on {site}, the most of all sizes", where)
        yield constant(f"parameter.{name}.least", least, "", f"{name}, as run on {site}, the least of all sizes", where)
    for name, unit in BOUNDS.items():
        if (bound := getattr(profile, name)) not in NO_BOUNDS:
            where = source_of(evidence, "profile", site, name)
            yield constant(f"profile.{name}", bound, unit, f"{name} on {site}", where)


def _range(series: Series, site: str, name: str, used: int) -> tuple[int, int]:
    """Least and most over the sizes of what the profile bounds for each of them."""
    if name not in ("iterations", "warmup"):
        return used, used
    values = [getattr(each, name) for each in series.counts(site, {})]
    return min(values), max(values)


def _link(evidence: Evidence, series: Series) -> Iterator[Claim]:
    if not evidence.plan.site.traits.takes_models:
        return
    link, where = series.link, source_of(evidence, "link", "mtu")
    yield constant("link.mtu", link.mtu, "B", "bytes of IP in a frame of the link", where)
    if link.rate_bit_s:
        where = source_of(evidence, "link", "rate_bit_s")
        yield constant("link.rate", link.rate_bit_s, "bit/s", "rate of the link", where)


def _counts(evidence: Evidence, series: Series) -> Iterator[Claim]:
    yield from _sizes(evidence, series)
    yield constant("count.trials", len(evidence.facts), "", "trials, each with its record", "the plan")
    yield constant("count.series", len(evidence.plan.experiment.series), "", "series", "the plan")
    guest_ns = sum(facts.clock_ns for facts in evidence.facts.values())
    yield constant(
        "run.time", round(guest_ns / 1e9), "s", "time of the site's clock that all trials take together", "records"
    )
    yield constant("disk", _megabytes(evidence.bytes_on_disk), "B", "disk that the records take, rounded up", "records")
    yield constant("least.n", LEAST, "", "repetitions that an interval needs", "lab.analysis.ratios")
    meaning = "part of a round's time up to which it is corrected"
    yield constant("share.limit", LARGEST_SHARE * 100, "percent", meaning, "lab.analysis.overhead")
    yield constant("level", 100 * LEVEL, "percent", "confidence of all intervals", "lab.analysis")
    meaning = "by which two equal programs may differ on this site by luck: no verdict within it"
    yield constant(
        "margin", margin_of(evidence.plan.site.traits) * 100, "percent", meaning, "lab.report.evidence.margin"
    )


def _sizes(evidence: Evidence, series: Series) -> Iterator[Claim]:
    """Those that ran, those that were published, and the factor between them where the site's profile has its own."""
    site, published, file = evidence.plan.site.name, series.published.sizes, source_of(evidence, "parameters", "sizes")
    yield constant("published.smallest.size", min(published), "size", "smallest message, as published", file)
    yield constant("published.largest.size", max(published), "size", "largest message, as published", file)
    sizes, own = series.sizes(site), "sizes" in series.profile(site).values
    file = source_of(evidence, "profile", site, "sizes") if own else file
    yield constant("scale", max(published) / max(sizes), "", f"largest size as published over that on {site}", file)
    yield constant("count.sizes", len(sizes), "", "message sizes", file)
    yield constant("smallest.size", min(sizes), "size", "smallest message", file)
    yield constant("largest.size", max(sizes), "size", "largest message", file)


def _megabytes(count: int) -> int:
    """Rounded up: what a record says of the machine's load changes its length by a few bytes."""
    return -(-count // MEGABYTE) * MEGABYTE
