/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "check.h"
#include "emulated.h"

enum { KILLS = 40, PATIENCE_S = 60, ENDED_WELL = 33, ROUNDS = 300 };

static char path[64];
static struct end *ends[ENDS]; /* as the harness sees them */
static int said[2];            /* what the survivor says on stderr */

/* A QEMU of an end, until a time of its clock; then it ends with a status. */
static pid_t begin(int end, uint64_t seed, int64_t until, int status)
{
	static struct emulated e;
	static struct pair pair;
	const struct wire_model link = { .latency_ns = 1000 };
	const pid_t child = fork();

	if (child)
		return child;
	alarm(PATIENCE_S);
	dup2(said[1], STDERR_FILENO);
	emulated_start(&e, seed, end, &link);
	if (!pair_open(&pair, end, path))
		_exit(EXIT_FAILURE);
	emulated_join(&e, &pair);
	emulated_run(&e, until);
	pair_leave(&pair, status);
	_exit(status);
}

static int share(void **state)
{
	const int file = memfd_create("pair", 0);
	uint8_t *memory;

	(void)state;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (ftruncate(file, ENDS * END_BYTES) || pipe(said))
		return -1;
	memory = mmap(NULL, ENDS * END_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	ends[0] = (struct end *)memory;
	ends[1] = (struct end *)(memory + END_BYTES);
	return 0;
}

static int forget(void **state)
{
	int file;

	(void)state;
	munmap(ends[0], ENDS * END_BYTES);
	sscanf(path, "/proc/self/fd/%d", &file);
	return close(file) | close(said[0]) | close(said[1]);
}

static int status_of(pid_t child)
{
	int status;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void await_steps(int end, uint64_t steps)
{
	const struct timespec nap = { 0, 20000 };
	const time_t limit = time(NULL) + PATIENCE_S;

	while (*(volatile uint64_t *)&ends[end]->steps < steps && time(NULL) < limit)
		nanosleep(&nap, NULL);
}

static void assert_said(const char *sentence)
{
	char text[512] = "";

	assert_true(read(said[0], text, sizeof(text) - 1) > 0);
	assert_non_null(strstr(text, sentence));
}

/* At a random point of the run: after so many steps. */
static void kill_one(uint64_t seed)
{
	const int victim = (int)(seed % ENDS);
	pid_t children[ENDS];

	assert_int_equal(share(NULL), 0);
	for (int end = 0; end < ENDS; end++)
		children[end] = begin(end, seed, INT64_MAX - 1, 0);
	await_steps(victim, seed * 7919 % 300);
	kill(children[victim], SIGKILL);
	assert_int_equal(status_of(children[victim]), 128 + SIGKILL);
	if (!atomic_load(&ends[victim]->present)) { /* killed before it was there: who started it knows */
		kill(children[!victim], SIGKILL);
		status_of(children[!victim]);
	} else {
		assert_int_equal(status_of(children[!victim]), EXIT_FAILURE);
		assert_said(victim ? "the server's machine was killed" : "the client's machine was killed");
	}
	forget(NULL);
}

static void an_end_that_is_killed_ends_the_other(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < KILLS; seed++)
		kill_one(seed);
}

static void an_end_that_goes_off_without_results_ends_the_other(void **state)
{
	const pid_t client = begin(0, 1, INT64_MAX - 1, 0), server = begin(1, 1, 100000, 0);

	(void)state;
	assert_int_equal(status_of(server), 0);
	assert_int_equal(status_of(client), EXIT_FAILURE);
	assert_said("the server's machine ended with status 0");
	assert_int_equal(ends[0]->gone, FAILED);
	assert_int_equal(ends[1]->gone, FAILED);
}

static void an_end_that_has_finished_leaves_the_other_to_itself(void **state)
{
	const pid_t client = begin(0, 1, 10000, ENDED_WELL), server = begin(1, 1, 1000000, ENDED_WELL);

	(void)state;
	assert_int_equal(status_of(client), ENDED_WELL);
	assert_int_equal(status_of(server), ENDED_WELL);
	assert_int_equal(ends[0]->gone, FINISHED);
	assert_int_equal(ends[1]->gone, FINISHED);
}

/* Waits for each of the other's changes in turn, and answers it. */
static void answer(int end)
{
	static struct pair pair;

	alarm(PATIENCE_S);
	if (!pair_open(&pair, end, path))
		_exit(EXIT_FAILURE);
	for (uint32_t seen = 0; seen < ROUNDS; seen++) {
		while (atomic_load(&pair.other->changes) == seen)
			pair_await(&pair, seen);
		pair_note(&pair);
	}
	pair_finish(&pair);
	_exit(EXIT_SUCCESS);
}

/* Who waits in vain looks again after 10 ms. */
static void who_begins_to_wait_wakes_the_other_for_what_it_has_noted(void **state)
{
	enum { LOOK_NS = 10000000 };
	static struct pair pair;
	const pid_t child = fork();
	int in_vain = 0;

	(void)state;
	if (child == 0)
		answer(1);
	alarm(PATIENCE_S); /* a child that could not begin leaves nobody to wait for */
	assert_true(pair_open(&pair, 0, path));
	for (uint32_t seen = 0; seen < ROUNDS; seen++) {
		const int64_t since = host_ns();

		while (!atomic_load(&pair.mine->asleep) && !seen)
			; /* the first time it sleeps before it is told, later mostly */
		pair_note(&pair);
		while (atomic_load(&pair.other->changes) == seen)
			pair_await(&pair, seen);
		in_vain += host_ns() - since >= LOOK_NS;
	}
	assert_int_equal(status_of(child), EXIT_SUCCESS);
	alarm(0);
	assert_in_range(in_vain, 0, ROUNDS / 2);
	pair_forget(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_end_that_is_killed_ends_the_other),
		cmocka_unit_test_setup_teardown(an_end_that_goes_off_without_results_ends_the_other, share, forget),
		cmocka_unit_test_setup_teardown(an_end_that_has_finished_leaves_the_other_to_itself, share, forget),
		cmocka_unit_test_setup_teardown(who_begins_to_wait_wakes_the_other_for_what_it_has_noted, share,
						forget),
	};

	return cmocka_run_group_tests_name("pair", tests, NULL, NULL);
}
