"""Which tests are left out: those alone that need what the kernel does not make, and with a sentence that says so."""

import subprocess

from tests import namespaces


def makes(*command: str) -> bool:
    """What the kernel does for bubblewrap, which asks it in its own way."""
    return subprocess.run([*command, "--ro-bind", "/", "/", "true"], check=False).returncode == 0


def test_what_needs_namespaces_of_a_user_is_tried_wherever_the_kernel_makes_them() -> None:
    become = namespaces.NOBODY if namespaces.is_root() else ()
    there = makes(*become, "bwrap", "--unshare-all", "--unshare-user")
    assert there == (namespaces.lacking_for_users() == "")


def test_what_needs_another_computer_is_tried_wherever_root_can_make_one() -> None:
    there = namespaces.is_root() and makes("bwrap", "--unshare-net", "--unshare-pid")
    assert there == (namespaces.lacking_for_root() == "")
