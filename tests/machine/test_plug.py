"""How an end is joined to the link, in a network of its own."""

from __future__ import annotations

import os
import subprocess

from tests.namespaces import is_root, need_own

from lab.places import MACHINE

ALONE = ("unshare", *(() if is_root() else ("--user", "--map-root-user")), "--net", "sh", "-uc")
# What the kernel writes down by itself where the other computer was there first, and speaks early.
JOINED = r"""
ip link add eth0 type veth peer name eth1
early="neigh add 192.168.7.1 lladdr 02:00:00:00:09:09 dev side nud stale"
hasty() { sed "/neigh/{x;s/^\$/$early/p;x}" | command ip "$@"; }
ip=hasty END=1 MTU=1500 OFFLOAD=1
. ./one_end
change() { :; }
plug
ip neigh
"""


def test_an_end_is_joined_whose_other_one_has_spoken_before() -> None:
    need_own()
    done = subprocess.run((*ALONE, JOINED), cwd=MACHINE, env=os.environ, capture_output=True, text=True, check=False)
    assert "File exists" not in done.stderr
    assert "192.168.7.1 dev side lladdr 02:00:00:00:01:01 PERMANENT" in done.stdout, done
    assert done.stdout.count("PERMANENT") == 4
