/* Files of samples that can be read again, or are not there: columns.c, output.c. */
#include <fcntl.h>
#include <sys/socket.h>

#include "check.h"
#include "columns.h"
#include "csv.h"
#include "die.h"

static const struct flow flow = { .size_bytes = 64, .iterations = 40, .operations = 1 };
static struct sample rows[] = { { 2, 1000 }, { 38, 2000 } }, trips[] = { { 0, 500 } };
static struct sample completions[] = { { 2, 900 }, { 38, 1900 } };

static const struct cost costs[] = { { 64, 40, { 900, 400 }, { 800, 0 } },
				     { 128, 2, { 9, 8 }, { 7, 6 } },
				     { 256, 1, { 5, 4000 }, { 4, 4 } } };

struct writing {
	const struct output *output;
	struct options options;
	struct result result;
};

static void write_all(void *argument)
{
	const struct writing *w = argument;

	dup2(STDERR_FILENO, STDOUT_FILENO);
	w->output->begin();
	csv_note("path_mtu", "%u", 4096u);
	w->output->header();
	w->output->size(&w->options, &flow, &w->result);
	w->output->costs(costs, 3);
	w->output->end();
}

static char said[4096];

static int run(struct writing writing)
{
	die_name("/usr/bin/verbs-client");
	return in_child(write_all, &writing, said, sizeof(said));
}

static const struct result windows = {
	.count = 2, .samples = rows, .completed = { 40, 20000 }, .confirmed = { 40, 25600 }
};
static const struct result rounds = { .count = 2,
				      .samples = rows,
				      .completions = completions,
				      .trip_count = 1,
				      .trips = trips,
				      .settled = { 40, 3000 },
				      .reached = true };
static const struct options until_stable = { .until_stable = 1, .rounds_cap = 2 };

static void rows_are_integers_and_the_last_line_counts_them(void **state)
{
	(void)state;
	assert_int_equal(run((struct writing){ &csv_output, { .windows = 2 }, windows }), 0);
	assert_non_null(strstr(said, "# program=verbs-client\n"));
	assert_non_null(strstr(said, "# path_mtu=4096\n"));
	assert_non_null(strstr(said, "\nsize_bytes,sample,index,messages,bytes,time_ns\n"));
	assert_non_null(strstr(said,
			       "\n64,window,0,2,128,1000\n64,window,1,38,2432,2000\n64,completed,0,40,2560,20000\n"
			       "64,confirmed,0,40,2560,25600\n"));
	assert_non_null(strstr(said, "\n64,client_processor,0,40,2560,900\n64,client_kernel,0,40,2560,400\n"
				     "64,server_processor,0,40,2560,800\n64,server_kernel,0,40,2560,0\n"
				     "128,client_processor,0,2,256,9\n128,client_kernel,0,2,256,8\n"
				     "128,server_processor,0,2,256,7\n128,server_kernel,0,2,256,6\n"));
	assert_non_null(strstr(said, "\n# end rows=16\n"));
}

static void a_tick_of_the_kernel_is_no_more_than_all_the_time(void **state)
{
	(void)state;
	assert_int_equal(run((struct writing){ &csv_output, { .windows = 2 }, windows }), 0);
	assert_non_null(strstr(said, "\n256,client_processor,0,1,256,5\n256,client_kernel,0,1,256,5\n"
				     "256,server_processor,0,1,256,4\n256,server_kernel,0,1,256,4\n"));
}

static void rounds_follow_the_round_trips_and_end_in_what_became_of_them(void **state)
{
	struct result given_up = rounds;

	(void)state;
	given_up.reached = false;
	assert_int_equal(run((struct writing){ &csv_output, until_stable, rounds }), 0);
	assert_non_null(strstr(said,
			       "\n64,control_trip,0,0,0,500\n64,round_completed,0,2,128,900\n"
			       "64,round_completed,1,38,2432,1900\n64,round,0,2,128,1000\n64,round,1,38,2432,2000\n"
			       "64,settled,0,40,2560,3000\n"));
	assert_int_equal(run((struct writing){ &csv_output, until_stable, given_up }), 0);
	assert_non_null(strstr(said, "\n64,unsettled,0,40,2560,3000\n"));
}

static void columns_are_a_line_a_size_in_megabits(void **state)
{
	(void)state;
	assert_int_equal(run((struct writing){ &columns_output, { .format = FORMAT_COLUMNS }, windows }), 0);
	assert_string_equal(said, "64  800.000000  Mbps\n"); /* 40 x 64 x 8 bits in 25.6 us */
}

static void columns_say_beside_the_line_what_did_not_settle(void **state)
{
	struct result given_up = rounds;

	(void)state;
	given_up.reached = false;
	assert_int_equal(run((struct writing){ &columns_output, until_stable, given_up }), 0);
	assert_non_null(strstr(said, "  Mbps\n"));
	assert_non_null(strstr(said, "64 bytes: not stable within 2 rounds"));
}

static void write_to_a_full_disk(void *argument)
{
	(void)argument;
	assert_non_null(freopen("/dev/full", "w", stdout));
	csv_output.header();
	csv_output.end();
}

static void a_full_disk_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(in_child(write_to_a_full_disk, NULL, said, sizeof(said)), 1);
	assert_non_null(strstr(said, "can't write the samples"));
}

/* A pipe that takes nothing for a while, as one of ssh or node may: printf() drops what it can't write. */
static void write_to_a_pipe_that_is_full_for_a_while(void *argument)
{
	static char page[4096];
	int ends[2];

	(void)argument;
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	dup2(ends[1], STDOUT_FILENO);
	for (int i = 0; i < 100; i++)
		fwrite(page, 1, sizeof(page), stdout);
	while (read(ends[0], page, sizeof(page)) > 0)
		;
	output_flush();
}

static void rows_that_were_dropped_are_an_error_after_the_pipe_takes_more(void **state)
{
	(void)state;
	assert_int_equal(in_child(write_to_a_pipe_that_is_full_for_a_while, NULL, said, sizeof(said)), 1);
	assert_non_null(strstr(said, "can't write the samples: an earlier write failed"));
}

static void open_without_stdout(void *argument)
{
	int fd;

	(void)argument;
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	output_guard();
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd <= STDERR_FILENO)
		die("the socket is descriptor %d", fd);
	printf("a sample\n");
	output_flush();
}

static void with_stdout_closed_the_samples_go_nowhere_and_that_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(in_child(open_without_stdout, NULL, said, sizeof(said)), 1);
	assert_non_null(strstr(said, "can't write the samples: Bad file descriptor"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_integers_and_the_last_line_counts_them),
		cmocka_unit_test(a_tick_of_the_kernel_is_no_more_than_all_the_time),
		cmocka_unit_test(rounds_follow_the_round_trips_and_end_in_what_became_of_them),
		cmocka_unit_test(columns_are_a_line_a_size_in_megabits),
		cmocka_unit_test(columns_say_beside_the_line_what_did_not_settle),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(rows_that_were_dropped_are_an_error_after_the_pipe_takes_more),
		cmocka_unit_test(with_stdout_closed_the_samples_go_nowhere_and_that_is_an_error),
	};

	return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
