"""A claim in the page's text: its number leads to the ledger; hover and focus show where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from lab.report.claim import Claim, Ledger
from lab.report.evidence.record_sets import RecordSet, sets_of
from lab.report.tex.typeset import interval_plain, shown
from lab.report.twin.quantities import printed


@dataclass
class Tips:
    """All claims, and how many tips were written: each has a number."""

    ledger: Ledger
    sets: tuple[RecordSet, ...]
    written: int = 0

    def claim(self, name: str, digits: int | None) -> str:
        self.written += 1
        claim, place = self.ledger.find(name), f"tip{self.written}"
        mark = "<sup>\N{DAGGER}</sup>" if claim.unchecked else ""
        number = f"{escape(printed(shown(claim, digits)))}{mark}"
        link = f'<a href="#claim:{escape(name)}" aria-describedby="{place}">{number}</a>'
        return f'<span class="claim">{link}<span role="tooltip" id="{place}">{escape(self.words(claim))}</span></span>'

    def words(self, claim: Claim) -> str:
        """Name, value, interval, n and records."""
        interval = claim.estimate.interval
        parts = [f"{claim.name}: {printed(shown(claim))}"]
        parts += [f"{interval.level:.0%} interval {interval_plain(claim)}"] if interval else []
        parts += [f"n = {claim.estimate.n}"] if claim.estimate.n else []
        return "; ".join([*parts, self._source(claim)])

    def _source(self, claim: Claim) -> str:
        if claim.source:
            return f"set in {claim.source}"
        names = sets_of(claim.keys, self.sets).split(", ")
        return "records " + ", ".join(self._records(each) for each in self.sets if each.name in names)

    def _records(self, each: RecordSet) -> str:
        return f"{each.name} ({each.series}, {len(each.keys)}, the first {each.first_key})"
