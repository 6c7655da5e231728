"""Parameters as a reader calls them."""

from __future__ import annotations

PARAMETERS = {
    "tx_depth": "the depth of the send queue",
    "rx_depth": "the depth of the receive queue",
    "warmup": "the number of warm-up messages",
    "iterations": "the number of timed messages",
    "until_stable": "the percent by which rounds may differ",
    "post_list": "the length of a chain of requests",
    "inline": "the bytes that travel inside a request",
    "signal_every": "the signalling interval",
}


def parameter_words(name: str) -> str:
    """`the depth of the send queue`; a parameter without words keeps its name."""
    return PARAMETERS.get(name, name)
