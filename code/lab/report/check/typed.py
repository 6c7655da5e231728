"""Typed numbers: each is a claim, a chosen value of the experiment, or part of a name; all others are refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from lab.report.check.comparing_words import ANY
from lab.report.check.factors import misjudged
from lab.report.check.numbers import Number, Sort
from lab.report.check.objection import Objection
from lab.report.check.parameters import parameters_in
from lab.report.check.sentence import Clause, Sentence, as_size
from lab.report.check.theirs import is_theirs, wrong_rows
from lab.report.setting import Chosen, Topic

# What stands before a number that names a thing and counts nothing.
_NAMING = re.compile(
    r"(?:\b(?:sections?|figures?|tables?|chapters?|equations?|appendix|pages?|steps?|layers?|parts?|items?|"
    r"versions?|v|rfc|ieee|"
    r"iso|posix|linux|kernel|debian|ubuntu|fedora|qemu|gcc|clang|python|mpi|ucx|libibverbs|rdma-core|perftest|"
    r"iperf|roce|infiniband|"
    r"pcie|gen|generation|exercise|task|report|version|revision|release|c|no\.|number|january|february|march|"
    r"april|may|june|july|"
    r"august|september|october|november|december|in|since|of)\s*[~(]?\s*)\Z",
    re.I,
)
_YEAR = re.compile(r"(?:19|20)\d\d\Z")
_VERSIONED = re.compile(
    r"\b(?:linux|kernel|qemu|gcc|clang|python|mpi|ucx|rdma-core|libibverbs|perftest|iperf3?|debian|version|v)\s*\Z",
    re.I,
)
_TOPICS = (
    (Topic.WARMUP, r"warm(?:ed|ing)?[\s-]?up"),
    (Topic.ITERATIONS, r"iterations?|\btimed\b|\brounds of\b|messages? (?:\w+ )*(?:for |per |in |at )?(?:each|every|a|"
        r"per) (?:size|repetition)"
     r"|messages? were sent|per size"),
    (Topic.DEPTH, r"\bdeep\b|depths?|queues?|outstanding|requests?"),
    (Topic.REPETITIONS, r"repetitions?|repeat|runs?\b|median|measurements?"),
    (Topic.SIZES, r"sizes?"),
    (Topic.COUNT, r"trials?|series|windows?|rounds?|lists?|chains?|requests?|divided|records?|warm|factor|row"),
    (Topic.SIZE, r"MTU|bytes?|sizes?|packets?|\bfrom\b|messages?"),
    (Topic.PERCENT, r"confiden|interval|level|margin|stable|var(?:y|ied|ies)|luck|share"),
)  # fmt: skip
_TOPIC_OF_NOUN = (
    (Topic.SIZES, r"sizes?|ratios"),
    (Topic.ITERATIONS, r"iterations?|messages?|sends?|operations?"),
    (Topic.REPETITIONS, r"repetitions?|runs?|measurements?|points?|samples?|times?"),
    (Topic.DEPTH, r"requests?|deep"),
    (Topic.WARMUP, r"messages?|iterations?|warm"),
    (Topic.COUNT, r"trials?|series|windows?|rounds?|rows?|records?|steps?|requests?"),
)
# A part or a multiple of a thing that nobody measured.
_HARMLESS_RATIO = re.compile(
    r"(?:doubl\w+|halv\w+)\b[^.;]{0,60}\bsizes?\b[^.;]{0,60}\b(?:doubl\w+|halv\w+)|"
    r"half (?:of )?(?:the |a |that )?(?:median |mean |whole |measured )?"
    r"(?:round|loop|trip|sizes|way|duplex|interval|width)|"
    r"double the (?:one|size)|"
    r"siz\w+ (?:\w+ ){0,6}doubl|doubl\w+ (?:of )?(?:the |each |in )?(?:message )?size|double[\s-]precision|"
    r"(?:twice|double) (?:the (?:one|size|previous)|as (?:large|long|big) as the (?:one|previous|last|size))|"
    r"doubl\w+ with (?:the |its |their )?(?:message )?size|doubl\w+,? (?:just )?(?:as|like) (?:does )?the sizes?|"
    r"mov\w+ it by more than a tenth|"
    r"(?:half|third|quarter) of (?:the|our|all) (?:sizes|points|messages|trials)|one (?:of the|that)",
    re.I,
)
_PERCENT_WORD = re.compile(r"confiden|interval|\blevel\b|margin|\bvar(?:y|ied|ies)\b|difference", re.I)
_RESULT = re.compile(
    r"\b(?:throughput|rate|bandwidth|speed|performance|latenc\w+|time|trips?|instructions?|cards?|link|wire|cable|"
    r"Ethernet|ratio|gap|gain|peak|correction|I?[Ss]ends?|I?[Rr]ecvs?|receives?|calls?|faster|slower|repeat\w*|"
    r"measur\w*|We|we|our|It|it|they|curve)\b"
)
_OF_HEADERS = re.compile(r"\s+(?:of (?:\w+ )?)?(?:headers?|framing|preamble)\b")
# A rule to stop by.
_UNTIL = re.compile(
    r"\b(?:until|as soon as|once|stop\w*|rule)\b[^.;]*\b(?:differ|var|agree|chang|mov|stable|spread|apart)", re.I
)
_MOVED = re.compile(r"\b(?:chang|differ|affect|matter|mov|influenc|gain)\w*", re.I)
_THAN = re.compile(r"\b(?:more than|beyond)\s+\Z", re.I)  # the margin: nobody's result
_REPEATED = re.compile(r"\A(?!.*(?:\bas\b|than|fast|slow)).*(?:repeat|measur|\bsent\b|\bran\b)", re.DOTALL)
_SMALL_WORDS = 12  # two transports, three reasons: a small cardinal in words that counts things
_OF_ROUNDS = re.compile(
    r"\brounds? (?:\w+ )?(?:agree|settle|lie)|\b(?:stop|stopping) rule\b", re.I
)  # the rule's own bound
_ACROSS = re.compile(r"\b(?:over|across|on|with|at) (?:an? |the )?\Z", re.I)  # what a program ran over
_MEASURED_NOUN = re.compile(
    r"\A(?:times|sizes|megabytes|percent|fold|faster|slower|higher|lower|to|or|and|of|MB|GB)\b", re.I
)
_OF_RATIO = re.compile(
    r"\b(?:ratios?|speed-?ups?|gains?|advantage|lead)\b[^.;:]*\b(?:from|between|to|of|about|nearly|almost|"
    r"around|roughly|is|"
    r"reaches|and)\s+\Z",
    re.I,
)
_INSTRUCTION = re.compile(r"\binstruction", re.I)


def numbers_are_carried(sentence: Sentence) -> Iterator[Objection]:
    """No number is typed that was measured; a chosen one is as the experiment chose it."""
    for number in sentence.numbers:
        part = sentence.part_at(number.start)
        if what := _wrong(number, part, sentence):
            yield Objection(what, number.start, tuple(each.group for each in part.mentions or sentence.mentions))


def _is_rest(number: Number, part: Clause) -> bool:
    """`at the other 18 sizes`, of a series that has more."""
    most = max((len(each.sizes) for each in part.sentence.ledger.setting.strands), default=0)
    words = part.sentence.words
    is_of_sizes = re.search(r"\b(?:other|remaining) \Z", words[: number.start]) and re.match(
        r"\S+ sizes\b", words[number.start :]
    )
    is_of_sizes = is_of_sizes or re.match(r"\S+ (?:other|remaining) sizes\b", words[number.start :])
    return bool(is_of_sizes) and number.values[0] < most


def _wrong(number: Number, part: Clause, sentence: Sentence) -> str:
    setting = sentence.ledger.setting
    if part.is_published and (rows := wrong_rows(number, part)):
        return rows
    of_headers = number.sort is Sort.SIZE and _OF_HEADERS.match(sentence.words[number.end :])
    if (
        part.is_published
        or _is_name(number, sentence.words)
        or is_theirs(number, part)
        or of_headers
        or _is_rest(number, part)
    ):
        return ""
    match number.sort:
        case Sort.SIZE:
            return _of_topic(number, Topic.SIZE, setting)
        case Sort.COUNT:
            return _count(number, sentence, setting)
        case Sort.PERCENT:
            return _percent(number, part, setting)
        case Sort.RATIO:
            return _ratio(number, part, setting)
        case Sort.RATE:
            return _rate(number, part, setting)
        case Sort.TIME:
            one = number.values == (1.0,) and _INSTRUCTION.search(part.words)
            return "" if one else _measured(number)
        case Sort.BARE:
            return _bare(number, sentence)


def _measured(number: Number) -> str:
    return f"{number.typed.strip()!r} is typed by hand, and {number.sort.value} is measured: use \\claim"


def _judged(number: Number, part: Clause) -> str:
    """In words it may be rounded, and is held against the data where they have it; else it is a claim's."""
    said = misjudged(number, part)
    if said is None and number.worded and not _is_of_results(part):
        return ""
    return _measured(number) if said is None else said


def _is_of_results(part: Clause) -> bool:
    """Whether a program, a quantity that is measured or a parameter is spoken of."""
    sentence = part.sentence
    spoken = part.mentions or sentence.before or sentence.uses or parameters_in(part.words)
    return bool(spoken or sentence.mentions or _RESULT.search(sentence.words) or ANY.search(part.words))


def _of_topic(number: Number, topic: Topic, setting: Chosen) -> str:
    known = setting.values(topic)
    if any(value in known for value in number.values):
        return ""
    said = ", ".join(f"{each:g}" for each in sorted(known)[-6:])
    beside = f": the experiment has {said}" if known else ""
    return f"{number.typed.strip()!r} is typed by hand and is no {topic.value} of this experiment{beside}"


def _count(number: Number, sentence: Sentence, setting: Chosen) -> str:
    near = sentence.words[max(number.start - 40, 0) : number.end + 40]
    if re.match(r"instructions?|data\s+points", number.noun) and not number.worded:
        return _measured(number)
    if number.worded and number.values[0] <= (3 if number.noun in ("sizes", "operations") else 1):
        return ""
    topics = [topic for topic, noun in _TOPIC_OF_NOUN if re.search(noun, number.noun)]
    topics += [topic for topic, words in _TOPICS[:5] if topic not in topics and re.search(words, near, re.I)]
    if any(number.values[0] in setting.values(topic) for topic in topics):
        return ""
    if re.match(r"sizes?\b", number.noun) and counted_sizes(number, sentence.words):
        return ""
    return _of_topic(number, topics[0], setting) if topics else _measured(number)


def counted_sizes(number: Number, words: str) -> bool:
    """`20 of 21 sizes`: a count that the rule of comparisons holds against the data."""
    return bool(re.match(r"\s*(?:of|out of)\s+(?:the\s+)?(?:\d+|[\ue000-\uf8ff])", words[number.end :])) and bool(
        re.search(r"sizes", words[number.end :])
    )


def _percent(number: Number, part: Clause, setting: Chosen) -> str:
    known = number.values[0] in setting.values(Topic.PERCENT)
    if known and (_UNTIL.search(part.words) or _OF_ROUNDS.search(part.words)):
        return ""
    if known and _PERCENT_WORD.search(part.words) and not re.search(r"\brepetitions? (?:lie|agree)", part.words):
        return ""
    if known and _MOVED.search(part.words) and _THAN.search(part.words[: number.start - part.start]):
        return ""
    return _judged(number, part)


def _ratio(number: Number, part: Clause, setting: Chosen) -> str:
    if re.match(r"half of (?:it|them)\b", part.sentence.words[number.start :], re.I) and re.search(
        r"\btrips?\b|\boff\b", part.sentence.words
    ):
        return ""
    before, behind = (90, 90) if re.match("doubl|halv", number.typed, re.I) else (45, 24)
    start = max(number.start - before, 0)
    near = part.sentence.words[start : number.end + behind]
    harmless = any(each.end() > number.start - start for each in _HARMLESS_RATIO.finditer(near))
    if harmless and not re.search(r"faster|slower", near, re.I):
        return ""
    repeated = re.match(r"times", number.noun) and number.values[0] in (
        *setting.values(Topic.REPETITIONS),
        *setting.values(Topic.ITERATIONS),
    )
    return "" if repeated and _REPEATED.search(part.words) else _judged(number, part)


def _rate(number: Number, part: Clause, setting: Chosen) -> str:
    bits = re.search(r"bit|bps", number.noun)
    if bits and any(value in setting.values(Topic.RATE) for value in number.values) and _is_of_link(number, part):
        return ""
    return _measured(number)


def _is_of_link(number: Number, part: Clause) -> bool:
    """Whether a rate describes the link, and not what a program reached on it."""
    before = part.words[: number.start - part.start]
    link = re.search(r"\b(?:link|Ethernet|cable|network|carries)\b", part.words, re.I) or _ACROSS.search(before)
    return bool(link) and not re.search(r"\b(?:reach|achiev|get|moves?|sends?|peak)\w*\s+(?:\w+\s+){0,2}\Z", before)


def _bare(number: Number, sentence: Sentence) -> str:
    words, setting, value = sentence.words, sentence.ledger.setting, number.values[0]
    behind = words[number.end :].lstrip(" -")
    if number.worded and (value <= 1 or re.match(r"of (?:the|them|these|us|our)\b", behind)):
        return ""
    if number.worded and re.search(r"\bfactor of\s+(?:\w+\s+)?\Z", words[: number.start]):
        return _judged(number, sentence.part_at(number.start))
    if (said := misjudged(number, sentence.part_at(number.start))) is not None:
        return said
    if number.worded and value <= _SMALL_WORDS and not _MEASURED_NOUN.match(behind):
        return ""
    if counted_sizes(number, words) or _of_range(number, sentence) or _is_index(number, words):
        return ""
    if other := _instead_of(number, sentence):
        return _count(replace(number, noun=other), sentence, setting)
    topics = [topic for topic, pattern in _TOPICS if re.search(pattern, words, re.I)]
    if _OF_RATIO.search(words[: number.start]):
        return _judged(number, sentence.part_at(number.start))
    if len(topics) > 1 and not re.search(r"bytes?\b|MTU|sizes?\b", words):
        topics = [each for each in topics if each is not Topic.SIZE]
    if any(value in setting.values(topic) for topic in topics):
        return ""
    return _measured(number)


def _of_range(number: Number, sentence: Sentence) -> bool:
    """`around 2 to 4 KiB`: the unit stands behind the other end."""
    known = sentence.ledger.setting.values(Topic.SIZE)
    return any(each in known for each in as_size(number, sentence.part_at(number.start)))


def _instead_of(number: Number, sentence: Sentence) -> str:
    """The noun of the number before: `1000 messages instead of 100`."""
    before = [each for each in sentence.numbers if each.end < number.start and each.sort is Sort.COUNT]
    between = sentence.words[before[-1].end : number.start] if before else ""
    return before[-1].noun if re.fullmatch(r"\s*,?\s*(?:instead of|rather than|in place of|not)\s+", between) else ""


def _is_index(number: Number, words: str) -> bool:
    """A number of a formula such as n/2 or 2^n, or one of a list of sizes in dots."""
    before, behind = words[: number.start].rstrip(), words[number.end :].lstrip()
    formula = re.search(r"(?:\b[a-z]\s?[-+*/=^]|\^)\s*\Z", before) or re.match(r"[-+*/]\s?[a-z]\b|\^", behind)
    return bool(formula) and "=" not in before[-3:]


def _is_name(number: Number, words: str) -> bool:
    before = words[: number.start]
    if number.sort is not Sort.BARE:
        return False
    if _YEAR.match(number.typed) and re.search(
        r"\b(?:in|since|of|from|early|late)\s*\Z|[(,]\s*\Z|[A-Z]\w+\s*\Z", before
    ):
        return True
    naming = _NAMING.search(before)
    return bool(naming) and naming is not None and naming[0].strip().lower() not in ("in", "since", "of")
