"""Judging words that no rule could hold against the data: a text gives the claim, or says it in a known word."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from lab.report.check.comparing_words import ANY
from lab.report.check.objection import Objection
from lab.report.check.sentence import Clause, Sentence

_GRADED = (
    r"(?:fast|quick|slow|high|low|larg|small|bett|bigg|strong|weak|great|few|soon|earli|lat|long|short|cheap|cost|deep|"
    r"clos|wid|narrow|steep|flatt|near|heavi|light|full|hard|eas|tini|speedi|poor|rich|smooth|rough|tight|loos)(?:er|"
    r"est)"
)
_COMPARING = (
    rf"{_GRADED}|(?<!or )(?:more|less)(?! or)|most|least|best|worst|worse|ahead|behind|wins?|loses?|"
    r"(?:hardly|barely|scarcely|little|no) (?:any )?\w+ between|(?:half|twice) (?:as|the|of the) (?!round|sizes)"
)
_MOVING = (
    r"(?:grow|increas|climb|decreas|declin|shrink|sink|widen|narrow|accelerat|slow|improv|worsen|degrad|rais|lower)\w*|"
    r"ris(?:es?|ing)|rose|falls?|fell|drops?|dropped|flat|constant|steady|steadily|steeply|saturat\w+|levels? off|"
    r"stable"
)
_REACHING = (
    r"(?:uses?|using|fills?|reach\w*|exceed\w*|exhaust\w*) (?:\w+ ){0,3}(?:rates?|limits?|links?|wires?|capacity)|"
    r"(?:full|fully|entirely|completely|whole)"
)
_MATTERING = (
    r"effects?|affects?|influenc\w+|impact\w*|matters?|depends?|decisive|independent\w*|same|equal\w*|alike|"
    r"identical\w*"
    r"|similar\w*|(?<!says )(?<!say )nothing(?! (?:to do|about|of|taken|else))|negligible|adds? (?:nothing|little|"
    r"no)|costs? (?:more|less|nothing)"
)
JUDGING = re.compile(rf"\b(?:{_COMPARING}|{_MOVING}|{_REACHING}|{_MATTERING})\b", re.I)
_COUNTING = re.compile(
    r"\b(?:all|every|each|most|half (?:of )?(?:all |the )?sizes|none|no|only|nearly all|almost all|majority|always|"
    r"never|nowhere|everywhere|"
    r"(?:one|two|three)[\s-](?:thirds?|quarters?|halves)(?: of)?)\b"
    r"(?=[^.;]{0,40}\b(?:sizes?|rounds?|times?|throughputs?|repetitions?|steps?)\b)|"
    r"\b(?:nearly all|almost all|most|half|none|(?<!at )all) (?:(?:is|are|was|were|of (?:it|them)) )",
    re.I,
)
# What was measured; a judgement of anything else is the author's own.
_MEASURED = re.compile(
    r"(?i:\b(?:throughputs?|rates?|bandwidths?|speeds?|times?(?! as)|latenc\w+|round[\s-]trips?|curves?|unsettled|"
    r"messages? per second|instructions?|agreed?|shares?|gains?|slopes?|intercepts?|knees?|ratios?|gaps?|waiting|"
    r"spread|"
    r"sizes? (?:where|at which)|rounds?|sends?|receives?|depths?|queues?|iterations|warm-?up|lists?|inline|idle)\b)|"
    r"\b(?:READ|WRITE|SEND)s?\b"
)
# Where instructions were counted, who says how they are spread gives the claim.
_COUNTED = re.compile(
    r"\b(?:most|all|none|nothing|little|half|hardly|no|more|less|fewer|same (?:number|amount|share)|much|nearly|"
    r"almost|only|never|always)\b"
    r"[^.;]*\b(?:instructions?|kernel|user space|busy|waits?|waiting|executed)\b|"
    r"\b(?:instructions?|busy|waits?|waiting|spends?|spent|executes?)\b[^.;]*"
    r"\b(?:most|all|none|nothing|little|half|hardly|more|less|fewer|same (?:number|amount|share)|much|nearly|almost)\b",
    re.I,
)
_METHOD = re.compile(
    r"\b(?:measur|repeat|"
    r"over the repetitions|why\b|only if|nobody can|taken off|as a part of|effect of both|heading|panel|"
    r"column|caption|verdict|acknowledg|follow|rests? on|"
    r"best values?|times (?:its|the)|(?:client|server|sender|receiver|end) (?:\w+ )?(?:sends?|waits?|answers?)|"
    r"sent\b|test|tried|try\b|tim(?:ed|ing)\b|plot|show|(?:we|was|were|is|are) used?\b|used\b|"
    r"ran\b|run\b|runs\b|start|vari|"
    r"vary|"
    r"count|comput|chos|choose|choice|fair|would|need(?:ed|s)? to|figure|table|axes|axis|margin|interval|median|mean|"
    r"because|"
    r"reason|explain|explanation|conclu|report|expect|surpris|model|emulat|copies|copied|packet|system calls?|kernel|"
    r"checksum|"
    r"divid|question|look|defin|formula|confiden|hypothes|interesting|discuss|section|published|read"
    r"(?:er|s)?\b|write a|question|work|stud|experiment|future|fit(?:s|ted)?\b)",
    re.I,
)
SENTENCE = 2  # words: less is a heading or a table's cell


def judgements_are_read(sentence: Sentence, read: Collection[int]) -> Iterator[Objection]:
    """One objection for each clause that judges what was measured, where no rule read the judgement (`read`: where)."""
    for part in sentence.parts:
        if part.uses or not part.is_stated or any(part.start <= each < part.end for each in read):
            continue
        if sentence.words[part.end : part.end + 1] == ":" and any(each.at > part.end for each in sentence.uses):
            continue  # `it falls a little: to x`
        if found := _judging(part):
            groups = tuple(dict.fromkeys(each.group for each in part.mentions or sentence.mentions))
            word = found[0].split()[0]
            what = f"{word!r} judges, and no rule can hold it against the data: give the claim that says so"
            yield Objection(what, part.start + found.start(), groups)


def _judging(part: Clause) -> re.Match[str] | None:
    """The word that judges a program or what was measured of it; how one measured, and why, is judged by nobody."""
    if any(name.startswith("causes.") for name in part.sentence.ledger) and (found := _COUNTED.search(part.words)):
        return found
    if _METHOD.search(part.words) or not (part.mentions or _MEASURED.search(part.words)):
        return None
    if len(re.findall(r"\b[a-z]{3,}", part.words)) < SENTENCE:
        return None
    return JUDGING.search(part.words) or _COUNTING.search(part.words) or ANY.search(part.words)
