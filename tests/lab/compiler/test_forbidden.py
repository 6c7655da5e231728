"""The filter of system calls, instruction by instruction."""

from __future__ import annotations

import struct

import pytest

from lab.compiler.sandbox import ALLOW, AT_LEAST, EQUAL, FORBIDDEN, KILL, LOAD, REFUSE, RETURN, X86_64, bpf_filter

I386 = 0x40000003


def verdict(number: int, architecture: int = X86_64) -> int:
    """As the kernel's own interpreter goes through it."""
    data = struct.pack("<II", number, architecture)
    lines, at, value = list(struct.iter_unpack("<HBBI", bpf_filter())), 0, 0
    while True:
        code, true, false, operand = lines[at]
        at += 1
        if code == RETURN:
            return int(operand)
        if code == LOAD:
            (value,) = struct.unpack_from("<I", data, operand)
        else:
            assert code in (EQUAL, AT_LEAST)
            at += true if (value == operand if code == EQUAL else value >= operand) else false


@pytest.mark.parametrize("name", FORBIDDEN)
def test_each_of_the_calls_is_refused_and_its_neighbours_are_not(name: str) -> None:
    assert verdict(FORBIDDEN[name]) == REFUSE
    for beside in {FORBIDDEN[name] - 1, FORBIDDEN[name] + 1} - set(FORBIDDEN.values()):
        assert verdict(beside) == ALLOW


def test_other_numbers_for_the_same_calls_are_of_no_use() -> None:
    assert verdict(1, I386) == KILL
    assert verdict(0x40000001) == REFUSE
