"""Two PDFs compared from their trailers on, value by value and reference by reference, each difference by its place.

References need not have the same numbers, but each must stand for one other, and always for the same.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from lab.grade.finding import Finding, Flaw
from lab.grade.pdf_objects import PdfObjects, PdfValue

_REFERENCE = re.compile(r"\d+ \d+ R", re.ASCII)
# Of the file's own order: where objects lie, and digests of that.
LAYOUT = frozenset({"/ID", "/Size", "/Length", "/W", "/Index", "/Filter", "/DecodeParms", "/Type", "/Prev", "/XRefStm"})
DEEPEST = 400
SHOWN = 80  # letters of a value
# The last of these keys on the way to a difference says what it is about.
KINDS = {
    "/Annots": Flaw.ANNOTATION,
    "/AA": Flaw.ACTION,
    "/A": Flaw.ACTION,
    "/OpenAction": Flaw.ACTION,
    "/URI": Flaw.HYPERLINK,
    "/Dests": Flaw.HYPERLINK,
    "/D": Flaw.HYPERLINK,
    "/Dest": Flaw.HYPERLINK,
    "/Outlines": Flaw.HYPERLINK,
    "/JS": Flaw.SCRIPT,
    "/JavaScript": Flaw.SCRIPT,
    "/EmbeddedFiles": Flaw.ATTACHMENT,
    "/AF": Flaw.ATTACHMENT,
    "/EF": Flaw.ATTACHMENT,
    "/UF": Flaw.FILE_NAME,
    "/F": Flaw.FILE_NAME,
    "/OCProperties": Flaw.LAYER,
    "/OC": Flaw.LAYER,
    "/Info": Flaw.METADATA,
    "/Metadata": Flaw.METADATA,
    "/XObject": Flaw.FIGURE,
}

Path = tuple[str, ...]  # the keys from the trailer to a value
Step = tuple[Path, PdfValue, PdfValue]


@dataclass
class BothGraphs:
    """A walk through both graphs at once."""

    given: PdfObjects
    made: PdfObjects
    pairs: dict[str, str] = field(default_factory=dict)
    back: dict[str, str] = field(default_factory=dict)

    def findings(self) -> Iterator[Finding]:
        """Every difference that can be reached, then what nothing refers to."""
        given, made = ({key: value for key, value in each.trailer.items() if key not in LAYOUT} for each in self.both)
        todo: deque[Step] = deque([((), given, made)])  # in breadth, so that the way to each value is the shortest
        while todo:
            path, one, other = todo.popleft()
            found = self._compare(path, one, other)
            if isinstance(found, Finding):
                yield found
            else:
                todo += found
        if lost := self._unreached():
            yield Finding(Flaw.STRUCTURE, f"{lost} objects lie in the PDF that nothing in it refers to")

    @property
    def both(self) -> tuple[PdfObjects, PdfObjects]:
        return self.given, self.made

    def _compare(self, path: Path, one: PdfValue, other: PdfValue) -> Finding | list[Step]:
        """The first difference of two values, or the pairs of values inside them."""
        if _is_reference(one) and _is_reference(other):
            return self._referred(path, one, other)
        if len(path) > DEEPEST:  # never equal unseen: references with the same numbers may stand for others
            return _finding(path, "deep nesting", "less")
        if isinstance(one, dict) and isinstance(other, dict):
            return _tables(path, one, other)
        if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            return [((*path, str(place)), *pair) for place, pair in enumerate(zip(one, other, strict=True))]
        return [] if one == other and type(one) is type(other) else _finding(path, _short(one), _short(other))

    def _referred(self, path: Path, one: str, other: str) -> Finding | list[Step]:
        if one in self.pairs or other in self.back:
            same = self.pairs.get(one) == other
            return [] if same else _finding(path, "one object", "another")
        self.pairs[one], self.back[other] = other, one
        values = (each.values.get(reference) for each, reference in zip(self.both, (one, other), strict=True))
        is_file = path[-2:-1] == ("/EF",)  # the bytes of attachments are other checks' business
        packed = (self.given.streams.get(one), self.made.streams.get(other))
        if packed[0] != packed[1] and not is_file:
            return _finding(path, *("its content" if each else "no content" for each in packed))
        inside = [_bare(each, is_file) for each in values]
        return [(path, *inside)]

    def _unreached(self) -> int:
        """The objects that no walk reached, as many as the data don't give; others are packed in some."""
        strangers = sum(key not in self.pairs for key in self.given.values)
        own = sum(key not in self.back for key in self.made.values)
        return max(0, strangers - own)


def _tables(path: Path, one: dict[str, PdfValue], other: dict[str, PdfValue]) -> Finding | list[Step]:
    for name in sorted(one.keys() ^ other.keys()):
        return _finding((*path, name), *(_short(each[name]) if name in each else "nothing" for each in (one, other)))
    return [((*path, name), one[name], other[name]) for name in sorted(one)]


def _finding(path: Path, given: str, made: str) -> Finding:
    kind = next((KINDS[name] for name in reversed(path) if name in KINDS), Flaw.STRUCTURE)
    if "JavaScript" in given or "/JS" in given:
        kind = Flaw.SCRIPT
    place = "".join(f"[{each}]" if each.isdecimal() else each for each in path[-8:])
    return Finding(kind, f"the PDF has {given} at {place or 'its root'}, the data give {made}")


def _bare(value: PdfValue, is_file: bool) -> PdfValue:  # noqa: FBT001 - which of the keys count
    """A table without what depends on how a stream is packed, or on an attachment's bytes."""
    apart = {"/Length", *(("/Params",) if is_file else ())}
    return {name: each for name, each in value.items() if name not in apart} if isinstance(value, dict) else value


def _is_reference(value: PdfValue) -> bool:
    return isinstance(value, str) and bool(_REFERENCE.fullmatch(value))


def _short(value: PdfValue) -> str:
    return f"{value!r:.{SHOWN}}"
