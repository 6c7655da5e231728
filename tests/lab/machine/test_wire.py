"""The file that the plugins of both ends share."""

from __future__ import annotations

import os
import re
import struct
from pathlib import Path

from lab.machine import link
from lab.places import MACHINE


def test_what_each_end_has_sent_over_each_wire_is_read_by_name() -> None:
    with link.shared_file() as shared:
        os.pwrite(shared, struct.pack("<8Q", *range(1, 9)), link.COUNTS_AT)
        os.pwrite(shared, struct.pack("<8Q", *range(11, 19)), link.END_BYTES + link.COUNTS_AT)
        counts = link.counts(shared)
    assert (counts["link0.frames"], counts["link0.lost"], counts["side0.frames"]) == (1, 4, 5)
    assert (counts["link1.bytes"], counts["side1.lost"]) == (12, 18)


def test_the_layout_is_that_of_the_plugin() -> None:
    header = (MACHINE / "pair" / "layout.h").read_text()
    assert f"END_BYTES = {link.END_BYTES} " in header
    assert f"RING_BYTES ((uint64_t){link.RING_BYTES >> 20} << 20)" in (MACHINE / "pair" / "ring.h").read_text()
    assert f"offsetof(struct end, counts) == {link.COUNTS_AT} " in header
    (body,) = re.findall(r"struct counts \{(.*?)\};", header, re.DOTALL)
    assert tuple(re.findall(r"uint64_t (\w+);", body)) == link.COUNTS


def test_the_digest_knows_every_source_of_the_wires(tmp_path: Path) -> None:
    (tmp_path / "pair").mkdir()
    (tmp_path / "pair" / "wire.c").write_text("int rate;\n")
    one = link.digest(tmp_path)
    (tmp_path / "pair" / "cut.h").write_text("int mtu;\n")
    assert one != link.digest(tmp_path)


def test_an_end_is_told_when_to_begin_and_what_its_link_is() -> None:
    assert link.held(1, 7, 99, 8, 9, 10, trusted=True).startswith(
        f"end=1,shared=/proc/self/fd/7,calls=8,mailbox=9,console=10,begin={99 + link.PLUG_NS},"
    )
