"""The grammar of queries, such as `card / tcp.card at 64K`, and of statements, such as `card > tcp.card everywhere`."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isfinite

from lab.errors import LabError, SizeError
from lab.model.sizes import parse_size

LONGEST = 400  # characters
DEEPEST = 20  # parentheses
UNITS = {  # a typed quantity's factor to bytes and seconds, and its dimension: the powers of bytes and of seconds
    **{f"{prefix}B/s": (factor, (1, -1)) for prefix, factor in (("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9))},
    **{f"{prefix}bit/s": (factor / 8, (1, -1)) for prefix, factor in (("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9))},
    **{f"{prefix}iB/s": (factor, (1, -1)) for prefix, factor in (("K", 2.0**10), ("M", 2.0**20), ("G", 2.0**30))},
    **{"B/us": (1e6, (1, -1)), "messages/s": (1.0, (0, -1)), "B": (1.0, (1, 0)), "%": (0.01, (0, 0))},
    **{"ns": (1e-9, (0, 1)), "ms": (1e-3, (0, 1)), "s": (1.0, (0, 1))},
    **{f"{mu}s": (1e-6, (0, 1)) for mu in "uµμ"},
}
SHOWN_IN = {"percent": ("%",), "bit/s": ("bit", "/", "s")}  # the units that a query may end with, as tokens
_COUNTS = {"": 1.0, "thousand": 1e3, "million": 1e6, "billion": 1e9}
SIGNS = (">=", "<=", ">", "<", "=")
TRENDS = {"rises": ">", "falls": "<"}
_TYPED_INSTEAD = {  # what people type, and the form for it
    "a = b within 2 % at 64K": ("=", "≈", "~", "is", "equals", "about"),
    "a > b at 64K": ("faster", "greater", "higher", "larger", "more"),
    "a < b at 64K": ("slower", "smaller", "lower", "less", "fewer"),
    "a > b or a < b": ("!", "differs"),
    "10 % < a / b < 20 % at 64K": ("between",),
    "2 * a at 64K": ("x", "×", "times", "of"),
    "a rises up to 1K": ("climbs", "doubles", "grows", "increases"),
    "a falls from 1K": ("decreases", "drops", "shrinks"),
    "everywhere": ("all", "always", "any", "each", "every", "for"),
    "at 1K..4K": ("to", "up"),
    "at 1K, 2K, 4K": ("and",),
    "up to 4K": ("below", "under", "until"),
    "from 4K": ("above", "over"),
    "a = a at 64 within 1 % at 64..1K": ("constant", "flat", "same"),
    "sizes are bytes: 64, and 64K for 64 KiB": ("b", "byte", "bytes", "k", "kb", "m", "mb"),
    "only `in %` and `in bit/s`: a unit follows from the number": ("in",),
    "units are GB/s, Gbit/s, messages/s, ns, us, ms, B and %": (
        *("gb", "gbps", "mbps", "gbytes", "gbit", "nanoseconds", "microseconds", "milliseconds", "seconds", "percent"),
    ),
}
_INSTEAD = {word: form for form, words in _TYPED_INSTEAD.items() for word in words}
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_TOKEN = re.compile(
    rf"(?P<size>\d+(?:[KMG]| ?[KMG]iB(?!/))(?!\w|\.\w))|(?P<number>\d+(?:\.\d+)?(?:e[-+]?\d+)?)"
    rf"(?:\s*(?P<scale>thousand|million|billion)\b)?(?:\s*(?P<unit>{_UNIT})(?![\w/]))?"
    r"|(?P<name>[A-Za-z_]\w*(?:[.-]\w+)*)|(?P<point>\[[^\[\]]*\])(?P<tail>(?:\.[A-Za-z_]\w*)*)|(?P<sign>>=|<=|\.\.|[-><=+*/(),%])|(?P<space>\s+)",
    re.ASCII,
)


@dataclass
class QueryError(LabError):
    """A query or a statement cannot be answered; `column` counts from 0 in `query`."""

    query: str = ""
    column: int = 0

    def __str__(self) -> str:
        advice = f"\n  hint: {self.hint}" if self.hint else ""
        return f"{self.what}\n  {self.query}\n  {' ' * self.column}^{advice}"


@dataclass(frozen=True)
class Span:
    """The sizes that a query or a statement is about, ends included; None is the curve's own end."""

    low: int | None = None
    high: int | None = None
    listed: tuple[int, ...] = ()

    @property
    def size(self) -> int | None:
        return self.listed[0] if len(self.listed) == 1 else None

    def picks(self, sizes: tuple[int, ...]) -> tuple[int, ...]:
        if self.listed:
            return tuple(size for size in self.listed if size in sizes)
        return tuple(size for size in sizes if (self.low or 0) <= size <= (self.high or size))


@dataclass(frozen=True)
class Number:
    """A typed number, with its unit's dimension."""

    value: float
    dimension: tuple[int, int]
    column: int


@dataclass(frozen=True)
class Reference:
    """A series or a constant, its varied values, and its sizes if it names some."""

    path: str
    point: str
    span: Span | None
    column: int


@dataclass(frozen=True)
class Operation:
    """Two queries joined by + - * or /."""

    sign: str
    left: "Query"
    right: "Query"
    column: int


Query = Number | Reference | Operation


@dataclass(frozen=True)
class Relation:
    """Two or more queries, a sign between each two, and the relative tolerance of `=`."""

    sides: tuple[Query, ...]
    signs: tuple[str, ...]
    within: float | None


@dataclass(frozen=True)
class Shape:
    """A feature of a curve: `card saturated from 16K`, `card jumps at 2K`."""

    subject: Reference
    verb: str
    size: int


@dataclass(frozen=True)
class Trend:
    """A query that is larger, or smaller, at each size than at the one before: `card rises up to 1K`."""

    query: Query
    sign: str


@dataclass(frozen=True)
class NoEffect:
    """A varied parameter changes nothing: `tx_depth has no effect on depth from 64`."""

    parameter: str
    subject: Reference
    least: float | None
    column: int


@dataclass(frozen=True)
class Statement:
    """A checked sentence: its claim, and the sizes at which it is checked."""

    text: str
    claim: Relation | Shape | Trend | NoEffect
    span: Span | None
    is_across_links: bool


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    unit: str  # of a number; of varied values the measure behind them
    column: int
    scale: float = 1.0  # of a number: 1e6 for `4 million`


def parse_query(text: str) -> tuple[Query, bool, str]:
    """The query, whether it may compare two links, and the unit that it is shown in if it names one."""
    parser = _Parser(text)
    query = parser.sum()
    span, across = parser.span(), parser.takes("across", "links")
    unit = parser.unit()
    parser.end()
    return with_common_span(placed(query, span)), across, unit


def parse_statement(text: str) -> Statement:
    """The statement, or an error at the first character that does not belong to one."""
    parser = _Parser(text)
    claim = parser.no_effect() or parser.comparison_or_shape()
    span, across = parser.span(), parser.takes("across", "links")
    parser.end(">", "<", "=")
    return Statement(text, claim, span, across)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0
        if len(text) > LONGEST:
            raise QueryError(f"{len(text)} characters (at most {LONGEST})", query=f"{text[:40]} ...", column=0)
        self.tokens = list(self._tokens())

    def _tokens(self) -> list[_Token]:
        tokens, column = [], 0
        while column < len(self.text):
            match = _TOKEN.match(self.text, column)
            if match is None:
                letter, hint = self.text[column], _INSTEAD.get(self.text[column], "")
                if letter == ";":  # two statements
                    parts = filter(None, map(str.strip, self.text.replace("%", r"\%").split(";")))
                    hint = "".join(rf"\shows{{{part}}}" for part in parts)
                raise QueryError(f"unexpected character {letter!r}", hint=hint, query=self.text, column=column)
            kind = next(name for name in ("size", "number", "name", "point", "sign", "space") if match[name])
            if kind != "space":
                unit, scale = match["unit"] or match["tail"] or "", _COUNTS[match["scale"] or ""]
                tokens.append(_Token(kind, match[kind], unit, column, scale))
            column = match.end()
        return [*tokens, _Token("end", "", "", len(self.text))]

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    def read(self) -> _Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def fail(self, expected: str, hint: str = "") -> QueryError:
        text = repr(self.next.text) if self.next.text else "the end"
        hint = hint or _INSTEAD.get((self.next.unit or self.next.text).lower(), "")
        return QueryError(f"expected {expected}, not {text}", hint=hint, query=self.text, column=self.next.column)

    def takes(self, *words: str) -> bool:
        """Whether these words come next; they are read if so."""
        ahead = [token.text for token in self.tokens[self.at : self.at + len(words)]]
        if ahead != list(words):
            return False
        self.at += len(words)
        return True

    def end(self, *signs: str) -> None:
        if self.next.kind != "end":
            hint = rf"a statement: \shows{{{self.text}}}" if self.next.text in SIGNS and not signs else ""
            raise self.fail(f"the end, a size (`at 64K`), or one of {' '.join(('+ - * /', *signs))}", hint)

    def sum(self) -> Query:
        return self._joined(("+", "-"), self.product)

    def product(self) -> Query:
        return self._joined(("*", "/"), self.factor)

    def _joined(self, signs: tuple[str, str], operand: Callable[[], Query]) -> Query:
        query = operand()
        while self.next.text in signs:
            sign = self.read()
            query = Operation(sign.text, query, operand(), sign.column)
        return query

    def factor(self) -> Query:
        if self.takes("("):
            self.depth += 1
            if self.depth > DEEPEST:
                raise self.fail(f"at most {DEEPEST} parentheses")
            query = placed(self.sum(), self.span())
            if not self.takes(")"):
                raise self.fail(")")
            self.depth -= 1
            return query
        if self.next.kind in ("number", "size"):
            return self.number()
        if self.next.kind == "name":
            return self.reference()
        raise self.fail("a series, a number or (")

    def number(self) -> Number:
        token = self.read()
        if token.kind == "size":
            return Number(float(self._size(token)), (1, 0), token.column)
        factor, dimension = UNITS.get(token.unit, (1.0, (0, 0)))
        if not isfinite(value := float(token.text) * token.scale * factor):
            what = f"the number {token.text!r:.40} is too large"
            raise QueryError(what, hint="a number below 1e300", query=self.text, column=token.column)
        return Number(value, dimension, token.column)

    def reference(self) -> Reference:
        """A series with its point, and the sizes behind it if the query goes on: `card at 1M / link`."""
        if self.next.kind != "name":
            raise self.fail("a series")
        name = self.read()
        reference = Reference(name.text, "", None, name.column)
        if self.next.kind == "point":
            point = self.read()
            reference = replace(reference, path=name.text + point.unit, point=point.text[1:-1].strip())
        start, span = self.at, self.span()
        if span and self.next.text in ("+", "-", "*", "/"):
            return replace(reference, span=span)
        self.at = start
        return reference

    def span(self) -> Span | None:
        """`at 4K`, `at 1, 4K`, `at 1..1K`, `from 4K`, `up to 4K`, `everywhere`, or nothing."""
        if self.takes("everywhere"):
            return Span()
        if self.takes("from"):
            return Span(low=self.size())
        if self.takes("up", "to"):
            return Span(high=self.size())
        if not self.takes("at"):
            return None
        first = self.size()
        if self.takes(".."):
            return Span(first, self.size())
        listed = [first]
        while self.takes(","):
            listed.append(self.size())
        return Span(listed=tuple(listed))

    def unit(self) -> str:
        return next((unit for unit, words in SHOWN_IN.items() if self.takes("in", *words)), "")

    def size(self) -> int:
        is_size = self.next.kind == "size" or (self.next.text.isdecimal() and self.next.unit in ("", "B"))
        if not is_size or self.next.scale != 1:
            raise self.fail("a size such as 64 or 64K")
        return self._size(self.read())

    def _size(self, token: _Token) -> int:
        try:
            return parse_size(token.text.removesuffix("iB").replace(" ", ""))
        except SizeError as error:
            raise QueryError(error.what, hint=error.hint, query=self.text, column=token.column) from error

    def comparison_or_shape(self) -> Relation | Shape | Trend:
        side = self.sum()
        if self.next.text in TRENDS:
            return Trend(side, TRENDS[self.read().text])
        if self.next.text in ("saturated", "saturates", "jumps"):
            return self._shape(side)
        sides, signs = [placed(side, self.span())], []
        self.unit()  # that of a typed number stands beside it
        while self.next.text in SIGNS:
            signs.append(self.read().text)
            sides.append(self.sum())
            start, span = self.at, self.span()
            if span and self.next.text in (*SIGNS, "within"):
                sides[-1] = placed(sides[-1], span)
            else:
                self.at = start
        if not signs:
            forms = "a comparison (> < = >= <=), `rises`, `falls`, `saturated from` or `jumps at`"
            raise self.fail(forms, "card > tcp.card everywhere")
        return Relation(tuple(sides), tuple(signs), self._tolerance())

    def _tolerance(self) -> float | None:
        if not self.takes("within"):
            return None
        number = self.number() if self.next.kind == "number" else None
        if number is None or self.tokens[self.at - 1].unit != "%":
            raise self.fail("a tolerance such as `within 2 %`")
        return number.value

    def _shape(self, side: Query) -> Shape:
        verb, word = ("jumps", "at") if self.next.text == "jumps" else ("saturated", "from")
        if not isinstance(side, Reference):
            raise self.fail("one series before it")
        self.at += 1
        if not self.takes(word):
            raise self.fail(f"`{verb} {word} SIZE`")
        return Shape(side, verb, self.size())

    def no_effect(self) -> NoEffect | None:
        start = self.next
        if [token.text for token in self.tokens[self.at + 1 : self.at + 5]] != ["has", "no", "effect", "on"]:
            return None
        self.at += 5
        subject, least = self.reference(), None
        if self.takes("from"):
            if self.next.kind not in ("number", "size"):
                raise self.fail("a value of the parameter")
            least = self.number().value
        return NoEffect(start.text, subject, least, start.column)


def changed(query: Query, change: Callable[[Reference], Reference]) -> Query:
    if isinstance(query, Operation):
        return replace(query, left=changed(query.left, change), right=changed(query.right, change))
    return change(query) if isinstance(query, Reference) else query


def placed(query: Query, span: Span | None) -> Query:
    """The query with this span at every reference that has none."""
    return changed(query, lambda reference: reference if reference.span else replace(reference, span=span))


def with_common_span(query: Query) -> Query:
    """The query with its only size at every reference, so that `card at 1M / tcp` is of 1M throughout."""
    spans = {reference.span for reference in references(query) if reference.span}
    only = spans.pop() if len(spans) == 1 else None
    return placed(query, only) if only and only.size else query


def parts_of(query: Query) -> tuple[Query, ...]:
    """The query, and each query in it."""
    return (query, *parts_of(query.left), *parts_of(query.right)) if isinstance(query, Operation) else (query,)


def references(query: Query) -> tuple[Reference, ...]:
    return tuple(part for part in parts_of(query) if isinstance(part, Reference))
