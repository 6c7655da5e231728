"""The command `lab doctor`: what each site needs, what this computer has, and the command that installs the rest."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import asdict
from itertools import groupby
from pathlib import Path

from lab.doctor import Diagnosis, exact, host, slurm, ssh, vm
from lab.sites import EVERYWHERE


def doctor(options: Namespace) -> int:
    """Print what each site needs, what is there, and what is missing."""
    findings = list(examine(options.hosts))
    print(as_json(findings) if options.json else format_findings(findings))
    return int(any(each.remedy for each in findings if each.site == EVERYWHERE))


def examine(hosts: Path) -> Iterator[Diagnosis]:
    """Site by site, in the order in which things are needed."""
    yield from exact.examine()
    yield from vm.examine()
    yield from host.examine()
    yield from ssh.examine(hosts)
    yield from slurm.examine(hosts)


def format_findings(findings: list[Diagnosis]) -> str:
    """A line for each under the name of its site: `no` with a remedy, `--` if the site does without it."""
    width = max(len(each.what) for each in findings)
    lines = []
    for site, mine in groupby(findings, key=lambda each: each.site):
        lines += ["", site, *(_line(each, width) for each in mine)]
    return "\n".join(lines[1:])


def as_json(findings: list[Diagnosis]) -> str:
    """The same for programs."""
    return json.dumps([asdict(each) for each in findings], indent=1)


def _line(finding: Diagnosis, width: int) -> str:
    advice = f"; try: {finding.remedy}" if finding.remedy else ""
    mark = "no" if finding.remedy else "--" if finding.missing else "ok"
    return f"  {mark} {finding.what:<{width}}  {finding.found}{advice}"
