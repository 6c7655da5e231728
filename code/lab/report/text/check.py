"""The check of a discussion: every fault with its line."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from lab.errors import LabError, SpecError
from lab.files.bounded import read_typed
from lab.model.sizes import format_size
from lab.report.errors import FaultKind, ReportError, TextFault
from lab.report.evidence.environment import SHOWN_LETTERS
from lab.report.query.judge import cut, judge
from lab.report.query.numbers import Numbers
from lab.report.query.value import StatementResult, Truth
from lab.report.text.backing import EVERYWHERE, NEAR, POSITION, Backing, Surroundings, claim_of, placed
from lab.report.text.direction import ELSE, MOVES, PLAIN, SIZE, Compared, opposite_of, plain_sense, sizes_in, words_of
from lab.report.text.latex import blank, fault, lost_targets, swallowed, unclosed, unsafe
from lab.report.text.macros import NAMES, Sentence, Use, macros_of, malformed, sentences
from lab.report.text.references import lost_sources, references_refused

_COMPARES = re.compile(
    r"(?<!\bno )(?<!\bone )(?<!\bone byte )\b"
    r"(?:faster|slower|higher|lower|larger|smaller|greater|longer|shorter|better|worse|more|less|fewer|than|best|worst"
    r"|fastest|slowest|highest|lowest|largest|smallest|twice|(?:doubl|halv)(?:es?|ed|ing)|exceed(?:s|ed)?"
    r"|outperform(?:s|ed)?|dominate[sd]?|peak(?:s|ed)?|saturate[sd]?|increase[sd]?|decrease[sd]?|gr[eo]ws?|dropp?(?:s|ed)?"
    r"|rises?|rose|falls?|fell|jump(?:s|ed)?|equal(?:s|led|ly)?|same as|times (?:as|the|higher|lower))\b",
    re.IGNORECASE,
)


def unsupported(text: str) -> Iterator[Sentence]:
    r"""Sentences that compare without a macro of evidence: notes for a person, not errors."""
    for sentence in sentences(text):
        if not sentence.evidence and _COMPARES.search(NAMES.sub(" ", sentence.text)):
            yield sentence


TEXT, REFERENCES = "discussion.tex", "references.bib"


@dataclass(frozen=True)
class Writing:
    """A student's discussion and references."""

    file: str
    text: str
    references_file: str = REFERENCES
    references: str = ""


def read_writing(folder: Path) -> Writing:
    """Read the texts beside an experiment, once, so that the checked text is printed."""
    texts = []
    for file in (folder / TEXT, folder / REFERENCES):
        try:
            texts.append(read_typed(file) if file.exists() else "")
        except SpecError as error:
            raise ReportError(error.what, hint=error.hint, file=file.name, line=error.line) from error
    return Writing(f"{folder.name}/{TEXT}", texts[0], f"{folder.name}/{REFERENCES}", texts[1])


@dataclass(frozen=True)
class Checked:
    """The result of a check; faults stop a report, notes do not."""

    writing: Writing
    backings: tuple[Backing, ...]
    faults: tuple[TextFault, ...]
    sentences: tuple[Sentence, ...] = field(repr=False)

    @property
    def notes(self) -> tuple[Sentence, ...]:
        """The sentences that compare without evidence."""
        return tuple(unsupported(self.writing.text))


def check(writing: Writing, numbers: Numbers, targets: Collection[str] | None = None) -> Checked:
    """All faults of a text, in its order; without targets, its figures and tables are not looked up."""
    faults = [*unsafe(writing.text, writing.file), *swallowed(writing.text, writing.file)]
    faults += unclosed(writing.text, writing.file)
    faults += malformed(writing.text, writing.file)
    judged = list(_backings(writing, numbers))
    backings = [backing for backing, _ in judged]
    faults += [refusal for _, refusal in judged if refusal]
    around = Surroundings(writing.text, numbers, backings)
    faults += around.measured_numbers_typed(writing.file)
    for sentence in around.sentences:
        if answered := [part for part in around.beside(sentence) if part.value or part.judged]:
            for contradictions in (_turned, _elsewhere, _swapped):
                faults += contradictions(around, writing.file, sentence, answered)
    faults += [] if targets is None else lost_targets(writing.text, writing.file, targets)
    faults += lost_sources(writing.text, writing.file, writing.references)
    faults = sorted(dict.fromkeys(faults), key=lambda fault: (fault.line, fault.column))
    faults += references_refused(writing.references, writing.references_file) if writing.references else []
    return Checked(writing, tuple(backings), tuple(faults), tuple(around.sentences))


def _backings(writing: Writing, numbers: Numbers) -> Iterator[tuple[Backing, TextFault | None]]:
    count = 0
    for use in macros_of(writing.text):
        try:
            if use.kind == "claim":
                value = numbers.ask(use.body)
                yield Backing(use, value=value), _unsound(writing, use, value.unchecked)
            elif use.kind == "shows":
                count += 1
                judged = judge(numbers, use.body)
                unchecked = [key for point in judged.points for key in point.value.unchecked]
                holds = judged.truth is Truth.TRUE
                refusal = _unsound(writing, use, unchecked) if holds else _refused(writing, use, judged, numbers)
                yield Backing(use, judged=judged, number=f"S{count}"), refusal
            else:
                yield Backing(use), None
        except LabError as error:
            kind = FaultKind.CLAIM if use.kind == "claim" else FaultKind.STATEMENT
            at = min(use.body_start + getattr(error, "column", 0), use.end - 1)
            yield Backing(use), fault(writing.text, writing.file, at, kind, error.what, error.hint)


def _unsound(writing: Writing, use: Use, keys: Sequence[str]) -> TextFault | None:
    """The fault of evidence from records that did not pass every check."""
    if not keys:
        return None
    key = keys[0][:SHOWN_LETTERS]
    what = f"it rests on record {key}, which did not pass every check"
    return fault(writing.text, writing.file, use.body_start, FaultKind.CLAIM, what, f"lab show {key}")


def _refused(writing: Writing, use: Use, judged: StatementResult, numbers: Numbers) -> TextFault:
    nearest = judged.nearest.replace("%", r"\%")
    hint = rf"\shows{{{nearest}}}" if nearest else ""
    if not hint and judged.truth is Truth.UNDECIDED:
        hint = claim_of(numbers, judged)
    what = f"{judged.text!r} {'is false' if judged.truth is Truth.FALSE else 'cannot be decided'}: {judged.shows}"
    return fault(writing.text, writing.file, use.body_start, FaultKind.STATEMENT, what, hint)


# Sentences that contradict their own evidence: a comparison the wrong way round, a claim that is given to another
# series, a size at which the evidence is false.
_EVIDENCE = re.compile(r"\\(?:claim|shows|given)(?:\[\d+\])?\{[^{}]*\}")
_PLACE = re.compile(rf"(?i:\b(?:at|for|from)[ ~](?:messages of )?)(?:{SIZE.pattern})")
_MOVES = re.compile(rf"\b((?:[A-Z][\w-]*|[Tt]he card)(?:'s \w+)?) {MOVES}(?: \w+){{0,2}} \Z")
_OPENING = re.compile(r"\A\s*(?:At|For|On|Over|With)\b[^,;:]*,")
_JOIN = re.compile(r"[,;:]|\b(?:and|but|whereas|while|yet)\b")
_ONLY = re.compile(r"(?<!not )\b[Oo]nly (?:above|at|beyond|for|from|over|up to|when|with)\b(?! (?:all|most)\b)")


def _turned(around: Surroundings, file: str, sentence: Sentence, beside: Sequence[Backing]) -> Iterator[TextFault]:
    """Comparisons without a number that say the opposite of all evidence about them."""
    typed = around.text[sentence.start : sentence.end]
    text = blank(typed, NAMES)
    found = list(PLAIN.finditer(text))
    shown = [part.judged for part in (chain(beside, around.pairs(beside)) if found else ()) if part.judged]
    true = [judged for judged in shown if judged.truth is Truth.TRUE]
    compared = [(judged, pair) for judged in true if (pair := around.compared_terms(judged))]
    readings = [(match, [(_sense(pair, text, match), judged) for judged, pair in compared]) for match in found]
    says_more = any(part.value for part in beside) or bool(ELSE.search(text))
    for match, senses in readings:
        is_unclear = says_more or not all(sense for sense, _ in senses)
        if any(sense > 0 for sense, _ in senses) or (is_unclear and (match.lastgroup or "").endswith("_to")):
            continue
        if against := next((judged for sense, judged in senses if sense < 0), None):
            what = f"{match[0]!r} is the opposite of its evidence {against.text!r}"
            turned = match[0].removeprefix(match["no"]) if match["no"] else opposite_of(match[0])
            hint = typed[: match.start()] + turned + typed[match.end() :]
            hint = claim_of(around.numbers, against) or "lab query" if hint == typed else hint
            yield fault(around.text, file, sentence.start + match.start(), FaultKind.STATEMENT, what, hint)


def _sense(pair: Compared, text: str, match: re.Match[str]) -> float:
    """The sense of a comparison, by the ratio that agrees most with it."""
    near = text[max(0, match.start() - NEAR) : match.start()], text[match.end() : match.end() + NEAR]
    words = pair.words(near[0]), pair.words(near[1])
    return max(plain_sense(words, match, pair, ratio) for ratio in pair.ratios)


def _swapped(around: Surroundings, file: str, sentence: Sentence, beside: Sequence[Backing]) -> Iterator[TextFault]:
    """Claims that the sentence gives to another series: "TCP moves" before a claim of the card."""
    series = around.numbers.series
    known = words_of(" ".join(series))
    for use, names in ((part.use, part.value.series) for part in beside if part.value and part.value.series):
        match = _MOVES.search(around.text, max(sentence.start, use.start - NEAR), use.start)
        named = known & words_of(match[1]) if match else set[str]()
        if not match or not named or named & words_of(" ".join(map(around.labelled, names))):
            continue
        others = [run for name, run in series.items() if named <= words_of(name)]
        claimed = {(series[name].program, series[name].operation, series[name].has_card) for name in names}
        if others and not claimed & {(run.program, run.operation, run.has_card) for run in others}:
            link = series[names[0]].link
            other = min(others, key=lambda run: (run.link != link, len(run.name))).name
            what = f"{match[1]!r} is not a series of the claim {use.body!r}"
            hint = rf"\claim{{{use.body.replace(names[0], other)}}}"
            yield fault(around.text, file, use.start, FaultKind.CLAIM, what, hint)


def _elsewhere(around: Surroundings, file: str, sentence: Sentence, beside: Sequence[Backing]) -> Iterator[TextFault]:
    """The only size of a sentence, or all, if its evidence is false there; "only with" some, if it is true at all."""
    text = blank(around.text[sentence.start : sentence.end], _EVIDENCE)
    sizes, found = {size for part in beside for size in placed(part)}, sizes_in(text)
    only = None if _JOIN.search(_OPENING.sub("", text)) or {*found} == sizes else _ONLY.search(text)
    match = only or (_PLACE if found else EVERYWHERE).search(text)
    if not match or not sizes or (not only and (len(found) > 1 or {*found} & sizes)):
        return
    moved = [_moved(part.use.body, () if only else found) for part in beside]
    wrong, where = (Truth.TRUE, "elsewhere") if only else (Truth.FALSE, "there")
    crosses = only and len(found) == 1 and all(_crosses(only[0], found[0], part) for part in beside)
    if crosses or all(around.has_truth(part, query, wrong) for part, query in zip(beside, moved, strict=True)):
        part = beside[0]
        hint = (
            rf"\{part.use.kind}{{{moved[0]}}}"
            if moved[0] and (part.value or only)
            else rf"\size{{{format_size(min(sizes))}}}"
        )
        what = f"{match[0]!r} does not fit its evidence {part.use.body!r}, which is {wrong.value} {where}"
        yield fault(around.text, file, sentence.start + match.start(), FaultKind.STATEMENT, what, hint)


def _crosses(only: str, limit: int, part: Backing) -> bool:
    """Whether evidence for "only above" or "only up to" a size holds on both sides of it, or has its position below."""
    sizes = set(placed(part))
    if POSITION.fullmatch(part.use.body):
        return "up to" not in only and max(sizes) < limit
    return bool(part.judged) and min(sizes) < limit < max(sizes)


def _moved(query: str, sizes: Sequence[int]) -> str:
    """A query or a statement at another size, or at all."""
    if position := POSITION.fullmatch(query):
        return position[1] + format_size(sizes[0]) if sizes else ""
    head, placed_at = cut(query)
    unit, place = re.search(r" in \S+\Z", placed_at), f"at {format_size(sizes[0])}" if sizes else "everywhere"
    return f"{head} {place}{unit[0] if unit else ''}" if placed_at and " at " not in head else ""
