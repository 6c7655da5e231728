#include <netinet/in.h>
#include <sys/socket.h>

#include "check.h"
#include "clock.h"
#include "die.h"
#include "handshake.h"
#include "rules.h"

/* Each test has a server in a child process and talks to it; the server's exit status and words are checked. */
static uint16_t port;
static char said[4096];

static struct options *parse(enum role role, char *sizes, char *token)
{
	char number[8];
	char *words[] = { "test", "--port",     number, "--sizes",   sizes, "--token",
			  token,  "--deadline", "1",    "127.0.0.1", NULL };
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
	close(handshake_serve(parse(SERVER, "64", "secret"), NULL).peer);
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
};

static void join(void *argument)
{
	struct client *c = argument;
	int fd = c->first_bytes ? connect_when_it_listens() : -1;

	if (c->first_bytes) {
		char answer[512];
		ssize_t n = send(fd, c->first_bytes, strlen(c->first_bytes), 0);

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
	int fds[2], status;
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
	*client_status = in_child(join, &client, client_said, 4096);
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
	assert_int_equal(meet((struct client){ "64", "secret", NULL }, &client, client_said), 0);
	assert_int_equal(client, 0);
	assert_non_null(strstr(said, "refused 127.0.0.1: no whole greeting came"));
}

static void other_options_are_named_on_both_ends(void **state)
{
	char client_said[4096];
	int client;

	(void)state;
	assert_int_equal(meet((struct client){ "65", "secret", NULL }, &client, client_said), 1);
	assert_int_equal(client, 1);
	assert_non_null(strstr(client_said, "the server has sizes=64, the client sizes=65"));
	assert_non_null(strstr(said, "the server has sizes=64, the client sizes=65"));
}

static void a_wrong_token_is_refused_and_the_server_waits_on(void **state)
{
	char client_said[4096];
	int client;

	(void)state;
	assert_int_equal(meet((struct client){ "64", "guess", NULL }, &client, client_said), 1);
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
	assert_int_equal(meet((struct client){ NULL, NULL, hello }, &client, client_said), 1);
	assert_non_null(strstr(client_said, "the client speaks version 16843015, the server version 1"));
	assert_non_null(strstr(said, "speaks version"));
}

static void any_other_program_is_refused(void **state)
{
	static char garbage[6000];
	char client_said[4096];
	int client;

	(void)state;
	memset(garbage, 'G', sizeof(garbage) - 1);
	assert_int_equal(meet((struct client){ NULL, NULL, garbage }, &client, client_said), 1);
	assert_non_null(strstr(client_said, "that is no lab-bench client"));
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
		cmocka_unit_test(a_missing_server_is_a_sentence),
	};

	return cmocka_run_group_tests_name("handshake", tests, NULL, NULL);
}
