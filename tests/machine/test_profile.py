"""A profile of real trials: lab.sites.exact, lab.causes.{count,tally,window}."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.toml import series_of

from lab.causes import symbols as counts
from lab.causes.count import Profiler, windows
from lab.causes.symbols import Function, of_kernel
from lab.causes.table import Share, format_classes, format_functions, rows
from lab.cli import history, tools
from lab.cli.main import main
from lab.experiment.reader import load
from lab.model.trial import Job, Outcome
from lab.places import CACHE, EXAMPLES, MACHINE
from lab.plan.plan import Plan, SiteFacts, make_plan
from lab.plan.planning import under_test
from lab.sites.exact import ExactSite, ProfiledSite

WRITE = "exec ib_write_bw -s 4096 -n 50 -F -p 5201 -d"
SMALL = """
title = "What a few messages cost"
question = "Is each instruction counted once?"
[parameters]
sizes = "1,4K"
iterations = 400
warmup = 10
tx_depth = 64
rx_depth = 64
wait = "event"
""" + series_of(
    "rdma verbs write throughput",
    "sockets tcp send throughput",
    'polls verbs write throughput\nparameters = { wait = "poll" }\nlink = { card = "qdr" }',
)
# A function of the example tcp_select, and 12 instructions more in it.
POST = "__attribute__((noinline)) static ssize_t post(int fd, size_t n)\n{\n\treturn send(fd, buf, n, 0);\n}\n\n"
MORE = POST.replace("\treturn", '\t__asm__ volatile(".rept 12; nop; .endr");\n\treturn')
GIT = ("git", "-c", "user.name=A", "-c", "user.email=a@example.org")


@pytest.fixture(scope="module")
def site() -> Iterator[ProfiledSite]:
    made = ProfiledSite(MACHINE, CACHE)
    made.prepare(print)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def job(exact: ExactSite, shell: Callable[..., Job]) -> Job:
    return shell(f"{WRITE} rxe0 {exact.ends.side_channel}", server=f"{WRITE} rxe1")


@pytest.fixture(scope="module")
def profiled(site: ProfiledSite, job: Job) -> tuple[Outcome, bytes, bytes]:
    return site.count(job)


@pytest.fixture(scope="module")
def plan(exact: ExactSite, tmp_path_factory: pytest.TempPathFactory) -> Plan:
    file = tmp_path_factory.mktemp("small") / "small.toml"
    file.write_text(SMALL)
    experiment = load(file)
    return make_plan(experiment, SiteFacts.of(exact), under_test([experiment], exact, print))


@pytest.fixture(scope="module")
def profiler(site: ProfiledSite) -> Profiler:
    return Profiler(site)


@pytest.fixture(scope="module")
def shares(profiler: Profiler, plan: Plan) -> list[Share]:
    """Client and server: RDMA of 1 byte and of 4 KiB, then TCP of 1 byte."""
    asked = (*windows(plan, ("rdma",), (1, 4096)), *windows(plan, ("sockets",), (1,)))
    return [share for each in asked for share in profiler.shares(each)]


@pytest.fixture
def commands(site: ProfiledSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands use the started VMs; starting them takes ten CPU seconds."""
    monkeypatch.setattr(site, "prepare", lambda _: None)
    for module in (tools, history):
        monkeypatch.setattr(module, "ProfiledSite", lambda *_: site)


def test_profile_does_not_change_the_outcome(
    exact: ExactSite, job: Job, profiled: tuple[Outcome, bytes, bytes], measured: Callable[[Outcome], Outcome]
) -> None:
    assert measured(exact.run(job)) == measured(profiled[0])


def test_every_instruction_of_the_clock_is_counted_once_except_after_page_faults(
    profiler: Profiler, profiled: tuple[Outcome, bytes, bytes]
) -> None:
    for text in profiled[1:]:
        executed = counts.parse_counts(text)
        symbols = profiler.symbols(())
        tally = symbols.tally(executed)
        (begun_again,) = (-number for function, number in tally.items() if "page fault" in function.name)
        faults = _entered(executed, profiler, "asm_exc_page_fault")
        assert sum(tally.values()) == executed.instructions > 10_000_000
        assert 0 < begun_again <= faults < executed.instructions / 10_000


def _entered(executed: counts.Executed, profiler: Profiler, name: str) -> int:
    """How often the first instruction of a kernel function began."""
    place = next(
        at for at, each in zip(profiler.kernel.starts, profiler.kernel.functions, strict=True) if each.name == name
    )
    return sum(page.counts.get(place - page.address, 0) for page in executed.pages if not page.content)


def test_client_that_never_waits_needs_a_nanosecond_per_instruction(shares: list[Share]) -> None:
    """TCP of one byte: the sum over all functions against the guest's own clock."""
    client = shares[4]
    assert client.functions[Function("tcp-client", "tcp_send_all")] > 0
    assert abs(client.time_ns - client.instructions) < client.time_ns / 100


def test_empty_polls_count_as_waiting(profiler: Profiler, plan: Plan) -> None:
    """A message of 4 KiB takes the card a microsecond, and the program some 70 instructions."""
    (asked,) = windows(plan, ("polls",), (4096,))
    client, _ = profiler.shares(asked)
    assert client.classes()["waiting"] > 0.75 * client.time_ns
    assert 40 < client.functions[Function("libcard.so", "pair_send")] / client.messages < 100


def test_rdma_messages_run_the_same_functions(shares: list[Share]) -> None:
    small, large = shares[0], shares[2]
    for share in (small, large):
        assert share.functions[of_kernel("rxe_prepare", "rdma_rxe")] % share.messages == 0
    assert large.functions[of_kernel("loop_64", "crc32_pclmul")] > 1000 * large.messages
    assert small.functions[of_kernel("loop_64", "crc32_pclmul")] == 0


def test_few_instructions_have_no_kind(shares: list[Share]) -> None:
    for share in shares:
        assert share.classes()["other"] <= max(share.instructions / 50, 5 * share.messages), format_functions([share])


@pytest.mark.usefixtures("commands")
def test_command_prints_and_writes_its_counts(
    plan: Plan, shares: list[Share], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tools, "REFERENCE", tmp_path / "reference")
    words = ["--series", "sockets", "--sizes", "1", "--out", str(tmp_path), "--reference"]
    assert main(["profile", str(plan.experiment.file), *words]) == 0
    printed = capsys.readouterr().out
    assert "sockets, 1, client:" in printed and "tcp_sendmsg_locked" in printed and "system calls" in printed
    assert (tmp_path / "causes" / "small.functions.csv").read_text() == format_functions(shares[4:6])
    by_kind = (tmp_path / "causes" / "small.csv").read_text()
    assert (tmp_path / "reference" / "causes" / "small.csv").read_text() == by_kind == format_classes(rows(shares[4:6]))


@pytest.mark.usefixtures("commands")
@pytest.mark.parametrize("commits", [("HEAD~",), pytest.param(("HEAD~", "HEAD"), marks=pytest.mark.release)])
def test_history_names_the_function_with_more_instructions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], commits: tuple[str, ...]
) -> None:
    shutil.copytree(EXAMPLES / "tcp_select", tmp_path / "tcp_select")
    experiment = tmp_path / "tcp_select.toml"
    experiment.write_text((EXAMPLES / experiment.name).read_text().replace("_at_most = 200", "_at_most = 40"))
    program = tmp_path / "tcp_select/program/tcp_select.c"
    text = program.read_text().replace("send(sock, buf + sent, size - sent, 0)", "post(sock, size - sent)")
    subprocess.run((*GIT, "init", "-q", tmp_path), check=True)
    for post in (POST, MORE):
        program.write_text(text.replace("static int client(", post + "static int client("))
        subprocess.run((*GIT, "-C", tmp_path, "add", "."), check=True)
        subprocess.run((*GIT, "-C", tmp_path, "commit", "-qm", "post"), check=True)
    words = (str(experiment), "--series", "sender", "--sizes", "1K")
    assert main(["history", *words, *commits]) == 0
    client, server = capsys.readouterr().out.rstrip().split("\n\n")
    head, first, *_ = client.splitlines()
    assert head.startswith("sender, 1K, client: +12.00 instructions a message in the programs, ")
    assert first == "      +12.00  tcp_select           post"
    assert server.startswith("sender, 1K, server: ") and " post" not in server
    assert main(["history", *words, "HEAD~7"]) == 2
    assert "no sources at 'HEAD~7': " in capsys.readouterr().err
