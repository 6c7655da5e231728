"""The setting of a report's texts, from the experiment's file: series, sizes, parameters, link, versions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lab.analysis.estimate import LEVEL
from lab.analysis.overhead import LARGEST_SHARE
from lab.analysis.ratios import LEAST
from lab.files import included
from lab.report.claims.constants import divided_by
from lab.report.evidence.curve import subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.margin import margin_of
from lab.report.setting import Chosen, Constant, Strand, Topic
from lab.spec.experiment import Series

TOPICS = {
    "iterations": Topic.ITERATIONS,
    "warmup": Topic.WARMUP,
    "tx_depth": Topic.DEPTH,
    "rx_depth": Topic.DEPTH,
    "repetitions": Topic.REPETITIONS,
    "windows": Topic.COUNT,
    "post_list": Topic.COUNT,
    "signal_every": Topic.COUNT,
    "stable_window": Topic.COUNT,
    "rounds_cap": Topic.COUNT,
    "until_stable": Topic.PERCENT,
}
BOUNDS = {
    "iterations_at_most": Topic.ITERATIONS,
    "iterations_at_least": Topic.ITERATIONS,
    "warmup_at_most": Topic.WARMUP,
    "bytes_per_size_at_most": Topic.SIZE,
}
# A packet of RDMA over Ethernet holds a power of two of bytes (InfiniBand Architecture Specification, 5.2.3).
PATH_MTUS = (256, 512, 1024, 2048, 4096)
ETHERNET_MTU = 1500
_VERSION = re.compile(r"\d+(?:\.\d+)+")


def setting_of(evidence: Evidence) -> Chosen:
    """Everything that the plan chose."""
    plan = evidence.plan
    versions = _VERSION.findall(" ".join(map(str, plan.site.identity.values())))
    return Chosen(
        tuple(_strand(evidence, each) for each in sorted(plan.experiment.series, key=lambda each: not each.link.card)),
        tuple(dict.fromkeys(_constants(evidence))),
        tuple(dict.fromkeys(versions)),
        plan.site.traits.one_core,
        plan.site.traits.takes_models,
        any(each.has_card for each in plan.experiment.series),
    )


def _strand(evidence: Evidence, series: Series) -> Strand:
    curve = subject(evidence, series, dict(series.points()[0]))
    label = "" if curve.point else curve.words
    return Strand(
        series.name,
        series.program,
        curve.link,
        series.link.rate_bit_s,
        curve.sizes,
        tuple(series.vary),
        label,
        series.has_card,
    )


def _constants(evidence: Evidence) -> Iterator[Constant]:
    for series in evidence.plan.experiment.series:
        yield from _of_series(evidence, series)
    yield from _of_all(evidence)


def _of_series(evidence: Evidence, series: Series) -> Iterator[Constant]:
    site, file = evidence.plan.site.name, evidence.plan.experiment.file
    sizes = (*series.published.sizes, *series.sizes(site))
    yield from _each(Topic.SIZE, sizes, included.source_of(file, ("parameters", "sizes")))
    yield from _each(Topic.SIZES, (len(series.sizes(site)), len(series.published.sizes)), file.name)
    scale = divided_by(series.published.sizes, series.sizes(site))
    yield Constant(Topic.COUNT, scale, file.name)
    used, counts = series.parameters(site, {}), series.counts(site, {})
    for name, topic in TOPICS.items():
        where = included.source_of(file, ("parameters", name))
        values = [getattr(each, name, None) for each in (series.published, used, *counts)]
        yield from _each(topic, values, where)
    for name, topic in BOUNDS.items():
        yield from _each(topic, [getattr(series.profile(site), name, None)], file.name)
    for name, varied in series.vary.items():
        yield from _each(TOPICS.get(name, Topic.COUNT), varied, file.name)
    link = series.link
    yield from _each(Topic.SIZE, (link.mtu, *(each for each in PATH_MTUS if each <= link.mtu)), file.name)
    if link.rate_bit_s:
        yield Constant(Topic.RATE, link.rate_bit_s, included.source_of(file, ("link", "rate_bit_s")))


def _of_all(evidence: Evidence) -> Iterator[Constant]:
    plan = evidence.plan
    yield Constant(Topic.SIZE, ETHERNET_MTU, "Ethernet")
    yield Constant(Topic.COUNT, len(evidence.facts), "the plan")
    yield Constant(Topic.COUNT, len(plan.experiment.series), "the plan")
    yield Constant(Topic.REPETITIONS, LEAST, "lab.analysis.ratios")
    percents = (100 * LEVEL, 100 * LARGEST_SHARE, 100 * margin_of(plan.site.traits))
    yield from _each(Topic.PERCENT, percents, "lab.analysis")


def _each(topic: Topic, values: Iterable[object], source: str) -> Iterator[Constant]:
    for value in values:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            yield Constant(topic, round(float(value), 9), source)
