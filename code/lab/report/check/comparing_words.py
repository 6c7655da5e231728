"""The words that compare two programs, and what each says of the first against the second."""

from __future__ import annotations

import re
from enum import Enum


class Relation(Enum):
    """What is said of the first side against the second."""

    MORE = "more"
    LESS = "less"
    EQUAL = "equal"
    UNKNOWN = "can't tell"
    NOT_LESS = "at least as much"
    NOT_MORE = "at most as much"


_CANNOT = r"(?:cannot|can't|can not|could not|couldn't)"
_PROGRAM = (
    r"(?:the |that |those )?(?:of |over |for |with |from )?"
    r"(?:(?:our|the|own|plain|ordinary|modelled|simple) )*(?:TCP|RDMA|verbs|iperf|ib_|sockets|WRITE|Soft-RoCE|card\b)"
)
_AMOUNT = (
    r"(?:throughput|bytes|data|messages|bandwidth|time|instructions|cycles|efficient|performant|powerful|"
    r"than (?:the card|(?-i:[A-Z])))"
)
_NO_MULTIPLE = r"(?<!times )(?<!half )(?<!twice )(?<!thrice )(?<!fold )(?<!third )(?<!quarter )(?<!fifth )(?<!tenth )"
_UNKNOWN = (
    rf"{_CANNOT}(?: \w+)? (?:tell|say|decide|distinguish)(?! (?:why|what|how|anything|much|more|about))",
    r"(?:not|cannot|can't|never|n't) (?:\w+ )?be (?:told apart|distinguish\w*|separated|discerned)",
    r"(?:not|cannot|never) be told apart|too close to call|no difference (?:can|could) be \w+|inconclusive",
    r"(?:intervals? |bands? )(?:[\w-]+ )*overlap\w*|overlap(?= of)",
)
_NOT_LESS = (
    r"at least as (?:fast|good|quick|high)|no slower|no worse",
    r"keep(?:s|ing)? (?:up|pace)|holds? (?:its own|up)",
    r"(?:reach|attain|match|equal)(?:es|s)? (?:the )?(?:throughput|level|rate|speed|performance) of",
    rf"(?:reach|attain)(?:es|s)?(?= {_PROGRAM})",
    r"(?:gets?|reach\w*|goes?|comes?|sends?|manages?|carr\w+) (?:quite |nearly )?(?:that|as|so) (?:far|high|much|fast)",
)
_NOT_MORE = (r"no (?:faster|better|quicker)|at (?:best|most) as (?:fast|good)",)
_EQUAL = (
    r"agrees? (?:closely|well|perfectly|nicely)|in (?:close|good|perfect|excellent) agreement|close to each other",
    r"(?:hardly|barely|scarcely) (?:\w+ )?be (?:told apart|distinguish\w*|separated|discerned)",
    r"(?:are|is|stays?|runs?|draws?) (?:almost |nearly |practically )?(?:level|tied|neck and neck)|"
    r"ties?(?= (?:with|for))",
    r"equal(?:ly|s)?(?: \w+)?|equivalent|comparable|on (?:a )?par|similar|alike|about (?:the same|as (?:fast|"
    r"quick|good))",
    r"the same (?:throughput|rate|speed|performance|bandwidth|peak|maximum|plateau|level|ceiling|latency|time|"
    r"result|value|"
    r"number|curve)s?",
    rf"{_NO_MULTIPLE}as (?:fast|quick|good|slow|quickly|long) as"
    r"(?! (?:possible|it |they |we |any\b|(?:the|that|its) (?:link|wire|cable)))|"
    r"(?:perform|do|does|did|work|run|scale|behave|cope)(?:s|ed)? (?:\w+ )?as well as|"
    r"(?:catch(?:es)?|caught) up|match(?:es)?",
    rf"(?:anywhere|even) (?:near|close to)(?= {_PROGRAM})",
    r"perform\w* (?:exactly |just )?(?:the same|alike|identically)|no difference|identical(?:ly)?(?: fast)?",
    r"does not matter(?= [^,;]{0,24}\bwhether\b)|"
    r"interchangeable|nothing to choose between|a (?:draw|tie)\b|as good as(?= (?:the same|equal))",
    r"indistinguishable|coincid\w+|(?<=and )(?:\w+ )?(?:converge|merge|meet)(?! to)|converge(?= with)",
)
_MORE = (
    r"(?:twice|thrice) as (?:fast|quick|good|quickly|high|much)",
    r"out(?:perform|run|pac|do|class|strip|shin|rank|distanc|play|weigh|match)\w*|beats?|beaten|beating",
    r"exceed\w*|surpass\w*|overtak\w*|overtook|wins?|won|winner|victor\w*|triumph\w*|prevail\w*",
    r"more (?:fast|quick|quickly|rapidly|swiftly|speedily)|(?:runs?|ran) (?:rings|circles) (?:a)?round|"
    r"faster|fastest|quicker|quickest|higher|highest|better|best|bests|bested|greater|"
    r"greatest|speedier|"
    r"stronger|cheaper",
    r"unbeat\w+|unrivall?ed|unmatched|second to none|hard to beat|in favou?r of|speaks? for|talks? for",
    r"(?:carr\w+|mov\w+|deliver\w*|sen[dt]s?|gets?|got|transfers?|manag\w+|offer\w*|provid\w+|achiev\w+|does) "
    r"(?:(?!any )\w+ )?more(?! than (?:\d|an? \w+ of|half|twice))",
    rf"more(?= {_AMOUNT})|costs? (?:\w+ )?more(?= than)|ahead|superior\w*|leads?|dominat\w*|sooner|larger throughput|"
    r"(?:arriv|finish|complet|return)\w* (?:\w+ )?earlier",
    r"(?:larger|bigger)(?! (?:messages?|sizes?|ones?|throughput))|(?:the|any|clear|its|real) benefits?|"
    r"(?<=no )benefits?(?! from)",
    r"advantages?(?! of (?:this|that|the) )|upper hand|in front(?= of|\b)|"
    r"takes? (?:over(?!\w)|the (?:crown|cup|prize|title|lead))|(?:gets?|got|goes) past|comes? out on top|"
    r"first place|(?:comes?|came) (?:out |"
    r"in )?first",
    rf"gains? (?:most )?over|gains(?= (?:\w+ ){{0,2}}(?:against|over)\b)|"
    rf"(?:above|on top of)(?= {_PROGRAM})|tops?(?= (?:the )?{_PROGRAM})|has the edge",
    r"edge(?= over)|edg(?:es?|ed|ing) out|lead over|holds? the lead|speed-?ups?",
    r"leaves?(?= (?:\w+ ){1,4}(?:in the dust|behind))|leaving(?= (?:\w+ ){1,4}behind)|"
    r"left(?= (?:\w+ ){1,4}in the dust)",
    r"pa(?:y|ys|id) off|worth(?:while)? (?:it|the)|puts?(?= (?:\w+ ){1,4}(?:in the shade|to shame))",
    r"eclips\w+|trounc\w+|crush\w*|dwarf\w*|overshadow\w*|obliterat\w*|smash\w*|thrash\w*|overpower\w*|pulls? away",
    r"favou?r(?:s|ed)?(?= (?:the )?(?:TCP|RDMA|sockets|verbs))|excels?|shines?|preferable|supersed\w*|trumps?",
)
_LESS = (
    r"(?:twice|thrice) as (?:slow|long)|(?:half|third|quarter|fifth|tenth) as (?:fast|quick|good|quickly|high|much)",
    rf"(?:more slow|less (?:fast|quick|rapid|swift))(?:ly)?|slower|slowest|lower|lowest|worse|worst|fewer|"
    rf"less(?= {_AMOUNT})|costs? (?:\w+ )?less(?= than)|later(?= than)|"
    r"(?:arriv|finish|complet|return)\w* (?:\w+ )?later",
    rf"(?<!leaves )(?<!TCP )(?<!RDMA )(?<!sockets )behind|behind(?= (?:our |the )?{_PROGRAM})",
    r"(?<=\bis )behind|(?<=\bare )behind|(?<=\bfalls )behind",
    r"(?:smaller|shorter)(?! (?:messages?|sizes?|ones?))",
    r"loses?|losing|lost|inferior|lags?|lagged|lagging|trails?|trailed|trailing|falls? short|underperform\w*",
    r"(?:takes?|took|taking|needs?|needed|requires?|spends?|lasts?) (?:\w+ ){0,3}longer|longer(?= than\b)|"
    r"longer (?:round )?(?:trip )?times?(?= than)|longest(?= (?:round|time|latenc|sends?|receives?|calls?|trips?))",
    r"(?:cannot|can't|can not|could not|couldn't|does not|doesn't) (?:compete|cope|measure up|touch|rival)",
    r"no match for|(?:no|little) chance(?= against|\b)|wastes?(?= time)|no rival|second to|"
    r"second (?:place|best)|(?:comes?|came) (?:out |in )?(?:second|last)|"
    r"runs? last|loser|weaker|weakest|laggard",
    r"(?:never|not|n't|nowhere) (?:\w+ ){0,2}(?:near|close to|approach\w*|touch|rival)|costlier|more expensive|"
    r"dearer",
    rf"(?:below|beneath)(?= {_PROGRAM})|yields? to|suffers? against|pales?|defeated|disadvantages?",
)
_BY_RELATION = (
    (Relation.UNKNOWN, _UNKNOWN),
    (Relation.NOT_LESS, _NOT_LESS),
    (Relation.NOT_MORE, _NOT_MORE),
    (Relation.EQUAL, _EQUAL),
    (Relation.MORE, _MORE),
    (Relation.LESS, _LESS),
)
_ALTERNATIVES = ((relation.name, "|".join(words)) for relation, words in _BY_RELATION)
ANY = re.compile("|".join(rf"(?P<{name}>\b(?:{words})\b)" for name, words in _ALTERNATIVES), re.I)


def relation_of(found: re.Match[str], otherwise: Relation = Relation.UNKNOWN) -> Relation:
    """What a word that ANY found says; of a word that another pattern found, what is given."""
    return next((Relation[name] for name, text in found.groupdict().items() if text), otherwise)
