/* Results as text: {columns,csv,output}.c. */
#include <fcntl.h>
#include <sys/socket.h>

#include "check.h"
#include "csv.h"
#include "die.h"
#include "output.h"

static const struct flow flow = { .size_bytes = 64, .iterations = 40, .operations = 1 };
static struct sample rows[] = { { 2, 1000 }, { 38, 2000 } }, trips[] = { { 0, 500 } };
static struct sample completions[] = { { 2, 900 }, { 38, 1900 } };
static struct sample shares[] = { { 21, 650 }, { 19, 600 } };
static const struct cost costs[] = { { 64, 40, { 40, 700 }, { 900, 400 }, { 800, 0 } },
				     { 128, 2, { 0, 0 }, { 9, 8 }, { 7, 6 } },
				     { 256, 1, { 0, 0 }, { 5, 4000 }, { 4, 4 } } };
static const struct result windows = { .count = 2,
				       .samples = rows,
				       .completed = { 40, 20000 },
				       .confirmed = { 40, 25600 },
				       .share_count = 2,
				       .shares = shares };
static const struct options until_stable = { .until_stable = 1, .rounds_cap = 2 };

static struct result rounds(bool reached)
{
	return (struct result){ .count = 2,
				.samples = rows,
				.completions = completions,
				.trip_count = 1,
				.trips = trips,
				.settled = { 40, 3000 },
				.reached = reached };
}

struct writing {
	const struct output *output;
	struct options options;
	struct result result;
};

static void write_all(void *argument)
{
	const struct writing *w = argument;

	die_name("/usr/bin/verbs-client");
	dup2(STDERR_FILENO, STDOUT_FILENO);
	w->output->begin();
	csv_note("path_mtu", "%u", 4096u);
	w->output->header();
	w->output->size(&w->options, &flow, &w->result);
	w->output->costs(costs, 3);
	w->output->end();
}

static void expect_text(struct writing writing, const char *text)
{
	check_child(write_all, &writing, 0, text);
}

TEST(csv_rows_are_integers_and_the_last_line_counts_them)
{
	static const char *const parts[] = {
		"# program=verbs-client\n",
		"# path_mtu=4096\n",
		"\nsize_bytes,sample,index,messages,bytes,time_ns\n",
		"\n64,window,0,2,128,1000\n64,window,1,38,2432,2000\n64,completed,0,40,2560,20000\n"
		"64,confirmed,0,40,2560,25600\n64,share,0,21,1344,650\n64,share,1,19,1216,600\n",
		"\n64,back,0,40,2560,700\n64,client_processor,0,40,2560,900\n64,client_kernel,0,40,2560,400\n"
		"64,server_processor,0,40,2560,800\n64,server_kernel,0,40,2560,0\n"
		"128,client_processor,0,2,256,9\n128,client_kernel,0,2,256,8\n"
		"128,server_processor,0,2,256,7\n128,server_kernel,0,2,256,6\n",
		/* a tick of the kernel is no longer than the whole time */
		"\n256,client_processor,0,1,256,5\n256,client_kernel,0,1,256,5\n"
		"256,server_processor,0,1,256,4\n256,server_kernel,0,1,256,4\n",
		"\n# end rows=19\n",
	};

	for (size_t i = 0; i < COUNT(parts); i++)
		expect_text((struct writing){ &csv_output, { .windows = 2 }, windows }, parts[i]);
}

TEST(csv_rounds_follow_the_trips_and_end_with_whether_they_settled)
{
	expect_text((struct writing){ &csv_output, until_stable, rounds(true) },
		    "\n64,control_trip,0,0,0,500\n64,round_completed,0,2,128,900\n"
		    "64,round_completed,1,38,2432,1900\n64,round,0,2,128,1000\n64,round,1,38,2432,2000\n"
		    "64,settled,0,40,2560,3000\n");
	expect_text((struct writing){ &csv_output, until_stable, rounds(false) }, "\n64,unsettled,0,40,2560,3000\n");
}

TEST(columns_have_one_line_for_each_size_in_megabits)
{
	expect_text((struct writing){ &columns_output, { .format = FORMAT_COLUMNS }, windows }, "Mbps\n");
	assert_string_equal(check_printed, "64  800.000000  Mbps\n"); /* 40 x 64 x 8 bits in 25.6 us */
	expect_text((struct writing){ &columns_output, until_stable, rounds(false) }, "  Mbps\n");
	check_contains(check_printed, "64 bytes: not stable within 2 rounds");
}

CHILD_TEST(samples_on_a_full_disk_are_an_error, 1, "can't write the samples")
{
	assert_non_null(freopen("/dev/full", "w", stdout));
	csv_output.header();
	csv_output.end();
}

/* As ssh or node may make one: printf() drops what the pipe does not accept, and later writes succeed. */
CHILD_TEST(samples_to_a_pipe_that_is_full_for_a_while_are_an_error, 1,
	   "can't write the samples: an earlier write failed")
{
	static char page[4096];
	int ends[2];

	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	dup2(ends[1], STDOUT_FILENO);
	for (int i = 0; i < 100; i++)
		fwrite(page, 1, sizeof(page), stdout);
	while (read(ends[0], page, sizeof(page)) > 0)
		;
	output_flush();
}

/* No socket may get the number of a standard stream. */
CHILD_TEST(samples_without_stdout_are_an_error, 1, "can't write the samples: Bad file descriptor")
{
	int fd;

	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	output_guard();
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd <= STDERR_FILENO)
		die("the socket is descriptor %d", fd);
	printf("a sample\n");
	output_flush();
}

RUN_TESTS("csv", NULL, NULL)
