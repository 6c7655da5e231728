"""The direction of a typed factor: the number that a sentence puts first, and whether it is called the larger one."""

import re
from collections.abc import Sequence

from lab.report.text.typed import TypedNumber

_WORD = re.compile(r"[a-z]+|\d+")
_END = re.compile(r"[,;:()]|\b(?:and|but|where|whereas|while|which)\b")  # of a clause
_OBJECT = re.compile(r"\b(?:as|of|than|that|to|versus|vs)\b")
_COMPARATIVE = (
    r"(?P<speed>(?:fast|quick)(?:er)?)|(?P<slow>slow(?:er)?)|(?P<long>long(?:er)?)|(?P<short>short(?:er)?)"
    r"|(?P<less>low(?:er)?|small(?:er)?|less|few(?:er)?|little|below)"
    r"|(?P<more>high(?:er)?|larg(?:er?)|great(?:er)?|big(?:ger)?|more|many|much|better|above)"
)
_WHOLE = r"(?P<time>(?:of )?the (?:time|latency))|(?P<whole>that|of|what|the|\w+'s)"
_BEHIND = re.compile(rf"[\s\\%}}$]*(?:times )?(?:as )?(?:{_COMPARATIVE}|{_WHOLE})\b")
_BEFORE = re.compile(
    rf"\b(?:(?P<verb>beat|outperform|exceed)\w*(?P<object>.*)\bby\b|(?:{_COMPARATIVE})\b(?P<than>.*)\bby\b"
    r"|(?P<rise>gain|grow|increas|r[io]se)\w*.*|(?P<fall>cost|decreas|drop|f[ae]ll|los[et]|reduc|shr[iau]nk)\w*.*)"
    r"(?: an?| about| almost| nearly| roughly)*\s*\Z"
)
_TO = re.compile(r"\b(?:from|between)\s[a-z\s.]*\d+\b.*?\b(?:to|and)\s[a-z\s.]*\b(\d+)\b", re.IGNORECASE)
_COMPARED = re.compile(r"(?i:\b(?:against|compared|over|than|unlike|versus|vs|while|whereas|with)\b)")
_VERB = re.compile(r"(?i:doubl|tripl|quadrupl|halv)")
_UP, _DOWN = ("speed", "long", "more", "time", "whole", "verb", "rise"), ("slow", "short", "less", "fall")
_SPEEDS, _TIMES = ("speed", "slow"), ("long", "short", "time")


def words_of(text: str) -> set[str]:
    """The words of a text or of a series' name, in small letters."""
    return set(_WORD.findall(text.lower()))


def means(text: str, names: Sequence[str]) -> list[str]:
    """Which of the names a text means: by a word that the others lack, or else by a word of all of them."""
    found = words_of(text)
    words = {name: words_of(name) for name in names}
    others = {name: set[str]().union(*(words[other] for other in names if other != name)) for name in names}
    special = [name for name in names if any(_is_named(word, found) for word in words[name] - others[name])]
    return special or [name for name in names if words[name] <= others[name] and words[name] & found]


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
        first = means(sentence[0], names)
    if len(first) != 1 and any(map(str.isdigit, "".join(names))):
        whole = " ".join(sentence)
        first = means(last[1] if (last := _TO.search(whole)) else whole, names)
    if len(first) != 1:
        return False
    sign = (-1 if kind in _DOWN else 1) * (-1 if kind in (_SPEEDS if is_time else _TIMES) else 1)
    share = typed.numbers[0][0] / (100 if typed.dimension == "percent" else 1)
    sign *= -1 if share < 1 and not typed.is_change else 1
    return sign * ((ratio if first[0] == names[0] else 1 / ratio) - 1) < 0


def _kind(match: re.Match[str]) -> str:
    return next(kind for kind in (*_UP, *_DOWN) if match.groupdict().get(kind))
