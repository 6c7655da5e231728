"""The table of parameters, and the other numbers of a report that nobody measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lab.analysis.estimate import LEVEL
from lab.analysis.overhead import LARGEST_SHARE
from lab.analysis.ratios import LEAST
from lab.files import included
from lab.model.parameters import ROUNDS
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.margin import margin_of
from lab.report.evidence.published_parameters import published_parameters
from lab.report.tex.escape import Markup
from lab.report.tex.units import number_tex, show_exactly
from lab.spec.experiment import Series

NOT_SAID, NONE = Markup("not said"), Markup("--")
COUNTED = ("iterations", "warmup", "tx_depth", "rx_depth", "repetitions", "windows")
OF_ALL = ("iterations", "warmup", "repetitions")  # the rest concern the lab's engine
NO_BOUNDS = (None, 1)  # one iteration at least
BOUNDS = {"iterations_at_most": "", "iterations_at_least": "", "bytes_per_size_at_most": "size", "warmup_at_most": ""}
MEGABYTE = 10**6


@dataclass(frozen=True)
class ParameterRow:
    """One parameter: published, asked for, and used."""

    name: str
    published: Markup
    asked: Markup
    used: Markup
    source: str


def parameter_rows(evidence: Evidence) -> list[ParameterRow]:
    """Every parameter that reports quote, and the site's bounds on it."""
    return [*_parameters(evidence, _first(evidence)), *_bounds(evidence, _first(evidence))]


def published_by(evidence: Evidence) -> str:
    """The report that the experiment repeats; nothing where it repeats none."""
    return published_parameters(evidence.plan.experiment.name).label


def constants(evidence: Evidence) -> dict[str, Markup]:
    """The numbers that were chosen or counted, by the names that templates know."""
    series, site = _first(evidence), evidence.plan.site
    published, sizes, rounds = series.published.sizes, series.sizes(site.name), series.parameters(site.name, {})
    clock_s = sum(facts.clock_ns for facts in evidence.facts.values()) / 1e9
    return {
        "level": _exactly(100 * LEVEL, "percent"),
        "margin": _exactly(100 * margin_of(site.traits), "percent"),
        "least_n": _exactly(LEAST),
        "share_limit": _exactly(100 * LARGEST_SHARE, "percent"),
        "trials": _exactly(len(evidence.facts)),
        "sizes": _exactly(len(sizes)),
        "smallest": _exactly(min(sizes), "size"),
        "largest": _exactly(max(sizes), "size"),
        "scale": _exactly(divided_by(published, sizes)),
        "published_smallest": _exactly(min(published), "size"),
        "published_largest": _exactly(max(published), "size"),
        "run_time": _exactly(round(clock_s), "s"),
        "disk": _exactly(_megabytes(evidence.bytes_on_disk), "B"),
        **({name: _exactly(getattr(rounds, name)) for name in ROUNDS} if rounds.until_stable else {}),
    }


def divided_by(published: tuple[int, ...], sizes: tuple[int, ...]) -> float:
    """The largest factor that makes each of the sizes a published one; without any, what the largest ones give."""
    factors = sorted({size / max(sizes) for size in published}, reverse=True)
    whole = (factor for factor in factors if {size * factor for size in sizes} <= {*published})
    return next(whole, max(published) / max(sizes))


def _first(evidence: Evidence) -> Series:
    return evidence.plan.experiment.series[0]


def _parameters(evidence: Evidence, series: Series) -> Iterator[ParameterRow]:
    site, theirs = evidence.plan.site.name, published_parameters(evidence.plan.experiment.name).values
    repeated = ROUNDS if series.parameters(site, {}).until_stable else ()
    for name in (*COUNTED, *repeated) if series.tool.engine else OF_ALL:
        published = Markup(number_tex(f"{theirs[name]:.12g}")) if name in theirs else NOT_SAID
        used = Markup(" to ".join(dict.fromkeys(map(_exactly, _range(series, site, name)))))
        is_of_site = name in series.profile(site).values
        source = _source(evidence, *(("profile", site, name) if is_of_site else ("parameters", name)))
        yield ParameterRow(name, published, _exactly(getattr(series.published, name)), used, source)


def _bounds(evidence: Evidence, series: Series) -> Iterator[ParameterRow]:
    site = evidence.plan.site.name
    for name, unit in BOUNDS.items():
        if (bound := getattr(series.profile(site), name)) not in NO_BOUNDS:
            yield ParameterRow(name, NONE, NONE, _exactly(bound, unit), _source(evidence, "profile", site, name))


def _range(series: Series, site: str, name: str) -> tuple[int, int]:
    """The least and the most over the sizes of the counts that the profile bounds."""
    if name not in ("iterations", "warmup"):
        used = getattr(series.parameters(site, {}), name)
        return used, used
    values = [getattr(counts, name) for counts in series.counts(site, {})]
    return min(values), max(values)


def _source(evidence: Evidence, *path: str) -> str:
    """The file and line of the TOML that sets a value; wherever the file lies, the report is the same."""
    return included.source_of(evidence.plan.experiment.file, path)


def _exactly(value: float, unit: str = "") -> Markup:
    return Markup(show_exactly(value, unit).tex)


def _megabytes(count: int) -> int:
    """Rounded up, since the machine's load changes the length of a record by a few bytes."""
    return -(-count // MEGABYTE) * MEGABYTE
