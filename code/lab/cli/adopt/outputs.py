"""Lines with a result: those of printf() in the sources, and those that a program printed."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import filterfalse, zip_longest
from typing import NamedTuple

from lab.cli.adopt.sources import MPI_BYTES, PLACES, SENT, STRING
from lab.programs.printed import GROUPED, NUMBER, bytes_per_s, is_unit, nanoseconds

PRINT = re.compile(rf"printf\s*\(\s*(?:std\w+\s*,\s*)?((?:{STRING}\s*(?:[A-Z]\w+\s*(?=\"))?)+)([^;]*);", re.DOTALL)
PRINT_TO_FILE = re.compile(PRINT.pattern.replace(r"std\w+", r"\w+"), re.DOTALL)
CONVERSION = re.compile(r"%[-+ #0']*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j|t|L)?([diufFeEgGsxXcp%])")
PRI = re.compile(r'"\s*PRI(\w)\w*(\s*")?')  # of inttypes.h, between two strings or behind the last one
UNIT_GROUP = r"[\s,;|(]*(?P<unit>[A-Za-zµμ/]+)"
UNIT_IN_STRING = re.compile(r"%[-+ 0]*[\d*]*(?:\.[\d*]+)?l?[fFeEgG](?:\\t|[\s,;|(])*(%-?\d*s)")
UNIT = re.compile(r"[A-Za-zµμ]+(?:/\w+)?")
# A unit that is the name of the next number, as in ops/s=%d.
NEXT_NAME = re.compile(rf"[^\w%]*{UNIT.pattern}\s*=\s*%|\s*[,;|]\W*{UNIT.pattern}\s*:\s*%")
UNITS = re.compile(r"[A-Za-zµμ]+(?:/[A-Za-z]+)?")
PER = re.compile(r"((?:bit|byte|B|[kmg]ib|msg|message)s?)[_ ](?:per[_ ])?(?=s(?:ec\w*)?\b)")  # as in throughput_mbit_s
PRINTED_NUMBER = re.compile(rf"(?<![\w.])(?<![A-Za-z]/){NUMBER.pattern}")
GROUPED_NUMBER = re.compile(rf"(?<![\w.,])(?<![A-Za-z]/){GROUPED}(?![.,']?\d)|{PRINTED_NUMBER.pattern}")
COLUMNS = re.compile(r" (?=#\w)|(?: |\\t|\t|%-?\d+s){2,}|\\t|\t|[,;|│]")
HEADING = re.compile(r"#?(?:[\s|,]*%[-\d*]*s)+[\s|,]*")
MESSAGES = re.compile(r"iter|messages|msgs|count|pings|reps\b|rounds|writes|sends|puts", re.IGNORECASE)
SIZE_BEFORE = re.compile(r"size\W*(?:\([KMG]?i?B\w*\)\W*)?$", re.IGNORECASE)
ELEMENTS = r"\b(?P<type>double|int|float)s\b"
SIZE_BEHIND = re.compile(rf" ?(?:(?:[kKM]i?)?(?:B|[Bb]ytes?)\b(?!\s*=)|{ELEMENTS})")
OF_ALL_BEHIND = re.compile(r" ?[Bb]ytes in %[\d.]*l?f ?s(?:ec\w*)?\b")
TIMES = re.compile(r"(?: [x*×]|\bof) ?$")  # so many messages
TURNS = re.compile(r"round.?trip|rtt|(?:\b|_)ping|pong|echo", re.IGNORECASE)
BYTES_OF_ALL = re.compile(r"(?:sent|received|transferred|total)\s*[=:]\s*$", re.IGNORECASE)
DEFAULT = re.compile(r"\(default\b", re.IGNORECASE)  # of a usage text
WARM_UP = re.compile("warm", re.IGNORECASE)
RANGE = re.compile(r"\]\+\\-\\s\*[(\[]")  # in a pattern: from one second to another, of a part of the messages
PART = re.compile(r"\d-\d[\d.]*\s*s.*|(\d+) bytes in ")  # what is said about a part of the messages, or about all
OTHER_LINE = re.compile(r"[a-zµμ]*[\s,;:|(]*")  # between a time and the text with the result
LABEL = re.compile(r"\s*[A-Za-z][\w.+-]*(?: [\w.+-]+)*[\s|,;:]+")
KIND = re.compile(r"[A-Za-z][\w.-]*")
ANY_WORD = re.compile(r"\\S\+|\[\^\\s[,;|]\]\+")  # in a pattern
MEAN = re.compile(r"avg|average|mean|median|moyen|mittel|promedio|(?<![A-Za-z])p50(?!\d)", re.IGNORECASE)
MIN = re.compile(r"\bmin", re.IGNORECASE)
OF_ONE = re.compile(r"lat|rtt|round|trip|avg|average|mean|per|ping", re.IGNORECASE)
OF_TIME = re.compile(r"\b(?:time|latency|rtt|elapsed)\b|^\s*(?:avg|average|mean)\W*$", re.IGNORECASE)
OVER = re.compile(r".*?[(\[](\w+)[)\]]\s*:?\s*")  # lines with a number each: the unit of all
# Numbers that scale to another unit than that of MPI_Wtime().
SCALED = re.compile(r"1(?:\.0*)?e\+?[369]|[*/]\s*\(?1000(?:000){0,2}\b|\b1000(?:000){0,2}(?:\.0*)?\s*\*")
OF_LINE = re.compile(r"(?:^|\s)#?(?:iter(?:ation)?|sample|seq(?:uence)?)$", re.IGNORECASE)  # a column
OF_THREE = re.compile(r"min\W+(?:avg|average|mean)\W+max", re.IGNORECASE)
ANY_UNIT = ("us", "ns", "ms", "s", "B/s", "kB/s", "MB/s", "GB/s", "Mbit/s", "Gbit/s", "msg/s", "Mmsg/s")
OF_WIDTH = {4: "ints", 8: "doubles"}
# The rate is in MiB/s, whatever it is called.
BINARY = re.compile(
    r"(?:/\s*\(?\s*(?:1024(?:\.0*)?\s*[*/]\s*\(?\s*1024|1048576|1073741824|\(?\s*(?:1U?L*\s*<<\s*[23]0|2\s*<<\s*[12]9))"
    r"|/\s*\([^;]*\*\s*1024(?:\.0*)?\s*\*\s*1024(?:\.0*)?\s*\)"  # a time in another unit
    r"|(?:[GM]B|[Gg]igabyte|[Mm]egabyte)\w*\s*=\s*\(?1U?L*\s*<<\s*[23]0)"
)


@dataclass(frozen=True)
class Output:
    """A line that a program prints with a result."""

    pattern: str
    unit: str  # empty: the pattern has a group for it
    has_size: bool
    size_unit: str
    measure: str
    unit_follows: bool = False  # the value, in its line
    rank: tuple[bool, ...] = ()  # first the best of a line, a time of one message, a rate (other times may be of all)
    variable: str = ""  # with the size
    name: str = ""  # of the value: its variable, its column and the words before it
    kinds: tuple[str, ...] = ()  # of lines that differ in a word: this one, and others
    factor: float | None = None  # of its value; None: unknown
    is_carried: bool = False  # the link carried the messages at this rate

    @property
    def binary_unit(self) -> str:
        return re.sub(r"^([kKMG])([Bb](?:ytes?)?(?:ps|/s\w*))$", r"\1i\2", self.unit)


def outputs(text: str, *, times: bool = False, to_file: bool = False, in_turns: bool = True) -> list[Output]:
    """The results that the calls of printf() in the sources print, or write to a file."""
    text = PRI.sub(lambda match: match[1] if match[2] else f'{match[1]}"', text).replace("\\r", "")
    calls = (PRINT_TO_FILE if to_file else PRINT).finditer(text)
    prints = [("".join(re.findall(STRING, match[1])).split("\\n"), match[3]) for match in calls]
    headings = [heading for lines, rest in prints for heading in headings_of(lines, rest)]
    headings += [columns(string) for string in re.findall(STRING, text)]
    headings = [cells for cells in headings if all(form[1] in "s%" for form in CONVERSION.finditer("|".join(cells)))]
    unit = unit_of_times(text)
    in_strings = [string for string in re.findall(STRING, text) if len(string) > 1 and is_rate(string)]
    prints = [each for lines, rest in prints for each in with_units(lines, rest, in_strings)]
    found = (output for lines, rest in prints for output in outputs_of(lines, rest, headings, times=times, unit=unit))
    units = {name: OF_WIDTH.get(MPI_BYTES.get(kind, 0), "") for name, kind in SENT.findall(text)}
    counted = (replace(each, size_unit=each.size_unit or units.get(each.variable, "")) for each in found)
    return by_rank(counted, in_turns=in_turns)


def unit_of_times(text: str) -> str:
    """The unit of the times that the sources print without one; empty for an unknown one."""
    return "s" if re.search(r"MPI_Wtime|duration<(?:float|double)>", text) and not SCALED.search(text) else ""


def by_rank(found: Iterable[Output], *, in_turns: bool = True) -> list[Output]:
    """The outputs, the best first; those that differ in their units only are one with a group for it. If the ends do
    not send in turns, the time of one message is not that of a round trip."""
    first = 1 if in_turns else 2
    last = re.compile(f"{WARM_UP.pattern}|{RANGE.pattern}", re.IGNORECASE)
    ranked = sorted(found, key=lambda output: (bool(last.search(output.pattern)), output.rank[:1], output.rank[first:]))
    units: dict[str, set[str]] = {}
    for output in ranked:
        units.setdefault(output.pattern, set()).add(output.unit)
    return [
        replace(output, pattern=output.pattern + UNIT_GROUP, unit="")
        if output.unit_follows and len(units[output.pattern]) > 1
        else output
        for output in ranked
    ]


def headings_of(lines: list[str], rest: str) -> list[list[str]]:
    """The columns in the strings behind a format of %s alone, else those in its lines."""
    cells = re.findall(STRING, rest)
    return [cells] if len(cells) > 1 and HEADING.fullmatch("".join(lines)) else [columns(line) for line in lines]


def with_units(lines: list[str], rest: str, units: list[str]) -> Iterator[tuple[list[str], str]]:
    """A call of printf(), or where a %s behind a number may be one of several units, a call for each of them."""
    text, values = "\\n".join(lines), values_of(rest)
    behind = UNIT_IN_STRING.search(text) if units else None
    if not behind:
        yield lines, rest
        return
    taken = sum(form[0] != "%%" for form in CONVERSION.finditer(text[: behind.start(1)]))
    for unit in units:
        line = f"{text[: behind.start(1)]}{unit}{text[behind.end() :]}"
        yield line.split("\\n"), ", ".join(values[:taken] + values[taken + 1 :])


def values_of(rest: str) -> list[str]:
    return [part.strip() for part in re.split(r",(?![^(]*\))", rest.strip().removesuffix(")").strip(", "))]


def outputs_of(lines: list[str], rest: str, headings: list[list[str]], *, times: bool, unit: str) -> Iterator[Output]:
    """The results of one printf(): its lines, and the expressions behind them; the unit of times without one."""
    values = values_of(rest)
    for line in lines:
        names = []
        for conversion in CONVERSION.finditer(line):
            taken = conversion[0].count("*") + (conversion[0] != "%%")
            names += values[taken - 1 : taken] if taken else []
            values = values[taken:]
        yield from output_of(line.replace('\\"', '"'), names, headings, times=times, of_time=unit)


def printed_outputs(printed: str, *, times: bool = False, of_time: str = "") -> list[Output]:
    """The results in what a program printed: a row of numbers has the names of the columns above it."""
    found = dict[Output, None]()
    for row in rows(printed, of_time):
        found |= dict.fromkeys(output_of(*row[:2], [row.heading], is_row=row.is_row, times=times, of_time=row.of_time))
    return by_rank(found)


def unnamed_outputs(printed: str) -> Iterator[Output]:
    """All numbers that a program printed, with each unit, for a comparison with what the link carried."""
    for row in dict.fromkeys(rows(printed, "")):
        names = [f"{name} {cell}" for name, cell in zip_longest(row.names, row.heading, fillvalue="")]
        numbers = numbers_of(row.line, names, is_row=row.is_row, of_time="")
        size = size_among(numbers)
        for value in (index for index in range(len(numbers)) if index != size):
            pattern = pattern_of(row.line, numbers[: max(value, size or 0) + 1], value, size)
            headed = [unit for unit in units_in(row.heading[value] if row.is_row else "") if is_unit(unit)]
            for unit in headed or ANY_UNIT:
                measure = "throughput" if is_rate(unit) else "latency"
                yield Output(pattern, unit, size is not None, "", measure, name=names[value])


class PrintedLine(NamedTuple):
    """A line that a program printed, as printf() has it, and the names of its numbers."""

    line: str
    names: tuple[str, ...]
    heading: tuple[str, ...]
    is_row: bool  # of numbers alone
    of_time: str  # the unit of times without one


def rows(printed: str, of_time: str) -> Iterator[PrintedLine]:
    heading, number = list[str](), GROUPED_NUMBER
    form = partial(form_of, scientific=bool(re.search(r"\d[eE][+-]\d", printed)))
    for line in filterfalse(DEFAULT.search, printed.splitlines()):
        numbers = list(number.finditer(line))
        if not numbers:
            number = PRINTED_NUMBER if "," in line else GROUPED_NUMBER  # commas between its columns
            heading = cells if len(cells := columns(line)) > 1 and re.search("[A-Za-z]", line) else heading
            of_time = over[1] if (over := OVER.fullmatch(line)) and is_time(over[1]) else of_time
            continue
        ends = [0, *(each.end() for each in numbers)]
        between = [line[end : each.start()] for end, each in zip(ends, numbers, strict=False)]
        cells = heading if len(heading) == len(numbers) else with_unit(heading)
        is_named = bool(LABEL.fullmatch(between[0])) and len(cells) == len(numbers) + 1  # by a first column of words
        cells = cells[is_named:]
        is_row = not re.search("[A-Za-z]", "".join(between[is_named:])) and len(cells) == len(numbers)
        names = cells if is_row else between
        yield PrintedLine(number.sub(form, line.replace("%", "%%")), tuple(names), tuple(cells), is_row, of_time)


def of_one_kind(output: Output, printed: str) -> Output:
    """The output of one kind of lines, if those about a size differ in a word: a mean, else the first operation. Of
    rows with other numbers behind the value, those without."""
    alike = [match for line in printed.splitlines() if (match := re.search(output.pattern, line))]
    if any(not match.string[match.end() :].strip() for match in alike) and any(
        PRINTED_NUMBER.search(match.string, match.end()) for match in alike
    ):
        output = replace(output, pattern=rf"^{output.pattern}\s*$")
    if not (word := ANY_WORD.search(output.pattern)):
        return output
    before, behind = output.pattern[: word.start()], output.pattern[word.end() :]
    form = re.compile(f"{before}(?P<kind>{word[0]}){behind}")
    matches = [match for line in printed.splitlines() if (match := form.search(line))]
    found = {(match["kind"], match.groupdict().get("size")) for match in matches}
    kinds = sorted(dict.fromkeys(match["kind"] for match in matches), key=lambda kind: not MEAN.search(kind))
    if len({size for _, size in found}) == len(found) or not all(map(KIND.fullmatch, kinds)):
        return output
    return replace(output, pattern=f"{before}{re.escape(kinds[0])}{behind}", kinds=tuple(kinds))


def form_of(number: re.Match[str], *, scientific: bool) -> str:
    """The conversion that may have printed a number, where others have an exponent."""
    flag = "'" if re.search("[,']", number[0]) else ""
    real = re.search(r"[.,]\d{1,2}$|\.\d+$", number[0])
    kind = "g" if "e" in number[0].lower() or (real and scientific) else "f" if real else "d"
    return f"%{flag}{kind}"


def number_named(printed: str, names: str) -> int:
    """The first whole number that is printed behind such a name, or before it; 0 without one."""
    printed = PART.sub("", printed)
    pattern = rf"(?:{names})\w*[\"']?\s*[:=]?\s*(\d+)\b(?![.\d])|(?<![\w.])(\d+)[ \t]+(?:{names})"
    found = re.search(pattern, printed, re.IGNORECASE)
    return int(found[1] or found[2]) if found else 0


def columns(line: str) -> list[str]:
    return [part for part in COLUMNS.split(line.removesuffix("\\n").strip(" \t|")) if part.strip()]


def with_unit(heading: list[str]) -> list[str]:
    """The heading, whose last word may be the unit of all columns but the first."""
    unit = heading[-1].strip(" []()") if heading else ""
    return [heading[0], *(f"{column} {unit}" for column in heading[1:-1])] if is_unit(unit) else heading


def output_of(
    line: str,
    names: Sequence[str],
    headings: Sequence[Sequence[str]],
    *,
    is_row: bool = False,
    times: bool = False,
    of_time: str = "",
) -> Iterator[Output]:
    """The pattern for one line, if it has a number whose unit follows, or is in its name or in a heading."""
    cells, given = next((cells for cells in headings if len(cells) == len(names)), [""] * len(names)), names
    divided = [index for index, name in enumerate(names) if "/" in name and not is_row]
    names = [f"{name} {cell}" for name, cell in zip(names, cells, strict=True)]
    numbers = numbers_of(line, names, is_row=is_row, of_time=of_time)
    size = size_among(numbers)
    fitting = [cells for cells in headings if len(cells) == len(names)]
    column, heading, size_unit = heading_of([*fitting, *headings], divided, times=times)
    floats = [index for index, number in enumerate(numbers) if number.is_float and index != size]
    if any(number.has_unit for number in numbers):
        size_unit = "" if numbers[0].before.strip() else size_unit
        values = [(value, numbers[value].unit) for value in by_value(numbers, times=times)]
        if OF_THREE.search(line) and values[0][0]:
            values[0] = values[0][0] - 1, values[0][1]
    elif size is not None and heading and floats:
        values = [(column if column in floats else floats[0], heading)]
    else:
        return
    behind = SIZE_BEHIND.match(numbers[size].behind) if size is not None else None
    kind = behind or (re.search(ELEMENTS, names[size]) if size is not None and size < len(names) else None)
    if kind and kind["type"]:
        size_unit = "doubles" if kind["type"] == "double" else "ints"
    is_bytes = size is not None and (SIZE_BEHIND.match(numbers[size].behind) or "byte" in numbers[size].name.lower())
    variable = given[size] if size is not None and size < len(given) and not is_bytes else ""
    named = given if re.search("[A-Za-z]", CONVERSION.sub("", line.replace("\\t", " "))) else names  # by a heading
    for place, (value, unit) in enumerate(values):
        if is_time(unit) and any(
            each.form[1] == "s" and OTHER_LINE.fullmatch(each.before) for each in numbers[value + 1 :]
        ):
            return  # the result is in a string
        pattern = pattern_of(line, numbers[: max(value, size or 0) + 1], value, size)
        measure = "throughput" if is_rate(unit) else "latency"
        rank = (place > 0, "/iter" not in unit, measure != "throughput", size is None, not MEAN.search(line))
        follows = re.match(rf"[ ,;|(]*{re.escape(unit)}", numbers[value].behind)
        if follows and size is None and not re.search("[A-Za-z]", re.sub(r"\(\?P<\w+>|\\.", "", pattern)):
            pattern += re.escape(follows[0])  # else any number of any line
        name = " ".join([numbers[value].before, *named[value : value + 1], numbers[value].words_behind])
        yield Output(pattern, unit, size is not None, size_unit, measure, bool(follows), rank, variable, name)


@dataclass(frozen=True)
class Conversion:
    """A conversion in a line of printf(), with the name of its variable or column and the words around it."""

    form: re.Match[str]
    name: str
    before: str
    behind: str
    unit: str

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number, but not the bytes of all messages, and not that of a line."""
        is_of_all = OF_ALL_BEHIND.match(self.behind) and not TIMES.search(self.before)
        is_other = is_of_all or OF_LINE.search(self.name)
        return self.form[1] in "diuxX" and not is_other

    @property
    def is_float(self) -> bool:
        return (self.form[1] or " ") in "fFeEgG" and not self.behind.startswith("%%")

    @property
    def has_unit(self) -> bool:
        return bool(self.unit) and (self.form[1] or " ") in "fFeEgGdiu"

    @property
    def words_behind(self) -> str:
        """The words before the next number."""
        return self.behind[:40].partition("%")[0]

    @property
    def is_named_size(self) -> bool:
        return bool(
            re.search(f"{PLACES['size']}|{ELEMENTS}", self.name, re.IGNORECASE) or SIZE_BEFORE.search(self.before)
        )

    @property
    def is_size(self) -> bool:
        if not self.is_whole or self.form[1] in "xX" or self.has_unit or BYTES_OF_ALL.search(self.before):
            return False
        return bool(self.is_named_size or SIZE_BEHIND.match(self.behind) or self.is_first)

    @property
    def is_first(self) -> bool:
        """Whether it is the first column of a row of numbers."""
        return not self.before.strip() and not re.search(r"[A-Za-z]", self.behind.replace("\\t", "").partition("%")[0])


def numbers_of(line: str, names: Sequence[str], *, is_row: bool, of_time: str) -> list[Conversion]:
    found = [form for form in CONVERSION.finditer(line) if form[0] != "%%"]
    ends, numbers, unit, told = [0, *(form.end() for form in found)], list[Conversion](), "", ""
    for form, start, name in zip(found, ends, [*names, *[""] * len(found)], strict=False):
        before, behind = line[start : form.start()], line[form.end() :].replace("\\t", " ").replace("\t", " ")
        words = re.sub(f"^[ (\\[]*{re.escape(unit)}", "", before) if unit else before
        told, is_float = told + before, form[1] in "fFeEgG"
        unit = unit_of(behind, words, name if is_row else "") or (of_time if is_float and OF_TIME.search(told) else "")
        told = "" if is_float else told
        if not unit and MEAN.search(before) and numbers and MIN.search(numbers[-1].before):
            unit = numbers[-1].unit  # of both
        is_argument = form[1] in "diu" and re.search(r"\bsec\w*\s*[=:]\s*$", before, re.IGNORECASE)
        is_result = before != "-" and not is_argument  # the end of a range, or whole seconds
        numbers.append(Conversion(form, name, before, behind, unit if is_result else ""))
    return numbers


def size_among(numbers: Sequence[Conversion]) -> int | None:
    is_named = any(re.search("[A-Za-z]", number.before) for number in numbers[:1])
    sizes = [index for index, number in enumerate(numbers) if number.is_size and not (is_named and number.is_first)]
    sizes.sort(key=lambda index: (not SIZE_BEHIND.match(numbers[index].behind), not numbers[index].is_named_size))
    return next(iter(sizes), None)


def by_value(numbers: list[Conversion], *, times: bool) -> list[int]:
    """The numbers with a unit: the last rate first, then means, then others; times: rates last."""
    named = [index for index, number in enumerate(numbers) if number.has_unit]

    def worth(index: int) -> tuple[bool, bool, int]:
        number = numbers[index]
        is_mean = is_time(number.unit) and bool(MEAN.search(number.before + number.name))
        return is_rate(number.unit) is not times, is_mean, index

    return sorted(named, key=worth, reverse=True)


def pattern_of(line: str, numbers: list[Conversion], value: int, size: int | None) -> str:
    """The line as a pattern whose groups are the value, the size, and the number of messages if the line has it."""
    pattern, at = "", 0
    has_commas = any("'" in number.form[0] for number in numbers)
    digits, whole = (r"[\d.,]+", r"[\d,]+") if has_commas else (r"[\d.]+", r"\d+")
    for index, number in enumerate(numbers):
        literal = line[at : number.form.start()]
        words = literal.replace("\\t", " ").replace("%%", "%").replace("'", "\0")
        pattern += re.sub(r"(\\ |\\?\t)+", r"\\s+", re.escape(words if index else words.lstrip())).replace("\0", ".")
        pattern += r"\s*" if literal or not index else r"\s+"
        kilo = re.match(r" ?[kKM]i?B\b", number.behind)
        of_size = kilo[0] if kilo and index == size else ""
        if index == value:
            pattern += r"(?P<value>[\d.e+-]+)" if number.form[1] in "eEgG" else f"(?P<value>{digits})"
        elif index == size:
            pattern += rf"(?P<size>{whole}{of_size})"
        elif number.is_whole and "messages" not in pattern and MESSAGES.search(number.name + number.words_behind[:12]):
            pattern += rf"(?P<messages>{whole})"
        else:
            kind = number.form[1]
            sign = line[number.form.end() :][:1]  # between columns
            word = rf"[^\s{sign}]+" if sign in (",", ";", "|") else r"\S+"
            constant = re.match(STRING, number.name)
            word = re.escape(constant[1]) if constant else word
            pattern += word if kind == "s" else r"[\d.e+-]+" if kind in "eEgG" else digits
        at = number.form.end() + len(of_size)
    return pattern.replace(r"\s+\s*", r"\s+")


def unit_of(behind: str, before: str, column: str) -> str:
    """The unit behind a number, else the last one in its column's heading or in the words before it."""
    unit = UNIT.match(re.sub(r"^\s*unit\W*", "", behind).lstrip(" ([,;|"))
    if unit and is_unit(unit[0]) and not NEXT_NAME.match(behind):
        return unit[0]
    return next(filter(is_unit, reversed(units_in(f"{before} {column}"))), "")


def units_in(name: str) -> list[str]:
    """The words of a name such as bandwidth_MBps that may be units."""
    return list(map(usual, UNITS.findall(PER.sub(r"\1/", name.replace("%s", "")).replace("_", " "))))


def heading_of(headings: Sequence[Sequence[str]], divided: list[int], *, times: bool) -> tuple[int, str, str]:
    """The column of a heading with the unit of a rate, or of a time of one message, by its name or since it was
    divided; the unit; that of the sizes if it is not bytes."""
    for is_unit_of in (is_time, is_rate) if times else (is_rate, is_time):
        for heading in headings:
            for index, column in sorted(enumerate(heading), key=lambda each: not MEAN.search(each[1])):
                if is_unit_of is is_time and not (times or index in divided or OF_ONE.search(column)):
                    continue
                if unit := next(filter(is_unit_of, units_in(column)), ""):
                    kilo = re.search(r"(?<![A-Za-z])([KM])i?B\b", heading[0], re.IGNORECASE)
                    return index, unit, f"{kilo[1].upper()}B" if kilo and index else ""
    return 0, "", ""


def usual(unit: str) -> str:
    """The usual spelling of a unit: Gbps for gbps, MiB/s for mib/s."""
    unit = re.sub(r"^([kmg])ib(?=/s)", r"\1iB", unit)
    return unit[0].upper() + unit[1:] if re.fullmatch(r"[kmg](?:b(?:ps|its?/s\w*)|iB/s\w*)", unit) else unit


def is_rate(word: str) -> bool:
    return bytes_per_s(word, 1) is not None


def is_time(word: str) -> bool:
    return nanoseconds(word) is not None
