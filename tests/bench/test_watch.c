/* Peers that fall silent: watch.c, over tcp.c. */
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#include "check.h"
#include "clock.h"
#include "die.h"
#include "tcp.h"
#include "watch.h"

#define DEADLINE_S 2
#define TRIES 5 /* a time that a busy computer may spoil is tried again */
#define SIZE (16u << 20)

/* A connection over loopback, whose other end nobody reads. */
static int unread(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(a);
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(listener, (struct sockaddr *)&a, length) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&a, &length) || connect(fd, (struct sockaddr *)&a, length))
		die("no loopback");
	return fd;
}

static void send_to_nobody(void *argument)
{
	static struct options o = { .role = CLIENT, .sizes = { 1, { { SIZE, 1, 0 } } } };
	struct flow f = { .size_bytes = SIZE, .iterations = 1, .slots = 1 };
	struct link *l;

	o.wait = *(enum wait *)argument;
	l = tcp_transport.open(&o, &(struct session){ unread(), -1 });
	tcp_transport.plan(l, &f);
	tcp_transport.begin(l, 1);
	watch_stage("sending");
	watch_deadline(DEADLINE_S);
	tcp_transport.post(l, 1);
}

static void a_deadline_holds_within_a_tenth_however_one_waits(void **state)
{
	static enum wait ways[] = { WAIT_EVENT, WAIT_YIELD, WAIT_POLL };
	char said[4096];
	uint64_t before;
	double took_s;

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		took_s = 0;
		for (int try = 0; try < TRIES && (took_s < 0.9 * DEADLINE_S || took_s > 1.1 * DEADLINE_S); try++) {
			before = now_ns();
			assert_int_equal(in_child(send_to_nobody, &ways[i], said, sizeof(said)), 1);
			took_s = (double)(now_ns() - before) / 1e9;
		}
		assert_non_null(strstr(said, "no progress for 2 s while sending"));
		assert_true(took_s >= 0.9 * DEADLINE_S && took_s <= 1.1 * DEADLINE_S);
	}
}

static void a_look_leaves_errno_as_it_was(void **state)
{
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	while (send(pair[0], "x", 1, MSG_DONTWAIT) == 1)
		; /* no beat goes in any more */
	watch_peer(pair[0]);
	watch_deadline(1000);
	for (int look = 0; look < 20; look++) {
		watch_advance();
		errno = ERANGE;
		raise(SIGALRM);
		assert_int_equal(errno, ERANGE);
	}
	watch_peer_may_leave(pair[0]);
	close(pair[0]);
	close(pair[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deadline_holds_within_a_tenth_however_one_waits),
		cmocka_unit_test(a_look_leaves_errno_as_it_was),
	};

	return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
