"""Which namespaces the kernel makes here. The kernel is asked, and nothing else decides."""

import os
import subprocess
from functools import cache

import pytest

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
# What a container, or a kernel with AppArmor's rule, is to an ordinary user.
WITHOUT = (
    *("bwrap", "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000"),
    *("--dev-bind", "/", "/", "--"),
)
# A sandbox or a mount of one's own, as any user has it; of other computers, what only root can make.
USERS = ("unshare", "--user", "--map-root-user", "--net", "--mount", "--pid", "--fork", "true")
ROOTS = ("unshare", "--net", "--mount", "--pid", "--time", "--fork", "true")


def is_root() -> bool:
    return os.geteuid() == 0


def need_users() -> None:
    """A test is left out where an ordinary user has none."""
    _leave_out(lacking_for_users())


def need_root() -> None:
    """A test is left out where no second computer can be made."""
    _leave_out(lacking_for_root())


def need_own() -> None:
    """A test is left out where neither root nor an ordinary user has a network of his own, whichever runs it."""
    _leave_out(lacking_for_root() if is_root() else lacking_for_users())


@cache
def lacking_for_users() -> str:
    """Why an ordinary user has none of his own; empty where he has."""
    return _refused("an ordinary user", *(NOBODY if is_root() else ()), *USERS)


@cache
def lacking_for_root() -> str:
    """Why these tests can make no second computer; empty where they can."""
    return _refused("root" if is_root() else "a user who is not root", *ROOTS)


def _refused(whom: str, *command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return f"this computer's kernel makes no namespaces for {whom}: {done.stderr.strip()}" if done.returncode else ""


def _leave_out(why: str) -> None:
    if why:
        pytest.skip(why)
