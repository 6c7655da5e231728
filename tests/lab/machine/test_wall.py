"""What every machine of the lab tells its kernel, on whatever clock."""

from __future__ import annotations

import pytest

from lab.machine import qemu, wall


@pytest.mark.parametrize("arguments", [qemu.KERNEL_ARGUMENTS, wall.KERNEL_ARGUMENTS])
def test_a_kernel_on_a_busy_computer_takes_no_late_timer_for_a_broken_one(arguments: str) -> None:
    assert "no_timer_check" in arguments.split()
