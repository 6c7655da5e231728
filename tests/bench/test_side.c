#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "check.h"
#include "clock.h"
#include "die.h"
#include "side.h"

#define SECOND 1000000000u

/* A resolver of this test's own: the name has these addresses of loopback, in this order. */
static uint32_t addresses[4];
static size_t address_count;
static int listener;
static uint16_t port;
static char said[4096];

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
	struct sockaddr_in *a;
	struct addrinfo *first;

	(void)host;
	(void)service;
	(void)hints;
	first = calloc(address_count, sizeof(*first));
	a = calloc(address_count, sizeof(*a));
	for (size_t i = 0; i < address_count; i++) {
		a[i] = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port) };
		a[i].sin_addr.s_addr = htonl(addresses[i]);
		first[i] = (struct addrinfo){ .ai_family = addresses[i] ? AF_INET : AF_MAX - 1,
					      .ai_socktype = SOCK_STREAM,
					      .ai_addrlen = sizeof(*a),
					      .ai_addr = (struct sockaddr *)&a[i],
					      .ai_next = i + 1 < address_count ? &first[i + 1] : NULL };
	}
	*found = first;
	return 0;
}

void freeaddrinfo(struct addrinfo *found)
{
	free(found->ai_addr);
	free(found);
}

static int listen_on_loopback(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(a);

	(void)state;
	listener = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&a, length), 0);
	assert_int_equal(listen(listener, 8), 0);
	getsockname(listener, (struct sockaddr *)&a, &length);
	port = ntohs(a.sin_port);
	return 0;
}

static int stop_listening(void **state)
{
	(void)state;
	return close(listener);
}

static void every_address_of_a_name_is_tried(void **state)
{
	int fd;

	(void)state;
	address_count = 3;
	addresses[0] = 0; /* of a family that this kernel has not, as IPv6 may be */
	addresses[1] = INADDR_LOOPBACK + 1;
	addresses[2] = INADDR_LOOPBACK;
	fd = side_connect("name", "", port, now_ns() + SECOND, NULL);
	assert_true(fd >= 0);
	close(fd);
}

static void connect_in_vain(void *argument)
{
	(void)argument;
	side_connect("name", "", port, now_ns() + SECOND, NULL);
}

static void a_name_without_a_server_is_a_sentence(void **state)
{
	(void)state;
	address_count = 2;
	addresses[0] = addresses[1] = INADDR_LOOPBACK + 1;
	assert_int_equal(in_child(connect_in_vain, NULL, said, sizeof(said)), 1);
	assert_non_null(strstr(said, "no server at name port"));
	assert_non_null(strstr(said, "Connection refused; start the server first"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_address_of_a_name_is_tried),
		cmocka_unit_test(a_name_without_a_server_is_a_sentence),
	};

	return cmocka_run_group_tests_name("side", tests, listen_on_loopback, stop_listening);
}
