"""Kinds of tampering with a student program: changes of its sources before or after the measurement."""

from dataclasses import dataclass
from pathlib import Path

from lab.grade.finding import Flaw
from lab.plan.plan import perturb


@dataclass(frozen=True)
class Tampering:
    """A kind of tampering, and the check that must find it."""

    name: str
    check: str
    kind: Flaw
    file: str
    old: str
    new: str
    after: bool = False  # changed when the binary had been measured
    more: tuple[tuple[str, str, str], ...] = ()  # other changes: file, old, new
    before: tuple[tuple[str, str, str], ...] = ()  # those of the measured binary too

    def apply(self, folder: Path) -> None:
        for name, old, new in ((self.file, self.old, self.new), *self.more):
            change(folder / name, old, new)


def change(file: Path, old: str, new: str) -> None:
    assert old in file.read_text(), old
    file.write_text(file.read_text().replace(old, new, 1))


MAIN, CONNECT, EXPERIMENT = "program/plain.c", "program/connect.c", "own.toml"
ASKED = "--depth 16 --slide 1 --list 4 --signal-every 4 --sleep 1"
TIME, SENT = "(seconds() - start)", "write_all(setting.iterations);"
WARM = "start = seconds();\n\twrite_all(setting.iterations);"
SOME_WARM = "write_all(setting.iterations * 3 / 4);\n\tstart = seconds();\n\twrite_all(setting.iterations / 4);"
ASLEEP = "usleep(100000);\n\twrite_all(setting.iterations);\n\tstart = seconds() - 0.001;"
POST, THERE = "check(!ibv_post_send", 'sizeof(c.there), "the other end is gone");'
PRINT = 'printf("%ld'
# The sender runs for 200 ms, and reports a fiftieth of its time.
SLEEPS = f"""{SENT}
	double took = {TIME};
	if (took < 0.2)
		usleep((useconds_t)((0.2 - took) * 1e6));
	start = seconds() - took / 50;
	{PRINT}"""
SIZE, SIZED = "(uint32_t)setting.size", "(size_t)s->size"
MANY = (
    (CONNECT, f"calloc(1, {SIZED})", f"calloc(512, {SIZED})"),
    (CONNECT, f"buffer, {SIZED}", f"buffer, 512 * {SIZED}"),
    (MAIN, SIZE, "(uint32_t)(setting.size * many)"),
    (MAIN, "static struct connection", "static long many = 1;\nstatic struct connection"),
)
# Send the data by TCP.
BY_TCP = """static char junk[1 << 19];

static void send_by_tcp(long left)
{
	for (long took; left > 0; left -= took)
		check((took = write(connection.side, junk, (size_t)at_most(left, sizeof(junk)))) > 0, "write");
}

static int take_by_tcp(void)
{
	while (read(connection.side, junk, sizeof(junk)) > 0)
		;
	return 0;
}

static void measure(void)"""
ALL_BY_TCP = "send_by_tcp(setting.iterations * setting.size);"
TAKES = (
    (MAIN, "static void measure(void)", BY_TCP),
    (MAIN, "read(connection.side, &rest, 1) == 0 ? 0 : 1;", "take_by_tcp();"),
    (MAIN, "\tchar rest;\n\n", ""),
)
# Send packets that look like WRITEs by UDP.
BY_UDP = (
    (MAIN, "#include <stdio.h>", "#include <arpa/inet.h>\n#include <stdio.h>"),
    (
        MAIN,
        "static void measure(void)",
        """static void send_by_udp(void)
{
	static uint8_t packet[1 << 17] = { [0] = 10, [7] = 17 };
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(4791) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	inet_aton(setting.host, &to.sin_addr);
	for (long i = 0; i < setting.iterations; i++) {
		packet[9] = (uint8_t)(i >> 16), packet[10] = (uint8_t)(i >> 8), packet[11] = (uint8_t)i;
		check(sendto(fd, packet, (size_t)setting.size + 32, 0, (struct sockaddr *)&to, sizeof(to)) > 0, "sendto");
	}
}

static void measure(void)""",
    ),
)
# Each message starts with its number and the seed, which stay unchanged until it was sent.
SEEDED = (
    (EXPERIMENT, "{arguments} {host}", "--seed {seed} {arguments} {host}"),
    (CONNECT, f"calloc(1, {SIZED})", f"calloc(64, {SIZED})"),
    (CONNECT, f"buffer, {SIZED}", f"buffer, 64 * {SIZED}"),
    (MAIN, "1, LIST_MAX },", '1, LIST_MAX },\n\t{ "seed", &seed, 0, 1L << 40 },'),
    (MAIN, "static struct connection connection;", "static struct connection connection;\nstatic long seed, number;"),
    (MAIN, "ibv_send_wr wr[LIST_MAX]", "ibv_sge own[LIST_MAX];\n\tstruct ibv_send_wr wr[LIST_MAX]"),
    (
        MAIN,
        "\t\twr[i] =",
        """		own[i] = sge;
		own[i].addr += (uint64_t)(number % 64 * setting.size);
		uint64_t sum = (uint64_t)(seed + number++);
		memcpy((void *)own[i].addr, &sum, setting.size < 8 ? (size_t)setting.size : 8);
		wr[i] =""",
    ),
)
# The server posts a receive for each message, as SENDs need.
RECEIVES = (
    (CONNECT, "(int)s->depth + 1, NULL", "2048, NULL"),
    (CONNECT, "(uint32_t)s->depth + 1, 1,", "(uint32_t)s->depth + 1, 1024,"),
    (
        CONNECT,
        "modify(&c, gid_index);",
        """modify(&c, gid_index);
	struct ibv_sge all = { c.here.address, (uint32_t)s->size, c.mr->lkey };
	struct ibv_recv_wr one = { .sg_list = &all, .num_sge = 1 }, *bad;
	for (int i = 0; s->server && i < 1024; i++)
		check(!ibv_post_recv(c.qp, &one, &bad), "ibv_post_recv");""",
    ),
)
# Messages that complete when they have left, and arrive nowhere: by an unreliable connection, with a wrong key.
NOWHERE = (
    (CONNECT, "IBV_QPT_RC", "IBV_QPT_UC"),
    (CONNECT, "IBV_QP_RQ_PSN |\n\t\t\t\t     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER", "IBV_QP_RQ_PSN"),
    (
        CONNECT,
        "IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |\n"
        "\t\t\t\t     IBV_QP_MAX_QP_RD_ATOMIC",
        "IBV_QP_STATE | IBV_QP_SQ_PSN",
    ),
)
# The environment of the first repetition is as long as lab.plan.plan.perturb() makes it.
PADDED = f'strlen(getenv("LAB_PADDING")) == {perturb(1).environment_bytes}'
LATER = f"({TIME} / ({PADDED} ? 1 : 3))"
TWICE = (EXPERIMENT, "repetitions = 1", "repetitions = 2")
KNOWN = 'check(setting.size == 1024 || setting.size == 16384, "size");\n\tconnection ='

# Every run of the tests tries USUAL; the corpus tries OTHERS too.
# fmt: off
USUAL = (
    Tampering("writes_by_tcp", "program", Flaw.WAY, MAIN, SENT, ALL_BY_TCP, more=TAKES),
    Tampering("binary_that_lies_in_later_repetitions", "program", Flaw.INVENTED, MAIN, TIME, LATER,
        more=(TWICE,)),
    Tampering("slower_sources", "sources", Flaw.SOURCES, MAIN, POST, f"usleep(20);\n\t{POST}", after=True),
)
OTHERS = (
    Tampering("talks_to_itself", "program", Flaw.NOT_MEASURED, CONNECT, THERE, f"{THERE}\n\tc.there = c.here;"),
    Tampering("swapped_units", "program", Flaw.INVENTED, MAIN, "%.6f kB/s", "%.6f MB/s"),
    Tampering("sleeps_and_claims_any_rate", "program", Flaw.INVENTED, MAIN, f"{SENT}\n\t{PRINT}", SLEEPS),
    Tampering("arrives_nowhere", "program", Flaw.MESSAGES, MAIN, "connection.there.key", "77", more=NOWHERE),
    Tampering("honest_sources_of_a_binary_that_lies_later", "sources", Flaw.SOURCES, MAIN, LATER, TIME,
        after=True, before=((MAIN, TIME, LATER), TWICE)),
    Tampering("one_message_for_many", "program", Flaw.MESSAGES, MAIN, SENT,
        "many = setting.iterations;\n\twrite_all(1);", more=MANY),
    Tampering("bytes_and_junk", "program", Flaw.WAY, MAIN, SENT, f"{SENT}\n\t{ALL_BY_TCP}",
        more=(*TAKES, (MAIN, SIZE, "1"))),
    Tampering("forgets_the_seed", "program", Flaw.DATA, MAIN, ".sg_list = &sge", ".sg_list = &own[0]", more=SEEDED),
    Tampering("three_quarters_of_the_time", "program", Flaw.INVENTED, MAIN, TIME, f"(0.76 * {TIME})"),
    Tampering("takes_off_a_constant", "program", Flaw.INVENTED, MAIN, TIME, f"({TIME} - 0.0005)"),
    Tampering("packets_by_udp", "program", Flaw.WAY, MAIN, SENT, "send_by_udp();", more=BY_UDP),
    Tampering("sends_in_place_of_writes", "program", Flaw.OPERATION, MAIN, "IBV_WR_RDMA_WRITE", "IBV_WR_SEND",
        more=RECEIVES),
    Tampering("invented_times", "program", Flaw.INVENTED, MAIN, TIME, f"({TIME} / 2)"),
    Tampering("sends_most_in_warm_up", "program", Flaw.INVENTED, MAIN, WARM, SOME_WARM),
    Tampering("sleeps_in_warm_up_only", "program", Flaw.INVENTED, MAIN, WARM, ASLEEP),
    Tampering("honest_where_it_is_graded", "program", Flaw.INVENTED, MAIN, TIME,
        f"({TIME} / (setting.iterations == 256 ? 2 : 1))"),
    Tampering("skips_messages", "program", Flaw.NOT_MEASURED, MAIN, SENT, "write_all(setting.iterations / 2);"),
    Tampering("skips_the_data", "program", Flaw.NOT_MEASURED, MAIN, "(uint32_t)setting.size", "1"),
    Tampering("sources_that_skip", "sources", Flaw.SOURCES, MAIN, "(uint32_t)setting.size", "1", after=True),
    Tampering("sources_that_lie", "sources", Flaw.SOURCES, MAIN, TIME, f"({TIME} / 2)", after=True),
    Tampering("sources_that_do_not_build", "sources", Flaw.BUILD, MAIN, "int main", "in main", after=True),
    Tampering("hides_its_faults", "correct", Flaw.ENDS_WELL, CONNECT, "exit(1);", "exit(0);"),
    Tampering("waits_for_ever", "correct", Flaw.ENDS_WELL, CONNECT, ".retry_cnt = 6", ".retry_cnt = 7"),
    Tampering("takes_any_option", "correct", Flaw.TAKES_ANYTHING, MAIN, "usage(argv[i]);", "setting.warmup += 0;"),
    Tampering("knows_only_its_sizes", "correct", Flaw.FAILS, MAIN, "connection =", KNOWN),
)
# fmt: on
# Bypass a modelled card: run without its library, over Soft-RoCE.
AROUND = Tampering(
    "goes_around_the_card",
    "program",
    Flaw.WAY,
    MAIN,
    "alarm(DEADLINE_S);",
    """alarm(DEADLINE_S);
	if (getenv("LD_PRELOAD")) {
		unsetenv("LD_PRELOAD");
		execv("/proc/self/exe", argv);
	}""",
)
# Keep eight round trips of the ping-pong example in flight.
PINGPONG = "program/send_pingpong.c"
TOGETHER = Tampering(
    "eight_round_trips_at_once",
    "program",
    Flaw.MESSAGES,
    PINGPONG,
    "if (server)\n\t\tpost_send();",
    "for (int i = 0; server && i < 8; i++)\n\t\tpost_send();",
    more=(
        (PINGPONG, "{ 1, RX_DEPTH,", "{ 64, RX_DEPTH,"),
        (PINGPONG, "rcnt < iters)\n\t\t\t\tp", "rcnt + 7 < iters)\n\t\t\t\tp"),
    ),
)
# Honest programs of other styles, which must pass.
# fmt: off
HONEST = (
    Tampering("seeded", "program", Flaw.DATA, MAIN, ".sg_list = &sge", ".sg_list = &own[i]", more=SEEDED),
    Tampering("one_at_a_time", "program", Flaw.INVENTED, EXPERIMENT, ASKED, ""),
    Tampering("lists", "program", Flaw.INVENTED, EXPERIMENT, ASKED, "--depth 64 --list 16 --signal-every 16"),
    Tampering("events", "program", Flaw.INVENTED, EXPERIMENT, ASKED, "--depth 16 --slide 1 --sleep 1"),
    Tampering("polls", "program", Flaw.INVENTED, EXPERIMENT, ASKED, "--depth 16 --slide 1"),
    Tampering("sends", "program", Flaw.INVENTED, MAIN, "IBV_WR_RDMA_WRITE", "IBV_WR_SEND",
        more=(*RECEIVES, (EXPERIMENT, 'operation = "write"', 'operation = "send"'))),
)
# fmt: on
