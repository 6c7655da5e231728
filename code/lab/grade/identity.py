"""Where a hand-in says that it was measured: a stranger's words, which the keys of its records must bear out."""

from __future__ import annotations

import json
from typing import Any

from lab.errors import RecordError
from lab.plan import SiteFacts
from lab.programs.launchers import starter
from lab.sites.traits import read_traits
from lab.submission.errors import SubmissionError
from lab.submission.package import require_text
from lab.trial import PLAIN, End, Ends

END_NAMES = ("client", "server")


def handed_in_site(identity: bytes, facts: dict[str, Any]) -> SiteFacts:
    """The site by identity.json, with the ends that a record names."""
    try:
        named = json.loads(identity)
        ends = facts["ends"]
        client, server = (End(**{name: require_text(value) for name, value in ends[end].items()}) for end in END_NAMES)
        launcher = require_text(ends.get("launcher", PLAIN))
        starter(launcher)
        texts = {require_text(name): require_text(value) for name, value in named.items()}
        site, side_channel = texts.pop("site"), require_text(ends["side_channel"])
        return SiteFacts(site, Ends(client, server, side_channel, launcher), texts, read_traits(site, facts["traits"]))
    except (RecordError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SubmissionError(f"identity.json and the records name no site: {error!r:.200}") from error
