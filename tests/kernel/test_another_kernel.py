"""What only a kernel with RDMA modules can show, on a computer that may have none: the tests beside this, in there."""

import re
from pathlib import Path

import pytest
from tests.kernel.machine import OtherKernel
from tests.kernel.test_own_programs import build
from tests.kernel.two_hosts import bob_beside, prepare

from lab.places import CACHE, ROOT

FILES = [
    str(Path(__file__).with_name(name).relative_to(ROOT))
    for name in ("test_soft_rdma.py", "test_two_hosts.py", "test_own_programs.py")
]
# Without plugins and tests/conftest.py, and by what is compiled: under emulation an import takes seconds.
VARIABLES = ("PYTEST_DISABLE_PLUGIN_AUTOLOAD=1", f"PYTHONPYCACHEPREFIX={CACHE / 'bytecode'}")
BARE = ("env", *VARIABLES, ".venv/bin/python", "-m", "pytest", "-p", "pytest_timeout")
PYTEST = (*BARE, "--confcutdir", "tests/kernel", "-m", "modules", "--color", "no", "--durations", "0")


@pytest.mark.release
@pytest.mark.timeout(2500)
def test_soft_roce_on_one_and_two_hosts_passes_its_tests_under_a_kernel_that_has_it(tmp_path: Path) -> None:
    kernel = OtherKernel(tmp_path)
    prepare(tmp_path)
    build(tmp_path)
    with bob_beside(kernel, tmp_path) as joints:
        printed = kernel.run("env", f"LAB_TWO_HOSTS={tmp_path}", *PYTEST, *FILES, limit_s=2400, joints=joints)
    print(printed)
    assert re.search(r"^status 0\s*$", printed, re.MULTILINE), printed[-3000:]
    assert re.search(r"\d+ passed", printed) and "skipped" not in printed
