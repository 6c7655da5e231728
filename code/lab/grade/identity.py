"""The site that a hand-in names: a stranger's words, to be confirmed by the keys of its records."""

from __future__ import annotations

import json

from lab.errors import RecordError
from lab.plan.plan import SiteFacts
from lab.records.site_of_record import read_site
from lab.submission.errors import SubmissionError
from lab.typed_json import JsonTable


def handed_in_site(identity: bytes, record: JsonTable) -> SiteFacts:
    """The site by identity.json, with the ends and the traits that a record names."""
    try:
        named = json.loads(identity)
        return read_site({**record, "site": named.pop("site"), "identity": named})
    except (RecordError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SubmissionError(f"identity.json and the records name no site: {error!r:.200}") from error
