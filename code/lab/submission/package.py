"""The hand-in's own page: the assignment, the ids, and a digest of every file, chained."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from lab.faults import OpeningFault
from lab.submission.archive import SubmissionError

FORMAT = 1
MOST_IDS, LONGEST = 50, 1000  # of one hand-in, and letters of each text
PAGE, RECORDS, PROGRAMS = "hand-in.json", "records.zip", "programs.zip"


@dataclass(frozen=True)
class Page:
    """The content of hand-in.json."""

    assignment: str
    ids: tuple[str, ...]
    draft: tuple[str, ...]  # the reasons why it is a draft; empty if it is none
    lab: str
    files: dict[str, str]  # name -> sha256
    chain: str
    format: int = FORMAT

    def text(self) -> str:
        return json.dumps(asdict(self), indent=1, sort_keys=True) + "\n"


def digests(files: Mapping[str, bytes]) -> dict[str, str]:
    """The sha256 of each file but the page itself."""
    return {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items()) if name != PAGE}


def chain(named: Mapping[str, str], about: str) -> str:
    """One digest over all. A link holds the link before, a name and its digest; the first holds `about`."""
    link = hashlib.sha256(about.encode()).hexdigest()
    for name, digest in sorted(named.items()):
        link = hashlib.sha256(f"{link} {name} {digest}".encode()).hexdigest()
    return link


def about(assignment: str, ids: tuple[str, ...], draft: tuple[str, ...]) -> str:
    """The beginning of the chain."""
    return json.dumps([FORMAT, assignment, ids, draft])


def make_page(
    assignment: str, ids: tuple[str, ...], draft: tuple[str, ...], lab: str, files: Mapping[str, bytes]
) -> Page:
    """The page of these files."""
    named = digests(files)
    return Page(assignment, ids, draft, lab, named, chain(named, about(assignment, ids, draft)))


def read_page(files: Mapping[str, bytes], where: str) -> Page:
    """A stranger's page, or an error."""
    if PAGE not in files:
        raise SubmissionError(f"holds no {PAGE}", where, "a file that make submit wrote", fault=OpeningFault.NO_DATA)
    try:
        given = json.loads(files[PAGE])
        ids, draft = (tuple(require_text(each) for each in given[name]) for name in ("ids", "draft"))
        assignment, lab, chained = (require_text(given[name]) for name in ("assignment", "lab", "chain"))
        named = {require_text(name): require_text(digest) for name, digest in given["files"].items()}
        if type(given["format"]) is not int or len(ids) > MOST_IDS:
            raise ValueError("format or ids")
        return Page(assignment, ids, draft, lab, named, chained, given["format"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SubmissionError(f"{PAGE} is not one that make submit wrote: {error!r}", where) from error


def require_text(value: object) -> str:
    """A stranger's value that must be a text."""
    if not isinstance(value, str) or len(value) > LONGEST:
        raise TypeError(f"{value!r:.40} is no text, or a long one")
    value.encode()  # half of a surrogate pair is no text either: it can be neither written nor digested
    return value
