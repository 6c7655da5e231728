"""What the sources of a folder tell about its programs: builds, arguments, printed lines, ports.

Each function guesses by the habits of C programs. A wrong guess costs a person one line of the experiment.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.programs.printed import bytes_per_s, is_unit

MAIN = re.compile(r"\bmain\s*\(")
STRING = r'"((?:[^"\\]|\\.)*)"'
PRINT = re.compile(rf"printf\s*\(\s*(?:std\w+\s*,\s*)?((?:{STRING}\s*)+)([^;]*);", re.DOTALL)
CONVERSION = re.compile(r"%[-+ #0]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j|t|L)?([diufFeEgGsxXcp%])|%\"\s*PRI\w+\s*\"")
UNIT = re.compile(r"[A-Za-z]+(?:/\w+)?")
LIBRARIES = {  # a header, and what a program that includes it is linked with
    "rdma/rdma": "-lrdmacm -libverbs",
    "infiniband/": "-libverbs",
    "pthread.h": "-pthread",
    "math.h": "-lm",
}
OPERATIONS = {  # the first that the sources name
    "write-imm": r"RDMA_WRITE_WITH_IMM",
    "read": r"IBV_WR_RDMA_READ|rdma_post_read",
    "write": r"IBV_WR_RDMA_WRITE|rdma_post_write",
}
CALLS = {  # the meanings of the parameters of known functions
    "getaddrinfo": ("host", "port"),
    "rdma_getaddrinfo": ("host", "port"),
    "inet_pton": ("", "host"),
    "inet_addr": ("host",),
    "inet_aton": ("host",),
    "gethostbyname": ("host",),
}
# Words in the name of a variable or in a usage text, and the placeholder for its value.
PLACES = {
    "gid": r"gid",
    "port": r"port|service",
    "device": r"dev",
    "size": r"size|len|byte",
    "iterations": r"iter|count|num|reps|rounds|loops|times|msgs|messages|^n$",
    "host": r"host|server|addr|ip\b|name|inet_|peer|remote",
}
SERVER, CLIENT = re.compile(r"serv|recv|passive|listen|^-*s$"), re.compile(r"client|send|active|connect|^-*c$")


@dataclass(frozen=True)
class Output:
    """A line that a program prints with a result."""

    pattern: str
    unit: str
    has_size: bool
    size_unit: str
    measure: str


def with_argv(text: str) -> str:
    """The text of a source with the usual name of the arguments of main()."""
    found = re.search(r"\bmain\s*\([^,)]*,\s*(?:const\s+)?char\s*\*+\s*(\w+)", text)
    return re.sub(rf"\b{found[1]}\b", "argv", text) if found else text


def compile_line(binary: str, sources: Iterable[str], text: str) -> str:
    compiler = "mpicc" if "mpi.h" in text else "gcc"
    libraries = [flags for header, flags in LIBRARIES.items() if header in text]
    return " ".join(dict.fromkeys([compiler, "-O2", "-o", binary, *sources, *" ".join(libraries).split()]))


def binaries_of_make(text: str, mains: Iterable[str]) -> list[str]:
    """The programs of a Makefile: those that it makes for `all`, else its targets that are called like a source."""
    values = dict(re.findall(r"^(\w+)\s*[:?]?=\s*(.*?)\s*$", text, re.MULTILINE))

    def expanded(words: str) -> list[str]:
        for _ in range(3):
            words = re.sub(r"\$[({](\w+)[)}]", lambda match: values.get(match[1], ""), words)
        return words.split()

    rules = [
        (expanded(head), expanded(rest))
        for head, rest in re.findall(r"^([^\s:#=][^:#=]*):([^=].*|)$", text, re.MULTILINE)
    ]
    targets = [target for heads, _ in rules for target in heads if not target.startswith(".")]
    first = next((rest for heads, rest in rules if "all" in heads or "default" in heads), None) or targets[:1]
    stems = {Path(name).stem for name in mains}
    found = [name for name in first if not name.endswith((".o", ".a", ".h"))]
    return found or [name for name in targets if name in stems]


def build_of_cmake(text: str, files: Iterable[str], folder: Path, code: str) -> tuple[str, list[str]]:
    """The compiler's lines in place of CMake, which the locked compiler lacks."""
    values = dict(re.findall(r"\bset\s*\(\s*(\w+)\s+([^)]*)\)", text))
    headers = sorted({str(Path(name).parent) for name in files if name.endswith(".h")} - {"."})
    found = re.findall(r"add_executable\s*\(\s*([\w.-]+)\s+([^)]*)\)", text)
    lines = []
    for name, words in found:
        named = re.sub(r"\$\{(\w+)\}", lambda match: values.get(match[1], ""), words).split()
        sources = [str(folder / word) for word in named if str(folder / word) in set(files)]
        sources = sources or [file for file in files if file.endswith(".c")]
        lines.append(compile_line(name, [*(f"-I{header}" for header in headers), *sources], code))
    return " && ".join(lines), [name for name, _ in found]


def place(words: str) -> str:
    """The placeholder for a value that is described so; empty for an unknown one."""
    words = re.sub(r"sizeof|\bsize_t\b|\bargv\b", "", words)
    return next((name for name, pattern in PLACES.items() if re.search(pattern, words, re.IGNORECASE)), "")


def meaning(statement: str, argument: str, text: str) -> str:
    """The placeholder for an argument that a statement uses: as a parameter of a function, or for a variable."""
    before = statement[: statement.index(argument)]
    depth = index = 0
    for at in range(len(before) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(before[at], 0)
        index += before[at] == "," and depth == 0
        if depth < 0:
            name = (re.findall(r"(\w+)\s*$", before[:at]) or [""])[0]
            roles = CALLS.get(name) or parameters(name, text)
            if index < len(roles) and roles[index]:
                return roles[index]
            depth = index = 0
    return place(before.rpartition("=")[0]) or place(statement)


def parameters(name: str, text: str) -> tuple[str, ...]:
    """The meanings of the parameters of a function that the sources define."""
    found = re.search(rf"\b{name}\s*\(([^)]*)\)\s*\{{", text) if name else None
    return tuple(map(place, found[1].split(","))) if found else ()


def options_of(text: str) -> Iterator[tuple[str, str]]:
    """Each option with a value, and the placeholder for the value."""
    strings = "".join(re.findall(STRING, text))
    for letter, line in re.findall(r"(?:case\s+|==\s*)'(\w)'\s*[:)]\s*(.*?);", text, re.DOTALL):
        if f"{letter}:" in strings and (name := place(line.split("=")[0])):
            yield f"-{letter}", name
    for word in re.findall(r'\{\s*"([\w-]+)"\s*,\s*(?:required_argument|1)\b', text):
        if not re.search(r"getopt_long.*case '\w'", text, re.DOTALL) and (name := place(word)):
            yield f"--{word}", name


def positional(text: str, end: str, code: str) -> Iterator[str]:
    """The other arguments of a program at one end, from the statements with argv, or else from its usage text."""
    numbered = dict[int, str]()
    for statement in re.split(r"[;{}]", text):
        for argument, number in re.findall(r"(argv\[([1-9])\])", statement):
            if mode := re.search(rf'strn?cmp\(\s*argv\[{number}\]\s*,\s*"(-?-?\w+)"', statement):
                if (SERVER if end == "server" else CLIENT).search(mode[1]):
                    numbered[int(number)] = mode[1]
            elif name := meaning(statement, argument, code):
                numbered.setdefault(int(number), f"{{{name}}}")
    usage = next((string for string in re.findall(STRING, text) if "sage" in string), "")
    for index, name in enumerate(re.findall(r"<([^>]+)>", usage) if not numbered else (), 1):
        if place(name):
            numbered[index] = f"{{{place(name)}}}"
    if "argv[optind]" in text:
        numbered.setdefault(1, "{host}")
    yield from (word for _, word in sorted(numbered.items()))


def arguments(text: str, end: str, code: str, *, alone: bool) -> list[str]:
    """The arguments of a program at one end; alone: the same program is also the other end."""
    found = {name: option for option, name in reversed(list(options_of(text)))}
    words = [
        word for name, option in found.items() if name != "host" or end == "client" for word in (option, f"{{{name}}}")
    ]
    rest = [word for word in positional(text, end, code) if word.strip("{}") not in found]
    if end == "server" and alone and "{host}" in rest and "argc" in text:
        rest = [word for word in rest if "{" not in word]  # it is the server without an argument, or with one word
    return words + [word for word in rest if word != "{host}" or end == "client"]


def outputs(text: str) -> list[Output]:
    """The lines of printf() that have a number with a unit: rates first, since a time may be that of all messages."""
    found = []
    for match in PRINT.finditer(text):
        line = "".join(re.findall(STRING, match[1])).split("\\n")[0]
        values = [part.strip() for part in re.split(r",(?![^(]*\))", match[3].strip().strip(",) "))]
        found += [output] if (output := output_of(line, values, text)) else []
    return sorted(found, key=lambda output: (output.measure != "throughput", not output.has_size))


def output_of(line: str, values: list[str], text: str) -> Output | None:
    """The pattern for one printed line, if it has a number whose unit follows, or is in a heading."""
    found = [each for each in CONVERSION.finditer(line) if each[0] != "%%"]
    behind = [line[each.end() :].replace("\\t", " ") for each in found]
    units = [UNIT.match(text.lstrip(" ([")) for text in behind]
    numbers = [bool(each[1]) and each[1] in "fFeEgGdiu" for each in found]
    named = [index for index, unit in enumerate(units) if unit and numbers[index] and is_unit(unit[0])]
    sizes = [index for index, each in enumerate(found) if is_size(values[index : index + 1], behind[index], each[1])]
    size = next((index for index in sizes if index not in named), None)
    column, heading, size_unit = heading_of(text)
    floats = [index for index, each in enumerate(found) if (each[1] or "") in "fFeEgG" and index != size]
    if named:
        value, unit, size_unit = named[-1], (units[named[-1]] or [""])[0], ""
    elif size is not None and heading and floats:
        value, unit = column if column in floats else floats[0], heading
    else:
        return None
    pattern, at = "", 0
    for index, conversion in enumerate(found[: max(value, size or 0) + 1]):
        before = line[at : conversion.start()].replace("\\t", " ")
        pattern += re.sub(r"(\\ )+", r"\\s+", re.escape(before if index else before.lstrip()))
        kilo = re.match(r" ?[KM]i?B", behind[index])
        whole = rf"\d+{kilo[0]}" if kilo else r"\d+"
        kinds = {value: r"(?P<value>[\d.]+)", size: f"(?P<size>{whole})"}
        pattern += r"\s*" + kinds.get(index, r"\S+" if conversion[1] == "s" else r"[\d.]+")
        at = conversion.end() + (len(kilo[0]) if kilo and index == size else 0)
    measure = "throughput" if bytes_per_s(unit, 1) is not None else "latency"
    return Output(pattern.replace(r"\s+\s*", r"\s+"), unit, size is not None, size_unit, measure)


def is_size(values: list[str], behind: str, conversion: str | None) -> bool:
    is_whole = conversion is None or conversion in "diuxX"
    named = any(re.search(PLACES["size"], value, re.IGNORECASE) for value in values)
    return is_whole and (named or bool(re.match(r" ?([KM]i?)?(B|[Bb]ytes?)\b", behind)))


def heading_of(text: str) -> tuple[int, str, str]:
    """The column of a table's heading with the unit of a rate, the unit, and that of the sizes if it is not bytes."""
    for string in re.findall(STRING, text):
        columns = re.split(r"(?: |\\t|%-?\d+s){2,}|\\t", string.removesuffix("\\n").strip())
        for index, column in enumerate(columns):
            for word in re.findall(r"[A-Za-z]+/\w+|\w+ps\b", column):
                if is_unit(word):
                    kilo = re.search(r"\b([KM])i?B\b", columns[0])
                    return index, word, f"{kilo[1]}B" if kilo and index else ""
    return 0, "", ""


def port_of(text: str) -> str:
    """The port that the sources name; empty without one."""
    found = re.search(
        r"PORT\w*\s+\(?\"?(\d{3,5})\b|htons\(\s*(\d{3,5})\s*\)|port\w*\s*=\s*\"?(\d{3,5})\b", text, re.IGNORECASE
    )
    return next(filter(None, found.groups()), "") if found else ""


def size_of(text: str) -> str:
    """The size of a message that the sources name, else 64."""
    values = re.findall(r"(?:SIZE|LEN|BYTES)\w*\s+\(?(\d{1,8})\b", text)
    return values[0] if values else "64"


def iterations_of(text: str) -> int:
    """The number of messages that the sources name, else 100."""
    values = re.findall(r"(?:ITER|COUNT|NUM|ROUNDS|LOOPS|REPS|MESSAGES)\w*\s+\(?(\d{1,7})\b", text)
    return int(values[0]) if values else 100
