"""Words that look as if they compared two programs, and set a program against itself: idioms, sizes, its own curve."""

from __future__ import annotations

import re

COST = re.compile(
    r"\b(?:(?:sends?|receives?)(?= (?:of|over|by|is|are)\b)|time|latenc\w+|instructions?|"
    r"cycles?|cost\w*|overhead\w*|delay|duration)\b",
    re.I,
)
GAIN = re.compile(r"\b(?:throughput|rate|bandwidth|speed|performance)\b", re.I)
# `less time than the next smaller one` sets messages against each other, and no programs.
_OF_SIZES = re.compile(
    r"\s+(?:\w+\s+)?than (?:the|a|one) (?:\w+ )?(?:next|smaller|larger|shorter|longer|message|size)\b(?! (?:of|over|"
    r"with) (?-i:[A-Z]))",
    re.I,
)
_THAN_A_SIZE = re.compile(r"\s+than \d+ ?(?:[kKMG]i?)?B\b")
# What follows this is not said: where the answer stands is.
_ASKED = re.compile(r"\b(?:says?|shows?|tells?|see|asks?|asked) which of (?:the|these|our) [^,;:]*\Z", re.I)
# `how good it is elsewhere I cannot say` leaves no two of ours open.
_WONDERED = re.compile(r"\b(?:how|why|what|where|when)\b[^.;]*\Z", re.I)
_GROWING = re.compile(r"\b(?:grow|ris|increas|climb|fall|decreas|drop)\w*(?: again| then| even)? \Z", re.I)
_MADE = re.compile(r"\b(?:mak(?:es?|ing)|made|renders?) (?:\w+ ){1,2}?any \Z", re.I)
_OF_ITS_OWN = re.compile(
    r"\s+(?:\w+ )?(?:throughputs?|rates?|bandwidth|speeds?|values?)\s+(?:of|that|for|over|with|reached|is)\b"
    r"(?! (?:all|any|the (?:three|four|two)|both)\b)",
    re.I,
)
_OF_SEVERAL = re.compile(
    r"\s+of (?:its |the )?(?:\w+ )?(?:means|medians|runs|values|trials|rounds|repetitions|times)\b", re.I
)
_EACH_TIME = re.compile(
    r"\s+(?:in|at|for|over|across|on|with) (?:each|every|all)(?: of the)?(?: \w+)? "
    r"(?:repetitions?|runs?|trials?|times?|measurements?)\b",
    re.I,
)
_ADDS = re.compile(r"\b(?:add(?:s|ed|ing)?|costs?|puts?|comes?|needs?)\b(?! (?:no|nothing)\b)[^,;]*\Z", re.I)
_BY_NO_PROGRAM = re.compile(r"\s+by\b(?! (?:the |our )?(?:(?-i:TCP|RDMA)|cards?|Soft-?RoCE|sockets?|verbs)\b)", re.I)
_TIMED = re.compile(r"take|need|last|long|short|fast|slow|quick|more|less|high|low|great|better|worse", re.I)
_OF_SOME_MESSAGES = re.compile(
    r"\s*(?:larg|long|bigg?|small|short|tin)(?:e|y|er|est|iest)? (?:\w+ )?(?:messages?|ones?|sizes?)\b"
    r"(?![^,;]*\bwith\b)[^,;]*\Z",
    re.I,
)
_OF_A_LINK = re.compile(r"\s+(?:links?|wires?|networks?|cables?|Ethernet)\b", re.I)  # what it ran over, and not itself
_SUPERLATIVE = re.compile(r"(?:high|low|great|fast|slow|quick)est|best|worst", re.I)
_OWN = re.compile(r"\b(?:their|its)(?: (?:own|very))? \Z", re.I)
_BECOMES = re.compile(r"\b(?:becomes?|became|gets?|got|turns?)(?: any| much| even)? \Z", re.I)
_CURVE = re.compile(r"\b(?:its|the|whose|their) (?:[\w-]+ )?curves?\s+\Z", re.I)
_TO_ITS_PARTS = re.compile(r"\s+(?:instructions?|cycles?|time|work)\b[^.;]*\b(?:goes|go|are spent|is spent)\b", re.I)
_THAN_TYPICAL = re.compile(
    r"\s+than (?:(?:the |its |their |that )?(?:median|average|mean|typical|usual)\b|"
    r"(?:with|at|for|after) (?:only |just )?\d)",
    re.I,
)
_THAT_WAY = re.compile(r"\s+(?:that|this) way\b", re.I)
_LOSES = re.compile(r"los(?:es?|t|ing)", re.I)
_SOMETHING = re.compile(
    r"\s+(?:(?:a|an|much|some|little|nothing|no|most|any|part|all)\b[^,;]{0,20}? ?)?"
    r"(?:throughput|speed|performance|deal)\b(?! to\b)",
    re.I,
)
_FOR_OURSELVES = re.compile(
    r"(?:\s+for)?\s+(?:our|the|this) (?:\w+ )?(?:measurements?|methods?|results?|models?|report)\b"
)
_MORE_AND_MORE = re.compile(r"\s+and (?:\w+er|more|less)\b")
# `the best choice for the card`: of something that is set, and no program.
_OF_A_SETTING = re.compile(
    r"\s+(?:choice|option|setting|value|way) (?:for|with|of|over) (?:the |our )?(?:modelled |plain )?"
    r"(?:card|Soft-?RoCE|TCP|RDMA|verbs|WRITE)\b",
    re.I,
)
_AT_A_LEVEL = re.compile(r"\b(?:remain|stay)s? (?:on|at) (?:\w+ )?\Z", re.I)
_NO_SIDE = re.compile(
    r"\b(?:ratio|gap|factor|difference|distance|margin|median|curve of (?:its|the))\b(?:(?! that\b)[^,;])*\Z|"
    r"\bat (?:the )?\Z|"
    r"\bof its curve\b",
    re.I,
)


def is_no_comparison(words: str, found: re.Match[str]) -> bool:
    before, behind = words[: found.start()], words[found.end() :]
    grown = bool(re.match(r"more|fast|slow|quick|less", found[0], re.I) and _GROWING.search(before))
    grown = grown or bool(_MADE.search(before) and not re.match(r"\s+than\b", behind))
    if (
        grown
        or _OF_SIZES.match(behind)
        or _is_idiom(found[0], before, behind)
        or _is_of_itself(found[0], before, behind)
    ):
        return True
    if re.match(r"(?:never|not|n't|nowhere)\b", found[0], re.I) and re.match(
        r"\s+(?:to )?(?:the )?(?:limit|"
        r"link|rate|full)",
        behind,
    ):
        return True
    if re.match(r"(?:higher|highest|lower|lowest|best|greatest)", found[0], re.I) and re.match(
        r"\s+(?:median|number|size|rate that|value|of its|ratio|layer|half|part|bound|limit|"
        r"step)",
        behind,
    ):
        return True
    if re.match(r"behind|lost|above|below|less", found[0], re.I) and re.search(
        r"\b(?:zeros?|reasons?|idea|digits?)\s*\Z", before
    ):
        return True
    if re.match(
        r"small|short|larger|"
        r"bigger",
        found[0],
        re.I,
    ) and not (COST.search(before + behind[:20]) and not GAIN.search(before)):
        return not found[0].startswith("larger throughput")
    if re.match(r"small|short|larger|bigger|longer", found[0], re.I) and _THAN_A_SIZE.match(behind):
        return True
    if _ASKED.search(before) or (re.match("can", found[0], re.I) and _WONDERED.search(before)):
        return True
    if _BECOMES.search(before) and not re.match(r"\s+than\b|\s+on top", behind):
        return True  # at another size
    if _AT_A_LEVEL.search(before):
        return True  # over its own sizes
    return bool(_NO_SIDE.search(before)) or bool(re.match(r"\s+of its (?:own )?curve", behind))


def _is_idiom(word: str, before: str, behind: str) -> bool:
    """`adds time on top of it`, `is dominated by the kernel`, `larger messages take longer`."""
    if word.lower().startswith("on top"):
        return bool(_ADDS.search(before))
    if word.lower().startswith("dominat"):
        return bool(_BY_NO_PROGRAM.match(behind))
    return bool(_TIMED.match(word) and _OF_SOME_MESSAGES.match(before) and not re.search(r"\bthan\b", behind))


def _is_of_itself(word: str, before: str, behind: str) -> bool:
    """`the highest throughput of the card`, `the same in every run`, `longer than the median`, `its curve is level`."""
    if re.match(r"speaks? for", word, re.I) and _FOR_OURSELVES.match(behind):
        return True
    if word.lower() in ("more", "less", "fewer") and _TO_ITS_PARTS.match(behind):
        return True
    if word.lower() == "alike" and re.search(r"B \Z", before):
        return True
    if re.search(r"(\w+er) and \1", word) or _MORE_AND_MORE.match(behind) or _OF_A_SETTING.match(behind):
        return True
    if _THAN_TYPICAL.match(behind) or _THAT_WAY.match(behind) or (_LOSES.fullmatch(word) and _SOMETHING.match(behind)):
        return True
    if re.search(r"\blevel\b", word) and _CURVE.search(before):
        return True
    if re.match(r"slower|faster|lower|higher", word, re.I) and _OF_A_LINK.match(behind):
        return True
    if _SUPERLATIVE.match(word):
        return bool(_OWN.search(before) or _OF_ITS_OWN.match(behind) or _OF_SEVERAL.match(behind))
    return bool(re.match(r"the same|identical|equal", word, re.I) and _EACH_TIME.match(behind))
