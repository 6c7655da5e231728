/* A server that serves many clients with select(), and never ends; a client that sends. tcp_select [server size count]
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PORT 5001
#define BUF_SIZE 65536

static char buf[BUF_SIZE];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int client(const char *host, size_t size, int count)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int sock = socket(AF_INET, SOCK_STREAM, 0);
	double start, seconds;

	inet_pton(AF_INET, host, &addr.sin_addr);
	if (size > BUF_SIZE || connect(sock, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		perror("connect");
		return 1;
	}
	start = now();
	for (int i = 0; i < count; i++)
		for (size_t sent = 0; sent < size;) {
			ssize_t n = send(sock, buf + sent, size - sent, 0);

			if (n < 0) {
				perror("send");
				return 1;
			}
			sent += (size_t)n;
		}
	shutdown(sock, SHUT_WR);
	if (recv(sock, buf, 1, 0) != 1) /* the server has it all */
		return 1;
	seconds = now() - start;
	printf("sent %d messages of %zu bytes in %.6f s\n", count, size, seconds);
	printf("throughput: %.3f MB/s\n", (double)size * count / seconds / 1e6);
	return 0;
}

static int server(void)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = INADDR_ANY };
	int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1, most = listener;
	fd_set all, ready;

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listener, (struct sockaddr *)&addr, sizeof(addr)) < 0 || listen(listener, 10) < 0) {
		perror("bind");
		return 1;
	}
	printf("Server is listening on port %d ...\n", PORT);
	FD_ZERO(&all);
	FD_SET(listener, &all);
	while (1) {
		ready = all;
		if (select(most + 1, &ready, NULL, NULL, NULL) < 0)
			return 1;
		for (int fd = 0; fd <= most; fd++) {
			if (!FD_ISSET(fd, &ready))
				continue;
			if (fd == listener) {
				int new_fd = accept(listener, NULL, NULL);

				FD_SET(new_fd, &all);
				most = new_fd > most ? new_fd : most;
			} else if (recv(fd, buf, sizeof(buf), 0) <= 0) {
				send(fd, "k", 1, 0);
				close(fd);
				FD_CLR(fd, &all);
				printf("client %d is done\n", fd);
			}
		}
	}
}

int main(int argc, char *argv[])
{
	return argc == 4 ? client(argv[1], (size_t)atol(argv[2]), atoi(argv[3])) : server();
}
