"""A parameter's effect: what is said of it is what its sweep shows, and one not varied has none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.analysis.verdict import Verdict
from lab.report.check.lexicon import LITTLE
from lab.report.check.objection import Objection
from lab.report.check.parameters import NAMES, PARAMETERS, gains, parameters_in, sweeps
from lab.report.check.sentence import Clause, Sentence
from lab.report.check.sizes import sizes_meant
from lab.report.check.sweeps import sets_against
from lab.report.check.topics import is_of_processors
from lab.report.check.variants import inline_group
from lab.report.claim import Claim

_RECEIVE = re.compile(r"\b(?:receive|rx)[\s_-]*(?:queue|depth)|\bdepth of the receive", re.I)
_UP = (
    r"improv\w+|increas\w+|rais\w+|lifts?|tripl\w+|doubl\w+|speeds?(?: up)?|sped up|helps?|helped|boost\w*|"
    r"faster|so do(?:es)?|"
    r"quicker|higher|better|pa(?:y|ys|id) off|worth (?:the|it|while)|worthwhile|"
    r"gains? (?:most|much|from)|profits?|benefits?|accelerat\w+|\w+fold|"
    r"(?:gives?|gave|brings?) (?:\S+ ){0,4}(?:push|boost|kick|lift)|"
    r"brings? (?:a |any |no )?(?:gain|benefit)s?|over(?:estimat|stat)\w+|flatter\w*|too high"
)
_DOWN = (
    r"reduc\w+|lower\w*|slow(?:s|ed)?|hurts?|harm\w*|costs? throughput|slower|worse(?:ns?)?|suffers?|degrad\w+|"
    r"decreas\w+|under(?:estimat|stat)\w+|too low"
)
_NONE = (
    r"insensitive|unaffected|independent|irrelevant|negligible|indifferent|immaterial|regardless|"
    r"changes? nothing|makes? no|does nothing|"
    r"(?:couldn't|could not|does not|do not) (?:care|mind)|the same (?:throughput|result)|unchanged|unnecessary|"
    r"superfluous|pointless|useless|futile|(?:a )?waste of (?:effort|time)|not worth|"
    r"(?:stays?|remains?|is) the same|(?:nearly|almost|about|"
    r"practically) the same"
)
_ANY = (
    r"effects?|affect\w*|influenc\w+|impact\w*|matter\w*|chang\w+ the|makes?|made|differences?|counts? (?:most|"
    r"more)|different results|lead to|"
    r"results in|sensitive|depends?|var(?:y|ies) (?:strong|consider|much|a lot|wide)\w*|"
    r"decisive|decid\w+|crucial|important|role|importance|essential|necessary|needed|"
    r"governs?|determines?|controls?|"
    r"(?:a|any|no) (?:\w+ )?say|best (?:\w+ ){0,3}(?:depth|value|result|throughput)"
)
_EFFECT = re.compile(rf"\b(?:(?P<none>{_NONE})|(?P<up>{_UP})|(?P<down>{_DOWN})|(?P<any>{_ANY}))\b", re.I)
_DENIED = re.compile(
    rf"\b(?:not|never|no|none|neither|nor|nowhere|cannot|{LITTLE})\b|n't\b",
    re.I,
)
_UNKNOWN = re.compile(
    r"\b(?:not|never|wasn't|weren't|neither|nor|no)\b[^.;,]*\bvaried\b|\bnothing about\b|"
    r"\bsubject of\b"
)
_DEPENDENT = re.compile(
    r"\b(?:sensitive|insensitive|depends?|independent|unaffected|benefits?|profits?|suffers?|regardless)\b"
)
_WHEN = re.compile(r"(?<!matter )\b(?:when|while|if|as long as|provided|where) .*\Z", re.I)
_LESS_OF_IT = re.compile(
    r"\bsignal\w* (?:of )?(?:every|each|all)\b|\bruns? of only\b|\bonly \d+ (?:messages|iterations)|"
    r"\b(?:without|no|less|fewer|short(?:er)?|few|small(?:er)?|shallow(?:er)?) (?:\w+ )?(?:warm|queue|runs|"
    r"iterations|lists|chain)",
    re.I,
)
_OF_ALL = re.compile(r"\b(?:parameters?|settings?|knobs?|tuning)\b", re.I)
_NEARLY = re.compile(r"\b(?:hardly|barely|little|scarcely|near|nearly|most|some|other)\b", re.I)
_OPPOSITE = {"up": "down", "down": "up"}
SMALL, NO_MORE = 1.05, 1.01  # a gain that may be called hardly any, and one that may be called none at all
_OR_NONE = re.compile(r"\bor (?:none|not|no \w+)(?: at all)?\b|\bno matter\b", re.I)
_NOT_WITHOUT = re.compile(r"\bnot without\b", re.I)
_NO_BEHIND = re.compile(r".{0,11}?\bno\b|[^.;,]*\b(?:at|with|for|in) no (?:size|case|message)", re.I)
_AT_ALL = re.compile(r"\b(?:at all|whatsoever|not the (?:slightest|least)|absolutely|completely|entirely)\b", re.I)


def parameters_matter(sentence: Sentence) -> Iterator[Objection]:
    """`The parameters do not matter` is false where one of them gains something."""
    for part in sentence.parts:
        effect = _EFFECT.search(part.words) if _OF_ALL.search(part.words) else None
        if effect is None or not part.is_stated or part.uses or parameters_in(part.words) or _NEARLY.search(part.words):
            continue
        series = [strand for name in PARAMETERS for strand in sweeps(name, part)[:1]]
        every = [each for strand in series for each in gains(strand, part).values()]
        if every and _said(part, effect) == "none" and (what := _against_gains("none", every, SMALL)):
            yield Objection(what, part.start + effect.start())


def effects_are_shown(sentence: Sentence) -> Iterator[Objection]:
    """A parameter that was not varied has no known effect; one that was, has the effect that its sweep shows."""
    for part in sentence.parts:
        effect = _effect(part.words)
        if not part.is_stated or effect is None or _UNKNOWN.search(part.words):
            continue
        if sets_against(part) or is_of_processors(part):
            continue
        for name, pattern in PARAMETERS.items():
            found = re.search(pattern, _WHEN.sub("", part.words), re.I)
            if found and not (name == "inline" and inline_group(part)) and not _is_swept_with_another(name, part):
                what = _unshown(name, part, effect, found)
                if what:
                    yield Objection(what, part.start + effect.start())
                    break


def _is_swept_with_another(name: str, part: Clause) -> bool:
    """Whether two parameters that one sweep varies are named: its gain is of both, and says of neither alone."""
    named = {each for other in parameters_in(part.words) if other != name for each in NAMES.get(other, (other,))}
    own = {*NAMES.get(name, (name,))}
    return any({*each.varied} & own and {*each.varied} & named for each in part.sentence.ledger.setting.strands)


def _effect(words: str) -> re.Match[str] | None:
    """The first word that says in which way, as `slower` in `made it slower`, else the first of all."""
    found = list(_EFFECT.finditer(words))
    return next((each for each in found if not each["any"]), next(iter(found), None))


def _unshown(name: str, part: Clause, effect: re.Match[str], found: re.Match[str]) -> str:
    series = sweeps(name, part)
    if not series or _RECEIVE.search(part.words):
        is_cause = found.start() < effect.start() or _DEPENDENT.match(effect[0])
        return f"{name} was not varied here, so that nothing shows its effect" if is_cause else ""
    names = {each.name for each in series}
    if part.uses or {each for use in part.sentence.uses if use.claim for each in use.claim.series} & names:
        return ""  # it says itself how much
    by_size = gains(series[0], part)
    meant = [by_size[each] for each in sizes_meant(part, by_size) or by_size]
    limit = NO_MORE if _AT_ALL.search(part.words) else SMALL
    return _against_gains(_said(part, effect), meant, limit) if by_size else ""


def _said(part: Clause, effect: re.Match[str]) -> str:
    """`up`, `down`, `any` or `none`; a denial turns any effect into none, and none into some."""
    kind = next(name for name, text in effect.groupdict().items() if text)
    near = _OR_NONE.sub(" ", _NOT_WITHOUT.sub(" ", part.words[: effect.start()])) + (
        "no" if _NO_BEHIND.match(part.words[effect.end() :]) else ""
    )
    if kind in _OPPOSITE and _LESS_OF_IT.search(part.words):
        kind = _OPPOSITE[kind]
    if len(_DENIED.findall(re.sub(r"\bneither\b(?=.*\bnor\b)", "", near, flags=re.I))) % 2 == 0:
        return kind
    return "any" if kind == "none" else "none"


def _against_gains(said: str, gains: list[Claim], limit: float) -> str:
    """No effect is none beyond the limit; and one is one where it is told apart from none."""
    grown = [each for each in gains if each.verdict is Verdict.MORE]
    first = (grown or gains)[0]
    shown = f"\\claim{{{first.name}}} is what its sweep shows"
    if said == "none":
        return shown if any(each.estimate.value > limit for each in grown) else ""
    if said == "any":
        return "" if grown else shown
    return "" if said == "up" and len(grown) == len(gains) else shown
