"""Kinds of tampering with a program of one's own: what is changed in its sources, before it is measured or after."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.grade.finding import Flaw


@dataclass(frozen=True)
class Tampering:
    """One kind, and who must find it."""

    name: str
    check: str
    kind: Flaw
    file: str
    old: str
    new: str
    after: bool = False  # changed when the binary had been measured

    def apply(self, folder: Path) -> None:
        file = folder / self.file
        assert self.old in file.read_text()
        file.write_text(file.read_text().replace(self.old, self.new, 1))


MAIN, CONNECT = "plain.c", "connect.c"
TIME, SENT = "(seconds() - start)", "write_all(setting.iterations);"
WARM = "start = seconds();\n\twrite_all(setting.iterations);"
SOME_WARM = "write_all(setting.iterations * 3 / 4);\n\tstart = seconds();\n\twrite_all(setting.iterations / 4);"
ASLEEP = "usleep(100000);\n\twrite_all(setting.iterations);\n\tstart = seconds() - 0.001;"
POST, THERE = "check(!ibv_post_send", 'sizeof(c.there), "the other end is gone");'
KNOWN = 'check(setting.size == 1024 || setting.size == 16384, "size");\n\tconnection ='

# Three of those that every run of the tests tries, then the others.
USUAL = (
    Tampering("swapped_units", "program", Flaw.INVENTED, MAIN, "%.6f kB/s", "%.6f MB/s"),
    Tampering("talks_to_itself", "program", Flaw.NOT_MEASURED, CONNECT, THERE, f"{THERE}\n\tc.there = c.here;"),
    Tampering("slower_sources", "sources", Flaw.SOURCES, MAIN, POST, f"usleep(20);\n\t{POST}", after=True),
)
OTHERS = (
    Tampering("invented_times", "program", Flaw.INVENTED, MAIN, TIME, f"({TIME} / 2)"),
    Tampering("sends_most_in_warm_up", "program", Flaw.INVENTED, MAIN, WARM, SOME_WARM),
    Tampering("sleeps_in_warm_up_only", "program", Flaw.INVENTED, MAIN, WARM, ASLEEP),
    Tampering(
        "honest_where_it_is_graded",
        "program",
        Flaw.INVENTED,
        MAIN,
        TIME,
        f"({TIME} / (setting.iterations == 256 ? 2 : 1))",
    ),
    Tampering("skips_messages", "program", Flaw.NOT_MEASURED, MAIN, SENT, "write_all(setting.iterations / 2);"),
    Tampering("skips_the_data", "program", Flaw.NOT_MEASURED, MAIN, "(uint32_t)setting.size", "1"),
    Tampering("sources_that_skip", "sources", Flaw.SOURCES, MAIN, "(uint32_t)setting.size", "1", after=True),
    Tampering("sources_that_lie", "sources", Flaw.SOURCES, MAIN, TIME, f"({TIME} / 2)", after=True),
    Tampering("sources_that_do_not_build", "sources", Flaw.BUILD, MAIN, "int main", "in main", after=True),
    Tampering("hides_its_faults", "correct", Flaw.ENDS_WELL, MAIN, "exit(1);", "exit(0);"),
    Tampering("waits_for_ever", "correct", Flaw.ENDS_WELL, CONNECT, ".retry_cnt = 6", ".retry_cnt = 7"),
    Tampering("takes_any_option", "correct", Flaw.TAKES_ANYTHING, MAIN, "usage(argv[i]);", "setting.warmup += 0;"),
    Tampering("knows_only_its_sizes", "correct", Flaw.FAILS, MAIN, "connection =", KNOWN),
)
