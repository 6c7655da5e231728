"""The site that a record says it is of: strangers' records are read by this too."""

from __future__ import annotations

from typing import Any

from lab.errors import LabError, RecordError
from lab.model.trial import PLAIN, End, Ends
from lab.plan.plan import SiteFacts
from lab.programs.launchers import starter
from lab.sites.traits import read_traits


def site_of(facts: dict[str, Any]) -> SiteFacts:
    """Name, ends, identity and traits; an error where one of them is not what the lab writes."""
    try:
        site = _text(facts["site"])
        identity = {_text(name): _text(value) for name, value in facts["identity"].items()}
        return SiteFacts(site, _ends(facts["ends"]), identity, read_traits(site, facts["traits"]))
    except (LabError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RecordError(f"it names no site: {error!r:.200}") from error


def _ends(values: dict[str, Any]) -> Ends:
    client, server = (
        End(**{name: _text(value) for name, value in values[end].items()}) for end in ("client", "server")
    )
    launcher = _text(values.get("launcher", PLAIN))
    starter(launcher)
    return Ends(client, server, _text(values["side_channel"]), launcher)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no text")
    return value
