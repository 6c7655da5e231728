"""What the sources of a folder tell about its programs: arguments, variables, files to read, ports, sizes.

Each function guesses by the habits of C programs. A wrong guess costs a person one line of the experiment.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import accumulate, count, takewhile
from math import prod

CPP = (".cc", ".cpp", ".cxx")
MAIN = re.compile(r"\bmain\s*\(")
STRING = r'"((?:[^"\\]|\\.)*)"'
OPERATIONS = {  # the first that the sources name
    "write-imm": r"RDMA_WRITE_WITH_IMM",
    "read": r"IBV_WR_RDMA_READ|rdma_post_read|IBV_WR_ATOMIC",  # data come back
    "write": r"IBV_WR_RDMA_WRITE|rdma_post_write",
}
CALLS = {  # the meanings of the parameters of known functions
    "getaddrinfo": ("host", "port"),
    "rdma_getaddrinfo": ("host", "port"),
    "fopen": ("file",),
    "open": ("file",),
    "inet_pton": ("", "host"),
    "inet_addr": ("host",),
    "inet_aton": ("host",),
    "gethostbyname": ("host",),
}
SIDE_BY_SIDE = r"(?:qps?|threads?|workers?|clients?|conn\w*)"
PARALLEL = rf"(?<![a-z])n(?:um)?_?(?:of_?)?{SIDE_BY_SIDE}\b|{SIDE_BY_SIDE}_?(?:num|count)"
# Words in the name of a variable or in a usage text, and the placeholder for its value; none for a port of the device.
PLACES = {
    "": r"ib[_-]?port|port_?num",
    "result": r"\.csv|csv_?file|out(?:put)?_?file",
    "file": r"(?:host|machine|node)_?file|conf(?:ig)?(?:_?file)?\b|\bfile|ifstream",
    "gid": r"gid",
    "port": r"port|service",
    "device": r"dev",
    "size": r"(?<!chain.)(?<!list.)(?<!queue.)(?<!batch.)(?<!window.)(?:size|len)|byte"
    r"|(?:\b|_)sz\b|taille|gr(?:ö|oe)sse|^-*msg$"
    r"|(?<![a-z_])(?:chunk|block|payload|buf(?:fer)?)(?:[\W_][km]i?b)?$",
    "threads": rf"threads|connections|streams|parallel|{PARALLEL}|\bqps\b",
    "iterations": rf"(?s)^(?!.*(?:{PARALLEL})).*(?:iter|count(?!er)|num|reps|repe(?:at|tit)|rounds|loop|times|trials"
    r"|msgs|messages|samples|requests|anzahl|nombre|wiederhol|wdh|(?:\b|_)ops\b)|^(?:(?:int|long|unsigned) )?n$",
    "host": r"host|machine|ziel|server|addr|(?<!sk|tr)ip(?:v4)?\b|name|inet_|peer|remote|\bdest|^-*to$"
    r"|\bconnect(?:_to)?\b|^-*active",
    "seconds": r"^(?!.*timeout).*(?:seconds|duration|\bsecs\b)",
    "text": r"string|text",
}
SENT = re.compile(r"\b(?:MPI_\w+|SEND)\s*\((?:[^,;]+,\s*){1,2}?(\w+),\s*MPI_(\w+)")  # the count, and its type
MPI_BYTES = {"CHAR": 1, "BYTE": 1, "INT": 4, "FLOAT": 4, "LONG": 8, "DOUBLE": 8}
# Words for the unit of a size, by its bytes, and what a program multiplies a number of these with.
SCALES = {
    1 << 10: r"(?<![a-z])k(?:i?b(?:ytes?)?|ilo\w*)(?![a-z])",
    1 << 20: r"(?<![a-z])m(?:i?b(?:ytes?)?|ega\w*)(?![a-z])",
}
MULTIPLIED = re.compile(
    r"[^()?:;]*\)+\s*(?:(?P<k>\*\s*1024|<<\s*10)|(?P<m>\*\s*1024\s*\*\s*1024|<<\s*20))\s*(?:[,):]|$)"
)
LARGEST = "4096"  # the last size of a program that begins with small ones
# The values of arguments in place of a placeholder.
GIVEN = {"text": "hello", "result": "results.csv", "seconds": "2", "threads": "1"}
# The same for a program of which all computers of a ring start one process; {index} is the rank from 1.
RING = {
    "gid": PLACES["gid"],
    "file": PLACES["file"],
    "address:0": r"^(?!.*port)(?:.*[\W_])?(?:master|coord|root|leader|head)",
    "rank": r"rank(?!s|_?(?:ips|hosts|addr))|index|\bidx|\b(?:my_?|node_?)?id\b|procid|nodeid",
    "computers": r"\b(?:int )?n$|num_(?!elem)|nproc|\bnp\b|world|\bsize\b|pmi_size|nodes|processes|ranks|tasks",
    "addresses": r"list|hosts|host\d|servers|server_?names?|addrs|addresses|ips\b",
    "next": r"right|next",
    "previous": r"left|prev",
    **{name: pattern for name, pattern in PLACES.items() if name not in ("gid", "file", "host", "threads")},
}
FROM_ONE = re.compile(
    r"-myindex\s+0?1\b|<0?1\.\.|(?:atoi|stoi|strtol)\s*\([^;]*\)\s*-\s*1\s*;|(?:index|idx|rank)\s*(?:<\s*1\b|-\s*1\s*;)"
    r"|--\w+(?:->|\.)rank\b|1-based",
    re.IGNORECASE,
)
RANK_FAULT = re.compile(
    r"usage|(?:invalid|illegal|bad|wrong|missing|range).{0,20}(?:index|rank)"
    r"|(?:index|rank)\b.{0,20}(?:invalid|out of|must|missing|range|between)",
    re.IGNORECASE,
)
# A word for one end: strcmp(argv[1], "-s"), argv[1] == "server", argv[1][0] == 's'.
MODE = r"""(?:cmp\(\s*argv\[{0}\],|argv\[{0}\](?:\[0\])?\)?\s*==)\s*["'](-?-?\w+)["']"""
REQUIRED = r"cmp\(\s*argv\[{0}\],[^)]*\)\s*!="
OWN_ADDRESS = re.compile(r"(?:client|local|my|own|src|source|bind)_?(?:ip|addr|host)")
MANY_WORDS = re.compile(r"argv\s*\+\s*([1-9])\b|argv\[\s*([1-9])\s*\+")
Roles = Mapping[str, str]
END = re.compile(r"server|client|listen|passive|receiver|recv_side|sender|sink", re.IGNORECASE)
MISSED = re.compile(r"the server ended with status .*?(?:usage|-\w <)", re.IGNORECASE)
MISSING = re.compile(r"SIGSEGV|usage|argument", re.IGNORECASE)
PRINTED = re.compile(r"\bf?printf\s*\([^;]*;|\bc(?:err|out)\s*<<[^;]*;")
OPTIONS_BEHIND = re.compile(r"for\s*\([^;]*=\s*[2-9]\s*;[^;]*argc")  # other arguments
SERVER, CLIENT = re.compile(r"serv|rec(?:v|eiv)|passive|listen|^-*s$"), re.compile(r"client|send|active|connect|^-*c$")
ENDS = {"server": SERVER, "client": CLIENT, "": SERVER}
# Words for the ends in commands, where these alone are chosen between.
SAID = {
    "server": re.compile(rf"{SERVER.pattern}|sink|echo|reflect|drain|wait|target"),
    "client": re.compile(rf"{CLIENT.pattern}|source|initiat|prob|pump|^-*ask|shoot"),
}
ADDRESS = r"\d{1,3}(?:\.\d{1,3}){3}"
SOME_HOST = rf"(?!0\.){ADDRESS}|(?i:node|host|machine|pc|\w*server\w*[-_]?)[-_]?(?:\d+|[ab]|ip|host|name)"
FIXED_ADDRESS = rf'"((?!0\.0\.0\.0){ADDRESS}|localhost|mlx\w*-[\w-]+)"'
FIXED_HOST = re.compile(
    rf'{FIXED_ADDRESS}|(?:getaddrinfo|gethostbyname)\s*\(\s*"'
    r'|(?i:host|node|server)\w*(?:\[\w*\])?\s*=?\s*"[A-Za-z][\w.-]*"'
)
FIXED_DEVICE = re.compile(r'"(?:mlx|rxe|roce|ibp|irdma|bnxt_re|siw|hfi1_|mthca)\w*\d"')


def list_of_hosts(text: str) -> str:
    """A file with a computer on each line, as a text of `files`; empty for another file."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    host = rf"(?:{ADDRESS}|localhost|[A-Za-z][\w.-]*\d[\w.-]*)"
    shape = re.compile(rf"(?:(\d+)([\s,;:=]+))?{host}((?:[\s,;:]+\S+){{0,3}})")
    found = [match for line in lines if (match := shape.fullmatch(line))]
    if not lines or len(found) != len(lines):
        return ""
    number, between, rest = found[0].groups(default="")
    rank = {"0": "{rank}", "1": "{index}"}.get(number, number)
    return f"{rank}{between}{{address}}{escaped(rest)}\n"


def settings(text: str) -> str:
    """A file of settings, whose addresses, ports, sizes and counts are the site's, as a text of `files`; empty for a
    file without an address or a port."""

    def filled(match: re.Match[str]) -> str:
        role = place(match["key"]) if match["value"].isdecimal() else "device"
        return f"{match['before']}{{{role}}}{match['behind']}" if role in SETTINGS else match[0]

    key = r"^(?P<before>[\s\"{]*(?P<key>[A-Za-z][\w.-]*)\"?\s*[=:\s]\s*\"?)"
    behind = r"(?P<behind>[\s\",;}]*(?:(?:#|//).*)?)$"
    template = re.sub(rf"{key}(?P<value>\d+|mlx\w+|rxe\w+){behind}", filled, escaped(text), flags=re.MULTILINE)
    template = re.sub(rf"\b(?:{ADDRESS}|localhost)\b", "{host}", template)
    return template if "{host}" in template or "{port}" in template else ""


SETTINGS = ("port", "size", "iterations", "device", "gid")


def escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def with_argv(text: str) -> str:
    """The text of a source with the usual name of the arguments of main(), also where a lambda returns the next one."""
    found = re.search(r"\bmain\s*\([^,)]*,\s*(?:const\s+)?char\s*\*+\s*(\w+)", text)
    text = re.sub(rf"\b{found[1]}\b", "argv", text) if found else text
    for name in re.findall(r"(?s)\bauto\s+(\w+)\s*=\s*\[.{0,250}?argv\[\s*\+\+", text):
        text = re.sub(rf"\b{name}\s*\([^()]*\)", "argv[++i]", text)
    return text


def value_of(role: str) -> str:
    """The value of an argument: its placeholder, or a number or a text."""
    return GIVEN.get(role, f"{{{role}}}")


def place(words: str, roles: Roles = PLACES) -> str:
    """The placeholder for a value that is described so; empty for an unknown one."""
    words = re.sub(r"sizeof|\bsize_t\b|\bstrlen\b|\bargv\b", "", words).strip()
    role = next((name for name, pattern in roles.items() if re.search(pattern, words, re.IGNORECASE)), "")
    return in_unit(role, words)


def in_unit(role: str, words: str) -> str:
    """A size with the number of bytes of its unit, if it is given in another one."""
    scale = next((scale for scale, pattern in SCALES.items() if re.search(pattern, words, re.IGNORECASE)), 1)
    return f"size:{scale}" if role == "size" and scale > 1 else role


def multiplied(role: str, behind: str) -> str:
    """The same by what is done with the argument, as in `atoi(argv[1]) * 1024`."""
    found = MULTIPLIED.match(behind)
    return in_unit(role, f"{found.lastgroup}ib") if found and found.lastgroup else role


def length_sent(variable: str, text: str) -> str:
    """The placeholder for the length of a message of MPI; empty for another variable."""
    width = MPI_BYTES.get(dict(SENT.findall(text)).get(variable, ""), 0)
    return f"size:{width}" if width > 1 else "size" if width else ""


def meaning(statement: str, argument: str, text: str, roles: Roles = PLACES) -> str:
    """The placeholder for an argument that a statement uses: as a parameter of a function, or for a variable."""
    opened = re.search(rf"(?:\w+\s+)?\w+\s*[({{]\s*{re.escape(argument)}[^)]*", statement)
    if opened and (role := written(opened[0])):
        return role
    before = statement[: statement.index(argument)]
    depth = index = 0
    for at in range(len(before) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(before[at], 0)
        index += before[at] == "," and depth == 0
        if depth < 0:
            name = (re.findall(r"(\w+)\s*$", before[:at]) or [""])[0]
            known = (CALLS.get(name) if roles is PLACES or name == "fopen" else ()) or parameters(name, text, roles)
            if index < len(known) and known[index]:
                return known[index]
            depth = index = 0
    declared = re.sub(r"\w+(?:\.|->)", "", before.rpartition("=")[0].rpartition(",")[2].strip())
    is_count = place(declared) in ("", "size") or re.search(
        r"\b(?:n|num|count|anzahl|nombre)$", declared, re.IGNORECASE
    )
    if roles is PLACES and is_count and (length := length_sent(declared.rpartition(" ")[2], text)):
        return length
    alone = len(set(re.findall(r"argv\[\d\]", statement))) == 1  # else the statement is about other arguments, too
    near = before.rpartition("=")[2]
    return place(declared, roles) or place(near, roles) or place(statement if alone else declared + near, roles)


def parameters(name: str, text: str, roles: Roles) -> tuple[str, ...]:
    """The meanings of the parameters of a function that the sources define."""
    found = re.search(rf"\b{name}\s*\(([^)]*)\)\s*\{{(.{{0,400}})", text, re.DOTALL) if name else None
    return tuple(parameter(each, found[2], roles) for each in found[1].split(",")) if found else ()


def parameter(declared: str, body: str, roles: Roles) -> str:
    """The meaning of a parameter: a file if the function opens it, else by its name."""
    name = (re.findall(r"\w+", declared) or [""])[-1]
    opened = re.search(rf"(?:fopen|\bopen|[io]fstream\s+\w+)\s*[({{]\s*{name}\b[^;]*", body)
    return (written(opened[0]) or "file") if opened else place(declared, roles)


def written(statement: str) -> str:
    """The role of a file that a statement writes: results, or data in any form; empty if it writes none."""
    found = re.search(r'ofstream|,\s*"[wa]b?"|O_CREAT', statement)
    return ("text" if re.search(r'b"|binary|O_CREAT', statement) else "result") if found else ""


def variables(text: str, roles: Roles = PLACES) -> dict[str, str]:
    """The variables of the environment that a program reads, and the placeholders for their values."""
    read, found = variables_read(text), dict[str, str]()
    for declared, name in read:
        if roles is RING and declared and re.search(rf"strtok\w*\s*\([^;]*\b{declared}\b", text):
            found[name] = "addresses"
    for _, name in read:
        if "LOCAL" not in name and (role := place(name, roles)):
            found.setdefault(name, role)
    return found


def variables_read(text: str) -> list[tuple[str, str]]:
    """What is assigned by getenv(), or by a function of the sources that calls it, and the variable's name."""
    reader = r"(\w+)\s*\(\s*(?:const\s+)?(?:char\s*\*|std::string\s*&?)\s*(\w+)[^)]*\)\s*\{[^}]*getenv\(\s*\2\b"
    readers = "|".join(["getenv", *(name for name, _ in re.findall(reader, text))])
    return re.findall(rf'(?:(\w+)\s*=\s*\S*?)?\b(?:{readers})\s*\(\s*"(\w+)"', text)


def options_of(text: str, roles: Roles = PLACES) -> Iterator[tuple[str, str]]:
    """Each option with a value, and the placeholder for the value: by the variable, else by the usage text."""
    strings = "".join(re.findall(STRING, text))
    letters = " ".join(re.findall(r'getopt\w*\s*\([^;"]*"([\w:+-]*)"', text)) or strings
    plain = re.sub(r"/\*.*?\*/|//[^\n]*|\bprintf\s*\([^;]*;", "", text, flags=re.DOTALL)
    for letter, line in re.findall(r"(?:case\s+|(?<!\[0\])(?<!\[0\] )==\s*)'(\w)'\s*[:)]\s*(.*?);", plain, re.DOTALL):
        takes_value = f"{letter}:" in letters or bool(re.search(rf"'{letter}'\s*,\s*\"", text))  # of getopt, of argp
        takes_value |= bool(re.search(r"argv\[\s*\+\+", line))
        described = " ".join(re.findall(rf"(?<!\w)-{letter}[ =]?[<\[]?([A-Za-z]\w*)", strings)[:1])
        named = " ".join(re.findall(rf"\{{\s*\"([\w-]+)\"[^{{}}]*'{letter}'", text))  # the same option as a word
        use = re.sub(r"\w+(?:\.|->)", "", line)
        if takes_value and re.search(PLACES[""], use):
            continue
        if takes_value and (name := of_option(roles, use.split("=")[0], described, named)):
            yield f"-{letter}", multiplied(name, use.rpartition("(")[2])
        elif not takes_value and (end := end_named(use) or end_named(named) or end_tested(use, plain)):
            yield f"-{letter}", end
    yield from options_compared(text, roles)
    yield from options_called(text, roles)
    for word, kind in re.findall(r'\{\s*"([\w-]+)"\s*,\s*(required_argument|no_argument|[01])\b', text):
        name = of_option(roles, word) if kind.startswith(("r", "1")) else end_named(word)
        if not re.search(r"getopt_long.*case '\w'", text, re.DOTALL) and name:
            yield f"--{word}", name


def options_compared(text: str, roles: Roles) -> Iterator[tuple[str, str]]:
    """The options that a program compares with its arguments, wherever they are."""
    for found in re.finditer(r'(?:strcmp\((?!\s*argv\[\d)[^"()]*,|==)\s*"(--?[A-Za-z][\w-]*)"([^;{]*[;{])', text):
        word, use = found.groups()
        block = PRINTED.sub("", block_at(text, found.end())) if use.endswith("{") else ""
        takes_value = re.search(r"\+\+|\+ ?1\b|next", use) or re.search(r"argv\[\s*(?:\+\+|\w+ ?\+)", block)
        if takes_value or place(word, roles) == "addresses":
            set_by = re.sub(r"\w+(?:\.|->)", "", use + block)
            if name := of_option(roles, word, set_by):
                yield word, name
        elif end := end_named(word + use + block):
            yield word, end


def options_called(text: str, roles: Roles) -> Iterator[tuple[str, str]]:
    """The options that a program looks for by a function, as in get("--size", 64), strncmp(argv[i], "--size=", 7)."""
    for variable, word in re.findall(r'(\w+)\s*=[^;"]*\w\(\s*"(--[a-z][\w-]*)"\s*,', text):  # with a default
        if name := of_option(roles, word, variable):
            yield word, name
    for word in re.findall(r'(?:strncmp\s*\([^"()]*,|starts_with\(|find\()\s*"(-{0,2}[A-Za-z][\w-]*=)"', text):
        if name := of_option(roles, word.strip("-=")):
            yield word, name


def of_option(roles: Roles, *texts: str) -> str:
    """The placeholder for the value of an option, by the first text that tells; none for repetitions of all and the
    ends of a range of sizes, which have defaults."""
    told = (text for text in texts if not re.search(r"trials|m(?:ax|in)\w*[_-]?(?:size|byte|len)", text, re.IGNORECASE))
    return next(filter(None, (place(text, roles) for text in told)), "")


def end_named(words: str) -> str:
    """The end that a flag without a value chooses; empty for another flag."""
    if re.search(r"server\w*\s*=\s*(?:0|false)\b", words, re.IGNORECASE):
        return "client"
    end = END.search(words)
    return ("client" if end[0].lower() in ("client", "sender") else "server") if end else ""


def end_tested(use: str, text: str) -> str:
    """The end that a flag chooses by what is called if its variable is set; empty without one."""
    variable = (re.findall(r"(\w+)\s*=\s*(?:1|true)\b", use) or ["\0"])[0]
    is_set = rf"if\s*\(\s*{variable}\s*\)[\s{{]*(?:return\s*)?"
    called = re.search(rf"{is_set}(?:(accept|listen|serve|bind)|connect|dial)", text)
    return "" if not called else "server" if called[1] else "client"


def block_at(text: str, start: int, signs: str = "{}") -> str:
    """The block whose first brace is before this place."""
    depths = accumulate((sign == signs[0]) - (sign == signs[1]) for sign in text[start:])
    return text[start:][: next((at for at, depth in enumerate(depths) if depth < 0), 0)]


def role_option(text: str, end: str) -> list[str]:
    """The option with a word for each end, as in `-m server`; nothing without one."""
    for letter, use in re.findall(r"case\s+'(\w)'\s*:([^;]*\boptarg\b[^;]*);", text):
        name = re.match(r"\s*(?:\w+(?:\.|->))?(\w+)\s*=\s*(?:std::string\()?optarg", use)
        compared = f'role == "{word[1]}"' if (word := re.search(r'optarg\W{1,3}(?:==\s*)?"(\w+)"', use)) else text
        if mine := role_word(compared, name[1] if name else "role", end):
            return [f"-{letter}", mine]
    compared = r'(?:cmp\([^"()]*,|==)\s*"(--?[A-Za-z][\w-]*)"[^;]*?(\w+)\s*=[^;=]*(?:argv\[|next)'
    named = ((option, role_word(text, name, end)) for option, name in re.findall(compared, text))
    return next(([option, mine] for option, mine in named if mine), [])


def role_compared(text: str, end: str) -> list[str]:
    """The word for an end that a program compares with its arguments, wherever they are; nothing without one."""
    words = re.findall(r'(?:==\s*|cmp\((?!\s*argv\[\d)[^"()]*,\s*)"(\w+)"', "" if role_variables(text, end) else text)
    ends = {name: next(filter(said.search, words), "") for name, said in SAID.items()}
    return [ends[end]] if all(ends.values()) and ends["server"] != ends["client"] else []


def role_variables(text: str, end: str) -> list[str]:
    """The variables of the environment with a word for each end, as in `ROLE=server`."""
    read = variables_read(text)
    return [f"{name}={word}" for variable, name in read if variable and (word := role_word(text, variable, end))]


def role_word(text: str, variable: str, end: str) -> str:
    """The word for an end with which a program compares a variable; empty without one."""
    words = re.findall(rf'\b{variable}\s*\)?\s*(?:,|[=!]=)\s*"(\w+)"', text)
    server, client = (next(filter(named.search, words), "") for named in SAID.values())
    others = [word for word in words if word not in (server, client)]
    mine = server if end == "server" else client
    return (mine or next(iter(others), end)) if server or client else ""


def positional(text: str, end: str, code: str, roles: Roles = PLACES, failure: str = "") -> Iterator[str]:
    """The other arguments of a program at one end, from the statements with argv, or else from its usage text."""
    numbered, other_end = dict[int, str](), dict[int, str]()
    text = without_block(text, CLIENT if end == "server" else SERVER)
    plain = PRINTED.sub("", re.sub(r"//[^\n]*|(?s:/\*.*?\*/)", "", text))
    plain = re.sub(r"(\w+)\s*\{\s*(argv\[\d\])\s*\}", r"\1 = \2", plain)  # of C++
    optind = count(1)  # behind the options
    plain = re.sub(r"argv\[optind(?: ?\+ ?(\d))?\]", lambda found: f"argv[{int(found[1] or 0) + 1}]", plain)
    plain = re.sub(r"argv\[optind\+\+\]", lambda _: f"argv[{next(optind)}]", plain)
    numbered |= numbered_modes(plain, end)
    for statement in re.split(r"[;{}]", plain):
        for argument, number in re.findall(r"(argv\[([1-9])\])", statement):
            if mode := re.search(MODE.format(number), statement):
                is_flag = mode[1].startswith("-") and (REQUIRED if roles is PLACES else MODE).format(number)
                named = is_flag and re.search(is_flag, statement) and (roles is PLACES or place(mode[1], roles))
                if named or (SERVER if end == "server" else CLIENT).search(mode[1]):
                    numbered[int(number)] = mode[1]
                elif "-" not in mode[1] and (CLIENT if end == "server" else SERVER).search(mode[1]):
                    other_end[int(number)] = end
                elif mode[1] in OPERATIONS:
                    numbered.setdefault(int(number), mode[1])
            elif name := multiplied(meaning(statement, argument, code, roles), statement.partition(argument)[2]):
                variable = "".join(re.findall(r"(\w+)\s*=(?!=)", statement.partition(argument)[0])[-1:])
                names_source = name == "host" and end == "client" and OWN_ADDRESS.match(variable)
                numbered.setdefault(int(number), "{source}" if names_source else value_of(name))
    usage = next((string for string in re.findall(STRING, text) if "sage" in string), "")
    for index, name in enumerate(re.findall(r"<([^>]+)>", usage) if not numbered else (), 1):
        if place(name, roles):
            numbered[index] = value_of(place(name, roles))
    others = {1: "{host}"} if "argv[optind]" in text else numbered and without_meaning(plain, failure)
    known = {**others, **other_end, **numbered}
    first = min(known, default=1)
    yield from (known[number] for number in takewhile(known.__contains__, count(first)))


CASES = re.compile(r"(?s)switch\s*\(\s*ato\w+\s*\(\s*argv\[(\d)\]\s*\)\s*\)\s*\{(.*?)(?:default|\})")


def numbered_modes(text: str, end: str) -> dict[int, str]:
    """The numbers of modes: that of this end, else the last one that a program knows."""
    compared = re.findall(r"ato\w+\s*\(\s*argv\[(\d)\]\s*\)\s*==\s*(\d+)", text)
    values = {int(n): value for n, value in compared if len({other for m, other in compared if m == n}) > 1}
    for n, cases in CASES.findall(text):
        names = re.findall(r"case\s+(\w+)\s*:", cases) or [""]
        name = next((name for name in names if ENDS[end].search(name.lower())), names[-1])
        values[int(n)] = next(iter(re.findall(rf"#\s*define\s+{name}\s+(\d+)", text)), name)
    return values


def without_meaning(text: str, failure: str) -> dict[int, str]:
    """Values for all arguments that a program requires, and after a failure for those that it converts to numbers."""
    required = re.findall(r"\bargc\s*!=\s*(\d)", text)
    converted = re.findall(r"(?:(\w+)\s*=\s*)?(?:std::)?(?:ato|strto|sto)\w+\s*\(\s*argv\[(\d)\]", text)
    numbers = {int(number): any_number(name) for name, number in converted}
    given = {number: numbers.get(number, GIVEN["text"]) for number in range(1, int(min(required, default="1")))}
    return given | (numbers if MISSING.search(failure) else {})


def any_number(name: str, end: str = "") -> str:
    """A number for a value without a known meaning: of a maximum, of what is in flight, of an end, else one."""
    forms = {"max": LARGEST, "buf|depth|window|slots|credit": "64", r"\b(?:rank|id)": str(int(end == "client"))}
    return next((number for form, number in forms.items() if re.search(form, name, re.IGNORECASE)), "1")


def without_block(text: str, other: re.Pattern[str]) -> str:
    """The text of a program without what it does as the other end."""
    for found in re.finditer(r"\bif\s*\(", text):
        condition = block_at(text, found.end(), "()")
        if (mode := re.search(MODE.format("[1-9]"), condition)) and other.search(mode[1]):
            start = found.end() + len(condition) + 1
            behind = text[start:].lstrip()
            block = block_at(behind, 1) if behind.startswith("{") else behind.partition(";")[0]
            return text[:start] + text[start:].replace(block, "", 1)
    return text


def arguments(text: str, end: str, code: str, *, alone: bool, failure: str = "") -> list[str]:
    """The arguments of a program at one end; alone: the same program is also the other end. After a failure in which
    the server missed an argument, it has its address too."""
    found = {name: option for option, name in reversed(list(options_of(text)))}
    if "host" in found and "port" in found:
        found["port"] = found.pop("port")  # behind the address, which may come with a port of its own
    roles = {name: found.pop(name) for name in ("server", "client") if name in found}
    role = [roles[end]] if end in roles else role_option(text, end) or role_compared(text, end)
    bind = [found.pop("host"), "{host}" if end == "server" else "{source}"] if is_local(found.get("host"), text) else []
    rest = [word for word in positional(text, end, code, failure=failure) if word.strip("{}") not in found]
    knows_end = numbered_modes(text, "server") != numbered_modes(text, "client")
    if end == "server" and alone and "{host}" in rest and "argc" in text and not knows_end:
        rest = rest[: rest.index("{host}")]  # it is the server without the others
    has_host = end == "client" or knows_end or (MISSED.search(failure) and (role or not alone))
    given = {option: value_of(name) for name, option in found.items() if name != "host" or has_host}
    words = [word for option, value in given.items() for word in with_value(option, value)]
    rest = [word for word in rest if word != "{host}" or has_host or not alone]
    if rest.count("{host}") == 2:
        rest[rest.index("{host}")] = "{source}"  # it binds to an address of its own
    words, rest = (rest, words) if OPTIONS_BEHIND.search(text) else (words, rest)
    return [*(word for word in role if alone and word not in rest), *bind, *words, *rest]


def with_value(option: str, value: str) -> tuple[str, ...]:
    return (f"{option}{value}",) if option.endswith("=") else (option, value)


def is_local(option: str | None, text: str) -> bool:
    """Whether the usage text says that an option is an address of the program's own computer."""
    usage = "".join(re.findall(STRING, text))
    return option is not None and bool(re.search(rf"(?<!\w){option}\b[^\\]*\b(?:local|own)\b", usage))


def shown_arguments(text: str, binary: str, source: str) -> dict[str, list[str]]:
    """The arguments of a program at each end, by lines of a README such as `./a -p 9000 <host>`."""
    found, roles = dict[str, list[str]](), dict(options_of(source))
    shown = rf"^(?:\W|\w+[$#>]|\w+=\S+ )*\./(?:[\w.-]+/)*{re.escape(binary)}(?=\s)[ \t]*(.*)$"
    for line in re.findall(shown, text.replace('"', "\0"), re.MULTILINE):
        words = list[str]()
        for word in re.sub(r"\[[^\]]*\]|[`#&(\0].*|\*/.*", "", line).split():
            value = re.fullmatch(r"<(.+)>|([A-Z_]+)", word)
            role = roles.get(words[-1]) if words and "-" not in word else ""
            role = "host" if re.fullmatch(SOME_HOST, word) else place(word) if value else role
            words.append(value_of(role) if role else "1" if value else word)
        ends = (role for word in words if END.fullmatch(role := roles.get(word, word)))
        found.setdefault(next(ends, "client" if "{host}" in words else "server"), words)
    return found


def ring_arguments(text: str, code: str, failure: str) -> tuple[list[str], list[str]]:
    """The variables and the arguments of a program that every computer of a ring starts. After a failure that is about
    the rank, it is counted the other way."""
    found = {name: option for option, name in reversed(list(options_of(text, RING)))}
    several = MANY_WORDS.search(text)
    words = [word for word in positional(text, "", code, RING) if word.strip("{}") not in found]
    given = {option: f"{{{name}}}" for name, option in found.items() if name != "addresses"}
    words = [word for option, value in given.items() for word in with_value(option, value)] + words
    if several and "addresses" not in found:
        words = [word for word in words if word != "{addresses}"] + ["{addresses}"]
    elif "addresses" in found:
        words += [found["addresses"], "{addresses}"]
    from_one = bool(FROM_ONE.search(code)) != bool(RANK_FAULT.search(re.sub(r"(?i)\brank \d+:", "", failure)))
    known = {"{rank}": "{index}" if from_one else "{rank}", "{addresses}": form_of_list(text, code)}
    named = ((name, known.get(f"{{{role}}}", f"{{{role}}}")) for name, role in variables(code, RING).items())
    assigned = [f"'{name}={value[1:]}" if value.startswith("'") else f"{name}={value}" for name, value in named]
    return assigned, [known.get(word, word) for word in words]


def form_of_list(text: str, code: str) -> str:
    """The addresses as several words, or in one word where the program splits it."""
    if MANY_WORDS.search(text) or re.search(r"while\s*\([^{\n]*argv\[", text):
        return "{addresses}"
    if sign := re.search(r"(?:strtok\w*|getline|strchr|split)\s*\([^;{}]*?[\"']([,;])\s?[\"']|comma.separated", code):
        return f"{{addresses:{sign[1] or ','}}}"
    return "'{addresses: }'" if re.search(r'strtok\w*\s*\([^;]*" ', code) else "{addresses}"


def port_of(text: str) -> str:
    """The port that the sources name; empty without one."""
    found = re.search(
        r"PORT\w*\s+\(?\"?(\d{3,5})\b|htons\(\s*(\d{3,5})\s*\)|port\w*\s*=\s*\"?(\d{3,5})\b|\"(\d{4,5})\"",
        text,
        re.IGNORECASE,
    )
    calls = r"(?:listen|accept|bind|serve|dial|connect)\w*\s*\([^;()]*?\b|\w+\((?:host|server|ip|addr\w*), "
    found = found or re.search(rf"(?:{calls})(\d{{4,5}})\s*\)", text)
    return next(filter(None, found.groups()), "") if found else ""


def size_of(text: str) -> str:
    """The size of a message that the sources name; empty without one."""
    calls = SENT.findall(text)
    counts = ((int(n) if n.isdigit() else constant(rf"\b{n}\b", text), MPI_BYTES.get(kind, 0)) for n, kind in calls)
    sent = next((count * size for count, size in counts if count * size), 0)
    posted = re.findall(
        r"(?:ibv_sge\s+\w+\s*=\s*\{[^,;]+,|\bsge\w*(?:\.|->)length\s*=|\b(?:write|send)\s*\([^,;()]+,[^,;()]+,(?!\s*\d))"
        r"\s*(\w+)\s*[,;)]",
        text,
    )
    lengths = (int(n) if n.isdigit() else constant(rf"\b{n}\b", text) for n in posted)
    return str(sent or max(lengths, default=0) or constant(r"SIZE|LEN|BYTES", text) or "")


def iterations_of(text: str) -> int:
    """The number of messages that the sources name; 0 without one."""
    return constant(r"ITER", text) or constant(r"COUNT|NUM|ROUNDS|LOOPS|REPS|REPEAT|MESSAGES|MSGS|PACKETS", text)


FEW_TURNS = 1000
NUMBER_OF_TURNS = re.compile(r"\d+(?:\s*\*\s*\d+)*$")


def longest_loop(text: str) -> str:
    """The bound of the loop with the most turns, from its name to its digits: `N = 10000`, `i < 10000`."""
    loop, limit = r"\b(?:for\s*\([^;]*;|while\s*\()[^;<!]*?", r"(?:<=?|!=)\s*"
    compared = re.findall(rf"{loop}{limit}([\w.> +-]+)", text)  # with a sum, maybe
    bounds = "|".join({name for each in compared for name in re.findall(r"[A-Za-z_]\w*\b(?!\.|->)", each)}) or "\0"
    start = r"(?:#\s*define\s+|\b(?:int|long|size_t|\w+_t)\s(?:[^;{}]*?,)?\s*)"  # a list may come before it
    named = re.findall(rf"{start}(\b(?i:{bounds})\b\s*=?\s*\(?\d{{1,15}}(?:\s*\*\s*\d{{1,15}})*)", text)
    found = [*named, *re.findall(rf"{loop}(\w+\s*{limit}\d{{1,15}})", text)]
    return max((bound for bound in found if turns(bound) >= FEW_TURNS), key=turns, default="")


def turns(bound: str) -> int:
    number = NUMBER_OF_TURNS.search(bound)
    return prod(map(int, re.findall(r"\d+", number[0]))) if number else 0


def constant(names: str, text: str) -> int:
    """The value of a macro, a constant or a variable that is called like this; 0 without one."""
    value = r"\(?\s*(\d{1,8}[uUlL]*(?:\s*(?:\*|<<)\s*\(?\s*\d{1,7}[uUlL]*)*)\b"
    name = rf"(?!\w*(?:retry|port|sge|max_count|warm))\w*(?:{names})\w*"
    for form in (
        rf"#\s*define\s+{name}\s+{value}",
        rf"\b(?:int|long|unsigned|size_t|\w+_t)\s[^;{{}}\"]*?\b{name}\s*=\s*{value}",
    ):
        for found in re.findall(form, text, re.IGNORECASE):
            product = 1
            for sign, number in re.findall(r"(\*|<<)?\s*(\d+)", found):
                product = product << min(int(number), 40) if sign == "<<" else product * int(number)
            if product:
                return product
    return 0
