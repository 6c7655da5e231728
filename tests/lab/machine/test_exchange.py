"""The machine as one file: what a checkout without network needs comes out of it, and a stranger's programs don't."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lab.files.store import damage, folder_digest, seal, sha256
from lab.machine import exchange, image, link, runner, snapshot
from lab.machine.contents import INIT, SCRIPTS
from lab.machine.exchange import ArchiveError
from lab.machine.runner import Runner
from lab.machine.snapshot import Expected
from lab.machine.sparse import digest_with_holes
from lab.supply.lock import RUNNER, Lock, read

LOCK = f"""date 20261121T000000Z
[guest]
busybox 1.35 amd64 pool/main/b/busybox/busybox.deb {"a" * 64} 1
[runner amd64]
qemu 7.2 amd64 pool/main/q/qemu/qemu.deb {"b" * 64} 1
[runner arm64]
qemu 7.2 arm64 pool/main/q/qemu/qemu-arm.deb {"c" * 64} 1
"""


class Course:
    """A checkout whose machine was frozen, and the file that it publishes."""

    def __init__(self, folder: Path) -> None:
        self.machine, self.cache, self.file = folder / "machine", folder / "course", folder / "course.lab"
        self.machine.mkdir()
        for name in ("image.toml", INIT, *SCRIPTS, "runner.toml"):
            (self.machine / name).write_text(name)
        (self.machine / "packages.lock").write_text(LOCK)
        self.lock: Lock = read(self.machine / "packages.lock")
        self.recipe = self.made()
        self.expect(self.recipe)

    def made(self) -> snapshot.Recipe:
        """Recipe of a few bytes, where the real ones would be."""
        built = self.put(self.cache / "image/built", vmlinuz=b"kernel", initrd=b"files")
        self.put(built, **{image.MANIFEST: image.manifest_of(built, [])})
        qemu = Runner(runner.place(self.machine, self.cache), self.lock.digest(RUNNER))
        self.put(qemu.folder, **{"ld.so": b"loader", "bios.bin": b"bios"})
        loaded = runner.plugin_place(self.machine, self.cache)
        self.put(loaded.parent, **{runner.NAME: b"plugin"})
        recipe = snapshot.Recipe(image.opened(built), qemu, loaded, link.digest(self.machine))
        self.put(self.cache / "built/of-these-sources", **{"verbs-client": b"program"})
        self.put(snapshot.folder_of(recipe, self.cache), memory=bytes(1 << 20) + b"memory", state=b"state")
        return recipe

    def put(self, folder: Path, **files: bytes) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        seal(folder, digest_with_holes if "memory" in files else sha256)
        return folder

    @property
    def whole(self) -> snapshot.Frozen:
        return snapshot.Frozen(snapshot.folder_of(self.recipe, self.cache), self.recipe.runner, self.recipe.plugin)

    def expect(self, recipe: snapshot.Recipe) -> None:
        """The repository knows this machine."""
        names = {"runner": recipe.runner.folder, "plugin": recipe.plugin.parent}
        host = {f"{name} {runner.architecture()}": folder_digest(folder) for name, folder in names.items()}
        snapshot.write(self.machine, Expected(recipe.digest, self.whole.digests(), {}, host))

    def export(self) -> Path:
        exchange.export(self.whole, self.recipe, self.lock, self.cache / "built/of-these-sources", self.file)
        return self.file


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return Course(tmp_path)


@pytest.fixture
def student(course: Course, tmp_path: Path) -> Iterator[Callable[..., list[str]]]:
    """Imports a file into an empty cache, which holds nothing afterwards if that was refused."""
    cache = tmp_path / "student"

    def imports(file: Path, sources: str = "of-these-sources") -> list[str]:
        told: list[str] = []
        exchange.bring(file, course.machine, cache, cache / "built" / sources, told.append)
        return told

    yield imports
    assert not list(cache.glob("import-*"))


def files(folder: Path) -> dict[str, bytes]:
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def test_all_that_a_trial_needs_is_where_it_would_have_been_made(
    course: Course, student: Callable[..., list[str]], tmp_path: Path
) -> None:
    assert student(course.export()) == []
    there = files(tmp_path / "student")
    for name, content in files(course.cache).items():
        assert there.get(name.replace("image/built", "image/imported")) == content, name
    carried = Runner(runner.place(course.machine, tmp_path / "student"))
    assert (carried.folder / "ld.so").stat().st_mode & 0o111 and not damage(carried.folder)


def test_the_file_is_the_same_each_time_and_says_where_sources_are(course: Course, tmp_path: Path) -> None:
    once = course.export().read_bytes()
    assert course.export().read_bytes() == once
    exchange.unpack(course.file, exchange.limit, tmp_path / "out")
    offer = (tmp_path / "out/sources").read_text()
    assert "General Public License" in offer and all(
        f"{each.named} {each.path}" in offer for each in course.lock.of("guest")
    )
    assert "qemu 7.2 pool/main/q/qemu/qemu.deb" in offer and course.lock.date in offer


@pytest.mark.parametrize("name", ["ld.so", "bios.bin", "more.so", runner.NAME])
def test_what_would_run_on_the_computer_is_refused_if_it_is_not_known(
    course: Course, student: Callable[..., list[str]], tmp_path: Path, name: str
) -> None:
    folder = course.recipe.plugin.parent if name == runner.NAME else course.recipe.runner.folder
    (folder / name).write_bytes(b"evil")
    with pytest.raises(ArchiveError, match=r"is not the one that this lab knows, and is not run here"):
        student(course.export())
    assert files(tmp_path / "student") == {}


@pytest.mark.parametrize("name", ["memory", "state"])
def test_another_memory_or_state_of_a_known_machine_is_refused(
    course: Course, student: Callable[..., list[str]], name: str
) -> None:
    (course.whole.folder / name).write_bytes(b"evil")
    with pytest.raises(ArchiveError, match=f"another {name}"):
        student(course.export())


def test_a_machine_of_another_version_of_the_lab_is_refused(course: Course, student: Callable[..., list[str]]) -> None:
    course.recipe = replace(course.recipe, runner=replace(course.recipe.runner, packages="another QEMU's"))
    course.put(snapshot.folder_of(course.recipe, course.cache), memory=b"memory", state=b"state")
    with pytest.raises(ArchiveError, match="not of this version of the lab"):
        student(course.export())


def test_an_image_that_is_not_what_its_manifest_says_is_refused(
    course: Course, student: Callable[..., list[str]]
) -> None:
    course.recipe.image.initrd.write_bytes(b"evil")
    file = course.export()
    with pytest.raises(ArchiveError, match="initrd is not what the manifest says"):
        student(file)
    with pytest.raises(ArchiveError, match="initrd is not what the manifest says"):
        exchange.require_exported(file)


def test_a_file_without_an_image_is_refused(course: Course, student: Callable[..., list[str]]) -> None:
    exchange.write(course.file, {"frozen/state": course.whole.state}, {})
    with pytest.raises(ArchiveError, match="holds no image"):
        student(course.file)


def test_qemu_of_another_kind_of_computer_is_left_out_and_that_is_said(
    course: Course, student: Callable[..., list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "architecture", lambda: "arm64")
    file = course.export()
    monkeypatch.undo()
    assert "for computers of arm64" in student(file)[0]
    assert not (tmp_path / "student/runner").exists() and (tmp_path / "student/machine").exists()


def test_programs_of_other_sources_stay_in_the_file(
    course: Course, student: Callable[..., list[str]], tmp_path: Path
) -> None:
    student(course.export(), "of-sources-that-were-edited")
    assert not (tmp_path / "student/built").exists() and (tmp_path / "student/machine").exists()
