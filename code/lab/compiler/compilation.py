"""One build: a command turns source files into programs, within bounds."""

import io
import re
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError
from lab.files import bounded

DEADLINE_S = 120
MEMORY_BYTES, DISK_BYTES, LARGEST_PROGRAM = 2 * 2**30, 256 * 2**20, 50 * 2**20
PROCESSES, OPEN_FILES, PROCESSOR_S = 128, 256, 120
WORK = "/w"
NOBODY = 65534
# The same on every host. SOURCE_DATE_EPOCH is the date of __DATE__: 2026-01-01.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": WORK, "LC_ALL": "C", "SOURCE_DATE_EPOCH": "1767225600"}
# The arguments are the names of the wanted files, then the command. Its output replaces the files if it fails.
SCRIPT = f"""cd {WORK} || exit 2
ulimit -v {MEMORY_BYTES // 1024} && ulimit -f {DISK_BYTES // 512} && ulimit -t {PROCESSOR_S} && ulimit -c 0 || exit 2
ulimit -p {PROCESSES} && ulimit -n {OPEN_FILES} && tar -x || exit 2
names=$1; shift
"$@" >/tmp/said 2>&1 </dev/null || {{ grep -m 1 error /tmp/said; tail -c 2000 /tmp/said; exit 3; }}
exec tar -c -h --hard-dereference -- $names
"""
# What builds ask for and the toolchain lacks. The VM's CPU is the same on every host, so gcc ignores `-march=native`;
# it has one core, so OpenMP has one thread. Open MPI with threads needs cmpxchg16b, which the VM's CPU lacks.
ASKED = re.compile(rb"=native|-fopenmp|\bMPI_Init_thread|\bclang|\bpkg-config")
STAND_INS = {
    "gcc": """#!/bin/sh
for word; do
	shift
	case $word in
	-m*=native) ;;
	-fopenmp) set -- "$@" -Wno-unknown-pragmas -I/tmp/bin ;;
	*) set -- "$@" "$word" ;;
	esac
done
case ${0##*/} in clang) exec /usr/bin/gcc "$@" ;; clang++) exec /usr/bin/g++ "$@" ;; esac
exec "/usr/bin/${0##*/}" "$@"
""",
    "pkg-config": """#!/bin/sh
case " $* " in *" --libs "*) ;; *) exit 0 ;; esac
for word; do case $word in lib*) printf '%s ' "-l${word#lib}" ;; ompi*) echo -lmpi ;; esac; done
""",
    "omp.h": """struct omp_time { long s, ns; };
extern int omp_clock(int, struct omp_time *) __asm__("clock_gettime"); /* which -std=c11 hides */
static inline void omp_set_num_threads(int n) { (void)n; }
static inline int omp_get_thread_num(void) { return 0; }
static inline int omp_get_num_threads(void) { return 1; }
static inline int omp_get_max_threads(void) { return 1; }
static inline int omp_get_num_procs(void) { return 1; }
static inline double omp_get_wtime(void)
{
	struct omp_time t;
	omp_clock(1, &t);
	return t.s + t.ns * 1e-9;
}
""",
    "mpicc": """#!/bin/sh
exec /usr/bin/mpicc -include /tmp/bin/mpi_threads.h "$@"
""",
    "mpi_threads.h": """#include <mpi.h>
static inline int lab_init_thread(int *argc, char ***argv, int required, int *provided)
{
	*provided = required < MPI_THREAD_SERIALIZED ? required : MPI_THREAD_SERIALIZED;
	return MPI_Init(argc, argv);
}
#define MPI_Init_thread lab_init_thread
""",
}
PUT_STAND_INS = (
    "mkdir -p /tmp/bin || exit 2\n"
    + "".join(f"cat >/tmp/bin/{name} <<'END' || exit 2\n{text}END\n" for name, text in STAND_INS.items())
    + "chmod +x /tmp/bin/* && for name in cc gcc-12 g++ clang clang++; do ln -s gcc /tmp/bin/$name; done\n"
    + "PATH=/tmp/bin:$PATH\n"
)
LAST_LINES, LONGEST_LINE, LONGEST = 4, 200, 500
FAILED, OVERTIME = 3, -9  # the status of a failed script, and of one that was killed at its deadline
OVERMEMORY = -1000  # not a status of a process


class BuildRefused(LabError):
    """The sources do not build."""


def failure(output: bytes) -> str:
    """The first line of a failed build that names an error, and the last lines."""
    lines = output.decode(errors="replace").strip().splitlines()
    last = lines[-LAST_LINES:]
    first = next((line for line in lines if "error" in line and line not in last), "")
    return " / ".join([first[:LONGEST_LINE], *last] if first else last)[:LONGEST] or "failed"


@dataclass(frozen=True)
class Compilation:
    """An untrusted build."""

    files: Mapping[str, bytes]
    command: tuple[str, ...]
    wanted: tuple[str, ...]
    deadline_s: float = DEADLINE_S

    @property
    def archive(self) -> bytes:
        return bounded.pack(self.files)

    @property
    def inside(self) -> tuple[str, ...]:
        """The command inside the sandbox, which reads an archive of files and writes one of programs."""
        texts = (" ".join(self.command).encode(), *self.files.values())
        script = PUT_STAND_INS + SCRIPT if any(map(ASKED.search, texts)) else SCRIPT
        return ("/bin/sh", "-c", script, "sh", " ".join(self.wanted), *self.command)

    @property
    def named(self) -> str:
        return " ".join(self.command).partition("\n")[0]

    def programs(self, status: int, output: bytes) -> dict[str, bytes]:
        """The wanted files and no others; raise BuildRefused with the command's messages."""
        if len(output) > LARGEST_PROGRAM:
            raise BuildRefused(f"the programs are larger than {LARGEST_PROGRAM} bytes")
        if status == OVERTIME:
            raise BuildRefused(f"{self.named} did not end within {self.deadline_s:g} s")
        if status == OVERMEMORY:
            raise BuildRefused(f"{self.named} used more than {MEMORY_BYTES} bytes of memory in all its processes")
        if status == FAILED:
            raise BuildRefused(f"{self.named}: {failure(output)}")
        try:
            files = bounded.unpack(io.BytesIO(output), LARGEST_PROGRAM)
        except tarfile.TarError as error:
            raise BuildRefused(f"the output is not an archive of programs: {error}") from error
        for name in self.wanted:
            if name not in files:
                raise BuildRefused(f"the sources do not build {Path(name).name}")
        return {name: files[name] for name in self.wanted}
