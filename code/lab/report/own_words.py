"""The lab's own words in a report: its templates are held against the claims as a student's text is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lab.report.check.rules import claim_is_known
from lab.report.check.text import refused, rule_name
from lab.report.claims.ledger import make_ledger
from lab.report.errors import ClaimsRefused, RefusedSentence
from lab.report.evidence.evidence import Evidence

_LAYOUT = re.compile(
    r"\\(?:BLOCK|JC)\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\\setlength\\\w+\{[^{}]*\}|\\label\{[^\n]*\}|\\labhead\{[^{}]*\}\{[^\n&]*\}|"
    r"\\begin\{(?:tabular|longtable)\}.*?\\end\{(?:tabular|longtable)\}",
    re.DOTALL,
)


@dataclass(frozen=True)
class Template:
    """A template's text. What is refused of it stays the same as long as the evidence does, and is kept with that."""

    name: str
    text: str

    def __call__(self, evidence: Evidence) -> tuple[RefusedSentence, ...]:
        """What the evidence does not carry; the rendered text shows whether its claims exist."""
        found = refused(prose_of(self.text), f"templates/{self.name}", make_ledger(evidence))
        return tuple(each for each in found if each.rule != rule_name(claim_is_known))


def check(folder: Path, names: Iterable[str], evidence: Evidence) -> None:
    """An error with all that is refused of these templates."""
    templates = [Template(name, (folder / name).read_text()) for name in names]
    if wrong := tuple(each for template in templates for each in evidence.once(template)):
        raise ClaimsRefused("a template claims what the data do not support:", refusals=wrong)


def prose_of(template: str) -> str:
    """A template's own words, with blanks in place of tags, values and layout, so that every line stays."""
    return _LAYOUT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), template)
