"""A folder of programs: its files, its build, and what its programs read and write."""

import re
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from lab.cli.adopt.builds import (
    binaries_of_lines,
    build_of_cmake,
    command_of_make,
    compile_line,
    made_by_make,
)
from lab.cli.adopt.outputs import TURNS
from lab.cli.adopt.sources import CLIENT, CPP, MAIN, NUMBER_OF_TURNS, SERVER, longest_loop, turns, with_argv
from lab.plan.builds import source_files
from lab.programs.program import Build

MOST_BYTES = 1 << 21  # of a file on a site
SENT_BYTES = 1 << 25  # in one direction, by a program that sends for minutes
READ = ("", ".txt", ".conf", ".cfg", ".ini", ".config", ".json", ".list", ".hosts", ".env")
MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
UNREAD_FILES = ("CMakeLists.txt", *MAKEFILES, "configure", "LICENSE", "README", "README.txt")


class Folder:
    def __init__(self, folder: Path) -> None:
        self.folder, self.long, self.short = folder, "", ""

    def shorten(self, size_bytes: int) -> bool:
        """Have the build replace the bound of the longest loop, `long`, by `short`, again by less; return whether it
        can."""
        bound = self.long or longest_loop(self.code)
        fewer = min(max(10, SENT_BYTES // size_bytes), 10_000, (self.turns or turns(bound)) // 10)
        if fewer < 10:
            return False
        folder = self.folder
        vars(self).clear()  # the texts of the files
        self.folder, self.long, self.short = folder, bound, NUMBER_OF_TURNS.sub(str(fewer), bound)
        return True

    @property
    def turns(self) -> int:
        """The turns of a loop that was made shorter, else 0."""
        return turns(self.short)

    @cached_property
    def contents(self) -> dict[str, bytes]:
        return dict(source_files(Build((), self.folder)))

    @cached_property
    def files(self) -> dict[str, str]:
        texts = {name: content.decode(errors="replace") for name, content in self.contents.items()}
        long = self.long or "\0"  # of no text
        return {name: with_argv(text.replace(long, self.short)) for name, text in texts.items()}

    @cached_property
    def mains(self) -> dict[str, str]:
        return {name: text for name, text in self.files.items() if name.endswith((".c", *CPP)) and MAIN.search(text)}

    @cached_property
    def everything(self) -> str:
        return "\n".join(self.files.values())

    @cached_property
    def prose(self) -> str:
        """What may show a command: README files, comments, scripts."""
        others = (file for file in sorted(self.folder.glob("READ*")) if file.name not in self.files)
        return "\n".join([self.everything, *(file.read_text(errors="replace") for file in others)])

    @cached_property
    def code(self) -> str:
        return "\n".join(self.files[name] for name in self.code_names)

    def code_of(self, binaries: Iterable[str]) -> str:
        """The sources without the main() of other programs."""
        started = [self.main_of(binary) for binary in binaries]
        names = (name for name in self.code_names if name not in self.mains or self.files[name] in started)
        return "\n".join(self.files[name] for name in names)

    @property
    def in_turns(self) -> bool:
        """Whether the ends send in turns."""
        return bool(TURNS.search("\n".join((*self.code_names, self.code))))

    @property
    def code_names(self) -> list[str]:
        return [name for name in self.files if name.endswith((".c", ".h", ".hpp", *CPP))]

    def build(self) -> tuple[str, list[str]]:
        """The build command and the names of the binaries."""
        command, made = self.build_as_it_is
        binaries = [*made]
        if self.short:  # in a copy, and in all sources, so that make sees each as new
            change = f"sed -i 's/{self.long.replace('*', '[*]')}/{self.short}/' {' '.join(self.code_names)}"
            lines = f"cd $new && {change} && {command} && cp --parents {' '.join(binaries)} $OLDPWD"
            command = f"new=$(mktemp -d) && cp -r . $new && ({lines}) && rm -r $new"
        return command, binaries

    @cached_property
    def build_as_it_is(self) -> tuple[str, list[str]]:
        configures = "configure" in self.files
        makefiles = (*MAKEFILES, "Makefile.in") if configures else MAKEFILES

        def rank(name: str) -> tuple[int, int]:
            """The nearest first; of one folder Makefiles, then CMake, then scripts."""
            known = (*makefiles, "CMakeLists.txt", Path(name).name)
            return name.count("/"), known.index(Path(name).name)

        for name in sorted(self.files, key=rank):
            text, folder = self.files[name], Path(name).parent
            if Path(name).name in makefiles:
                for goals in ([], ["all"], [Path(each).stem for each in self.mains]):
                    if made := made_by_make(self.contents, Path(name), goals):
                        binaries = [str(folder / each) for each in made]
                        make = command_of_make(text, Path(name), goals)
                        lines, others = self.other_end(binaries)
                        return " && ".join(["sh configure"] * configures + [make, *lines]), [*binaries, *others]
            if name.endswith("CMakeLists.txt") and "add_executable" in text:
                return build_of_cmake(text, self.files, folder, self.code)
            if name.endswith(".sh") and (binaries := binaries_of_lines(text)):
                return f"sh {name}", binaries
        parts = [name for name in self.files if name.endswith((".c", *CPP)) and name not in self.mains]
        lines = [compile_line(Path(name).stem, [name, *parts], self.code) for name in self.mains]
        return " && ".join(lines), [Path(name).stem for name in self.mains]

    def other_end(self, binaries: list[str]) -> tuple[list[str], list[str]]:
        """The lines of the compiler for the end that a Makefile does not make, and its binary."""
        ends = [end for end in (SERVER, CLIENT) if not any(map(end.search, binaries))]
        stems = {name: Path(name).stem for name in self.mains}
        others = [name for name, stem in stems.items() if len(ends) == 1 and ends[0].search(stem)]
        return [compile_line(stems[name], [name], self.code) for name in others], [stems[name] for name in others]

    def data(self) -> list[str]:
        """The files of the folder that the programs open."""
        opened = dict.fromkeys(re.findall(r'"([\w./-]+\.\w+)"', self.code))
        known = {self.result_file, *self.files}
        return [name for name in opened if name not in known and (self.folder / name).is_file()]

    @cached_property
    def result_file(self) -> str:
        """The file that the programs write; empty without one."""
        if not re.search(r'fopen\s*\([^;]*,\s*"[wa]|ofstream', self.code):
            return ""
        named = re.findall(r'"([\w./-]+\.(?:csv|tsv|dat|txt|log|out))"', self.code)
        return next(iter(sorted(named, key=lambda name: (self.folder / name).exists())), "")

    @cached_property
    def lists(self) -> dict[str, str]:
        """The texts of files that may be read, those beside the sources first: lists of hosts, settings."""
        found = sorted([*self.folder.glob("*"), *self.folder.glob("[!.]*/*")], key=lambda file: (len(file.parts), file))
        small = (file for file in found if file.suffix in READ and file.is_file() and file.stat().st_size < 4096)
        names = {str(file.relative_to(self.folder)): file.read_text(errors="replace") for file in small}
        read = (name for name in names if f'"{name}"' in self.code or Path(name).name not in UNREAD_FILES)
        return {name: names[name] for name in read}

    @cached_property
    def documents(self) -> list[str]:
        """The files that a program may read or send: those beside the sources, else a source."""
        small = (file for file in sorted(self.folder.iterdir()) if file.is_file() and file.stat().st_size < MOST_BYTES)
        known = (".", *UNREAD_FILES, *self.code_names)
        names = [file.name for file in small if not file.name.startswith(known) and file.suffix not in (".md", ".sh")]
        return names or self.code_names[:1]

    def main_of(self, binary: str) -> str:
        """The source of a binary's main(): the one that is called like it, or a part of it, else by most words of its
        path, else the first."""
        name = Path(binary).stem

        def likeness(file: str) -> tuple[bool, bool, int]:
            words = {*re.split(r"\W|_", file)} & {*re.split("[-_]", name)}
            return Path(file).stem == name, Path(file).stem in name, len(words)

        return self.mains[max(self.mains, key=likeness)] if self.mains else ""

    def source_of(self, binary: str) -> str:
        """The source of a binary's main(), and that of a function that gets its arguments."""
        main = self.main_of(binary)
        readers = "|".join(re.findall(r"\b(?!getopt|MPI_)(\w+)\s*\(\s*argc\s*,\s*argv\b", main))
        defined = re.compile(rf"\b(?:{readers})\s*\([^;{{]*\{{")
        others = (text for text in self.files.values() if readers and text not in self.mains.values())
        return "\n".join([main, *(text for text in others if defined.search(text))])
