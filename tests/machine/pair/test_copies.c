/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "check.h"
#include "copies.h"

enum { PATIENCE_S = 60, OK = 7 };

static int calls, life, errors; /* as who orders copies has them */
static int original;            /* a file of it, which it has mapped too */
static pid_t server;

static int file_of(const char *text)
{
	const int file = memfd_create("file", 0);

	assert_int_equal(write(file, text, strlen(text)), strlen(text));
	return file;
}

/* What a copy does: its status says whether all that was the original's has become its own. */
static int do_work(const struct order *order, const char *mapped, int old)
{
	char text[8] = "";

	if (!strcmp(order->words, "wait") && write(order->files[ERRORS], "w", 1) == 1)
		pause();
	copies_replace(old, order->files[MAILBOX]);
	copies_forget_original();
	return pread(old, text, sizeof(text) - 1, 0) == 3 && !strcmp(text, "new") && !memcmp(mapped, "new", 3) &&
			       !strcmp(order->words, "work") && order->files[LOG] < 0 ?
		       OK :
		       EXIT_FAILURE;
}

static int start(void **state)
{
	int ends[2];
	char *mapped;
	struct order order;

	(void)state;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		return -1;
	original = file_of("old");
	server = fork();
	if (server) {
		calls = ends[0];
		return close(ends[1]);
	}
	alarm(PATIENCE_S);
	close(ends[0]);
	mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, original, 0);
	copies_allow_memory();
	copies_serve(ends[1], &order);
	_exit(do_work(&order, mapped, original));
}

static int stop(void **state)
{
	int status;

	(void)state;
	close(calls);
	close(original);
	return waitpid(server, &status, 0) == server && status == 0 ? 0 : -1;
}

/* The number of a copy's process. */
static int32_t order(const char *words)
{
	int ends[2], files[ORDER_FILES];
	char room[CMSG_SPACE(sizeof(files))] = { 0 };
	struct iovec text = { (void *)words, strlen(words) };
	struct msghdr message = {
		.msg_iov = &text, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)
	};
	int32_t number;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	for (int f = 0; f < LIFE; f++)
		files[f] = file_of(f == MAILBOX ? "new" : "");
	files[LIFE] = ends[1];
	life = ends[0];
	close(files[ERRORS]);
	assert_int_equal(pipe(ends), 0);
	files[ERRORS] = ends[1];
	errors = ends[0];
	*CMSG_FIRSTHDR(&message) = (struct cmsghdr){ CMSG_LEN(sizeof(files)), SOL_SOCKET, SCM_RIGHTS };
	memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), files, sizeof(files));
	assert_true(sendmsg(calls, &message, 0) > 0);
	for (int f = 0; f < ORDER_FILES; f++)
		close(files[f]);
	assert_int_equal(recv(life, &number, sizeof(number), MSG_WAITALL), sizeof(number));
	return number;
}

/* Until a copy waits: it has taken the original's place, and would end with it. */
static void await_begin(void)
{
	char byte;

	assert_int_equal(read(errors, &byte, 1), 1);
}

/* The pipe ends with the last one that could write into it. */
static void await_end(void)
{
	char byte;
	ssize_t left;

	while ((left = read(errors, &byte, 1)) == 1)
		;
	assert_int_equal(left, 0);
	close(errors);
}

static int32_t status_of(int from)
{
	int32_t status;

	assert_int_equal(recv(from, &status, sizeof(status), MSG_WAITALL), sizeof(status));
	close(from);
	return status;
}

static void a_copy_has_its_own_files_where_the_original_had_others(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_true(order("work") > 0);
		assert_int_equal(status_of(life), OK);
	}
}

static void each_is_killed_by_its_own_socket_alone(void **state)
{
	int one;

	(void)state;
	assert_true(order("wait") > 0);
	one = life;
	assert_true(order("wait") > 0);
	assert_int_equal(send(life, "k", 1, 0), 1);
	assert_int_equal(status_of(life), -SIGKILL);
	assert_int_equal(send(one, "k", 1, 0), 1);
	assert_int_equal(status_of(one), -SIGKILL);
}

static void one_that_nobody_waits_for_any_more_is_killed(void **state)
{
	(void)state;
	assert_true(order("wait") > 0);
	close(life);
	await_end();
	assert_true(order("work") > 0);
	assert_int_equal(status_of(life), OK);
}

static void a_copy_ends_with_the_original(void **state)
{
	(void)state;
	assert_true(order("wait") > 0);
	await_begin();
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	await_end();
	close(life);
	close(calls);
	close(original);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_copy_has_its_own_files_where_the_original_had_others, start, stop),
		cmocka_unit_test_setup_teardown(each_is_killed_by_its_own_socket_alone, start, stop),
		cmocka_unit_test_setup_teardown(one_that_nobody_waits_for_any_more_is_killed, start, stop),
		cmocka_unit_test_setup(a_copy_ends_with_the_original, start),
	};

	alarm(PATIENCE_S);
	return cmocka_run_group_tests_name("copies", tests, NULL, NULL);
}
