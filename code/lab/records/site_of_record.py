"""The site that a record names. The record may be a stranger's."""

from __future__ import annotations

from dataclasses import dataclass

from lab.errors import LabError, RecordError
from lab.model.trial import Ends
from lab.plan.plan import SiteFacts
from lab.programs.launchers import starter
from lab.sites.traits import read_traits
from lab.typed_json import JsonTable, JsonValue, parse_as


@dataclass(frozen=True)
class NamedSite:
    """The part of the facts that describes the site."""

    site: str
    identity: dict[str, str]
    ends: Ends
    traits: JsonValue


SITE = tuple(NamedSite.__dataclass_fields__)


def read_site(document: JsonTable) -> SiteFacts:
    """Name, ends, identity and traits; an error where the lab would not write one of them so."""
    try:
        named = parse_as(NamedSite, document)
        starter(named.ends.launcher)
        return SiteFacts(named.site, named.ends, named.identity, read_traits(named.site, named.traits))
    except (LabError, ValueError) as error:
        raise RecordError(f"it names no site: {error!s:.200}") from error
