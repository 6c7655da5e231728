"""Builds for the sandbox and the VM."""

from lab.compiler.compilation import Compilation

HONEST = Compilation(
    {
        "Makefile": b"mine: mine.c\n\t$(CC) -g -O2 -o $@ $< -lm\n",
        "mine.c": b"#include <math.h>\n#include <infiniband/verbs.h>\n#include <stdio.h>\n"
        b'int main(int c, char **v) { return printf("%s %f", __DATE__, sin(c + v[0][0])); }\n',
    },
    ("make", "-s"),
    ("mine",),
)
CPP = Compilation(
    {
        "mine.cc": b"#include <algorithm>\n#include <iostream>\n#include <map>\n#include <stdexcept>\n"
        b"int main(int c, char **v) try { std::map<int, std::string> m{{c, v[0]}}; std::cout << m.at(7); }\n"
        b"catch (const std::out_of_range &e) { std::cout << e.what(); }\n"
    },
    ("g++", "-std=c++20", "-O2", "-flto", "-o", "mine", "mine.cc"),
    ("mine",),
)
# Tries to write outside, to fill memory and folders, and to start more processes; prints its successes.
HOSTILE = b"""
for place in /usr/x /bin/sh /etc/x /z /dev/z /proc/z; do echo x >$place && echo wrote $place; done
id -u; grep CapEff /proc/self/status; cat /proc/net/dev
head -c 300000000 /dev/zero >a && echo large; cat a >b; cat a >c && echo filled; rm -f a b c
dd if=/dev/zero of=/dev/null bs=3G count=1 && echo memory
i=0; while [ $i -lt 300 ]; do sleep 99 & i=$((i + 1)); done; echo forked
"""


def recipe(*lines: str, deadline_s: float = 120, **files: bytes) -> Compilation:
    makefile = "mine:\n" + "".join(f"\t{line}\n" for line in lines)
    return Compilation({"Makefile": makefile.encode(), **files}, ("make", "-s"), ("mine",), deadline_s)


def hostile() -> Compilation:
    """A build whose program is the list of its successes."""
    return recipe("sh hostile >$@ 2>/dev/null || true", hostile=HOSTILE)


def require_harmless(program: bytes) -> None:
    """Require that a hostile build was nobody, without rights and without a network but lo, and had no success."""
    lines = program.decode().splitlines()
    assert lines[:2] == ["65534", "CapEff:\t0000000000000000"], lines
    assert [line.split()[0] for line in lines[4:]] == ["lo:"], lines
