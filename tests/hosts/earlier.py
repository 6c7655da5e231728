"""What of a host was measured before, of the same machine: a row can be measured in parts, over days."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

from tests.hosts.measuring import Count
from tests.hosts.row import Row

from lab.places import CACHE

FOLDER = CACHE / "hosts" / "measured"
UNDATED = {"day": "earlier"}  # of a file that was written before counts had a day


def with_earlier(row: Row, folder: Path = FOLDER) -> Row:
    """The row, with the counts that are not in it as they were; kept for the next time. Another machine begins anew."""
    if not row.facts:
        return row
    file = folder / row.facts["identity"] / f"{row.host.name}.json"
    known = json.loads(file.read_text()) if file.exists() else {"counts": {}, "race": {}}
    counts = {part: Count(**UNDATED | each) for part, each in known["counts"].items()}
    race = {int(load): Count(**UNDATED | each) for load, each in known["race"].items()}
    whole = replace(row, counts=counts | dict(row.counts), race=dict(sorted((race | dict(row.race)).items())))
    file.parent.mkdir(parents=True, exist_ok=True)
    kept = {
        "counts": {part: asdict(each) for part, each in whole.counts.items()},
        "race": {load: asdict(each) for load, each in whole.race.items()},
    }
    file.write_text(json.dumps(kept))
    return whole
