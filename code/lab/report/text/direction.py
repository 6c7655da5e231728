"""The direction of a comparison, with or without a typed factor: which of two a sentence puts first, and whether it
calls that the larger one."""

import re
from collections.abc import Sequence
from itertools import permutations

from lab.report.text.typed import TypedNumber

LABEL = "|"  # between the name of a series and further words for it
_WORD = re.compile(r"[a-z]+|\d+")
_END = re.compile(  # of a clause
    r"[,;:()]|\b(?:although|and|because|but|if|since|unless|when|where|whereas|while|which)\b"
)
_OBJECT = re.compile(r"\b(?:as|of|than|that|to|versus|vs)\b")
_SPEED = r"(?:bandwidth|goodput|performance|rate|speed|throughput)s?"
_TIME = r"(?:latency|latencies|times?)"
_MORE, _LESS = "(?:(?:bett|great|high|larg)er|more)", "(?:(?:low|small)er|less)"
_COMPARATIVE = (
    rf"(?P<speed>(?:fast|quick)(?:er)?|{_MORE} {_SPEED})|(?P<slow>slow(?:er)?|{_LESS} {_SPEED})"
    rf"|(?P<long>long(?:er)?|more expensive|{_MORE} {_TIME})|(?P<short>(?:short|cheap)(?:er)?|{_LESS} {_TIME})"
    r"|(?P<less>low(?:er)?|small(?:er)?|less|few(?:er)?|little|below)"
    r"|(?P<more>high(?:er)?|larg(?:er?)|great(?:er)?|big(?:ger)?|more|many|much|better|above)"
)
_WHOLE = r"(?P<time>(?:of )?the (?:time|latency))|(?P<whole>that|of|what|the|\w+'s)"
_BEHIND = re.compile(rf"[\s\\%}}$]*(?:times )?(?:as )?(?:{_COMPARATIVE}|{_WHOLE})\b")
_BEFORE = re.compile(
    rf"\b(?:(?:(?P<verb>beat|outperform)|(?P<over>exceed))\w*(?P<object>.*)\bby\b|(?:{_COMPARATIVE})\b(?P<than>.*)\bby\b"
    r"|(?P<rise>gain|grow|increas|r[io]se)\w*.*|(?P<fall>cost|decreas|drop|f[ae]ll|los[et]|reduc|save|saving|shr[iau]nk)\w*.*)"
    r"(?: an?| about| almost| nearly| roughly)*\s*\Z"
)
_TO = re.compile(r"\b(?:from|between)\s[a-z\s.]*\d+\b.*?\b(?:to|and)\s[a-z\s.]*\b(\d+)\b", re.IGNORECASE)
_COMPARED = re.compile(r"(?i:\b(?:against|compared|over|than|unlike|versus|vs|while|whereas|with)\b)")
_VERB = re.compile(r"(?i:doubl|tripl|quadrupl|halv)")
_UP, _DOWN = ("speed", "long", "more", "time", "whole", "verb", "over", "rise"), ("slow", "short", "less", "fall")
_SPEEDS, _TIMES = ("speed", "slow", "verb"), ("long", "short", "time")
# A comparison without a number, and words that make it something else than a statement about the data.
PLAIN = re.compile(
    r"(?<!times )(?<!fold )(?<!% )\b"
    rf"(?:(?:(?P<speed>(?:fast|quick)e(?:r|st)|{_MORE} {_SPEED})|(?P<slow>slowe(?:r|st)|{_LESS} {_SPEED})"
    rf"|(?P<long>longer|more expensive|{_MORE} {_TIME})|(?P<short>shorter|cheaper|{_LESS} {_TIME}))\b"
    r"(?: (?:one|operation|program|transport|way|choice)\b)?"
    r"(?: (?:(?:every)?where|here|(?:at|for|with) (?:all|any|each|every|\d)[\w ]*?))?"
    r"(?:(?P<than> than\b)|(?=\s*(?:\Z|[.,;:!])))|"
    r"(?P<verb>(?:beat|outpace|outperform|outrun|overtake|surpasse?)(?:s|ed|d)?(?! by))\b"
    rf"|(?P<equal>equally (?:fast|quick|slow)|(?:behave|perform)s? alike|the same (?:{_SPEED}|{_TIME}))\b)"
)
_PAUSE = re.compile(r"[,;:()]|\b(?:but|whereas|while)\b")
_FAR = 0.8  # of two series that are called equal
_UNREAL = re.compile(
    r"(?:\b(?:against|assume[sd]?|believ\w*|cannot|compared|could|expect\w*|hardly|hypothes\w*|instead|may|might|neither|never"
    r"|no|nor|not|rarely|relative|should|than|thought|unlike|versus|vs|whether|would)\b|n't\b)(?!.*[,;:()])"
)
_SUBJECT = re.compile(r"\b(?:is|are|was|were|lasts?|needs?|remains?|runs?|stays?|takes?)\b")
_PAIRS = "faster slower, fastest slowest, longer shorter, higher lower, larger smaller, more less"
_OPPOSITE = {high: low for pair in _PAIRS.split(", ") for high, low in permutations(pair.split())}
_OPPOSITE |= {"quicker": "slower", "better": "lower", "greater": "smaller"}
_OPPOSITE |= {"beat": "lose to", "beats": "loses to", "outperforms": "loses to", "outperformed": "lost to"}


def words_of(text: str) -> set[str]:
    """The words of a text or of a series' name, in small letters."""
    return set(_WORD.findall(text.lower()))


def means(text: str, names: Sequence[str]) -> list[str]:
    """Which of the names a text means: by a word that the others lack, or else by a word of all of them."""
    found = words_of(text)
    words = {name: words_of(name) for name in names}
    others = {name: set[str]().union(*(words[other] for other in names if other != name)) for name in names}
    special = [name for name in names if any(_is_named(word, found) for word in words[name] - others[name])]
    first = {name: words_of((name.partition("[")[2] or name).partition(LABEL)[0]) for name in names}
    return special or [name for name in names if first[name] <= others[name] and first[name] & found]


def _clear(found: list[str], names: Sequence[str]) -> list[str]:
    """The names found whose words are not all in another name: `card` may mean `card.inline`, too."""
    words = {name: words_of(name.partition(LABEL)[0]) for name in names}
    return [name for name in found if not any(words[name] < words[other] for other in names)]


def _is_named(word: str, found: set[str]) -> bool:
    """Whether a text has the word or a form of it: `inlining`, `reads`."""
    stem = word[:-1] if len(word) > 4 else word
    return word in found or (word.isalpha() and any(form.startswith(stem) for form in found))


def is_reversed(
    typed: TypedNumber, sentence: Sequence[str], names: Sequence[str], ratio: float, *, is_time: bool
) -> bool:
    """Whether a sentence (before, in and behind a factor) says the opposite of the ratio of the first to the second."""
    before, behind = _END.split(sentence[0])[-1], _END.split(sentence[2])[0]
    match, subject, other = _BEHIND.match(behind), before, ""
    if _VERB.match(sentence[1]):
        kind = "time" if match and match["time"] else "more"
    elif match and not (typed.is_change and match["whole"]):
        kind = _kind(match)
        parts = _OBJECT.split(behind[match.end() :], maxsplit=1)
        other = parts[-1] if len(parts) > 1 or match["whole"] else ""
    elif match := _BEFORE.search(before):
        kind = _kind(match)
        subject, other = before[: match.start()], match["object"] or match["than"] or ""
    else:
        return False
    than, first = means(other, names), means(subject, names)
    if len(than) == 1:
        first = [name for name in names if name != than[0]]
    if not first and not _COMPARED.search(sentence[0]):
        first = _clear(means(sentence[0], names), names)
    if len(first) != 1 and any(map(str.isdigit, "".join(names))):
        whole = " ".join(sentence)
        first = means(last[1] if (last := _TO.search(whole)) else whole, names)
    if len(first) != 1:
        return False
    share = typed.numbers[0][0] / (100 if typed.dimension == "percent" else 1)
    sign = -1 if share < 1 and not typed.is_change and typed.dimension in ("factor", "percent") else 1
    return sign * _sense(kind, ratio if first[0] == names[0] else 1 / ratio, is_time=is_time) < 0


def plain_sense(
    words: tuple[str, str], match: re.Match[str], names: Sequence[str], ratio: float, *, is_time: bool
) -> float:
    """Above 0 if a comparison without a number agrees with the ratio of the first to the second, below 0 if it does
    not, 0 if it is not clearly about the two; `words` are those before and behind it."""
    subject, behind = _END.split(words[0])[-1], _END.split(words[1])[0]
    if match["equal"]:
        both = _PAUSE.split(words[0])[-1] + _PAUSE.split(words[1])[0]
        is_far = len(means(both, names)) == len(names) and not _FAR < ratio < 1 / _FAR and not _UNREAL.search(both)
        return -1 if is_far else 0
    first, other = means(subject, names), means(behind, names)
    if not (match["than"] or match["verb"]):
        first, is_about = _clear(first, names), bool(_SUBJECT.search(subject))
    else:
        is_about = len(other) == 1 and other != first
    if len(first) != 1 or not is_about or _UNREAL.search(words[0]) or _UNREAL.search(behind):
        return 0
    return _sense(_kind(match), ratio if first[0] == names[0] else 1 / ratio, is_time=is_time)


def opposite_of(words: str) -> str:
    """The words of a comparison, turned round."""
    return re.sub(r"\w+", lambda word: _OPPOSITE.get(word[0], word[0]), words)


def _sense(kind: str, ratio: float, *, is_time: bool) -> float:
    sign = (-1 if kind in _DOWN else 1) * (-1 if kind in (_SPEEDS if is_time else _TIMES) else 1)
    return sign * (ratio - 1)


def _kind(match: re.Match[str]) -> str:
    return next(kind for kind in (*_UP, *_DOWN) if match.groupdict().get(kind))
