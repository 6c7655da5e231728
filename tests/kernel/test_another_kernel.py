"""What only a kernel with RDMA modules can show, on a computer that may have none: the tests beside this, in there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.kernel.machine import OtherKernel
from tests.kernel.test_own_programs import build
from tests.kernel.two_hosts import bob_beside, prepare

from lab.places import ROOT

NAMES = ("test_soft_rdma.py", "test_own_programs.py", "test_two_hosts.py")
TESTS = [str(Path(__file__).with_name(name).relative_to(ROOT)) for name in NAMES]


@pytest.mark.timeout(2500)
def test_soft_roce_on_one_and_on_two_computers_passes_its_tests_where_the_kernel_has_it(tmp_path: Path) -> None:
    pytest_there = (".venv/bin/pytest", "-m", "modules", "--color", "no", "--durations", "0", "--timeout", "900")
    kernel = OtherKernel(tmp_path)
    prepare(tmp_path)
    build(tmp_path)
    with bob_beside(kernel, tmp_path) as joints:
        command = ("env", f"LAB_TWO_HOSTS={tmp_path}", *pytest_there, *TESTS)
        said = kernel.run(*command, limit_s=2400, joints=joints)
    print(said)
    assert re.search(r"^status 0\s*$", said, re.MULTILINE), said[-3000:]
    assert re.search(r"\d+ passed", said) and "skipped" not in said
