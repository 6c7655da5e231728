"""Words that several rules read alike, each as the alternatives of a pattern."""

from __future__ import annotations

import re

LITTLE = (
    r"hardly|barely|scarcely|little|negligibl\w+|marginal\w*|slight\w*|insignifican\w*|minimal\w*|minor|"
    r"a (?:tiny |little )?bit|imperceptib\w*|trivial\w*"
)
SMALL_GAP = r"small|tiny|minute|negligible|marginal|insignificant|irrelevant|slight|minimal|invisible"
# What messages are called when their size is the point.
MESSAGE = r"(?:sizes?|messages?|ones?|payloads?|transfers?|files?|blocks?|buffers?|writes?|chunks?|requests?|data)"
IN_THE_END = r"\bends? up\b|\bin the end\b|\bfinally\b|\bbulk\b|\bat the (?:right|far|upper|very) end\b|\basymptotic\w*"
# Where the next clause begins: what is denied before it is not denied behind it.
NEXT = re.compile(r", (?:which|and|but|so|as|because|since|where|what)\b|:\s", re.I)
