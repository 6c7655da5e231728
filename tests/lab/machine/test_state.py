"""The saved state."""

from __future__ import annotations

import os

import pytest

from lab.machine.qemu import MachineError
from lab.machine.snapshot import COUNT, MARK, TIMER, clock_ns, forget_host, without_host
from lab.machine.sparse import anonymous_file

MEMORY = (2).to_bytes(4)


def memory(*parts: bytes) -> bytes:
    """As QEMU sends it: what there is, parts of pages, the last part."""
    kinds = [b"\x02" + MEMORY] * (len(parts) - 1) + [b"\x03" + MEMORY]
    return b"".join(
        [b"QEVM: what there is", *(MARK + MEMORY + each + part for each, part in zip(kinds, parts, strict=True))]
    )


def saved(*parts: bytes, times: bytes = bytes(24)) -> bytes:
    return memory(*parts) + MARK + MEMORY + b"\x04" + TIMER + times + b"rest"


USUAL = saved(b"page 1 page 2", b"")


def test_two_freezes_differ_in_no_time_of_their_computers() -> None:
    for times in (b"\x11" * 24, b"\x22" * 24):
        assert without_host(saved(b"page 1 page 2", b"", times=times)) == USUAL


@pytest.mark.parametrize(
    "parts",
    [
        (b"page 1 page 2", b""),
        (b"page 1 ", b"page 2"),
        (b"page 1 page 2",),
        (b"page 1 ", b"page 2", b""),
        (b"", b"page", b" 1 p", b"age 2"),
    ],
)
def test_however_often_a_computer_was_kept_from_sending_the_memory_it_is_one_part(parts: tuple[bytes, ...]) -> None:
    assert without_host(saved(*parts)) == USUAL


def test_the_file_has_what_is_left_and_no_more() -> None:
    content = saved(b"page 1 ", b"page 2", b"", times=b"\x33" * 24)
    with anonymous_file("state", len(content)) as state:
        os.pwrite(state, content, 0)
        forget_host(state)
        assert os.pread(state, len(content) + 1, 0) == USUAL


@pytest.mark.parametrize(
    "content",
    [
        USUAL + TIMER,
        USUAL.replace(TIMER, b"another timer"),
        b"no memory" + TIMER + bytes(24),
        memory(b"page 1 page 2", b"") + TIMER + bytes(24),
        USUAL.replace(MARK + MEMORY + b"\x04", MARK + MEMORY + b"\x05"),
    ],
)
def test_a_state_of_another_form_is_refused(content: bytes) -> None:
    with pytest.raises(MachineError, match="another form"):
        without_host(content)


def test_the_time_in_a_saved_state_is_its_instructions_and_what_halts_have_added() -> None:
    assert clock_ns(b"before" + COUNT + (20).to_bytes(8) + (7).to_bytes(8) + b"after") == 27
    with pytest.raises(MachineError, match="another form"):
        clock_ns(b"nothing")
