/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program, as a process among those of the machines. */
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "check.h"
#include "station.h"

enum { MACHINES = 3, PATIENCE_S = 60, ENDED_WELL = 33 };

static char paths[MACHINES][64];
static struct end *ends[MACHINES]; /* the machines', as the harness sees them */
static const struct wire_model link_of_all = { .latency_ns = 1000 };

static int share(void **state)
{
	(void)state;
	for (int i = 0; i < MACHINES; i++) {
		const int file = memfd_create("pair", 0);

		snprintf(paths[i], sizeof(paths[i]), "/proc/self/fd/%d", file);
		if (ftruncate(file, ENDS * END_BYTES))
			return -1;
		ends[i] = mmap(NULL, END_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	}
	return 0;
}

static int forget(void **state)
{
	int file;

	(void)state;
	for (int i = 0; i < MACHINES; i++) {
		munmap(ends[i], END_BYTES);
		sscanf(paths[i], "/proc/self/fd/%d", &file);
		close(file);
	}
	return 0;
}

/* A QEMU, until a time of its clock; then it ends with a status. */
static pid_t machine(int number, int64_t until, int status)
{
	static struct station s;
	const pid_t child = fork();

	if (child)
		return child;
	alarm(PATIENCE_S);
	s.number = number;
	s.count = MACHINES;
	if (!station_open(&s, 1, paths[number], &link_of_all))
		_exit(EXIT_FAILURE);
	emulated_run(&s.machine, until);
	pair_leave(&s.pair, status);
	_exit(status);
}

static pid_t start_switch(void)
{
	const pid_t child = fork();

	if (child)
		return child;
	alarm(PATIENCE_S);
	execl(SWITCH, "switch", "latency=1000", paths[0], paths[1], paths[2], NULL);
	_exit(EXIT_FAILURE);
}

static int status_of(pid_t child)
{
	int status;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void await_steps(int number, uint64_t steps)
{
	const struct timespec nap = { 0, 20000 };
	const time_t limit = time(NULL) + PATIENCE_S;

	while (*(volatile uint64_t *)&ends[number]->steps < steps && time(NULL) < limit)
		nanosleep(&nap, NULL);
}

static void it_ends_well_when_all_machines_have(void **state)
{
	pid_t machines[MACHINES];
	const pid_t it = start_switch();

	(void)state;
	for (int i = 0; i < MACHINES; i++)
		machines[i] = machine(i, 50000 * (i + 1), ENDED_WELL);
	for (int i = 0; i < MACHINES; i++)
		assert_int_equal(status_of(machines[i]), ENDED_WELL);
	assert_int_equal(status_of(it), EXIT_SUCCESS);
}

static void assert_others_end(const pid_t machines[MACHINES], int but, const char *why)
{
	for (int i = 0; i < MACHINES; i++) {
		if (i == but)
			continue;
		assert_int_equal(status_of(machines[i]), EXIT_FAILURE);
		assert_int_equal(ends[i]->gone, FAILED);
		assert_string_equal(ends[i]->reason, why);
	}
}

static void a_machine_that_is_killed_ends_all_and_each_says_which_it_was(void **state)
{
	pid_t machines[MACHINES];
	const pid_t it = start_switch();

	(void)state;
	for (int i = 0; i < MACHINES; i++)
		machines[i] = machine(i, INT64_MAX - 1, 0);
	await_steps(1, 100);
	kill(machines[1], SIGKILL);
	assert_int_equal(status_of(machines[1]), 128 + SIGKILL);
	assert_others_end(machines, 1, "at port 1, the client's machine was killed");
	assert_int_equal(status_of(it), EXIT_FAILURE);
}

static void a_machine_that_goes_off_without_results_ends_all(void **state)
{
	pid_t machines[MACHINES];
	const pid_t it = start_switch();

	(void)state;
	for (int i = 0; i < MACHINES; i++)
		machines[i] = machine(i, i == 2 ? 100000 : INT64_MAX - 1, 0);
	assert_int_equal(status_of(machines[2]), 0);
	assert_others_end(machines, 2, "at port 2, the client's machine ended with status 0");
	assert_int_equal(status_of(it), EXIT_FAILURE);
}

static void a_switch_that_is_killed_ends_all(void **state)
{
	pid_t machines[MACHINES];
	const pid_t it = start_switch();

	(void)state;
	for (int i = 0; i < MACHINES; i++)
		machines[i] = machine(i, INT64_MAX - 1, 0);
	await_steps(0, 100);
	kill(it, SIGKILL);
	assert_int_equal(status_of(it), 128 + SIGKILL);
	assert_others_end(machines, MACHINES, "the server's machine was killed");
}

static char **words;

static void start_with_words(void *nothing)
{
	(void)nothing;
	execv(SWITCH, words);
}

static void assert_refused(const char *options, const char *file, const char *sentence, int status)
{
	char *all[] = { "switch", (char *)options, paths[0], (char *)file, NULL };
	char said[2048];

	words = all;
	assert_int_equal(in_child(start_with_words, NULL, said, sizeof(said)), status);
	assert_non_null(strstr(said, sentence));
	assert_int_equal(strstr(said, "usage: switch latency=NS") != NULL, status == 2);
}

static void what_it_cannot_do_is_refused_with_its_usage(void **state)
{
	(void)state;
	assert_refused("latency=1000", NULL, "2 to 16 files", 2);
	assert_refused("rate=1000", paths[1], "no latency", 2);
	assert_refused("latency=0", paths[1], "no latency", 2);
	assert_refused("latency=5000000000000000000", paths[1], "no latency", 2);
	assert_refused("latency=1000,depth=3", paths[1], "an option that it does not know", 2);
	assert_refused("latency=1000,rate", paths[1], "one without a value", 2);
	assert_refused("latency=1k", paths[1], "no whole number", 2);
	assert_refused("latency=1000,queue=-1", paths[1], "no whole number", 2);
	assert_refused("latency=1000", "/nowhere/at/all", "/nowhere/at/all: No such file", 1);
	assert_refused("latency=1000", paths[0], "Resource temporarily unavailable", 1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, share, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(it_ends_well_when_all_machines_have),
		CASE(a_machine_that_is_killed_ends_all_and_each_says_which_it_was),
		CASE(a_machine_that_goes_off_without_results_ends_all),
		CASE(a_switch_that_is_killed_ends_all),
		CASE(what_it_cannot_do_is_refused_with_its_usage),
	};

	return cmocka_run_group_tests_name("main", tests, NULL, NULL);
}
