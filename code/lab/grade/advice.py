"""A sentence for a student whose program failed: what the words of verbs, or of the grader, most often mean."""

from __future__ import annotations

import re

from lab.grade.finding import Flaw

EARLY = (
    "the clock stops too early or starts too late: it must run until the completion of the last message, not until the "
    "last ibv_post_send"
)

# The first that fits; the words are those of strerror(), ibv_wc_status_str() and the lab's own.
BY_WORDS = (
    (r"not written yet", "this step still ends as it was handed out"),
    (
        r"ibv_post_send.*(?:Cannot allocate memory|No space left on device)",
        "the send queue is full: take completions with ibv_poll_cq before more requests than its depth are posted, "
        "and signal at least one request of each queue",
    ),
    (
        r"ibv_post_send.*Invalid argument",
        "the device refused the request: is the queue pair in RTS, is a message that goes inline no longer than "
        "max_inline_data, and does a list end with next = NULL?",
    ),
    (
        r"local protection error",
        "the address, the length or the lkey of the request's sg_list is not inside a region of ibv_reg_mr at the "
        "client",
    ),
    (
        r"remote (?:access|operation|invalid request) error",
        "the server's device refused: the rkey and the address must be those that the server told, its region and its "
        "queue pair must allow IBV_ACCESS_REMOTE_WRITE, and the message must end inside the region",
    ),
    (
        r"RNR retry",
        "the receiver had posted no receive: a SEND takes one of ibv_post_recv for each message, an RDMA WRITE none",
    ),
    (
        r"transport retry counter exceeded",
        "no answer came: the other end's queue pair number, GID or path MTU is wrong, or it had ended",
    ),
    (r"Work Request Flushed", "an earlier request failed: the status of the first completion says why"),
    (
        r"did not come to the beginning",
        "the WRITE is not posted, or goes to another address than the one that the server told",
    ),
    (
        r"the data took another way",
        "fewer bytes crossed the link than the program says: each message must be posted, with all of its bytes",
    ),
    (
        r"delays an acknowledgement",
        "Nagle's algorithm holds a message's second, small part back until the first is acknowledged: set TCP_NODELAY, "
        "or hand the whole message to one send()",
    ),
    (r"but the link carries", EARLY),
    (r"the region is not all", "count the bytes of all messages that the buffer holds"),
    (
        r"did not end|deadline",
        "it waits for what never comes: a completion of a request that was not signalled or not posted, or more "
        "completions than requests that are signalled",
    ),
)
BY_FLAW = {
    Flaw.MESSAGES: "each message must be a request of its own with all of its bytes: one large message in place of "
    "many, or a length that is one too small, is not what was asked",
    Flaw.OPERATION: "use IBV_WR_RDMA_WRITE",
    Flaw.INVENTED: EARLY,
    Flaw.DATA: "a message was written over before it had left: its place in the buffer is free again when its request "
    "is complete, and requests under way need places of their own",
    Flaw.CLOCK: "the clock starts too early: warm-up, connecting and registering must be over before it starts",
    Flaw.WAY: "the messages must go by RDMA over the link",
}


def with_advice(kind: Flaw, what: str, of_step: str = "") -> str:
    """The finding, what it most often means, and where the assignment says to look."""
    words = next((advice for pattern, advice in BY_WORDS if re.search(pattern, what, re.IGNORECASE)), "")
    return "; ".join(filter(None, (what, words or BY_FLAW.get(kind, ""), of_step)))
