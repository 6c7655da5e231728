"""What only a kernel with RDMA modules can show, on a computer that may have none: the tests beside this, in there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.kernel.machine import OtherKernel

from lab.places import ROOT

TESTS = Path(__file__).with_name("test_soft_rdma.py").relative_to(ROOT)


@pytest.mark.timeout(900)
def test_soft_roce_on_this_computer_passes_its_tests_where_the_kernel_has_it(tmp_path: Path) -> None:
    command = (".venv/bin/pytest", "-m", "modules", "--color", "no", "--durations", "0", "--timeout", "300", str(TESTS))
    said = OtherKernel(tmp_path).run(*command, limit_s=800)
    print(said)
    assert re.search(r"^status 0\s*$", said, re.MULTILINE), said[-3000:]
    assert re.search(r"\d+ passed", said) and "skipped" not in said
