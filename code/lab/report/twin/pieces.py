"""The parts of a page, each kept by all that it is written of: of a changed sentence only the discussion is read anew.

The parser takes a millisecond for each few lines, and a report has a thousand.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lab.errors import StorageError
from lab.files.stamp import digest_files, is_current, keep_stamp
from lab.files.storage import write_text
from lab.places import ROOT
from lab.report.prose.uses import claims_used
from lab.report.stamp import digest_code
from lab.report.twin.blocks import Blocks
from lab.report.twin.reading import nodes_of
from lab.typed_json import as_json, parse_as

LIBRARIES = ROOT / "code" / "setup" / "requirements.txt"  # the parser's version, and what writes formulas
_TAKES_IN = re.compile(r"^\\input\{(\w+)\}$", re.MULTILINE)


@dataclass(frozen=True)
class WrittenPart:
    """What one part gives to the page, and what it leaves to the next: the numbers of headings, and a count of tips."""

    html: str
    headings: tuple[tuple[str, str], ...]
    who: tuple[str, ...]
    counts: tuple[int, ...]
    tips: int


def parts_of(body: str, texts: Mapping[str, str]) -> Iterator[str]:
    """The body and the texts that it takes in, in their order: each is a whole number of blocks."""
    for place, part in enumerate(_TAKES_IN.split(body)):
        yield texts.get(f"{part}.tex", "") if place % 2 else part


def write_pieces(parts: Iterable[str], blocks: Blocks, kept: Path | None) -> Iterator[str]:
    """The HTML of each part; a folder keeps them."""
    code = _code() if kept else ""
    for place, part in enumerate(parts):
        yield _piece(part, blocks, kept and kept / f"{place}.json", code)


def _piece(part: str, blocks: Blocks, kept: Path | None, code: str) -> str:
    """The HTML of a part, which is read again from its file, if there is one and nothing has changed."""
    stamp = _stamp(part, blocks, code) if kept else ""
    if kept and is_current(kept, stamp):
        piece = parse_as(WrittenPart, json.loads(kept.read_text()))
    else:
        piece = _written(part, blocks)
        if kept:
            _keep(piece, kept, stamp)
    blocks.headings += piece.headings
    blocks.who += piece.who
    blocks.counts[:] = piece.counts
    blocks.inline.tips.written += piece.tips
    return piece.html


def _written(part: str, blocks: Blocks) -> WrittenPart:
    own = blocks.beside()
    html = own.write(nodes_of(part))
    tips = own.inline.tips.written - blocks.inline.tips.written
    return WrittenPart(html, tuple(own.headings), tuple(own.who), tuple(own.counts), tips)


def _keep(piece: WrittenPart, kept: Path, stamp: str) -> None:
    """For the next page, where one may write."""
    with suppress(StorageError):
        write_text(kept, json.dumps(as_json(piece)))
        keep_stamp(kept, stamp)


def _stamp(part: str, blocks: Blocks, code: str) -> str:
    """Of the part, of the numbers that it goes on from and names, of its claims and figures, and of the code."""
    tips, svgs = blocks.inline.tips, blocks.svgs
    claims = [repr(tips.ledger.get(name)) for name, _ in claims_used(part)]
    start = (tips.written if claims else 0, blocks.counts, blocks.inline.places, tips.sets)
    pictures = [svg for name, svg in svgs.items() if f"figures/{name}.pdf" in part]
    content = [part.encode(), *map(str.encode, claims), repr(start).encode(), *pictures, code.encode()]
    return hashlib.sha256(b"".join(b"%d %s" % (len(each), each) for each in content)).hexdigest()


def _code() -> str:
    return f"{digest_code()} {digest_files([LIBRARIES])} {sys.version}"
