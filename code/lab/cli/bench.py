"""Compare Verbyte's programs with reference tools, at the sizes of experiments/bench.toml and at sizes drawn anew."""

import json
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log2
from pathlib import Path
from random import Random

from lab.cli.measure import campaign_of, chosen_seed, run_remaining, say_failures, write_table
from lab.errors import plural
from lab.experiment.experiment import Series
from lab.files.storage import write_text
from lab.places import EXPERIMENTS, from_here
from lab.plan.plan import Plan, make_plan
from lab.records.compare import Result, compare, format_result
from lab.records.table import make_table
from lab.typed_json import JsonTable

DRAWN = 4  # sizes between the least and the largest of a series


def bench(options: Namespace) -> int:
    """Measure, print a table for each comparison, and write the results as JSON and as JUnit's XML if asked."""
    seed = chosen_seed(options)
    campaign = campaign_of([EXPERIMENTS / "bench.toml"], options)
    (plan,) = campaign.plans
    plans = (plan, drawn(plan, seed))
    summary = run_remaining(replace(campaign, plans=plans), options.results, options.jobs)
    named, more = (make_table(each, options.results) for each in plans)
    write_table(plan, options.results)
    sizes = {(row.series, row.size_bytes) for row in more}
    results = [
        compare(each, named + more, [size for series, size in sizes if series == each.ours])
        for each in plan.experiment.comparisons
    ]
    for result in results:
        print(format_result(result))
    if options.json:
        _write(options.json, json.dumps({"seed": seed, "comparisons": list(map(table, results))}, indent=1) + "\n")
    if options.junit:
        _write(options.junit, junit(results, seed))
    return max(say_failures(summary), int(not all(result.holds for result in results)))


def drawn(plan: Plan, seed: int) -> Plan:
    """Return the plan with other sizes, equal for series of one range. NetPIPE and what is compared with it are left
    out: NetPIPE chooses its sizes."""
    experiment = plan.experiment
    tools = {series.name: series.tool for series in experiment.series}
    free = {
        name
        for each in experiment.comparisons
        if not any(tools[name].same_counts for name in (each.ours, *each.peers))
        for name in (each.ours, *each.peers)
    }
    series = tuple(_with_sizes(each, plan.site.name, seed) for each in experiment.series if each.name in free)
    return make_plan(replace(experiment, series=series), plan.site, plan.digests)


def _with_sizes(series: Series, site: str, seed: int) -> Series:
    sizes = series.sizes(site)
    least, most = sizes[0], sizes[-1]
    random, chosen = Random(f"{seed} {least} {most}"), set[int]()
    while len(chosen) < DRAWN:
        chosen |= {round(2 ** random.uniform(log2(least), log2(most)))} - set(sizes)
    return replace(series, published=series.published.with_values({"sizes": sorted(chosen)}))


def table(result: Result) -> JsonTable:
    sizes: list[JsonTable] = [
        {
            "size_bytes": size,
            "ours": result.ours[size],
            "peers": {name: peer[size] for name, peer in result.peers.items() if size in peer},
            "ratio": ratio,
            "at_least": result.bound(size),
        }
        for size, ratio in result.ratios.items()
    ]
    return {
        "name": result.comparison.name,
        "unit": result.unit,
        "at_least": result.comparison.at_least,
        "geometric_mean": result.geometric_mean,
        "holds": result.holds,
        "sizes": list(sizes),
    }


def junit(results: Sequence[Result], seed: int) -> str:
    from lab.grade.outputs import JunitCase, junit_suite  # imported lazily: it imports what draws figures

    cases = (JunitCase(each.comparison.name, "" if each.holds else "failure", tuple(_misses(each))) for each in results)
    return junit_suite("lab bench", cases, [f"seed {seed}"])


def _misses(result: Result) -> Iterator[str]:
    """Yield a line that a person sees first, then the whole table."""
    if result.ratios:
        _, size = min((ratio / result.bound(size), size) for size, ratio in result.ratios.items())
        place = f"at {plural(size, 'byte')} (at least {result.bound(size):g})"
        yield f"the least ratio is {result.ratios[size]:.3f}, {place}"
    yield from format_result(result).splitlines()


def _write(file: Path, text: str) -> None:
    write_text(file, text)
    print(from_here(file))
