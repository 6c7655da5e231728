/* The harness of all unit tests in C: cmocka's includes in the order that it needs, tests that register themselves, and
 * a child process in which a program may exit. */
#ifndef CHECK_H
#define CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the headers above */
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Tests, children and replaced functions have arguments that only some of them need, and rows of tables leave out what
 * is zero. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define CHECK_UNUSED __attribute__((unused))

static struct CMUnitTest check_tests[64] CHECK_UNUSED;
static size_t check_count CHECK_UNUSED;

/* Defines a test; check_run() runs all tests of a file in their order. */
#define TEST(name)                                                                                                     \
	static void name(void **);                                                                                     \
	__attribute__((constructor)) static void check_add_##name(void)                                                \
	{                                                                                                              \
		check_tests[check_count++] = (struct CMUnitTest)cmocka_unit_test(name);                                \
	}                                                                                                              \
	static void name(void **state)

/* Runs all tests, each between the two calls; NULL: no call. */
static inline int check_run(const char *group, CMFixtureFunction setup, CMFixtureFunction teardown)
{
	for (size_t i = 0; i < check_count; i++) {
		check_tests[i].setup_func = setup;
		check_tests[i].teardown_func = teardown;
	}
	return _cmocka_run_group_tests(group, check_tests, check_count, NULL, NULL);
}

/* Defines main(), which runs all tests of the file. */
#define RUN_TESTS(group, setup, teardown)                                                                              \
	int main(void)                                                                                                 \
	{                                                                                                              \
		return check_run(group, setup, teardown);                                                              \
	}

/* Runs body in a child; returns its exit status, and what it printed on stderr. */
static inline int in_child(void (*body)(void *), void *argument, char *printed, size_t room)
{
	int pipe_fds[2], status;
	size_t length = 0;
	ssize_t n;
	pid_t child;

	assert_int_equal(pipe(pipe_fds), 0);
	fflush(NULL);
	child = fork();
	if (child == 0) {
		dup2(pipe_fds[1], STDERR_FILENO);
		close(pipe_fds[0]);
		close(pipe_fds[1]);
		body(argument);
		fflush(NULL);
		_exit(0);
	}
	close(pipe_fds[1]);
	while ((n = read(pipe_fds[0], printed + length, room - 1 - length)) > 0)
		length += (size_t)n;
	printed[length] = '\0';
	close(pipe_fds[0]);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* What the last child of check_child() printed on stderr. */
static char check_printed[16384] CHECK_UNUSED;

static inline void check_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in '%s'", part, text);
}

/* Runs body in a child, which must exit with a status and print a text; NULL: any text. */
static inline void check_child(void (*body)(void *), void *argument, int status, const char *text)
{
	const int found = in_child(body, argument, check_printed, sizeof(check_printed));

	if (found != status) {
		fputs(check_printed, stderr); /* fail_msg() prints 1 KiB of it */
		fail_msg("exit status %d instead of %d", found, status);
	}
	if (text)
		check_contains(check_printed, text);
}

/* Defines a test that runs in a child, as in check_child(). */
#define CHILD_TEST(name, status, text)                                                                                 \
	static void name##_in_child(void *);                                                                           \
	TEST(name)                                                                                                     \
	{                                                                                                              \
		check_child(name##_in_child, NULL, status, text);                                                      \
	}                                                                                                              \
	static void name##_in_child(void *unused)

#endif
