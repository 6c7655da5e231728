"""The parameters that a published report names; what it does not say, nobody knows."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from lab.places import PUBLISHED
from lab.report.evidence.published_files import entries


@dataclass(frozen=True)
class PublishedParameters:
    """The report and its values, by the names that the experiment's file has for them."""

    label: str = ""
    values: dict[str, int] = field(default_factory=dict)


def published_parameters(experiment: str, folder: Path = PUBLISHED) -> PublishedParameters:
    """Those of the report that an experiment repeats; empty where it repeats none."""
    for entry in entries("parameters", experiment, folder):
        return PublishedParameters(entry["label"], entry["values"])
    return PublishedParameters()
