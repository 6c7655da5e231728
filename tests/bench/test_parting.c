#include <sys/socket.h>

#include "check.h"
#include "die.h"
#include "parting.h"
#include "watch.h"

#define SIZES 3

static char said[4096];
static int ends[2]; /* by role */

static struct options options(enum role role)
{
	return (struct options){ .role = role, .deadline_s = 10, .sizes = { .count = SIZES } };
}

static int connect_ends(void **state)
{
	(void)state;
	die_name("test");
	return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

static int close_ends(void **state)
{
	(void)state;
	close(ends[SERVER]);
	close(ends[CLIENT]);
	return 0;
}

static void serve(void *beats)
{
	const struct options o = options(SERVER);
	/* The first byte of a time may be what a beat is. */
	struct cost costs[SIZES] = { { .own = { (uint64_t)WATCH_BEAT << 56, 1 } }, { .own = { 20, 2 } } };

	assert_int_equal(write(ends[SERVER], "hhh", *(size_t *)beats), *(ssize_t *)beats);
	parting_run(&o, ends[SERVER], costs);
}

static void part_from_a_server(void *argument)
{
	const struct options o = options(CLIENT);
	struct cost costs[SIZES] = { { .messages = 7 } };

	(void)argument;
	parting_run(&o, ends[CLIENT], costs);
	say("%lu %lu, %lu %lu, %lu, of %lu", costs[0].peer.whole_ns >> 56, costs[0].peer.kernel_ns,
	    costs[1].peer.whole_ns, costs[1].peer.kernel_ns, costs[2].peer.whole_ns, costs[0].messages);
}

static void the_client_hears_of_each_size_behind_the_last_beat(void **state)
{
	char servers[256];

	(void)state;
	for (size_t beats = 0; beats < 4; beats += 3) {
		/* What the client writes waits in the socket. */
		assert_int_equal(write(ends[CLIENT], "b", 1), 1);
		assert_int_equal(in_child(serve, &beats, servers, sizeof(servers)), 0);
		assert_int_equal(in_child(part_from_a_server, NULL, said, sizeof(said)), 0);
		assert_string_equal(said, "test: 104 1, 20 2, 0, of 7\n");
		assert_int_equal(read(ends[SERVER], servers, 1), 1);
	}
}

static void a_server_that_leaves_before_it_has_told_all_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(write(ends[SERVER], "b0123456789abcdef", 17), 17);
	shutdown(ends[SERVER], SHUT_WR);
	assert_int_equal(in_child(part_from_a_server, NULL, said, sizeof(said)), 1);
	assert_string_equal(said, "test: the other end left before the end\n");
}

static void a_server_alone_is_an_error_too(void **state)
{
	size_t beats = 0;

	(void)state;
	shutdown(ends[CLIENT], SHUT_WR);
	assert_int_equal(in_child(serve, &beats, said, sizeof(said)), 1);
	assert_non_null(strstr(said, "the other end left before the end"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_client_hears_of_each_size_behind_the_last_beat, connect_ends,
						close_ends),
		cmocka_unit_test_setup_teardown(a_server_that_leaves_before_it_has_told_all_is_an_error, connect_ends,
						close_ends),
		cmocka_unit_test_setup_teardown(a_server_alone_is_an_error_too, connect_ends, close_ends),
	};

	return cmocka_run_group_tests_name("parting", tests, NULL, NULL);
}
