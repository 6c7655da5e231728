"""A ledger in a file, so that a text is checked within a second of a change: claims take seconds to compute."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from lab.report.claim import Claim, Ledger
from lab.report.setting import Chosen
from lab.typed_json import as_json, parse_as


@dataclass(frozen=True)
class LedgerFile:
    """What the file holds; no rule asks for the records' keys."""

    setting: Chosen
    claims: tuple[Claim, ...]


def format_ledger(ledger: Ledger) -> str:
    """All claims and what was chosen, as JSON, a claim a line."""
    rows = (json.dumps(as_json(replace(each, keys=())), ensure_ascii=False) for each in ledger.values())
    lines = ",\n".join(rows)
    return f'{{"setting": {json.dumps(as_json(ledger.setting))},\n"claims": [\n{lines}\n]}}\n'


def parse_ledger(text: str) -> Ledger:
    """The ledger that format_ledger wrote."""
    found = parse_as(LedgerFile, json.loads(text))
    ledger = Ledger()
    ledger.add(found.claims)
    ledger.setting = found.setting
    return ledger
