"""Where a hand-in says that it was measured: a stranger's words, which the keys of its records must bear out."""

from __future__ import annotations

import json
from typing import Any

from lab.errors import RecordError
from lab.plan.plan import SiteFacts
from lab.records.site_of_record import site_of
from lab.submission.errors import SubmissionError


def handed_in_site(identity: bytes, facts: dict[str, Any]) -> SiteFacts:
    """The site by identity.json, with the ends and the traits that a record names."""
    try:
        named = json.loads(identity)
        return site_of({**facts, "site": named.pop("site"), "identity": named})
    except (RecordError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SubmissionError(f"identity.json and the records name no site: {error!r:.200}") from error
