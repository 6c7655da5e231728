/* Two ends that find each other, agree on a run, watch each other and part: {door,hello,session,side,watch}.c. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#include "check.h"
#include "clock.h"
#include "die.h"
#include "hello.h"
#include "rules.h"
#include "session.h"
#include "transport.h"
#include "watch.h"

#define SILENT_MAX 200
#define TRIES 5 /* a time that a busy host may spoil is measured again */
#define ANSWER_HEADER 16

/* A resolver: "name" has these addresses, in this order, and every other host is loopback. */
static uint32_t addresses[3];
static size_t address_count;

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **list)
{
	const bool is_name = strcmp(host, "name") == 0;
	const size_t count = is_name ? address_count : 1;
	struct addrinfo *info = calloc(count, sizeof(*info));
	struct sockaddr_in *a = calloc(count, sizeof(*a));

	for (size_t i = 0; i < count; i++) {
		const uint32_t address = is_name ? addresses[i] : INADDR_LOOPBACK;

		a[i] = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(service)) };
		a[i].sin_addr.s_addr = htonl(address);
		info[i] = (struct addrinfo){ .ai_family = address ? AF_INET : AF_MAX - 1,
					     .ai_socktype = SOCK_STREAM,
					     .ai_addrlen = sizeof(*a),
					     .ai_addr = (struct sockaddr *)&a[i],
					     .ai_next = i + 1 < count ? &info[i + 1] : NULL };
	}
	*list = info;
	return 0;
}

void freeaddrinfo(struct addrinfo *list)
{
	free(list->ai_addr);
	free(list);
}

static uint16_t port;

/* A socket on a free port of loopback, which it sets. */
static int bind_to_loopback(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(fd, (struct sockaddr *)&a, length) || getsockname(fd, (struct sockaddr *)&a, &length))
		die("no loopback");
	port = ntohs(a.sin_port);
	return fd;
}

static int connect_when_it_listens(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (int tries = 0; tries < 1000; tries++) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
			return fd;
		close(fd);
		usleep(1000);
	}
	return -1;
}

/* The side channel's connection */

static void connect_to_name(void *unused)
{
	close(side_connect("name", "", port, ns_from_now(1), NULL));
}

TEST(the_client_tries_every_address_of_a_name)
{
	int listener = bind_to_loopback();

	assert_int_equal(listen(listener, 8), 0);
	address_count = 3;
	addresses[0] = 0; /* of a family that the kernel lacks, as IPv6 may be */
	addresses[1] = INADDR_LOOPBACK + 1;
	addresses[2] = INADDR_LOOPBACK;
	check_child(connect_to_name, NULL, 0, NULL);
	address_count = 2;
	check_child(connect_to_name, NULL, 1, "no server at name port");
	check_contains(check_printed, "Connection refused; start the server first");
	close(listener);
}

/* The handshake: each test starts a server in a child, and checks its exit status and output. */

static char server_printed[16384];

/* How the server is started, and what comes before the client. */
struct setting {
	char *token, *deadline_s;
	int silent; /* connections that send nothing */
};

static struct setting setting;

static struct options *parse(enum role role, char *sizes, char *token)
{
	char number[8];
	char *words[] = { "test",       "--port",           number,      "--sizes", sizes, "--token", token,
			  "--deadline", setting.deadline_s, "127.0.0.1", NULL };
	struct options *o;

	snprintf(number, sizeof(number), "%u", port);
	die_name("test");
	o = options_parse(role == CLIENT ? 10 : 9, words, role, NULL);
	rules_check(o);
	return o;
}

static void serve(void *unused)
{
	close(session_serve(parse(SERVER, "64", setting.token), NULL).peer);
}

struct client {
	char *sizes, *token;
	const void *greeting; /* raw bytes in place of a greeting, or NULL */
	size_t length;
};

static void join(void *argument)
{
	const struct client *c = argument;
	char answer[512];
	ssize_t n;
	int fd;

	if (!c->greeting) {
		close(session_join(parse(CLIENT, c->sizes, c->token), NULL).peer);
		return;
	}
	fd = connect_when_it_listens();
	send(fd, c->greeting, c->length, 0);
	shutdown(fd, SHUT_WR);
	n = recv(fd, answer, sizeof(answer), MSG_WAITALL);
	fprintf(stderr, "%.*s", n > ANSWER_HEADER ? (int)n - ANSWER_HEADER : 0, answer + ANSWER_HEADER);
}

/* Runs the client when the server listens, and then the server to its end; -1: any status of the client. */
static void meet(struct client client, int client_status, const char *client_text, int server_status,
		 const char *server_text)
{
	int fds[2], silent[SILENT_MAX], status;
	pid_t server;

	close(bind_to_loopback());
	assert_int_equal(pipe(fds), 0);
	fflush(NULL);
	server = fork();
	if (server == 0) {
		dup2(fds[1], STDERR_FILENO);
		serve(NULL);
		_exit(0);
	}
	close(fds[1]);
	close(connect_when_it_listens()); /* a connection without a greeting, which also shows that the server listens
					   */
	for (int i = 0; i < setting.silent; i++)
		silent[i] = connect_when_it_listens();
	check_child(join, &client, client_status, client_text);
	for (int i = 0; i < setting.silent; i++)
		close(silent[i]);
	waitpid(server, &status, 0);
	server_printed[read(fds[0], server_printed, sizeof(server_printed) - 1)] = '\0';
	close(fds[0]);
	assert_int_equal(WEXITSTATUS(status), server_status);
	check_contains(server_printed, server_text);
}

TEST(a_client_with_other_options_version_or_token_is_refused_with_the_reason)
{
	static char garbage[6000], old[5008];
	static const char *const differ = "the server has sizes=64, the client sizes=65";
	const struct {
		struct client client;
		char *token; /* of the server */
		bool is_welcome;
		const char *client_text, *server_text;
	} cases[] = {
		{ { "64", "secret" }, "secret", true, "", "refused 127.0.0.1: no complete greeting came" },
		{ { "65", "secret" }, "secret", false, differ, differ },
		{ { "64", "guess" }, "secret", false, "wrong token", "no client came" },
		/* without a token it may be any client: the server waits for another one */
		{ { "65", "" }, "", false, differ, "refused 127.0.0.1: the options differ" },
		{ { NULL, NULL, old, sizeof(old) }, "secret", false, "the client has version 16843015", "has version" },
		{ { NULL, NULL, garbage, sizeof(garbage) }, "secret", false, "not a lab-bench client", "no client" },
	};

	memset(garbage, 'G', sizeof(garbage));
	memset(old, 'x', sizeof(old));
	memcpy(old, "LABBENCH\1\1\1\7", 12);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const int client_status = cases[i].is_welcome || cases[i].client.greeting ? 0 : 1;

		setting.token = cases[i].token;
		meet(cases[i].client, client_status, cases[i].client_text, !cases[i].is_welcome, cases[i].server_text);
	}
}

TEST(unprintable_characters_of_a_client_are_replaced)
{
	struct hello hello;

	hello_fill(&hello, &(struct options){ .token = "secret" });
	strcpy(hello.options, "sizes=\033[2J\a\t\x9b\n");
	meet((struct client){ .greeting = &hello, .length = sizeof(hello) }, 0, "the client sizes=?[2J???;", 1,
	     "the client sizes=?[2J???;");
	for (const char *c = server_printed; *c; c++)
		assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
}

TEST(connections_that_send_nothing_do_not_delay_the_client)
{
	static const int silent[] = { 5, 50, SILENT_MAX };

	setting.deadline_s = "20";
	for (size_t i = 0; i < COUNT(silent); i++) {
		uint64_t before, least_ns = UINT64_MAX;

		setting.silent = silent[i];
		for (int try = 0; try < TRIES && least_ns >= NS_PER_S; try++) {
			before = now_ns();
			meet((struct client){ .sizes = "64", .token = "secret" }, 0, NULL, 0, "");
			least_ns = now_ns() - before < least_ns ? now_ns() - before : least_ns;
		}
		assert_true(least_ns < NS_PER_S);
	}
}

/* The time that a server waits for a client while other clients connect again and again. */
static uint64_t wait_beside_other_clients(void)
{
	uint64_t before;
	pid_t other;

	close(bind_to_loopback());
	before = now_ns();
	fflush(NULL);
	other = fork();
	while (other == 0)
		close(connect_when_it_listens());
	check_child(serve, NULL, 1, "no client came within the deadline");
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	return now_ns() - before;
}

TEST(the_deadline_holds_however_often_other_clients_connect)
{
	uint64_t took_ms = 0;
	int printed = 0;

	setting.deadline_s = "2";
	for (int i = 0; i < TRIES && (took_ms < 2000 || took_ms > 2200); i++)
		took_ms = wait_beside_other_clients() / NS_PER_MS;
	assert_in_range(took_ms, 2000, 2200);
	for (const char *at = check_printed; (at = strstr(at, "refused 127.0.0.1")) != NULL; at++)
		printed++;
	assert_int_equal(printed, 20); /* the others are only counted */
	check_contains(check_printed, " connections in all");
}

TEST(a_missing_server_is_reported_with_a_hint)
{
	close(bind_to_loopback());
	check_child(join, &(struct client){ "64", "secret" }, 1, "no server at 127.0.0.1 port");
	check_contains(check_printed, "start the server first");
}

/* A peer that stops */

#define DEADLINE_S 2
#define SIZE (16u << 20)

/* Sends more than a connection buffers while nobody reads. */
static void send_to_nobody(void *wait)
{
	const struct options o = { .role = CLIENT, .sizes = { 1, { { SIZE, 1, 0 } } }, .wait = *(enum wait *)wait };
	struct flow f = { .size_bytes = SIZE, .iterations = 1, .slots = 1 };
	struct link *l;

	if (listen(bind_to_loopback(), 1))
		die("no loopback");
	l = tcp_transport.open(&o, &(struct session){ connect_when_it_listens(), -1 });
	tcp_transport.plan(l, &f);
	tcp_transport.begin(l, 1);
	watch_stage("sending");
	watch_deadline(DEADLINE_S);
	tcp_transport.post(l, 1);
}

TEST(the_deadline_of_a_transfer_holds_within_a_tenth_for_every_way_to_wait)
{
	static enum wait ways[] = { WAIT_EVENT, WAIT_YIELD, WAIT_POLL };

	for (size_t i = 0; i < COUNT(ways); i++) {
		uint64_t before, took_ms = 0;

		for (int try = 0; try < TRIES && (took_ms < 900 * DEADLINE_S || took_ms > 1100 * DEADLINE_S); try++) {
			before = now_ns();
			check_child(send_to_nobody, &ways[i], 1, "no progress for 2 s while sending");
			took_ms = (now_ns() - before) / NS_PER_MS;
		}
		assert_in_range(took_ms, 900 * DEADLINE_S, 1100 * DEADLINE_S);
	}
}

static int ends[2]; /* of a side channel, by role */

static int connect_ends(void **state)
{
	die_name("test");
	setting = (struct setting){ .token = "secret", .deadline_s = "1" };
	return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

static int close_ends(void **state)
{
	return close(ends[SERVER]) | close(ends[CLIENT]);
}

TEST(the_watch_leaves_errno_unchanged)
{
	while (send(ends[SERVER], "x", 1, MSG_DONTWAIT) == 1)
		; /* until no more heartbeats can be sent */
	watch_peer(ends[SERVER]);
	watch_deadline(1000);
	for (int look = 0; look < 20; look++) {
		watch_advance();
		errno = ERANGE;
		raise(SIGALRM);
		assert_int_equal(errno, ERANGE);
	}
	watch_peer_may_leave(ends[SERVER]);
}

/* Parting */

#define SIZES 3

static void part_as_server(void *beats)
{
	const struct options o = { .role = SERVER, .deadline_s = 10, .sizes = { .count = SIZES } };
	/* The first byte of a CPU time may look like a heartbeat. */
	struct cost costs[SIZES] = { { .own = { (uint64_t)WATCH_BEAT << 56, 1 } }, { .own = { 20, 2 } } };

	assert_int_equal(write(ends[SERVER], "hhh", *(size_t *)beats), *(ssize_t *)beats);
	session_end(&o, ends[SERVER], costs);
}

static void part_as_client(void *unused)
{
	const struct options o = { .role = CLIENT, .deadline_s = 10, .sizes = { .count = SIZES } };
	struct cost costs[SIZES] = { { .messages = 7 } };

	session_end(&o, ends[CLIENT], costs);
	say("%lu %lu, %lu %lu, %lu, of %lu", costs[0].peer.whole_ns >> 56, costs[0].peer.kernel_ns,
	    costs[1].peer.whole_ns, costs[1].peer.kernel_ns, costs[2].peer.whole_ns, costs[0].messages);
}

TEST(the_client_receives_the_servers_cpu_times_after_the_last_beat)
{
	char byte;

	for (size_t beats = 0; beats < 4; beats += 3) {
		assert_int_equal(write(ends[CLIENT], "b", 1), 1); /* it waits in the socket */
		check_child(part_as_server, &beats, 0, NULL);
		check_child(part_as_client, NULL, 0, "test: 104 1, 20 2, 0, of 7\n");
		assert_int_equal(read(ends[SERVER], &byte, 1), 1);
	}
}

TEST(an_end_that_leaves_before_it_has_sent_all_is_an_error)
{
	size_t beats = 0;

	assert_int_equal(write(ends[SERVER], "b0123456789abcdef", 17), 17);
	shutdown(ends[SERVER], SHUT_WR);
	check_child(part_as_client, NULL, 1, "test: the other end left before the end\n");
	close_ends(NULL);
	assert_int_equal(connect_ends(NULL), 0);
	shutdown(ends[CLIENT], SHUT_WR);
	check_child(part_as_server, &beats, 1, "the other end left before the end");
}

RUN_TESTS("handshake", connect_ends, close_ends)
