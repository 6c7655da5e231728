"""The table of parameters, and the other numbers of a report that nobody measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lab.analysis.estimate import LEVEL
from lab.analysis.knees import NEAR_STEP, STEP
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
# The unit of a bound, and the value that stands for none.
BOUNDS = {
    "iterations_at_most": ("", None),
    "iterations_at_least": ("", 1),
    "bytes_per_size_at_most": ("size", None),
    "warmup_at_most": ("", None),
    "warmup_depths_at_least": ("", 0),
}
Range = tuple[int, int]
MEGABYTE = 10**6


@dataclass(frozen=True)
class ParameterRow:
    """One parameter: published, and asked for and used by all series, each range of theirs once."""

    name: str
    published: Markup
    asked: Markup
    used: Markup
    source: str


def parameter_rows(evidence: Evidence) -> list[ParameterRow]:
    """Every parameter that reports quote, and the site's bounds on it."""
    return [*_parameters(evidence), *_bounds(evidence)]


def published_by(evidence: Evidence) -> str:
    """The report that the experiment repeats; nothing where it repeats none."""
    return published_parameters(evidence.plan.experiment.name).label


def profile_why(evidence: Evidence) -> str:
    """The reason that most series have for other values on this site."""
    site, series = evidence.plan.site.name, evidence.plan.experiment.series
    return Counter(each.profile(site).why for each in series).most_common(1)[0][0]


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
        "step": _exactly(STEP),
        "near_step": _exactly(NEAR_STEP),
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


def _parameters(evidence: Evidence) -> Iterator[ParameterRow]:
    site, theirs = evidence.plan.site.name, published_parameters(evidence.plan.experiment.name).values
    for name in (*COUNTED, *ROUNDS):
        if series := [each for each in evidence.plan.experiment.series if _concerns(each, site, name)]:
            published = Markup(number_tex(f"{theirs[name]:.12g}")) if name in theirs else NOT_SAID
            asked, used = [_asked(each, name) for each in series], [_used(each, site, name) for each in series]
            is_of_site = any(name in each.profile(site).values for each in series)
            path = ("profile", site, name) if is_of_site else ("parameters", name)
            source = _source(evidence, used, *path)
            yield ParameterRow(name, published, _ranges(asked), _ranges(used), source)


def _concerns(series: Series, site: str, name: str) -> bool:
    """Whether a series has a parameter that is not of all: the lab's engine has more of them, and rounds their own."""
    if name in ROUNDS:
        return bool(series.parameters(site, {}).until_stable) and series.tool.engine
    return name in OF_ALL or series.tool.engine


def _bounds(evidence: Evidence) -> Iterator[ParameterRow]:
    site = evidence.plan.site.name
    for name, (unit, no_bound) in BOUNDS.items():
        bounds = [getattr(series.profile(site), name) for series in evidence.plan.experiment.series]
        if any(bound != no_bound for bound in bounds):
            used = [(bound, bound) for bound in bounds if bound is not None]
            source = _source(evidence, bounds, "profile", site, name)
            yield ParameterRow(name, NONE, NONE, _ranges(used, unit), source)


def _asked(series: Series, name: str) -> Range:
    """What the file asks of a real link: the varied values, or the one of all points."""
    values = [point.get(name, getattr(series.published, name)) for point in series.points()]
    return min(values), max(values)


def _used(series: Series, site: str, name: str) -> Range:
    """The least and the most over the varied values, and of the counts that the profile bounds over the sizes."""
    if name in ("iterations", "warmup"):
        values = [getattr(counts, name) for point in series.points() for counts in series.counts(site, point)]
    else:
        values = [getattr(series.parameters(site, point), name) for point in series.points()]
    return min(values), max(values)


def _ranges(found: Iterable[Range], unit: str = "") -> Markup:
    """Those of all series, each once."""
    words = (" to ".join(_exactly(end, unit) for end in dict.fromkeys(ends)) for ends in dict.fromkeys(found))
    return Markup("; ".join(words))


def _source(evidence: Evidence, values: Sequence[object], *path: str) -> str:
    """The file and line of the TOML that sets a value of all series, and whether series set others; wherever the file
    lies, the report is the same."""
    source = included.source_of(evidence.plan.experiment.file, path)
    return f"{source}*" if len(set(values)) > 1 else source


def _exactly(value: float, unit: str = "") -> Markup:
    return Markup(show_exactly(value, unit).tex)


def _megabytes(count: int) -> int:
    """Rounded up, since the machine's load changes the length of a record by a few bytes."""
    return -(-count // MEGABYTE) * MEGABYTE
