"""The files that init left in the mailbox, read as an outcome.

Programs under test may have written it too: nothing of it is trusted.
"""

from __future__ import annotations

import tarfile
from dataclasses import replace
from typing import IO

from lab.errors import SiteError
from lab.files import tarball
from lab.machine.qemu import MAILBOX_BYTES
from lab.model.trial import DEADLINE_STATUS, Outcome, StepOutcome

KILLED_STATUS = 128 + 9
# The columns of /proc/net/dev, named as in /sys/class/net/*/statistics.
DEVICE_COLUMNS = tuple(
    f"{way}_{name}"
    for way, names in (
        ("rx", "bytes packets errors dropped fifo_errors frame_errors compressed multicast"),
        ("tx", "bytes packets errors dropped fifo_errors collisions carrier_errors compressed"),
    )
    for name in names.split()
)


Files = dict[str, str]  # by name, as init left them


class ResultError(SiteError):
    """A mailbox whose content is not a job's results."""


def unpack(mailbox: IO[bytes]) -> Files:
    """The files of the archive by name; a byte that is not UTF-8 is replaced."""
    try:
        found = tarball.unpack(mailbox, MAILBOX_BYTES)
    except tarfile.TarError as error:
        raise ResultError(f"the guest's results cannot be read ({error})") from error
    return {name: content.decode(errors="replace") for name, content in found.items()}


def number(files: Files, name: str) -> int:
    """An integer that init wrote."""
    try:
        return int(files[name])
    except (KeyError, ValueError) as error:
        raise ResultError(f"the guest's results have no number {name}") from error


def counters(text: str) -> dict[str, int]:
    """What count() in init wrote: the table of /proc/net/dev; then, for each rxe device, names and as many values."""
    found: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        device, colon, rest = line.strip().partition(":")
        words = rest.split()
        if device.startswith("rxe"):
            found |= {f"{device}.{name}": next(lines, "") for name in words}
        elif colon and len(words) == len(DEVICE_COLUMNS):
            found |= {f"{device}.{name}": value for name, value in zip(DEVICE_COLUMNS, words, strict=True)}
    return {name: int(value) for name, value in sorted(found.items()) if value.isdecimal()}


def status(files: Files, name: str) -> int:
    """The status of one end of a step: also of an end that the deadline killed, or kept from starting."""
    expired = "expired" in files
    if f"{name}.status" not in files and expired:
        return DEADLINE_STATUS
    left = number(files, f"{name}.status")
    return DEADLINE_STATUS if expired and left == KILLED_STATUS else left


def step(files: Files, name: int) -> StepOutcome:
    """The outcome of one step; a step without a start never ran."""
    started = f"{name}.start" in files
    return StepOutcome(
        client_out=files.get(f"{name}.client.out", ""),
        client_err=files.get(f"{name}.client.err", ""),
        server_out=files.get(f"{name}.server.out", ""),
        server_err=files.get(f"{name}.server.err", ""),
        client_status=status(files, f"{name}.client"),
        server_status=status(files, f"{name}.server"),
        clock_start_ns=number(files, f"{name}.start" if started else "end"),
        clock_end_ns=number(files, f"{name}.end" if started else "end"),
    )


def outcome(files: Files, steps: int, console: str, host_seconds: float) -> Outcome:
    """The outcome of a job with this number of steps."""
    if files.get("link.err"):
        raise ResultError(f"the guest could not make the link: {files['link.err'].strip()}")
    return Outcome(
        steps=tuple(step(files, name) for name in range(steps)),
        counters_before=counters(files.get("before", "")),
        counters_after=counters(files.get("after", "")),
        clock_start_ns=number(files, "start"),
        clock_end_ns=number(files, "end"),
        console=console,
        host_seconds=host_seconds,
    )


def joined_outcome(client: Files, server: Files, steps: int, console: str, host_seconds: float) -> Outcome:
    """The outcome of two machines, one for each end: the clock is the client's, all else comes from both."""
    taken = {name for name in server if name == "expired" or name.partition(".")[2].startswith("server.")}
    of_server = {name: server[name] for name in taken}
    error = client.get("link.err", "") + server.get("link.err", "")
    whole = outcome(client | of_server | {"link.err": error}, steps, console, host_seconds)
    before, after = ([counters(end.get(name, "")) for end in (client, server)] for name in ("before", "after"))
    return replace(whole, counters_before=_sums(*before), counters_after=_sums(*after))


def _sums(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    return {name: one.get(name, 0) + other.get(name, 0) for name in sorted(one | other)}
