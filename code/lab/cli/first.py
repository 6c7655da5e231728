"""`lab try`: a first figure from a small experiment."""

import sys
from argparse import Namespace
from pathlib import Path

from rich.console import Console

from lab.cli.measure import campaign_of, run_remaining, say_failures, write_table
from lab.figures.figure import counts
from lab.figures.marks import plain
from lab.figures.stacks import bars
from lab.files.storage import write_bytes
from lab.places import CACHE, EXAMPLES, EXPERIMENTS, from_here
from lab.plan.plan import Plan
from lab.report.evidence.evidence import gather
from lab.report.evidence.labels import label
from lab.report.evidence.words import rdma_words, words_of
from lab.report.exhibits.core import Exhibits, Gallery, draw
from lab.report.exhibits.overview import Overview
from lab.report.query.numbers import Numbers
from lab.sites.site import open_site

FIRST, ON_A_REAL_LINK = EXAMPLES / "first_figure.toml", EXAMPLES / "first_figure_of_a_real_link.toml"
DISCUSSION = EXPERIMENTS / "verbs_throughput" / "discussion.tex"
FIGURE = "throughput"
WIDEST = 100  # columns
NEXT = """Next:
  make all                measures every experiment and writes its report
  edit the experiment     {first}
                          then make try: only what is new is measured
  write the discussion    {discussion}
                          then make report: it is in the PDF"""


def try_(options: Namespace) -> int:
    site = open_site(options.site, options.hosts)
    first = FIRST if site.traits.is_deterministic else ON_A_REAL_LINK
    campaign = campaign_of([first], options, site)
    summary = run_remaining(campaign, options.results, options.jobs)
    if summary.failed:
        return say_failures(summary)
    (plan,) = campaign.plans
    write_table(plan, options.results)
    _show(plan, options.results, options.out)
    return 0


def _show(plan: Plan, results: Path, folder: Path) -> None:
    """Draw the figure of the experiment's report as a PNG and as text."""
    print("drawing the figure", file=sys.stderr)
    gallery = Gallery()
    overview = Overview(Exhibits(Numbers(gather(plan, results)), gallery))
    overview.first()
    captioned, figure = gallery[FIGURE], draw(gallery, CACHE / "report" / "figures")[FIGURE]
    png = folder / plan.experiment.name / f"{FIGURE}.png"
    write_bytes(png, figure.png)
    names = "; ".join(f"{series.name}: {label(series)}" for series in plan.experiment.series)
    links = "; ".join(link for link, _ in overview.links)
    site = words_of(plan.site.name, plan.site.traits)
    console = Console(highlight=False, markup=False, emoji=False)
    console.width = min(console.width, WIDEST)
    console.print(plan.experiment.title, style="bold", end="\n\n")
    console.print(bars(captioned.data), end="\n")
    for text in (
        "",
        f"{captioned.caption} {names}. Link: {links}.",
        rdma_words(plan.site.ends.client.device, plan.experiment.cards),
        site.long,
        site.shared,
        plain(f"A bar is the median over the repetitions. In the PNG: {counts(captioned.data.curves)}."),
    ):
        console.print(text)
    console.print(str(from_here(png)), end="\n\n", soft_wrap=True)
    console.print(NEXT.format(first=from_here(plan.experiment.file), discussion=from_here(DISCUSSION)), soft_wrap=True)
