"""The programs that an experiment can name. A new program is a module and a line here."""

from lab.programs import bench, iperf3, mpi, netpipe, perftest, qperf
from lab.programs.program import Program

PROGRAMS: dict[str, Program] = {
    program.name: program
    for family in (bench.PROGRAMS, mpi.PROGRAMS, netpipe.PROGRAMS, perftest.PROGRAMS, iperf3.PROGRAMS, qperf.PROGRAMS)
    for program in family
}
