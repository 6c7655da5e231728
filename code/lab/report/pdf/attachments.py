"""The attachments of the PDF: the data, the records' digests, the evidence that texts use, and the typed texts."""

from __future__ import annotations

import hashlib
import json

from lab.records.facts import Facts
from lab.records.row import format_table
from lab.records.table import columns
from lab.report.evidence.evidence import Evidence
from lab.typed_json import JsonTable, JsonValue


def attachments(evidence: Evidence, texts: dict[str, bytes]) -> dict[str, bytes]:
    """Every file by its name; the texts are those that a person wrote."""
    return evidence.once(_made) | texts


def _made(evidence: Evidence) -> dict[str, bytes]:
    name = evidence.plan.experiment.name
    made = {
        f"{name}.csv": format_table(columns(evidence.plan, evidence.rows), evidence.rows),
        "manifest.json": _json(_manifest(evidence)),
        "identity.json": _json({"site": evidence.plan.site.name, **evidence.plan.site.identity}),
    }
    return {key: text.encode() for key, text in made.items()}


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
