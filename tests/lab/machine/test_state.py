"""The saved state."""

from __future__ import annotations

import os

import pytest

from lab.machine.qemu import MachineError
from lab.machine.sparse import anonymous_file
from lab.machine.state import COUNT, TIMER, clock_ns, forget_times


def saved(before: bytes, times: bytes, after: bytes) -> bytes:
    content = before + TIMER + times + after
    with anonymous_file("state", len(content)) as state:
        os.pwrite(state, content, 0)
        forget_times(state)
        return os.pread(state, len(content) + 1, 0)


def test_two_freezes_differ_in_nothing() -> None:
    assert (
        saved(b"a", b"\x11" * 24, b"rest") == saved(b"a", b"\x22" * 24, b"rest") == b"a" + TIMER + bytes(24) + b"rest"
    )


@pytest.mark.parametrize("before", [TIMER, b"another timer"])
def test_a_state_of_another_form_is_refused(before: bytes) -> None:
    with anonymous_file("state") as state:
        os.pwrite(state, before + (TIMER if before == TIMER else b""), 0)
        with pytest.raises(MachineError, match="another form"):
            forget_times(state)


def test_the_time_in_a_saved_state_is_its_instructions_and_what_halts_have_added() -> None:
    assert clock_ns(b"before" + COUNT + (20).to_bytes(8) + (7).to_bytes(8) + b"after") == 27
    with pytest.raises(MachineError, match="another form"):
        clock_ns(b"nothing")
