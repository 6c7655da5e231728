"""A ledger in a file, so that a text is checked within a second of a change: claims take seconds to compute."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from lab.analysis.estimate import Estimate, Interval
from lab.report.claim import Claim, ClaimKind, Ledger
from lab.report.setting import Constant, Setting, Strand, Topic
from lab.typed_json import JsonTable


def format_ledger(ledger: Ledger) -> str:
    """All claims and the setting, a claim a line."""
    setting = asdict(ledger.setting)
    setting["constants"] = [[each.topic.value, each.value, each.source] for each in ledger.setting.constants]
    claims = ",\n".join(json.dumps(_row(each), ensure_ascii=False) for each in ledger.values())
    return f'{{"setting": {json.dumps(setting)},\n"claims": [\n{claims}\n]}}\n'


def parse_ledger(text: str) -> Ledger:
    """The ledger that format_ledger wrote."""
    found = json.loads(text)
    ledger = Ledger()
    ledger.add(_claim(row) for row in found["claims"])
    about = found["setting"]
    strands = tuple(
        Strand(**{**each, "sizes": tuple(each["sizes"]), "varied": tuple(each["varied"])}) for each in about["strands"]
    )
    constants = tuple(Constant(Topic(topic), value, source) for topic, value, source in about["constants"])
    ledger.setting = Setting(strands, constants, tuple(about["versions"]), about["one_core"], about["modelled"])
    return ledger


def _row(claim: Claim) -> JsonTable:
    interval = claim.estimate.interval
    row = {
        "name": claim.name,
        "estimate": [claim.estimate.value, claim.estimate.n],
        "interval": [interval.low, interval.high, interval.level] if interval else None,
        "unit": claim.unit,
        "kind": claim.kind.value,
        "meaning": claim.meaning,
        "wanted_n": claim.wanted_n,
        "base": claim.base,
        "link": claim.link,
        "base_link": claim.base_link,
        "source": claim.source,
        "unchecked": list(claim.unchecked),
        "margin": claim.margin,
        "moved": list(claim.moved),
        "series": list(claim.series),
        "sizes": list(claim.sizes),
    }
    return {name: value for name, value in row.items() if value not in (None, "", [], 0.0) or name == "unit"}


def _claim(row: dict[str, Any]) -> Claim:
    (value, n), interval = row.pop("estimate"), row.pop("interval", None)
    estimate = Estimate(value, Interval(*interval) if interval else None, n)
    lists: dict[str, Any] = {
        name: tuple(row.pop(name)) for name in ("unchecked", "moved", "series", "sizes") if name in row
    }
    meaning = row.pop("meaning", "")
    return Claim(estimate=estimate, kind=ClaimKind(row.pop("kind")), meaning=meaning, **row, **lists)
