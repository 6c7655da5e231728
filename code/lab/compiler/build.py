"""Build programs, QEMU's plugins and the modelled card by the locked toolchain, and cache them by their sources."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache as once
from functools import partial
from pathlib import Path

from lab.compiler import sandbox, toolchain
from lab.compiler.compilation import DEADLINE_S, BuildRefused, Compilation
from lab.compiler.guest import INIT, Guest
from lab.errors import SiteError, StorageError, Tell
from lab.files.store import damage_of, fill_once, sums_of
from lab.machine import runner
from lab.machine.image import build_image
from lab.machine.runner import NAME, PAIR, bundled
from lab.places import CACHE, MACHINE
from lab.supply import lock

KEPT, CARDS_KEPT = 32, 16  # folders of builds, and of plugins and cards
PLUGIN_FLAGS = ("-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-fPIC", "-shared", "-fvisibility=hidden")
# The compiler for hosts of an architecture, and the section of the lock that adds it to the toolchain.
COMPILERS = {
    lock.section(lock.RUNNER, "amd64"): ("gcc", ""),
    lock.section(lock.RUNNER, "arm64"): ("aarch64-linux-gnu-gcc-12", lock.section(lock.CROSS, "arm64")),
}
# The card's kernel module, the library that programs in the guest preload, the device of QEMU; the switch between VMs.
MODULE, LIBRARY, DEVICE, SWITCH = "labcard.ko", "libcard.so", "card.so", "switch"
OF_PAIR = ("layout.h", "rdma.h", *(f"{name}.{kind}" for name in ("pair", "promise", "ring", "wire") for kind in "ch"))
SWITCH_FLAGS = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-D_GNU_SOURCE", "-Imachine/pair")
LIBRARY_FLAGS = ("-std=gnu11", *PLUGIN_FLAGS, "-fno-strict-aliasing", "-Icard")
KBUILD = f"make -C /usr/src/linux-headers-*-amd64 M=$PWD/card/module modules && strip -g card/module/{MODULE}"

CPP_SUFFIXES, LTO = (".cc", ".cpp", ".cxx"), b"-flto"


def run(task: Compilation, machine: Path, cache: Path, tell: Tell, section: str = "") -> tuple[int, bytes]:
    """The status and the output of a task, in a sandbox or a VM; a section of the lock extends the toolchain."""
    tools = toolchain.unpacked(machine, cache, tell, section or language(task))
    if not (why := sandbox.refusal(tools)):
        return sandbox.run(tools, task)
    tell(f"compiling inside the VM (slower, first run only): no sandbox on this host: {why}")
    guest = Guest(build_image(machine, cache, tell), bundled(machine, cache, tell), (machine / INIT).read_bytes())
    return guest.run(tools, task)


def language(task: Compilation) -> str:
    """The section of the lock that a task needs for sources in another language than C, or for optimising links."""
    texts = (" ".join(task.command).encode(), *task.files.values())
    is_more = any(name.endswith(CPP_SUFFIXES) for name in task.files) or any(LTO in text for text in texts)
    return lock.CPP if is_more else ""


def build_untrusted(
    files: Mapping[str, bytes], command: Iterable[str], wanted: Iterable[str], tell: Tell, deadline_s: int = DEADLINE_S
) -> dict[str, bytes]:
    """The programs that a command builds from untrusted files, uncached: the same bytes on every host."""
    task = Compilation(files, tuple(command), tuple(wanted), deadline_s)
    try:
        status, output = run(task, MACHINE, CACHE, tell)
    except (SiteError, StorageError) as error:
        what = f"this computer cannot compile safely: {error.what}"
        raise SiteError(what, error.where, error.hint, getattr(error, "evidence", {})) from error
    return task.programs(status, output)


def build_once(task: Compilation, machine: Path, cache: Path, tell: Tell) -> dict[str, bytes]:
    """The programs of a task, from the cache or built now."""
    target = place(task, machine, cache)

    def compiled() -> dict[str, bytes]:
        tell(f"compiling {', '.join(Path(name).name for name in task.wanted)}")
        return task.programs(*run(task, machine, cache, tell))

    _fill(target, KEPT, compiled)
    return _read(task, target)


def built_before(task: Compilation, machine: Path, cache: Path) -> dict[str, bytes]:
    """The programs of a task from the cache; empty if they are not there."""
    target = place(task, machine, cache)
    return {} if damage_of(target) else _read(task, target)


def place(task: Compilation, machine: Path, cache: Path, section: str = "", kind: str = "built") -> Path:
    """The folder of a task's programs, named by a digest of sources, command and toolchain."""
    files = {name: hashlib.sha256(content).hexdigest() for name, content in task.files.items()}
    tools = toolchain.place(machine, cache, section or language(task)).name
    facts = json.dumps([tools, sorted(files.items()), task.inside])
    return cache / kind / hashlib.sha256(facts.encode()).hexdigest()


def built_plugin(machine: Path, cache: Path, tell: Tell, which: str = PAIR) -> Path:
    """A plugin for this host's QEMU; compile it if it is missing."""
    file, host = runner.plugin_place(machine, cache, which), runner.section()
    _fill(file.parent, CARDS_KEPT, lambda: {file.name: compiled_plugin(machine, cache, host, tell, which)})
    return file


def host_digests(machine: Path, cache: Path, tell: Tell) -> dict[str, str]:
    """The digest of the folder of the pair's plugin and of the card's device on each kind of host: `plugin amd64`."""
    digests = {}
    for host in COMPILERS:
        task, section = _card_parts(machine, host)[DEVICE]
        device = _compiled(task, "the card's device", machine, cache, tell, section)
        plugin = compiled_plugin(machine, cache, host, tell)
        for kind, name, content in (("plugin", NAME, plugin), ("device", DEVICE, device)):
            sums = sums_of({name: hashlib.sha256(content).hexdigest()})
            digests[f"{kind} {host.split()[-1]}"] = hashlib.sha256(sums).hexdigest()
    return digests


def compiled_plugin(machine: Path, cache: Path, host: str, tell: Tell, which: str = PAIR) -> bytes:
    compiler, section = COMPILERS[host]
    task = _linked(runner.plugin_sources(machine, which), (compiler, *PLUGIN_FLAGS), f"{which}.so")
    return _compiled(task, "the plugin", machine, cache, tell, section)


def _compiled(task: Compilation, what: str, machine: Path, cache: Path, tell: Tell, section: str) -> bytes:
    """The only file of a task with Verbyte's sources."""
    try:
        (content,) = task.programs(*run(task, machine, cache, tell, section)).values()
    except BuildRefused as error:
        raise SiteError(f"{what} does not compile: {error.what}") from error
    return content


def card_places(machine: Path, cache: Path) -> dict[str, Path]:
    """The folders of the card's parts in the cache, by their names in an exported machine."""
    parts, files = _card_parts(machine, runner.section()), {"module": MODULE, "library": LIBRARY, "device": DEVICE}
    return {name: place(parts[file][0], machine, cache, parts[file][1], "card") for name, file in files.items()}


def _card_parts(machine: Path, host: str) -> dict[str, tuple[Compilation, str]]:
    """The build of each file of the card, and of the switch; and the section of the lock that it needs besides the
    compiler."""
    compiler, section = COMPILERS[host]
    module = _sources(machine, "card/module", "card/abi.h")
    library = _sources(machine, "card/library", "card/abi.h")
    switch = _sources(machine, "machine/switch", *(f"machine/pair/{name}" for name in OF_PAIR))
    device = _sources(machine, "card/device", "card/abi.h", "machine/pair/qemu.h", "machine/pair/rdma.h")
    return {
        # The kernel's makefiles build the module.
        MODULE: (Compilation(module, ("sh", "-c", KBUILD), (f"card/module/{MODULE}",)), ""),
        LIBRARY: (_linked(library, ("gcc", *LIBRARY_FLAGS), LIBRARY), ""),
        DEVICE: (_linked(device, (compiler, *PLUGIN_FLAGS), DEVICE), section),
        SWITCH: (_linked(switch, (compiler, *SWITCH_FLAGS), SWITCH), section),
    }


def card_file(name: str, machine: Path, cache: Path, tell: Tell) -> Path:
    """The switch or a file of the card, for this host; compile it if it is missing."""
    task, section = _card_parts(machine, runner.section())[name]
    target = place(task, machine, cache, section, "card")
    what = "the switch" if name == SWITCH else f"the modelled card's {name}"

    def compiled() -> dict[str, bytes]:
        tell(f"compiling {what} (once)")
        return {name: _compiled(task, what, machine, cache, tell, section)}

    _fill(target, CARDS_KEPT, compiled)
    return target / name


def _linked(files: Mapping[str, bytes], command: tuple[str, ...], name: str) -> Compilation:
    return Compilation(files, (*command, "-o", name, *(path for path in files if path.endswith(".c"))), (name,))


@once
def _sources(machine: Path, folder: str, *more: str) -> dict[str, bytes]:
    code = machine.parent
    names = [str(file.relative_to(code)) for file in (code / folder).iterdir() if file.is_file()]
    return {name: (code / name).read_bytes() for name in sorted([*names, *more])}


def _fill(target: Path, kept: int, compiled: Callable[[], dict[str, bytes]]) -> None:
    """Write compiled files into a folder of the cache, unless they are there undamaged."""
    fill_once(target, kept, lambda _: partial(_write, compiled()))


def _write(programs: Mapping[str, bytes], folder: Path) -> None:
    for name, content in programs.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _read(task: Compilation, folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in task.wanted}
