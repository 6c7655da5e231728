"""The attachments of the PDF: the data, the claims, the records' digests and the typed texts."""

from __future__ import annotations

import hashlib
import json

from lab.files.csv_text import csv_text
from lab.records.facts import Facts
from lab.records.row import format_table
from lab.records.table import columns
from lab.report.claim import Claim, Ledger
from lab.report.claims.ledger import make_ledger
from lab.report.evidence.evidence import Evidence
from lab.report.tex.typeset import interval_plain, shown
from lab.typed_json import JsonTable, JsonValue

CLAIM_COLUMNS = (
    "name",
    "shown",
    "value",
    "unit",
    "low",
    "high",
    "level",
    "n",
    "base",
    "link",
    "meaning",
    "source",
    "records",
)


def attachments(evidence: Evidence, texts: dict[str, bytes]) -> dict[str, bytes]:
    """Every file by its name; the texts are those that a person wrote."""
    return evidence.once(_made) | texts


def _made(evidence: Evidence) -> dict[str, bytes]:
    name = evidence.plan.experiment.name
    made = {
        f"{name}.csv": format_table(columns(evidence.plan, evidence.rows), evidence.rows),
        "claims.csv": claims_csv(make_ledger(evidence)),
        "manifest.json": _json(_manifest(evidence)),
        "identity.json": _json({"site": evidence.plan.site.name, **evidence.plan.site.identity}),
    }
    return {key: text.encode() for key, text in made.items()}


def claims_csv(ledger: Ledger) -> str:
    """Every claim in its base unit, to the last digit."""
    return csv_text(CLAIM_COLUMNS, map(_row, ledger.values()))


def claim_lines(ledger: Ledger) -> list[str]:
    """Every claim on a line for people."""
    rows = [(claim.name, shown(claim).plain, interval_plain(claim), claim.meaning) for claim in ledger.values()]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return ["  ".join([*(text.ljust(width) for text, width in zip(row, widths, strict=False)), row[3]]) for row in rows]


def _row(claim: Claim) -> list[str | int | float]:
    interval = claim.estimate.interval
    ends = (repr(interval.low), repr(interval.high), interval.level) if interval else ("", "", "")
    about = (claim.base, claim.link, claim.meaning, claim.source, " ".join(claim.keys))
    return [
        claim.name,
        shown(claim).plain,
        repr(claim.estimate.value),
        claim.unit,
        *ends,
        claim.estimate.n or "",
        *about,
    ]


def _manifest(evidence: Evidence) -> list[JsonTable]:
    """A record by its key and by a digest of its facts and samples."""
    return [_about(key, facts) for key, facts in evidence.facts.items()]


def _about(key: str, facts: Facts) -> JsonTable:
    lasting = facts.lasting()
    digest = hashlib.sha256(json.dumps(lasting, sort_keys=True).encode()).hexdigest()
    names = ("program", "operation", "measure", "repetition", "checks", "notes", "programs")
    return {"key": key, "sha256": digest, "site_clock_ns": facts.clock_ns, **{name: lasting[name] for name in names}}


def _json(value: JsonValue) -> str:
    return json.dumps(value, indent=1, sort_keys=True) + "\n"
