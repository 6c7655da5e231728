"""The snapshot: its state, its folder in the cache, the repository's expectation, and the self-check."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lab.errors import SiteError
from lab.files.store import SUMS, seal
from lab.machine import snapshot
from lab.machine.image import Image
from lab.machine.qemu import MachineError
from lab.machine.runner import Runner
from lab.machine.snapshot import COUNT, MARK, TIMER, Expected, Snapshot, SnapshotInputs, clock_ns, without_host
from lab.machine.sparse import anonymous_file, digest_with_holes
from lab.model.trial import Job, Outcome, StepOutcome
from lab.places import MACHINE

SECTION = (2).to_bytes(4)


def memory(*parts: bytes) -> bytes:
    """As QEMU sends it: a head, parts of pages, the last part."""
    kinds = [b"\x02" + SECTION] * (len(parts) - 1) + [b"\x03" + SECTION]
    marked = (MARK + SECTION + kind + part for kind, part in zip(kinds, parts, strict=True))
    return b"".join([b"QEVM: head", *marked])


def saved(*parts: bytes, times: bytes = bytes(24)) -> bytes:
    return memory(*parts) + MARK + SECTION + b"\x04" + TIMER + times + b"rest"


USUAL = saved(b"page 1 page 2", b"")


@pytest.mark.parametrize(
    "parts",
    [
        (b"page 1 page 2", b""),
        (b"page 1 ", b"page 2"),
        (b"page 1 page 2",),
        (b"page 1 ", b"page 2", b""),
        (b"", b"page", b" 1 p", b"age 2"),
    ],
)
def test_a_saved_state_has_no_times_of_its_host_and_its_memory_in_one_part(parts: tuple[bytes, ...]) -> None:
    content = saved(*parts, times=b"\x33" * 24)
    with anonymous_file("state", len(content)) as state:
        os.pwrite(state, content, 0)
        snapshot.forget_host(state)
        assert os.pread(state, len(USUAL) + 1, 0) == USUAL


@pytest.mark.parametrize(
    "content",
    [
        USUAL + TIMER,
        USUAL.replace(TIMER, b"another timer"),
        b"no memory" + TIMER + bytes(24),
        memory(b"page 1 page 2", b"") + TIMER + bytes(24),
        USUAL.replace(MARK + SECTION + b"\x04", MARK + SECTION + b"\x05"),
    ],
)
def test_a_state_of_another_form_is_refused(content: bytes) -> None:
    with pytest.raises(MachineError, match="unknown form"):
        without_host(content)


def test_the_time_in_a_saved_state_is_instructions_and_added_time_of_halts() -> None:
    assert clock_ns(b"before" + COUNT + (20).to_bytes(8) + (7).to_bytes(8) + b"after") == 27
    with pytest.raises(MachineError, match="unknown form"):
        clock_ns(b"nothing")


KNOWN = Expected("p" * 64, {"memory": "m" * 64}, {"step": "c" * 64}, {"runner amd64": "h" * 64})


def test_an_expectation_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert snapshot.read(tmp_path) is None
    assert snapshot.write(tmp_path, KNOWN) == tmp_path / snapshot.FILE
    assert snapshot.read(tmp_path) == KNOWN


@pytest.mark.parametrize(
    "text", ["", "[]", "[" * 100_000, '{"recipe": 1}', '{"recipe": "a", "memory": "b", "checks": 3}']
)
def test_a_damaged_expectation_is_an_error_with_its_file(tmp_path: Path, text: str) -> None:
    (tmp_path / snapshot.FILE).write_text(text)
    with pytest.raises(SiteError, match="is not a valid expectation of the snapshot") as caught:
        snapshot.read(tmp_path)
    assert caught.value.where == str(tmp_path / snapshot.FILE)


def test_the_repository_expects_a_result_of_each_step_of_the_self_check() -> None:
    known = snapshot.read(MACHINE)
    assert known and known.checks.keys() == snapshot.CHECK_STEPS.keys()


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SnapshotInputs:
    """The inputs of a snapshot, which is made without a boot."""

    def freeze(_: SnapshotInputs, folder: Path) -> None:
        (folder / "memory").write_bytes(b"memory")
        (folder / "state").write_bytes(b"state")

    monkeypatch.setattr(snapshot, "freeze", freeze)
    image, runner = Image(tmp_path / "image", "digest"), Runner(tmp_path / "runner", "qemu")
    return SnapshotInputs(image, runner, tmp_path / "a.so", "wires")


def expecting(
    inputs: SnapshotInputs, folder: Path, memory: bytes = b"memory", state: bytes = b"state"
) -> SnapshotInputs:
    """The inputs with an expectation of these contents."""
    digests = {}
    for name, content in (("memory", memory), ("state", state)):
        (folder / "content").write_bytes(content)
        digests[name] = digest_with_holes(folder / "content")
    return replace(inputs, expected=Expected(inputs.digest, digests, {}, {}))


@pytest.mark.parametrize("name", ["memory", "state", SUMS])
def test_a_damaged_snapshot_is_made_again(inputs: SnapshotInputs, tmp_path: Path, name: str) -> None:
    made = snapshot.verified_snapshot(inputs, tmp_path, lambda _: None)
    for harm in (lambda file: file.write_bytes(b"mEmory"), Path.unlink):
        snapshot.verified_snapshot(inputs, tmp_path, pytest.fail)
        harm(made.folder / name)
        lines: list[str] = []
        assert snapshot.verified_snapshot(inputs, tmp_path, lines.append) == made
        assert snapshot.verified_snapshot(inputs, tmp_path, pytest.fail).copy.read_bytes() == b"memory"
        assert str(made.folder) in lines[0] and name in lines[0] and lines[1:] == ["making the snapshot again"]


def test_an_undamaged_but_unexpected_snapshot_is_made_again(inputs: SnapshotInputs, tmp_path: Path) -> None:
    made = snapshot.verified_snapshot(inputs, tmp_path, lambda _: None)
    (made.folder / "state").write_bytes(b"of another time")
    seal(made.folder, lambda path: digest_with_holes(made.copy if path == made.memory else path))
    lines: list[str] = []
    again = snapshot.verified_snapshot(expecting(inputs, tmp_path), tmp_path, lines.append)
    assert again.state.read_bytes() == b"state" and lines[0].endswith("is not the expected snapshot")


@pytest.mark.parametrize(("memory", "state", "name"), [(b"?", b"state", "memory"), (b"memory", b"?", "state")])
def test_unexpected_memory_or_state_from_the_same_inputs_is_refused_and_not_cached(
    inputs: SnapshotInputs, tmp_path: Path, memory: bytes, state: bytes, name: str
) -> None:
    for _ in range(2):
        with pytest.raises(MachineError, match=f"the snapshot's {name} is not the expected one"):
            snapshot.verified_snapshot(expecting(inputs, tmp_path, memory, state), tmp_path, lambda _: None)
    snapshot.verified_snapshot(expecting(inputs, tmp_path), tmp_path, lambda _: None)


def test_a_memory_is_compressed_once_and_each_process_has_its_copy(
    inputs: SnapshotInputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lab.machine.snapshot.os.access", lambda *_: False)  # as in a read-only cache
    made = snapshot.verified_snapshot(inputs, tmp_path, lambda _: None)
    assert made.memory.read_bytes() == made.copy.read_bytes() == b"memory"
    monkeypatch.undo()
    monkeypatch.setattr(snapshot, "freeze", pytest.fail)
    for _ in range(2):
        again = snapshot.verified_snapshot(expecting(inputs, tmp_path), tmp_path, pytest.fail)
        assert again.memory.read_bytes() != again.copy.read_bytes() == b"memory" and again == made
    memory = made.memory.read_bytes()
    for damaged in (memory[:-3], memory[:9] + b"?" + memory[10:]):
        made.memory.write_bytes(damaged)
        assert digest_with_holes(replace(made).copy) != digest_with_holes(made.copy)


def test_the_identity_depends_on_the_memory_and_not_on_its_maker(inputs: SnapshotInputs, tmp_path: Path) -> None:
    (tmp_path / "memory").write_bytes(b"memory")
    identity = snapshot.identity(inputs, tmp_path / "first", lambda _: None)
    other = replace(inputs, runner=Runner(tmp_path, "a newer qemu"), image=Image(tmp_path, "with the same memory"))
    assert snapshot.identity(other, tmp_path / "second", lambda _: None) == identity
    assert identity["frozen"] == digest_with_holes(tmp_path / "memory")
    model, _, cores = identity["processor"].partition(", emulated, cores: ")
    assert f"-cpu {model} -smp {cores} " in identity["arguments"]


def test_an_expected_snapshot_need_not_be_made_for_a_plan(inputs: SnapshotInputs, tmp_path: Path) -> None:
    expected = expecting(inputs, tmp_path, b"other")
    assert expected.expected
    digest = expected.expected.frozen["memory"]
    assert snapshot.identity(expected, tmp_path, pytest.fail)["frozen"] == digest
    changed = replace(expected, image=Image(tmp_path, "another"))
    assert snapshot.identity(changed, tmp_path, lambda _: None)["frozen"] != digest


STEP = StepOutcome("printed", "", "", "", 0, 0, 1_000, 2_000)
OUTCOME = Outcome((STEP, replace(STEP, client_out="")), {}, {}, 0, 3_000, "", 0.5)


def gives(outcome: Outcome) -> Callable[[Job], Outcome]:
    return lambda _: outcome


CHECKED = Expected("", {}, snapshot.check_digests(gives(OUTCOME)), {})


@pytest.fixture
def check(tmp_path: Path) -> Callable[..., list[str]]:
    """The self-check of a snapshot that expects OUTCOME; returns its messages."""
    machine = Snapshot(tmp_path / "digest", Runner(tmp_path / "runner"), tmp_path / "plugin" / "a.so")

    def run(outcome: Outcome = OUTCOME, expected: Expected | None = CHECKED) -> list[str]:
        lines: list[str] = []
        snapshot.require_exact(machine, expected, tmp_path, gives(outcome), lines.append)
        return lines

    return run


def test_each_host_is_checked_once(check: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    assert "checking" in check()[0] and check() == []
    monkeypatch.setattr(snapshot, "host", lambda: "another")
    assert check() and not check()


def test_a_cache_that_cannot_be_written_is_checked_each_time(check: Callable[..., list[str]], tmp_path: Path) -> None:
    (tmp_path / snapshot.CHECKED).write_bytes(b"no folder")
    assert check() == check() != []


@pytest.mark.parametrize(
    ("step", "name", "change"), [(0, "ib_write_bw", {"client_out": "other"}), (1, "sleeping", {"clock_end_ns": 2_001})]
)
def test_a_host_that_is_not_exact_is_refused_each_time(
    check: Callable[..., list[str]], step: int, name: str, change: dict[str, object]
) -> None:
    steps = list(OUTCOME.steps)
    steps[step] = replace(steps[step], **change)  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(MachineError, match=name):
            check(replace(OUTCOME, steps=tuple(steps)))


def test_a_snapshot_without_an_expectation_is_not_checked_and_a_message_says_so(
    check: Callable[..., list[str]],
) -> None:
    assert "has no results of this snapshot" in check(OUTCOME, None)[0]
