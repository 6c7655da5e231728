"""When the records were measured, as far as that is the same for everybody who reads them."""

from __future__ import annotations

import re

from lab.report.evidence.evidence import Evidence

_BASE = re.compile(r"\bbase=(\d{4}-\d\d-\d\d)\b", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def measured_on(evidence: Evidence) -> str:
    """The days of a clock on the wall. Where a trial gives the same bytes on any day, the report must not name one: the
    date of the site's own clock stands in its place."""
    site = evidence.plan.site
    if site.traits.repeats:
        base = _BASE.search(site.identity.get("arguments", ""))
        return f"Its clock begins at {base[1]}; on any day the records are the same." if base else ""
    days = sorted({found[0] for each in evidence.facts.values() if (found := _DAY.match(each.moment.started))})
    if not days:
        return ""
    return f"Measured on {days[0]}." if len(days) == 1 else f"Measured from {days[0]} to {days[-1]}."
