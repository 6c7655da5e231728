"""Lines with a result: those of printf() in the sources, and those that a program printed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lab.cli.sources import PLACES, STRING
from lab.programs.printed import NUMBER, RANK, bytes_per_s, is_unit

PRINT = re.compile(rf"printf\s*\(\s*(?:std\w+\s*,\s*)?((?:{STRING}\s*)+)([^;]*);", re.DOTALL)
CONVERSION = re.compile(r"%[-+ #0]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j|t|L)?([diufFeEgGsxXcp%])|%\"\s*PRI\w+\s*\"")
UNIT = re.compile(r"[A-Za-z]+(?:/\w+)?")
UNITS = re.compile(r"[A-Za-z]+(?:/[A-Za-z]+)?")  # in a name such as bandwidth_MBps
PRINTED_NUMBER = re.compile(rf"(?<![\w.]){NUMBER.pattern}")
COLUMNS = re.compile(r"(?: |\\t|\t|%-?\d+s){2,}|\\t|\t|[,|]")
HEADING = re.compile(r"(?:[\s|,]*%[-\d*]*s)+[\s|,]*")
MESSAGES = re.compile(r"iter|messages|msgs|count|pings|reps\b|rounds", re.IGNORECASE)
MEAN = re.compile(r"avg|average|mean|median", re.IGNORECASE)
OF_THREE = re.compile(r"min\W+(?:avg|average|mean)\W+max", re.IGNORECASE)
# The rate is in MiB/s, whatever it is called.
BINARY = re.compile(r"/\s*\(?\s*(?:1024(?:\.0*)?\s*[*/]\s*\(?\s*1024|1048576|1073741824|\(?\s*1U?L*\s*<<\s*[23]0)")


@dataclass(frozen=True)
class Output:
    """A line that a program prints with a result."""

    pattern: str
    unit: str
    has_size: bool
    size_unit: str
    measure: str
    rank: tuple[bool, ...] = ()  # the best first: a time of one message, a rate (other times may be that of all)

    @property
    def binary_unit(self) -> str:
        return re.sub(r"^([kKMG])([Bb](?:ytes?)?(?:ps|/s\w*))$", r"\1i\2", self.unit)


def outputs(text: str) -> list[Output]:
    """The results that the calls of printf() in the sources print."""
    found, headings = list[Output](), list[list[str]]()
    for match in PRINT.finditer(text):
        lines = "".join(re.findall(STRING, match[1])).split("\\n")
        cells = re.findall(STRING, match[3])
        headings += [cells] if len(cells) > 1 and HEADING.fullmatch(lines[0]) else map(columns, lines)
    headings += [columns(string) for string in re.findall(STRING, text)]
    for match in PRINT.finditer(text):
        values = [part.strip() for part in re.split(r",(?![^(]*\))", match[3].strip().strip(",) "))]
        for line in "".join(re.findall(STRING, match[1])).split("\\n"):
            names = []
            for conversion in CONVERSION.finditer(line):
                taken = conversion[0].count("*") + (conversion[0] != "%%")
                names += values[taken - 1 : taken] if taken else []
                values = values[taken:]
            found += output_of(line.replace('\\"', '"'), names, headings)
    return sorted(found, key=lambda output: output.rank)


def printed_outputs(printed: str) -> list[Output]:
    """The results in what a program printed: a row of numbers has the names of the columns above it."""
    found, heading = dict[Output, None](), list[str]()
    for line in RANK.sub("", printed).splitlines():
        numbers = list(PRINTED_NUMBER.finditer(line))
        if not numbers:
            heading = with_unit(cells) if len(cells := columns(line)) > 1 else heading
            continue
        ends = [0, *(number.end() for number in numbers)]
        between = [line[end : number.start()] for end, number in zip(ends, numbers, strict=False)]
        is_row = not re.search("[A-Za-z]", "".join(between)) and len(heading) == len(numbers)
        form = PRINTED_NUMBER.sub(lambda number: "%f" if "." in number[0] else "%d", line.replace("%", "%%"))
        found |= dict.fromkeys(output_of(form, heading if is_row else between, [heading], is_row=is_row))
    return sorted(found, key=lambda output: output.rank)


def number_named(printed: str, names: str) -> int:
    """The first whole number that is printed behind such a name, or before it; 0 without one."""
    pattern = rf"(?:{names})\w*[\"']?\s*[:=]?\s*(\d+)\b(?![.\d])|(?<![\w.])(\d+)\s+(?:{names})"
    found = re.search(pattern, RANK.sub("", printed), re.IGNORECASE)
    return int(found[1] or found[2]) if found else 0


def columns(line: str) -> list[str]:
    return [part for part in COLUMNS.split(line.removesuffix("\\n").strip(" \t|")) if part.strip()]


def with_unit(heading: list[str]) -> list[str]:
    """The heading, whose last word may be the unit of all columns but the first."""
    unit = heading[-1].strip(" []()")
    return [heading[0], *(f"{column} {unit}" for column in heading[1:-1])] if is_unit(unit) else heading


def output_of(line: str, names: list[str], headings: list[list[str]], *, is_row: bool = False) -> Iterator[Output]:
    """The pattern for one line, if it has a number whose unit follows, or is in its name or in a heading."""
    found = [each for each in CONVERSION.finditer(line) if each[0] != "%%"]
    names = [*names, *[""] * len(found)]
    ends = [0, *(each.end() for each in found)]
    behind = [line[end:].replace("\\t", " ") for end in ends[1:]]
    before = [line[end : each.start()] for end, each in zip(ends, found, strict=False)]
    numbers = [bool(each[1]) and each[1] in "fFeEgGdiu" for each in found]
    titles = names if is_row else [""] * len(found)
    units = list[str]()
    for number, (after, words) in enumerate(zip(behind, before, strict=True)):
        of_last = f"^[ (\\[]*{re.escape(units[-1])}" if units and units[-1] else "^"
        units.append(unit_of(after, re.sub(of_last, "", words), titles[number]))
    named = [index for index, unit in enumerate(units) if unit and numbers[index]]
    sizes = (
        index
        for index, each in enumerate(found)
        if is_whole(each) and is_size(names[index], before[index], behind[index]) and index not in named
    )
    size = next(sizes, None)
    column, heading, size_unit = heading_of(headings)
    floats = [index for index, each in enumerate(found) if (each[1] or "") in "fFeEgG" and index != size]
    if named:
        rates = [index for index in named if bytes_per_s(units[index], 1) is not None]
        means = [index for index in named if MEAN.search(before[index] + names[index])]
        value = (rates or means or named)[-1]
        unit, size_unit = units[value], size_unit if before[0].strip() == "" else ""
        value -= bool(OF_THREE.search(line)) and value > 0
    elif size is not None and heading and floats:
        value, unit = column if column in floats else floats[0], heading
    else:
        return
    pattern = pattern_of(line, found[: max(value, size or 0) + 1], names, value, size)
    measure = "throughput" if bytes_per_s(unit, 1) is not None else "latency"
    rank = ("/iter" not in unit, measure != "throughput", size is None, not MEAN.search(line))
    yield Output(pattern, unit, size is not None, size_unit, measure, rank)


def pattern_of(line: str, found: list[re.Match[str]], names: list[str], value: int, size: int | None) -> str:
    """The line as a pattern whose groups are the value, the size, and the number of messages if the line has it."""
    pattern, at = "", 0
    for index, conversion in enumerate(found):
        literal, behind = line[at : conversion.start()], line[conversion.end() :].replace("\\t", " ")
        words = literal.replace("\\t", " ").replace("%%", "%").replace("'", "\0")
        pattern += re.sub(r"(\\ |\t)+", r"\\s+", re.escape(words if index else words.lstrip())).replace("\0", ".")
        pattern += r"\s*" if literal or not index else r"\s+"
        kilo = re.match(r" ?[KM]i?B\b", behind)
        of_size = kilo[0] if kilo and index == size else ""
        counts = MESSAGES.search(names[index] + behind[:12]) and index < value and "messages" not in pattern
        if index == value:
            pattern += r"(?P<value>[\d.]+)"
        elif index == size:
            pattern += rf"(?P<size>\d+{of_size})"
        elif counts and is_whole(conversion):
            pattern += r"(?P<messages>\d+)"
        else:
            pattern += r"\S+" if conversion[1] == "s" else r"[\d.]+"
        at = conversion.end() + len(of_size)
    return pattern.replace(r"\s+\s*", r"\s+")


def is_whole(conversion: re.Match[str]) -> bool:
    return conversion[1] is None or conversion[1] in "diuxX"


def unit_of(behind: str, before: str, column: str) -> str:
    """The unit behind a number, else the last one in its column's heading or in the words before it."""
    unit = UNIT.match(behind.lstrip(" (["))
    if unit and is_unit(unit[0]):
        return unit[0]
    words = UNITS.findall(f"{before} {column}".replace("_", " "))
    return next((word for word in reversed(words) if is_unit(word)), "")


def is_size(name: str, before: str, behind: str) -> bool:
    named = re.search(PLACES["size"], name, re.IGNORECASE) or re.search(r"size\W*$", before, re.IGNORECASE)
    return bool(named or re.match(r" ?([KM]i?)?(B|[Bb]ytes?)\b", behind))


def heading_of(headings: list[list[str]]) -> tuple[int, str, str]:
    """The column of a table's heading with the unit of a rate, the unit, and that of the sizes if it is not bytes."""
    for heading in headings:
        for index, column in enumerate(heading):
            for word in re.findall(r"[A-Za-z]+/\w+|\w+ps\b", column):
                if is_unit(word):
                    kilo = re.search(r"\b([KM])i?B\b", heading[0])
                    return index, word, f"{kilo[1]}B" if kilo and index else ""
    return 0, "", ""
