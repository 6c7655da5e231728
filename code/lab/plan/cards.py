"""What trials over a modelled card take along into the machine, and how it starts their programs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from lab.files.digests import sha256, sums_of
from lab.model.launcher import DAEMON
from lab.model.trial import OVER_CARD, Step
from lab.places import CACHE, CARD, MACHINE
from lab.programs.launchers import with_ranks_under
from lab.spec.experiment import Experiment, Series

SCRIPT = CARD / "library" / Path(OVER_CARD).name
BUILT = CACHE / "card"
STARTER, MODULE, LIBRARY = BUILT / SCRIPT.name, BUILT / "labcard.ko", BUILT / "libcard.so"
FILES = (STARTER, MODULE, LIBRARY)


def files_of(series: Series) -> tuple[Path, ...]:
    """The files beside a series' programs."""
    return FILES if series.has_card else ()


def contents(experiments: Iterable[Experiment], tell: Callable[[str], None]) -> dict[Path, bytes]:
    """Those files, compiled, where an experiment has a card."""
    if not any(series.has_card for each in experiments for series in each.series):
        return {}
    return parts(MACHINE, CACHE, tell)


def parts(machine: Path, cache: Path, tell: Callable[[str], None]) -> dict[Path, bytes]:
    """The files themselves."""
    from lab.compiler import card  # only now: who plans from records needs no compiler

    module, library = card.built(machine, cache, tell)
    return {STARTER: starter(), MODULE: module.read_bytes(), LIBRARY: library.read_bytes()}


def starter() -> bytes:
    """The script, which ends with a digest of the device: its own bytes are of one kind of computer."""
    sources = {file.name: sha256(file) for file in (CARD / "abi.h", *CARD.glob("device/*.[ch]"))}
    return SCRIPT.read_bytes() + f"# the device: {hashlib.sha256(sums_of(sources)).hexdigest()}\n".encode()


def over_card(step: Step) -> Step:
    """A step whose two programs find the card in place of Soft-RoCE's data path."""
    if step.server in ((), DAEMON):  # a launcher of both ranks
        return replace(step, client=with_ranks_under((OVER_CARD,), step.client))
    return replace(step, server=(OVER_CARD, *step.server), client=(OVER_CARD, *step.client))
