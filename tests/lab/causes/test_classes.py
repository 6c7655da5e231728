"""Kinds of work."""

from __future__ import annotations

import pytest

from lab.causes.symbols import POLLING, Function, of_kernel
from lab.causes.table import OTHER, WAITING, class_of, classes


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (of_kernel("entry_SYSCALL_64_after_hwframe"), "system calls"),
        (of_kernel("ib_uverbs_cmd_verbs", "ib_uverbs"), "system calls"),
        (of_kernel("copy_user_generic_string"), "copies"),
        (of_kernel("rxe_mr_copy", "rdma_rxe"), "copies"),
        (of_kernel("rxe_icrc_hdr.isra.0", "rdma_rxe"), "checksums"),
        (of_kernel("loop_64", "crc32_pclmul"), "checksums"),
        (of_kernel("rxe_requester", "rdma_rxe"), "packets"),
        (of_kernel("tcp_schedule_loss_probe.part.0"), "packets"),
        (of_kernel("ip_protocol_deliver_rcu"), "packets"),
        (of_kernel("clear_page_rep"), "buffers"),
        (of_kernel("__kmem_cache_alloc_node"), "buffers"),
        (of_kernel("start_xmit", "virtio_net"), "card's driver"),
        (of_kernel("_raw_spin_lock_irqsave"), "locks and lists"),
        (of_kernel("try_to_wake_up"), "wake-ups"),
        (of_kernel("__schedule"), "wake-ups"),
        (of_kernel("default_idle"), "idle"),
        (of_kernel("ext4_readdir"), OTHER),
        (Function("librxe-rdmav34.so", "(no name)"), "user library"),
        (Function("libc.so.6", "memcpy"), "user library"),
        (Function("vdso", "vdso"), "user library"),
        (Function("busybox", "(no name)"), "init"),
        (Function("tcp-client", "memcpy"), "program"),
        (POLLING, WAITING),
    ],
)
def test_a_function_has_the_first_kind_that_names_it(function: Function, kind: str) -> None:
    assert class_of(function) == kind


def test_each_kind_has_a_name_for_itself() -> None:
    names = [each.name for each in classes()]
    assert len({*names, OTHER}) == len(names) + 1
