"""The kernel's functions: lab.causes.{kernel,function}."""

from __future__ import annotations

import pytest

from lab.causes.symbols import Function, of_kernel, parse_kernel
from lab.errors import SiteError

LISTED = """0000000000001000 A cpu_debug_store
ffffffff81000100 T __memcpy
ffffffff81000100 W memcpy
ffffffff81000200 D jiffies
ffffffff81000300 t rest
ffffffffc02be000 t rxe_rcv	[rdma_rxe]
"""


def test_an_address_is_of_the_function_that_begins_last_before_it() -> None:
    kernel = parse_kernel(LISTED)
    assert kernel.at(0xFFFFFFFF810002FF) == of_kernel("memcpy") == Function("[kernel]", "memcpy")
    assert kernel.at(0xFFFFFFFF81000300) == of_kernel("rest")
    assert kernel.at(0xFFFFFFFFC02BE010) == of_kernel("rxe_rcv", "rdma_rxe")
    assert kernel.at(0xFFFFFFFF81000000) == of_kernel("?")


def test_modules_are_told_from_files() -> None:
    assert of_kernel("rxe_rcv", "rdma_rxe").module == "rdma_rxe"
    assert Function("rdma_rxe", "main").module == ""


def test_a_guest_that_hides_its_addresses_is_refused() -> None:
    with pytest.raises(SiteError, match="where its kernel's functions are"):
        parse_kernel("0000000000000000 T _stext\n")
