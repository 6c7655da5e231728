"""How the programs of a folder are built: by its Makefile, CMakeLists.txt or scripts, else by lines of the compiler."""

import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from lab.cli.adopt.sources import CPP
from lab.compiler.build import build_untrusted
from lab.compiler.compilation import WORK
from lab.sites.site import silent

MPI_CPP = "env OMPI_CC=g++ mpicc -DOMPI_SKIP_MPICXX"
CPP20 = re.compile(r"<(?:span|format|concepts|ranges|bit|numbers|barrier|latch|semaphore|source_location)>")
LIBRARIES = {  # a header, and what a program that includes it is linked with
    "rdma/r": "-lrdmacm -libverbs",  # or rsocket.h
    "infiniband/": "-libverbs",
    "pthread.h": "-pthread",
    "math.h": "-lm",
}
OF_LINK = re.compile(r"^(?!.* -(?:[cSE]|M+|shared) ).*? -o\s*([\w./-]+)(?<!\.o)(?: |$)")
OF_COPY = re.compile(r"@?(?:ln|cp)\s.*?\s([\w./-]+)\s*")
LINES = "lines-of-make.txt"
IN_LIBC = re.compile(r"\s*-l(?:nsl|socket)\b")


def compile_line(binary: str, sources: Sequence[str], text: str) -> str:
    is_cpp = any(source.endswith(CPP) for source in sources)
    compiler = "g++" if is_cpp else "gcc"
    if "mpi.h" in text:
        compiler = MPI_CPP if is_cpp else "mpicc"
    libraries = [flags for header, flags in LIBRARIES.items() if header in text]
    standard = ["-std=c++20"] if is_cpp and CPP20.search(text) else []
    return " ".join(dict.fromkeys([compiler, *standard, "-O2", "-o", binary, *sources, *" ".join(libraries).split()]))


def assignments(text: str) -> list[tuple[str, str]]:
    """The variables of a Makefile, and their values as they are written."""
    return re.findall(r"^(\w+)\s*[:?]?=\s*(.*?)\s*$", text, re.MULTILINE)


def command_of_make(text: str, file: Path, goals: Sequence[str]) -> str:
    """`make`, with mpicc in place of MPI's compiler for C++, which the locked compiler lacks, without libraries whose
    functions are in libc, and without warnings that are errors."""
    folder = file.parent
    values = assignments(text)
    changed = {name: IN_LIBC.sub("", value) for name, value in values if IN_LIBC.search(value)}
    changed |= {name: MPI_CPP for name, value in values if re.fullmatch(r"mpi(?:c\+\+|cxx|CC)", value)}
    make = "make" if folder == Path() else f"make -C {folder}"
    if "-Werror" in text:  # which warnings there are depends on the version of the compiler
        make = f"sed s/-Werror/-Wno-error/ {file} | {make} -f -"
    return " ".join([make, *goals, *(f"'{name}={value}'" for name, value in changed.items())])


def expanded(words: str, values: Mapping[str, str]) -> str:
    """A text of a Makefile or of CMake, with its variables replaced."""
    for _ in range(3):
        words = re.sub(r"\$[({](\w+)[)}]", lambda match: values.get(match[1], ""), words)
    return words


def made_by_make(files: Mapping[str, bytes], file: Path, goals: Sequence[str]) -> list[str]:
    """The programs that make would make in the Makefile's folder: the outputs of the lines that it would run. Even then
    make may run commands, so it is shut in."""
    make = ["make", "--dry-run", "--always-make", "--print-directory", f"--file={file.name}", *goals]
    line = f"cd {shlex.quote(str(file.parent))}; {shlex.join(make)} >{WORK}/{LINES} 2>/dev/null; true"
    lines = build_untrusted(files, ("sh", "-c", line), (LINES,), silent)[LINES].decode(errors="replace")
    inside, found = list[Path](), dict[str, None]()
    for line in lines.replace("\\\n", " ").splitlines():
        if entered := re.search(r": Entering directory '(.*)'$", line):
            inside.append(Path(os.path.relpath(entered[1], WORK / file.parent)))
        elif ": Leaving directory" in line:
            inside.pop()
        elif made := OF_LINK.search(line) or OF_COPY.fullmatch(line):
            found[os.path.normpath((inside or [Path()])[-1] / made[1])] = None
    return list(found)


def binaries_of_lines(text: str) -> list[str]:
    """The programs that lines of a compiler make."""
    lines = (line for line in text.splitlines() if re.match(r"\s*@?(?:gcc|g\+\+|cc|clang\+*|mpic\S+)\s", line))
    return [name for line in lines for name in re.findall(r"\s-o\s*([\w./-]+)", line) if not name.endswith(".o")]


def unrolled(loop: re.Match[str]) -> str:
    """A loop of CMake as its lines with each value."""
    return "\n".join(loop[3].replace(f"${{{loop[1]}}}", value) for value in loop[2].split())


def build_of_cmake(text: str, files: Iterable[str], folder: Path, code: str) -> tuple[str, list[str]]:
    """The compiler's lines in place of CMake, which the locked compiler lacks."""
    text = re.sub(r"(?s)foreach\s*\(\s*(\w+)\s+(?:IN ITEMS\s+)?([^)]*)\)(.*?)endforeach\s*\([^)]*\)", unrolled, text)
    values = dict.fromkeys(("CMAKE_SOURCE_DIR", "CMAKE_CURRENT_SOURCE_DIR", "PROJECT_SOURCE_DIR"), ".")
    values |= dict(re.findall(r"\bset\s*\(\s*(\w+)\s+([^)]*)\)", text))
    headers = sorted({str(Path(name).parent) for name in files if name.endswith((".h", ".hpp"))} - {"."})
    libraries = " ".join(re.findall(r"add_library\s*\(\s*[\w.-]+\s+([^)]*)\)", text))
    executables = re.findall(r"add_executable\s*\(\s*([\w.-]+)\s+([^)]*)\)", text)
    found = [(name, f"{words} {libraries}") for name, words in executables if not re.search(r"\btests?/", words)]
    standard = [f"-std=gnu++{number}" for number in values.get("CMAKE_CXX_STANDARD", "").split()[:1]]
    lines = []
    for name, words in found:
        named = expanded(words, values).split()
        units = {file.lower(): file for file in files if file.endswith((".c", *CPP))}  # macOS does not tell cases apart
        sources = [units[path] for word in named if (path := str(folder / word).lower()) in units] or [*units.values()]
        flags = [*(standard if any(unit.endswith(CPP) for unit in sources) else ()), *(f"-I{each}" for each in headers)]
        lines.append(compile_line(name, [*flags, *sources], code))
    return " && ".join(lines), [name for name, _ in found]
