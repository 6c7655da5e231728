"""Functions of the kernel and of files by the content of their pages; kinds of work, windows of messages, tables."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from lab.causes import symbols, table
from lab.causes.count import window
from lab.causes.symbols import CodeFiles, CodePage, Executed, Function, Symbols, Tally, codes, of_kernel
from lab.causes.table import OTHER, WAITING, Share, class_of, classes, difference, read, rows
from lab.errors import LabError, SiteError, SpecError
from lab.plan.plan import Plan

LISTED = """0000000000001000 A cpu_debug_store
ffffffff81000100 T __memcpy
ffffffff81000100 W memcpy
ffffffff81000200 D jiffies
ffffffff81000300 t rest
ffffffffc02be000 t rxe_rcv	[rdma_rxe]
"""
KERNEL = symbols.parse_kernel(LISTED)
SOURCE = "int twice(int n) { return 2 * n; } int main(int n, char **v) { return twice(n) + !v; }"


def test_pages_have_their_counts_by_offset() -> None:
    text = b"instructions 12\npage ffffffff81000000 \n10 7\nfff 1\npage 5000 90cc\n0 5 4\n1 4\n"
    executed = symbols.parse_counts(text)
    kernel, program = executed.pages
    assert kernel == CodePage(0xFFFFFFFF81000000, b"", {0x10: 7, 0xFFF: 1})
    assert program == CodePage(0x5000, b"\x90\xcc", {0: 5, 1: 4}, {0: 4})
    assert (executed.instructions, executed.begun) == (12, 17)


@pytest.mark.parametrize("text", [b"\n", b"page 5000 90\n0 5\n"])
def test_counts_without_their_sum_are_refused(text: bytes) -> None:
    with pytest.raises(SiteError, match="the plugin left no counts"):
        symbols.parse_counts(text)


@pytest.mark.parametrize(
    ("address", "function"),
    [
        (0xFFFFFFFF810002FF, Function("[kernel]", "memcpy")),
        (0xFFFFFFFF81000300, of_kernel("rest")),
        (0xFFFFFFFFC02BE010, of_kernel("rxe_rcv", "rdma_rxe")),
        (0xFFFFFFFF81000000, of_kernel("?")),
    ],
)
def test_address_belongs_to_the_last_kernel_function_before_it(address: int, function: Function) -> None:
    assert KERNEL.at(address) == function


def test_vm_that_hides_its_addresses_is_refused() -> None:
    with pytest.raises(SiteError, match="the VM hides the addresses of its kernel"):
        symbols.parse_kernel("0000000000000000 T _stext\n")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("program") / "doubler"
    subprocess.run(["gcc", "-x", "c", "-o", file, "-"], input=SOURCE, text=True, check=True)
    return file


def offset_of(program: Path, name: str) -> int:
    """The offset in the file at which a function begins."""
    with program.open("rb") as file:
        elf = ELFFile(file)
        table = elf.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        symbol = next(each for each in table.iter_symbols() if each.name == name)
        return int(next(elf.address_offsets(symbol["st_value"], 1)))


def page_with(program: Path, offset: int) -> bytes:
    start = offset // 4096 * 4096
    return program.read_bytes()[start : start + 4096].ljust(4096, b"\0")


def tally_of(page: CodePage, **files: bytes) -> dict[Function, int]:
    executed = Executed(sum(page.counts.values()), (page,))
    return dict(+Symbols(KERNEL, CodeFiles(codes(files))).tally(executed))


def test_page_belongs_to_its_file_at_any_address(program: Path) -> None:
    offset = offset_of(program, "twice")
    page = CodePage(0x7F0000123000, page_with(program, offset), {offset % 4096: 3, offset % 4096 + 4: 2})
    assert tally_of(page, doubler=program.read_bytes()) == {Function("doubler", "twice"): 5}


def test_code_without_symbols_counts_for_its_file(program: Path) -> None:
    subprocess.run(["strip", "-o", bare := program.with_name("bare"), program], check=True)
    offset = offset_of(program, "twice")
    page = CodePage(0x5000, page_with(bare, offset), {offset % 4096: 1})
    assert tally_of(page, bare=bare.read_bytes()) == {Function("bare", symbols.UNNAMED): 1}


def test_code_without_a_file_is_the_vdso(program: Path) -> None:
    page = CodePage(0x7FFF0000, b"\x90" * 4096, {0: 7})
    files = {"doubler": program.read_bytes(), "hosts": b"127.0.0.1", "broken": b"\x7fELF"}
    assert tally_of(page, **files) == {Function(symbols.VDSO, symbols.VDSO): 7}


def test_shared_page_counts_for_the_program_whose_other_pages_ran(program: Path) -> None:
    shared = page_with(program, offset_of(program, "twice"))
    files = CodeFiles(codes({"a": program.read_bytes(), "b": program.read_bytes()}))
    unique = bytes(4096)
    files.pages[unique] = [(files.pages[shared][1][0], 0)]
    assert files.places([shared])[shared][0].name == "a"
    assert files.places([shared, unique])[shared][0].name == "b"


def test_restarted_instructions_are_subtracted_and_empty_polls_counted_apart() -> None:
    known, address = Symbols(KERNEL, CodeFiles([])), 0xFFFFFFFF81000000
    again = Executed(9, (CodePage(address, b"", {0x100: 10}),))
    assert known.tally(again) == {of_kernel("memcpy"): 10, symbols.TWICE: -1}
    polled = known.tally(Executed(10, (CodePage(address, b"", {0x100: 10}, {0x100: 7}),)))
    assert +polled == {of_kernel("memcpy"): 3, symbols.POLLING: 7}


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
        (of_kernel("ip_protocol_deliver_rcu"), "packets"),
        (of_kernel("__kmem_cache_alloc_node"), "buffers"),
        (of_kernel("start_xmit", "virtio_net"), "card's driver"),
        (of_kernel("_raw_spin_lock_irqsave"), "locks and lists"),
        (of_kernel("__schedule"), "wake-ups"),
        (of_kernel("default_idle"), "idle"),
        (of_kernel("ext4_readdir"), OTHER),
        (Function("libc.so.6", "memcpy"), "user library"),
        (Function("vdso", "vdso"), "user library"),
        (Function("busybox", "(no name)"), "init"),
        (Function("tcp-client", "memcpy"), "program"),
        (symbols.POLLING, WAITING),
    ],
)
def test_function_belongs_to_the_first_kind_of_work_that_matches(function: Function, kind: str) -> None:
    assert class_of(function) == kind


def test_names_of_kinds_are_unique() -> None:
    names = [kind.name for kind in classes()]
    assert len({*names, OTHER}) == len(names) + 1


COPY, SEND = of_kernel("memcpy"), Function("tcp-client", "send_all")
SHARE = Share("tcp", 4096, "client", 100, 2000, Tally({COPY: 700, SEND: 1200}), "abc")


def test_each_trial_sends_twice_as_many_messages(make_small_plan: Callable[..., Plan]) -> None:
    plan = make_small_plan()
    planned = next(planned for planned in plan.planned if planned.series.name == "ours")
    found = window(planned, 64, plan.site)
    sizes = [word for trial in found.trials for word in trial.job.steps[0].client if "@" in word]
    assert sizes == ["64@40/500", "64@80/500", "64@160/500", "64@320/500"]
    assert found.counts.iterations == 40 and found.record == found.trials[1].key[:12] != found.trials[0].key[:12]
    with pytest.raises(SpecError, match="ours has no messages of 65 bytes on exact"):
        window(planned, 65, plan.site)


def test_difference_of_two_trials_counts_the_messages() -> None:
    once, twice = Tally({COPY: 5, SEND: 3}), Tally({COPY: 9, SEND: 3})
    assert difference(twice, once) == {COPY: 4}
    assert difference(once, twice) == {COPY: -4}


@pytest.mark.parametrize(
    ("copies", "sends", "luck"), [(-300_000, 10**6, True), (-30_000, 10**6, False), (-60_000, 10, False)]
)
def test_starts_that_differ_by_more_than_the_messages_cost_are_detected(copies: int, sends: int, *, luck: bool) -> None:
    assert replace(SHARE, functions=Tally({COPY: copies, SEND: sends})).is_of_the_start is luck


def test_table_by_kind_is_read_back(tmp_path: Path) -> None:
    causes = tuple(rows([SHARE, replace(SHARE, end="server")]))
    (file := tmp_path / "x.causes.csv").write_text(table.format_classes(causes))
    assert read(file) == causes
    assert [(cause.work, cause.per_message) for cause in causes[:3]] == [("program", 12), ("copies", 7), ("waiting", 1)]


def test_table_by_function_starts_with_the_largest() -> None:
    head, first, *_ = table.format_functions([SHARE]).splitlines()
    assert head.split(",")[4:8] == ["work", "owner", "function", "instructions"]
    assert first == "tcp,4096,client,100,program,tcp-client,send_all,1200,abc"


@pytest.mark.parametrize(
    "text", ["series\nx\n", "series,size_bytes,end,messages,work,instructions,record\na,1,b,0,c,1,d\n"]
)
def test_other_tables_are_refused(tmp_path: Path, text: str) -> None:
    (file := tmp_path / "x.causes.csv").write_text(text)
    with pytest.raises(LabError, match="is not a table of causes"):
        read(file)
