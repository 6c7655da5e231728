"""Records of the real experiments without a machine: the fake site, whose costs differ by program and repetition."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from tests.lab import fake_site
from tests.toml import series_of

from lab.experiment.reader import load
from lab.model.trial import Job, Outcome
from lab.places import EXPERIMENTS, TEMPLATES
from lab.plan.plan import Plan, SiteFacts
from lab.records.record import write_record
from lab.report.context import make_context
from lab.report.evidence.environment import reference_evidence
from lab.report.evidence.evidence import Evidence, gather
from lab.report.exhibits.core import Exhibits
from lab.report.query.numbers import Numbers
from lab.report.sources import People, Sources
from lab.report.tex.render import render
from lab.run.measure import measure
from lab.run.run import missing

# ns per message and per byte: TCP has the cheaper calls, verbs bend where a message fills a packet.
COSTS = {
    "tcp-client": (2_000, 0.8),
    "iperf3": (9_000, 0.9),
    "verbs-client": (18_000, 3.8),
    "ib_write_bw": (21_000, 3.8),
    "orterun": (30_000, 0.7),
    "ib_write_lat": (20_000, 3.8),
    "ib_send_lat": (20_000, 3.8),
    "ib_read_lat": (20_000, 3.8),
    "qperf": (15_000, 0.9),
}
FRAME, HEADERS = 1024, 98


def experiment(parameters: str, *series: str) -> str:
    """The file of an experiment; a series is `name program operation measure`, and further lines of TOML."""
    head = f'title = "A fake link"\nquestion = "What does it show?"\n[parameters]\n{parameters}\n'
    return head + series_of(*series)


class UnsteadySite(fake_site.FakeSite):
    """Every repetition is a little slower or faster, by its own perturbed instant, and no link is overrun."""

    slowness = 1.0
    tells_processors = True

    def run(self, job: Job) -> Outcome:
        luck = self.slowness * (1 + (job.perturbation.start_delay_ns // 1000) % 13 / 1000)

        def cost(size: int) -> int:
            wire_ns = 0.0
            if job.link.rate_bit_s:
                wire_ns = (size + (size // FRAME + 1) * HEADERS) * 8e9 / job.link.rate_bit_s
            return round(max(self.cost(job, size), wire_ns) * luck)

        with mock.patch.object(fake_site, "cost", cost):
            return super().run(job)

    def cost(self, job: Job, size: int) -> float:
        """The ns of a message, whatever the link."""
        words = (word.rsplit("/", 1)[-1] for word in job.steps[0].client)
        message_ns, byte_ns = next(COSTS[word] for word in words if word in COSTS)
        return message_ns + byte_ns * size


def plan_of(name: str, folder: Path = EXPERIMENTS, facts: SiteFacts | None = None) -> Plan:
    """The plan of an experiment on the fake site, or on a site with these facts."""
    return fake_site.planned(folder / f"{name}.toml", facts, "d" * 64)


def copy_of(name: str, folder: Path) -> Path:
    """The file of an experiment in a folder where a test may change it and its texts."""
    for part in (f"{name}.toml", name, "shared"):
        source = EXPERIMENTS / part
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, folder / part)
    return folder / f"{name}.toml"


def printed(*command: str | Path) -> str:
    """What a command prints that must succeed."""
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def record(plan: Plan, results: Path, site: Any = None) -> None:
    """A record for every trial that has none, by default of the unsteady site."""
    for planned in missing([plan], results)[0]:
        write_record(results, measure(planned, site or UnsteadySite(), plan.site))


def judged(evidence: Evidence, keys: Iterable[str], *, notes: tuple[str, ...] = (), whole: bool = True) -> Evidence:
    """The evidence with other judgements of some records: notes warn, or they did not pass all checks."""
    facts = dict(evidence.facts)
    for key in keys:
        before = facts[key].assessment
        facts[key] = replace(facts[key], assessment=replace(before, notes=notes, checks=before.checks if whole else ()))
    return replace(evidence, facts=facts)


def evidence_of(name: str, results: Path, folder: Path = EXPERIMENTS, site: Any = None) -> Evidence:
    """All evidence of an experiment, measured on a fake site."""
    plan = plan_of(name, folder)
    record(plan, results, site)
    return gather(plan, results)


def evidence_of_text(text: str, folder: Path, name: str = "mine", site: Any = None) -> Evidence:
    """All evidence of an experiment of a test, whose file and records are in a folder."""
    (folder / f"{name}.toml").write_text(text)
    return evidence_of(name, folder / "results", folder, site)


def require_pages(printed: str) -> list[str]:
    """The pages of a report, at most eight, of which the appendix is the seventh at the latest."""
    pages = printed.rstrip("\f").split("\f")
    appendix = next(at for at, page in enumerate(pages) if re.search(r"^All sizes$", page, re.MULTILINE))
    assert appendix <= 6 and len(pages) <= 8
    return pages


@cache
def numbers_of(name: str) -> Numbers:
    """Numbers of results/reference, one object for each experiment."""
    return Numbers(reference_evidence(load(EXPERIMENTS / f"{name}.toml")))


def exhibits_of(name: str) -> Exhibits:
    """Exhibits of results/reference with an empty gallery."""
    return Exhibits(numbers_of(name), {})


def body_of(evidence: Evidence) -> str:
    """The filled template of an experiment, without a discussion."""
    context = make_context(Numbers(evidence), People(), {}, [])
    return render(TEMPLATES, Sources(evidence.plan.experiment.file, TEMPLATES).template, context).text


def build_elsewhere() -> None:
    """As a script: build a report in another process, and print the digests of its PDF and page."""
    import hashlib

    from lab.report.build import prepare
    from lab.report.html.page import page

    name, results, cache = sys.argv[1:]
    plan: Any = plan_of(name)
    made = prepare(Sources(plan.experiment.file, TEMPLATES), gather(plan, Path(results)), Path(cache))
    for content in (made.typeset(), page(made, TEMPLATES).encode()):
        print(hashlib.sha256(content).hexdigest())


if __name__ == "__main__":
    build_elsewhere()
