"""The direction of a comparison, with or without a typed factor: which of two a sentence puts first, and whether it
calls that the larger one, or which way a value goes with the size."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import exp, log

from lab.model.sizes import parse_size
from lab.report.text.macros import NAMES
from lab.report.text.typed import TypedNumber

LABEL = "|"  # between the name of a series and further words for it
SIZE = re.compile(
    r"(?<![\d.])(\d+)[ ~-]?(?:([KMG])i|(k))?(?:B|bytes?)\b(?!/)|\\size\{(\w+)\}|\b(?:one|an?|single)[ -]bytes?\b"
)
_WORD = re.compile(r"(?:non-)?[a-z]+|\d+")
_END = re.compile(  # of a clause
    r"[,;:()]|\b(?:although|and|because|but|if|since|unless|when|where|whereas|while|which)\b"
)
_OBJECT = re.compile(r"\b(?:as|of|than|that|to|versus|vs)\b")
_PER = r"(?: (?:an?|each|every|per) second)"
_RATE, _COUNTED = "(?:bandwidth|performance|(?:message )?rate|speed|throughput)s?", rf"(?:bytes|data|messages){_PER}"
_TIME, _MORE, _LESS = "(?:latency|times?)", "(?:(?:bigg|great|high|larg)er|more)", "(?:(?:low|small)er|fewer|less)"
_ADJECTIVES = (  # and verbs without an object
    rf"(?P<speed>(?:fast|quick)(?:er)?|sooner|earlier|ahead|wins|(?:{_MORE}|better) {_RATE}|more {_COUNTED}|better)"
    rf"|(?P<slow>slow(?:er)?|later|behind|lags|loses|(?:{_LESS}|worse) {_RATE}|(?:fewer|less) {_COUNTED}|worse)"
    rf"|(?P<long>long(?:er)?|more expensive|(?:{_MORE}|worse) {_TIME})"
    rf"|(?P<short>(?:short|cheap)(?:er)?|(?:{_LESS}|better) {_TIME}|saves (?:\w+ ){{0,2}}time)"
    rf"|(?P<less>{_LESS}%s)|(?P<more>{_MORE}%s)"
)
_POSITIVE = _ADJECTIVES % ("|few|little|low|small|below", "|above|big|great|high|large?|many|much")
_WHOLE = r"(?P<time>(?:of )?the (?:time|latency))|(?P<whole>that|of|what|the|\w+'s)"
_BEHIND = re.compile(rf"[\s\\%}}$]*(?:times )?(?:as )?(?:{_POSITIVE}|{_WHOLE})\b")
_BEFORE = re.compile(
    rf"\b(?:(?:(?P<verb>beat|outperform)|(?P<over>exceed))\w*(?P<object>.*)\bby\b|(?:{_POSITIVE})\b(?P<than>.*)\bby\b"
    r"|(?P<rise>gain|grow|increas|r[io]se)\w*.*|(?P<fall>cost|decreas|drop|f[ae]ll(?!\w* behind)|los[et]|reduc|save"
    r"|saving|shr[iau]nk)\w*.*)"
    r"(?: an?| about| almost| nearly| roughly)*\s*\Z"
)
_TO = re.compile(r"\b(?:from|between)\s[a-z\s.]*\d+\b.*?\b(?:to|and)\s[a-z\s.]*\b(\d+)\b", re.IGNORECASE)
_COMPARED = re.compile(r"(?i:\b(?:against|compared|over|than|unlike|versus|vs|while|whereas|with)\b)")
_VERB = re.compile(r"(?i:doubl|tripl|quadrupl|halv)")
_DOWN = ("slow", "short", "less", "fall")
_SPEEDS, _TIMES = ("speed", "slow", "verb"), ("long", "short", "time")
# A comparison without a number: at the end of a clause, before "than", "of" an object, or of a size "to" a larger one.
PLAIN = re.compile(
    r"(?<!times )(?<!fold )(?<!% )\b(?:(?P<no>(?:no|never|not)(?: any)? )?(?:"
    + (_ADJECTIVES % ("", "")).replace("(?:er)?", "e(?:r|st)")
    + r")\b(?: (?:choice|half|one|operation|option|part|program|side|transport|way)\b"
    r"(?: (?:if|of|to|when)\b[^.,;:!]*)?)?"
    r"(?: (?:(?:every)?where|here|throughout|(?:at|for|with) (?:all|any|each|every|\d)[\w ]*?))?"
    rf"(?:(?P<than> than\b(?! (?:[\w.-]+ ){{0,3}}(?:half|third|(?:four|fif|ten)th|times|\\)))|(?=\s*(?:\Z|[.,;:!])))"
    r"|(?P<speed_of>(?:beat|out(?:do|pace|perform|run)|overtake|surpass)\w*(?! by)|ahead of|wins (?:over|against)"
    r"|leav(?:es?|ing)(?= (?:[\w-]+ ){1,3}behind\b)"
    r"|(?:answer|arriv|back|done|end|finish|over\b|across\b)\w*(?: [\w-]+)? before)\b"
    r"|(?P<slow_of>los(?:es?|t) (?:out )?(?:to|against)|lags?(?: behind)?|trails|behind)\b"
    r"|(?P<speed_off>pa(?:ys?|id) off)\b|(?P<short_to>shorten\w*)\b"
    rf"|(?P<flat>equally (?:fast|quick|slow)|(?:behave|perform)s? alike|the same (?:{_RATE}|{_TIME})|costs nothing"
    rf"|equals?|keeps? (?:pace|up) with|on a par with|within (?:one|two|three|five|ten|a few) per ?cent of"
    rf"|(?:add|cost)s?(?: [A-Z]+)? no (?:additional |extra |more )?(?:{_RATE}|{_TIME})"
    r"|(?<!% )(?<!almost )(?<!half )(?<!nearly )(?<!twice )as (?:fast|long|quick|slow) as)\b"
    r"|(?<!messages )(?<!sizes )(?<!size )(?<!they )(?!\w+ n(?:o|othing)\b)(?:(?P<more_to>(?:climb|gain|gr[eo]w|improv"
    r"|increas|rais|r[io]s(?:e|ing)|widen)(?!ing (?:message|size))\w*|(?<=, the )(?:bigg|great|high|larg)er)"
    r"|(?P<less_to>(?:closes|decreas|drop|f[ae]ll|narrow|reduc|shr[iau]nk)\w*|(?<=, the )(?:low|small)er))\b"
    r"|(?P<flat_to>(?:barely|hardly|do(?:es)?(?: not|n't)|never) (?:affect|change|depend|grow|matter|rise|var)\w*"
    r"|no (?:difference|effect|importance|influence)|\w+ nothing|constant|flat|irrelevant|saturated|smoothly"
    r"|the same)\b)"
)
ELSE = re.compile(  # a sentence with these says more than a trend
    r"\d ?(?:\\?%|times|fold|\w?B/s)|\b(?:after|at first|barely|but|few|from there|hardly|little|next to|only|slightly"
    r"|then|until|whereas|while|yet|(?:messages|sizes?) shrink|(?:short|small)er (?:messages|sizes?))\b"
)
_NOUNS = {  # what a comparison in "more" or "less" is about
    "gap": re.compile(r"\b(?:advantage|difference|distance|gap|handicap|lead|margin|penalty|superiority)\b"),
    "messages": re.compile(rf"\bmessage rate|\b(?:number|rate) of messages|\bmessages{_PER}"),
    "rate": re.compile(rf"(?<!message )\b(?!message ){_RATE}\b(?! of m)|\bbytes{_PER}|\b(?:get|give|move|send)s?\b"),
    "time": re.compile(rf"\b(?:{_TIME}|(?:cost|last|need|require|spend|take)s?)\b"),
}
_STEADY, _FAR = log(1.05), log(1.25)  # of what is called equal, and different
_PAUSE = re.compile(r"[,;:()]|\b(?:but|whereas|while)\b")
_UNREAL = re.compile(
    r"(?:\b(?:against|assume[sd]?|believ\w*|cannot|compared|could|expect\w*|hardly|hypothes\w*|instead|may|might|neither"
    r"|never|no(?! matter)|nor|not|rarely|relative|said|should|suppos\w*|than|thought|unlike|versus|vs|whether|would)\b"
    r"|n't\b|\b(?:becomes?|gets?|grows?) (?:much |even )?\Z)(?!.*[,;:()])"
)
MOVES = "(?:achieve|deliver|get|give|handle|ha|make|manage|move|need|reache|require|send|spend|sustain|take|yield)s"
_PRONOUN = re.compile(r"\W*(?:\b(?:also|hence|still|then|therefore|thus)\b\W*)*(?:\bit\b[^.,;:]*)?\Z")
_SUBJECT = re.compile(r"\b(?:are|cost|do|have|is|last|need|run|stay|take|was|were|\w+[^\Wsu]s)\b")  # a verb
_PAIRS = "quicker slower, better lower, greater smaller, faster slower, fastest slowest, longer shorter, higher lower, "
_PAIRS += "larger smaller, more less, rises falls"
_OPPOSITE = {high: low for pair in _PAIRS.split(", ") for high, low in permutations(pair.split())}
_OPPOSITE |= {"beat": "lose to", "beats": "loses to", "outperforms": "loses to", "outperformed": "lost to"}


@dataclass(frozen=True)
class Compared:
    """What a statement compares."""

    terms: list[str]
    ratios: list[float]  # the least and the largest, of the first to the second
    axis: str  # time, rate, messages or nothing
    is_sized: bool  # the least and the largest size of one series or one ratio
    gap: float = 0.0  # of two sizes of a ratio: how much further the second is from 1, as a logarithm

    @property
    def is_varied(self) -> bool:
        """Whether it compares two values of a parameter."""
        return not self.is_sized and len({re.sub(r"\[.*?\]", "", term) for term in self.terms}) == 1

    def words(self, text: str) -> str:
        plain = re.sub(r"\b[Ww]ithout [\w-]+", " ", NAMES.sub(" ", text).replace("~", " "))
        return SIZE.sub(lambda size: f" {bytes_of(size)} " if self.is_sized else " ", plain)


def bytes_of(match: re.Match[str]) -> int | None:
    size = match[4] or (match[1] or "1") + ("000" if match[3] else match[2] or "")
    return parse_size(size) if re.fullmatch(r"\d{1,9}[KMG]?", size) else None


@lru_cache(64)
def sizes_in(sentence: str) -> tuple[int, ...]:
    r"""The sizes that a sentence names: `64 KiB`, `one byte`, `\size{64K}`."""
    return tuple(size for match in SIZE.finditer(sentence) if (size := bytes_of(match)) is not None)


def words_of(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def means(text: str, names: Sequence[str]) -> list[str]:
    """Which of the names a text means: by a word that the others lack, or else by a word of all of them."""
    found = words_of(text)
    words = {name: words_of(name) for name in names}
    others = {name: set[str]().union(*(words[other] for other in names if other != name)) for name in names}
    special = [name for name in names if any(_is_named(word, found) for word in words[name] - others[name])]
    first = {name: words_of((name.partition("[")[2] or name).partition(LABEL)[0]) for name in names}
    return special or [name for name in names if first[name] <= others[name] and first[name] & found]


def _clear(text: str, names: Sequence[str]) -> list[str]:
    """The names that a text means, without one whose words are in its variant: `card` may mean `card.inline`, too."""
    found, words = means(text, names), {name: words_of(name.partition(LABEL)[0]) for name in names}
    are_variants = len({name.partition(LABEL)[2] for name in names}) == 1
    return [name for name in found if not (are_variants and any(words[name] < other for other in words.values()))]


def _is_named(word: str, found: set[str]) -> bool:
    """Whether a text has the word or a form of it: `inlining`, `reads`."""
    stem = word[:-1] if len(word) > 4 else word
    return word in found or (word.isalpha() and any(form.startswith(stem) for form in found))


def is_reversed(typed: TypedNumber, sentence: Sequence[str], pair: Compared, ratio: float) -> bool:
    """Whether a sentence (before, in and behind a factor) says the opposite of the ratio of the first to the second."""
    before, behind, names = _END.split(sentence[0])[-1], _END.split(sentence[2])[0], pair.terms
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
    than, first = means(other, names), _clear(subject, names)
    if len(than) == 1:
        first = [name for name in names if name != than[0]]
    if not first and not _COMPARED.search(sentence[0]):
        first = _clear(sentence[0], names)
    if len(first) != 1 and any(map(str.isdigit, "".join(names))):
        whole = " ".join(sentence)
        first = means(last[1] if (last := _TO.search(whole)) else whole, names)
    if len(first) != 1:
        return False
    share = typed.numbers[0][0] / (100 if typed.dimension == "percent" else 1)
    sign = -1 if share < 1 and not typed.is_change and typed.dimension in ("factor", "percent") else 1
    return sign * _sense(kind, ratio if first[0] == names[0] else 1 / ratio, pair.axis) < 0


def plain_sense(words: tuple[str, str], match: re.Match[str], pair: Compared, ratio: float) -> float:
    """Above 0 if a comparison without a number agrees with the ratio of the first to the second, below 0 if it does
    not, 0 if it is not clearly about the two; `words` are those before and behind it."""
    subject, behind, names = _END.split(words[0])[-1], _END.split(words[1])[0], pair.terms
    kind, _, form = _kind(match).partition("_")
    is_trend, is_steady = form == "to" and (pair.is_sized or kind != "short"), abs(log(ratio)) < _STEADY
    if kind == "flat":
        first, is_about = _flat_topic(words, match, pair)
    else:
        first, is_about = _topic(words, (subject, behind), match, pair, is_trend=is_trend)
    is_compared = kind == "short" and len(means(behind, names)) == 1
    if len(first) != 1 or not is_about or _UNREAL.search(words[0]) or (not is_compared and _UNREAL.search(behind)):
        return 0
    if kind == "flat":
        is_wrong = abs(log(ratio)) > _FAR and not (is_trend and _is_limited("".join(words), pair))
        return -1 if is_wrong else 1 if is_steady else 0
    if kind in ("more", "less"):
        nouns = [name for name, noun in _NOUNS.items() if noun.search(subject + match[0] + behind * is_trend)]
        if is_trend and is_steady:
            return -1 if nouns in ([], [pair.axis]) else 0
        if nouns not in (["gap"], [pair.axis]):
            return 0
        ratio = exp(-pair.gap) if nouns == ["gap"] else ratio
    sense = _sense(kind, ratio if first[0] == names[0] else 1 / ratio, pair.axis)
    if not match["no"]:
        return sense
    is_far = abs(sense) > _STEADY if match["than"] else abs(sense) > _FAR and "ever" not in match[0]
    return -sense if is_far else 0


def _topic(
    words: tuple[str, str], clause: tuple[str, str], match: re.Match[str], pair: Compared, *, is_trend: bool
) -> tuple[Sequence[str], bool]:
    """Which of the two a comparison puts first, and whether it is about both."""
    (subject, behind), names = clause, pair.terms
    form = _kind(match).partition("_")[2]
    if is_trend:
        sizes = list(map(int, re.findall(r"\b\d+\b", subject + behind)))
        return [names[len(sizes) != 2 or sizes[0] < sizes[1]]], pair.is_sized
    if match["than"] or form == "of":
        other = means(behind, names)
        rest = [name for name in names if name not in other]
        is_meant = pair.is_sized or (_PRONOUN.match(subject) and means(words[0], names) == rest)
        first = means(subject, names) or (rest if is_meant else [])
        return first, len(other) == 1 and other != first
    first = means(last[1], names) if pair.is_sized and (last := _TO.search(words[0])) else _clear(subject, names)
    return first, form in ("off", "to") or bool(_SUBJECT.search(subject + match[0]))


def _flat_topic(words: tuple[str, str], match: re.Match[str], pair: Compared) -> tuple[Sequence[str], bool]:
    """The same of "equally fast" or "hardly matters"."""
    first, second = map(words_of, pair.terms)
    values = set(re.findall(r"\d+", "".join(words))) - (first & second)
    if pair.is_varied and not values and "nothing" not in match[0]:
        return pair.terms[:1], True
    if _kind(match) == "flat_to":
        return pair.terms[:1], pair.is_sized
    near = words if pair.is_sized else (_PAUSE.split(words[0])[-1], _PAUSE.split(words[1])[0])
    named = {name for part in (*near, " ".join(near)) for name in means(part, pair.terms)}
    if len(named) == 1 and _PRONOUN.search(near[0]):
        named |= set(means(words[0], pair.terms))
    return pair.terms[:1], len(named) == len(pair.terms)


def _is_limited(text: str, pair: Compared) -> bool:
    """Whether a trend is said of some of the sizes: "flat up to 1 KiB" beside a statement about 4 KiB."""
    limit = re.search(r"[Uu]p to(?:\D*?(\d+))?", text)
    sizes = [int(size) for term in pair.terms if (size := term.rpartition(" ")[2]).isdecimal()]
    reaches = limit and limit[1] and sizes and int(limit[1]) >= max(sizes)
    return "," in text or bool(limit and not reaches)


def opposite_of(words: str) -> str:
    return re.sub(r"\w+", lambda word: _OPPOSITE.get(word[0], word[0]), words)


def _sense(kind: str, ratio: float, axis: str) -> float:
    if not axis and kind in _SPEEDS + _TIMES:
        return 0
    sign = (-1 if kind in _DOWN else 1) * (-1 if kind in (_SPEEDS if axis == "time" else _TIMES) else 1)
    return sign * (ratio - 1)


def _kind(match: re.Match[str]) -> str:
    return next(name for name, found in match.groupdict().items() if found and name not in ("no", "object", "than"))
