"""Whose statement a clause is: this measurement's, a published report's, or one that nobody makes."""

from __future__ import annotations

import re

CITED = "\u2042"  # stands for a \cite
_SAYING = (
    r"(?:say|said|claim|writ|wrote|measur|report|print|stat|us|sent|found|find|conclud|call|ran|run|show|got|expect)"
)
_THEIRS = (
    r"(?:reports?|data|files?|figures?|measurements?|results?|curves?|claims?|text|tables?|plots?|network|rows?|"
    r"links?|"
    r"paper|conclusions?|fit|numbers?|values?|factor|setup|machines?|servers?|TCP|RDMA)"
)
_OTHERS = rf"\bthey (?:\w+ )?{_SAYING}|\btheir (?:\w+ )?{_THEIRS}\b|\bauthors?\b"
# What others say, what is expected, asked, or not known.
_ELSEWHERE = re.compile(
    rf"\bpublish|(?<!this )(?<!our )(?<!the present )(?<!we )(?<!I )"
    rf"(?<!_lat )(?<!_bw )(?<!perf )(?<!perf3 )(?<!PIPE )(?<!program )(?<!client )(?<!server )\breports?\b(?!\s+here)|"
    rf"{_OTHERS}|"
    r"\b(?:literature|papers?|manual|textbooks?|lecture)\b|"
    r"\bwould\b|\bmight\b|\bcould\b(?!\s+(?:lead|be (?:seen|shown|observed|found|detected|noticed|made out)))|"
    r"\bmay\b|\bexpect|"
    r"\bif\b[^;]*\b(?:would|could|might|were|did|had)\b|\b(?:know|ask|asked|see|test|check|wonder|tell|say) if\b|"
    r"(?<!tell )(?<!say )(?<!decide )(?<!difference )(?<!matter )(?<!card )\bwhether\b|"
    r"\bin (?:theory|principle)\b|\bshould\b|\bsuppos|\bassum|\bhypothe|\bquestion|\bclaims? that\b|\bwonder|"
    r"\bpossibl[ey]\b(?! to see)|\bhop(?:e|ed|ing|es)\b|\bwish\w*\b|\bwant(?:ed|s)? (?:to|it)\b|"
    r"\b(?:intend|plan)(?:ed)? to\b|"
    r"\banticipat|\bpredict|\bguess|\bsuspect|\bpresum|\btempt(?:ed|ing)\b|\bfear(?:ed)?\b|\bimagin|\bet al\b|\?",
    re.I,
)
_ASIDES = (
    r"(?:(?:just|exactly|precisely|much|very much) )?(?:as|like|unlike|contrary to|in contrast to|"
    r"different(?:ly)? (?:from|to|than)|despite|against|"
    r"in (?:line|agreement|accordance) with|consistent with|similar to|not)"
)
_OTHER = (
    r"[^,]*\b(?:publish\w*|reports?|expect\w*|authors?|literature|papers?|textbooks?|lecture|manual|theory|theirs?)\b"
)
# `As expected, RDMA wins` is a statement of one's own, with somebody else's beside it.
_ASIDE = re.compile(
    rf"\A[\s,]*(?:and |so )?{_ASIDES}\b{_OTHER}[^,]*?(?:,|(?=\s(?:we|our|RDMA|TCP|the (?:data|curve|throughput))\b))|"
    rf",?\s*\b{_ASIDES}\b(?!\s+(?:a|the)\s+card){_OTHER}[^,]*\Z",
    re.I,
)
# `It should be mentioned that RDMA wins` says that it wins.
_PREFACE = re.compile(
    r"\b(?:it|this|one) (?:\w+ ){0,2}(?:should|may|might|could|must) (?:\w+ ){0,3}(?:noted?|mention(?:ed)?|sa(?:id|y)|"
    r"add(?:ed)?|stress(?:ed)?|remark(?:ed)?|observed?|conclude[d]?|state[d]?|seen?|argued?)(?: that)?\b|"
    r"\bwhether (?:the )?messages? (?:is|are) \w+ or \w+,|"
    r"\bas (?:one|you|anyone|everybody) (?:would|might|should) (?:think|expect|guess|assume|hope)\b|"
    r"\b(?:it is |which is )?perhaps (?:worth|interesting|surprising)\w*",
    re.I,
)
_SO_SMALL = re.compile(
    r"\b(?:so|too) \w+ (?:that|for) (?:nobody|no one|one|anybody|hardly anyone) (?:would|could|might|to)\b", re.I
)
# `Whether it is inlined or not makes no difference` says so.
_WHICHEVER = re.compile(
    r"\b(?:matters?|makes? no difference)\b[^.;?]{0,30}?\bwhether\b|"
    r"\bwhether\b(?=[^.;?]*\b(?:makes?|made|has|had|have|plays?) (?:\w+ )?"
    r"(?:no|little|any|a|an|some|hardly any) (?:\w+ )?(?:difference|influence|effect|impact|role|importance)\b|"
    r"[^.;?]*\bof no (?:importance|consequence)\b|[^.;?]*\b(?:matters?|is (?:irrelevant|decisive|important))\b)",
    re.I,
)
_AGREED = re.compile(r"\b(?:confirm|reproduc|corroborat|validat|verif(?:y|ie))\w*|\bagrees? with\b", re.I)
_DENIED = re.compile(r"\b(?:no|not|never|neither|nor|cannot|hardly)\b|n't\b", re.I)
_HERE = re.compile(
    r"\b(?:we|our|ours|us|here|this (?:run|lab|experiment|report|measurement)|confirm\w*|likewise|too|also)\b", re.I
)
_PUBLISHED = re.compile(rf"{CITED}|\bpublish|{_OTHERS}|\b(?:the|that|a) reports?\b|\bReport [A-E]\b", re.I)

_PROGRAM = re.compile(r"\b(?:RDMA|TCP|sockets?|MPI|WRITEs?|READs?|SENDs?|Soft-RoCE|verbs|iperf3|ib_\w+)", re.I)
_DATA = re.compile(r"\bsizes?\b|\d\s*(?:[KMG]i?)?B\b|\b(?:cable|link|wire|curves?|figures?|plots?|tables?)\b", re.I)


def is_stated(words: str) -> bool:
    """Whether a clause says what was measured, and not what others say or what is expected."""
    agreed = _AGREED.search(words)
    if agreed and not _DENIED.search(words[: agreed.start()]) and not re.search(r"\?|\bwhether\b", words):
        return True
    if CITED in words and not _is_of_this_data(words):
        return False
    words = _SO_SMALL.sub(" ", words)
    return not _ELSEWHERE.search(_WHICHEVER.sub(" ", _ASIDE.sub(" ", _PREFACE.sub(" ", words))))


def _is_of_this_data(words: str) -> bool:
    """Whether a clause says something that was measured here, whoever else is cited for it.

    It does if it speaks of two programs, a size, the link or a figure."""
    programs = {each.lower().rstrip("s") for each in _PROGRAM.findall(words)}
    return len(programs) > 1 or bool(_DATA.search(words) or _HERE.search(words))


def is_published(words: str) -> bool:
    """Whether a clause speaks of a published report alone."""
    return bool(_PUBLISHED.search(words)) and not _HERE.search(words)
