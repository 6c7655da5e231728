/* Two ends that agree on a run, or say why not: hello.c. */
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#include "check.h"
#include "clock.h"
#include "die.h"
#include "handshake.h"
#include "hello.h"
#include "rules.h"

#define SILENT_MAX 200
#define TRIES 5 /* a time that a busy computer may spoil is tried again */

/* Each test has a server in a child process and talks to it; the server's exit status and words are checked. */
static uint16_t port;
static char said[16384];
static char *server_token = "secret";
static char *deadline_s = "1";
static int silent; /* strangers who are connected and say nothing, before the client comes */

static struct options *parse(enum role role, char *sizes, char *token)
{
	char number[8];
	char *words[] = { "test", "--port",     number,     "--sizes",   sizes, "--token",
			  token,  "--deadline", deadline_s, "127.0.0.1", NULL };
	struct options *o;

	snprintf(number, sizeof(number), "%u", port);
	die_name("test");
	o = options_parse(role == CLIENT ? 10 : 9, words, role, NULL);
	rules_check(o);
	return o;
}

static uint16_t free_port(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&a, length), 0);
	getsockname(fd, (struct sockaddr *)&a, &length);
	close(fd);
	return ntohs(a.sin_port);
}

static void serve(void *argument)
{
	(void)argument;
	close(handshake_serve(parse(SERVER, "64", server_token), NULL).peer);
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

struct client {
	char *sizes, *token, *first_bytes; /* raw bytes to send instead of a greeting, or NULL */
	size_t length;
};

static void join(void *argument)
{
	struct client *c = argument;
	int fd = c->first_bytes ? connect_when_it_listens() : -1;

	if (c->first_bytes) {
		char answer[512];
		ssize_t n = send(fd, c->first_bytes, c->length ? c->length : strlen(c->first_bytes), 0);

		shutdown(fd, SHUT_WR);
		n = recv(fd, answer, sizeof(answer), MSG_WAITALL);
		fprintf(stderr, "%.*s", n > 16 ? (int)n - 16 : 0, answer + 16);
		return;
	}
	close(handshake_join(parse(CLIENT, c->sizes, c->token), NULL).peer);
}

/* Runs the client, when the server listens, and then the server to its end. */
static int meet(struct client client, int *client_status, char *client_said)
{
	int fds[2], strangers[SILENT_MAX], status;
	pid_t server;

	port = free_port();
	assert_int_equal(pipe(fds), 0);
	fflush(NULL);
	server = fork();
	if (server == 0) {
		dup2(fds[1], STDERR_FILENO);
		serve(NULL);
		_exit(0);
	}
	close(fds[1]);
	/* A knock without a greeting is a stranger too, and tells us that the server listens. */
	close(connect_when_it_listens());
	for (int i = 0; i < silent; i++)
		strangers[i] = connect_when_it_listens();
	*client_status = in_child(join, &client, client_said, 4096);
	for (int i = 0; i < silent; i++)
		close(strangers[i]);
	waitpid(server, &status, 0);
	said[read(fds[0], said, sizeof(said) - 1)] = '\0';
	close(fds[0]);
	return WEXITSTATUS(status);
}

static void the_right_client_is_welcome_after_a_stranger(void **state)
{
	char client_said[4096];
	int client;

	(void)state;
	assert_int_equal(meet((struct client){ .sizes = "64", .token = "secret" }, &client, client_said), 0);
	assert_int_equal(client, 0);
	assert_non_null(strstr(said, "refused 127.0.0.1: no whole greeting came"));
}

static void other_options_are_named_on_both_ends(void **state)
{
	char client_said[4096];
	int client;

	(void)state;
	assert_int_equal(meet((struct client){ .sizes = "65", .token = "secret" }, &client, client_said), 1);
	assert_int_equal(client, 1);
	assert_non_null(strstr(client_said, "the server has sizes=64, the client sizes=65"));
	assert_non_null(strstr(said, "the server has sizes=64, the client sizes=65"));
}

static void a_wrong_token_is_refused_and_the_server_waits_on(void **state)
{
	char client_said[4096];
	int client;

	(void)state;
	assert_int_equal(meet((struct client){ .sizes = "64", .token = "guess" }, &client, client_said), 1);
	assert_int_equal(client, 1);
	assert_non_null(strstr(client_said, "the token is not this server's"));
	assert_non_null(strstr(said, "no client came within the deadline"));
}

static void an_old_version_is_refused_by_number(void **state)
{
	static char hello[sizeof("LABBENCH") + 5000];
	char client_said[4096];
	int client;

	(void)state;
	memset(hello, 'x', sizeof(hello) - 1);
	memcpy(hello, "LABBENCH\1\1\1\7", 12);
	assert_int_equal(meet((struct client){ .first_bytes = hello }, &client, client_said), 1);
	assert_non_null(strstr(client_said, "the client speaks version 16843015, the server version 2"));
	assert_non_null(strstr(said, "speaks version"));
}

static void any_other_program_is_refused(void **state)
{
	static char garbage[6000];
	char client_said[4096];
	int client;

	(void)state;
	memset(garbage, 'G', sizeof(garbage) - 1);
	assert_int_equal(meet((struct client){ .first_bytes = garbage }, &client, client_said), 1);
	assert_non_null(strstr(client_said, "that is no lab-bench client"));
}

/* Seconds until the client was in, past so many others: the least of some tries. */
static double join_past(int strangers)
{
	char client_said[4096];
	double took_s, least_s = 100;
	uint64_t before;
	int client;

	silent = strangers;
	deadline_s = "20";
	for (int i = 0; i < TRIES && least_s >= 1; i++) {
		before = now_ns();
		assert_int_equal(meet((struct client){ .sizes = "64", .token = "secret" }, &client, client_said), 0);
		assert_int_equal(client, 0);
		took_s = (double)(now_ns() - before) / 1e9;
		least_s = took_s < least_s ? took_s : least_s;
	}
	silent = 0;
	deadline_s = "1";
	return least_s;
}

static void silent_strangers_do_not_keep_the_right_client_waiting(void **state)
{
	(void)state;
	assert_true(join_past(5) < 1);
	assert_true(join_past(50) < 1);
	assert_true(join_past(SILENT_MAX) < 1);
}

static void knock_until_killed(void)
{
	for (;;)
		close(connect_when_it_listens());
}

/* Seconds that a server waits for a client, while others come and go. */
static double wait_besides_knocks(void)
{
	uint64_t before = now_ns();
	pid_t stranger;
	int status;

	port = free_port();
	fflush(NULL);
	stranger = fork();
	if (stranger == 0)
		knock_until_killed();
	status = in_child(serve, NULL, said, sizeof(said));
	kill(stranger, SIGKILL);
	waitpid(stranger, NULL, 0);
	assert_int_equal(status, 1);
	return (double)(now_ns() - before) / 1e9;
}

static void the_deadline_holds_however_many_strangers_knock(void **state)
{
	double took_s = 100;

	(void)state;
	deadline_s = "2";
	for (int i = 0; i < TRIES && took_s > 2.2; i++)
		took_s = wait_besides_knocks();
	deadline_s = "1";
	assert_true(took_s >= 2 && took_s <= 2.2);
	assert_non_null(strstr(said, "no client came within the deadline"));
}

static void refusals_are_told_twenty_times_and_counted(void **state)
{
	int told = 0;

	(void)state;
	wait_besides_knocks();
	for (const char *at = said; (at = strstr(at, "refused 127.0.0.1")) != NULL; at++)
		told++;
	assert_int_equal(told, 20);
	assert_non_null(strstr(said, " connections in all"));
}

static void without_a_token_other_options_do_not_end_the_server(void **state)
{
	char client_said[4096];
	int client;

	(void)state;
	server_token = "";
	assert_int_equal(meet((struct client){ .sizes = "65", .token = "" }, &client, client_said), 1);
	server_token = "secret";
	assert_int_equal(client, 1);
	assert_non_null(strstr(client_said, "the server has sizes=64, the client sizes=65"));
	assert_non_null(strstr(said, "refused 127.0.0.1: the options differ"));
	assert_non_null(strstr(said, "no client came within the deadline"));
}

static void what_a_stranger_sends_is_printed_with_printable_characters(void **state)
{
	static struct hello hello;
	char client_said[4096];
	int client;

	(void)state;
	hello_fill(&hello, &(struct options){ .token = "secret" });
	strcpy(hello.options, "sizes=\033[2J\a\t\x9b\n");
	meet((struct client){ .first_bytes = (char *)&hello, .length = sizeof(hello) }, &client, client_said);
	assert_non_null(strstr(said, "the client sizes=?[2J???;"));
	assert_non_null(strstr(client_said, "the client sizes=?[2J???;"));
	for (const char *c = said; *c; c++)
		assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
}

static void nobody_listens(void *argument)
{
	(void)argument;
	handshake_join(parse(CLIENT, "64", "secret"), NULL);
}

static void a_missing_server_is_a_sentence(void **state)
{
	(void)state;
	port = free_port();
	assert_int_equal(in_child(nobody_listens, NULL, said, sizeof(said)), 1);
	assert_non_null(strstr(said, "no server at 127.0.0.1 port"));
	assert_non_null(strstr(said, "start the server first"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_right_client_is_welcome_after_a_stranger),
		cmocka_unit_test(other_options_are_named_on_both_ends),
		cmocka_unit_test(a_wrong_token_is_refused_and_the_server_waits_on),
		cmocka_unit_test(an_old_version_is_refused_by_number),
		cmocka_unit_test(any_other_program_is_refused),
		cmocka_unit_test(silent_strangers_do_not_keep_the_right_client_waiting),
		cmocka_unit_test(the_deadline_holds_however_many_strangers_knock),
		cmocka_unit_test(refusals_are_told_twenty_times_and_counted),
		cmocka_unit_test(without_a_token_other_options_do_not_end_the_server),
		cmocka_unit_test(what_a_stranger_sends_is_printed_with_printable_characters),
		cmocka_unit_test(a_missing_server_is_a_sentence),
	};

	return cmocka_run_group_tests_name("handshake", tests, NULL, NULL);
}
