/* A server with a port that the kernel chose, which never ends; a client that prints each of its runs, and a file of
 * settings in its folder. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static char buf[65536];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int serve(void)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	socklen_t length = sizeof(addr);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	if (listen(listener, 4) || getsockname(listener, (struct sockaddr *)&addr, &length))
		return -1;
	printf("Server supports 4 clients, listening on port: %d.\n", ntohs(addr.sin_port));
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		while (read(fd, buf, sizeof(buf)) > 0)
			;
		if (write(fd, "k", 1) < 0)
			return -1;
		close(fd);
	}
}

static int run(const struct sockaddr_in *addr, int size, int count)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	double start = now();

	if (connect(fd, (const struct sockaddr *)addr, sizeof(*addr))) {
		perror("connect");
		return -1;
	}
	for (int i = 0; i < count; i++)
		for (int done = 0; done < size;)
			done += (int)write(fd, buf, (size_t)(size - done));
	shutdown(fd, SHUT_WR);
	if (read(fd, buf, 1) != 1)
		return -1;
	close(fd);
	printf("size %d KB: %.1f MB/s\n", size / 1024, 1e-6 * size * count / (now() - start));
	return 0;
}

int main(int argc, char **argv)
{
	FILE *file = fopen("tcp.config", "r");
	struct sockaddr_in addr = { .sin_family = AF_INET };
	int count;

	if (!file || fscanf(file, "count=%d", &count) != 1) {
		printf("Failed to open config file\n");
		exit(-1);
	}
	if (argc < 3)
		return serve();
	inet_pton(AF_INET, argv[1], &addr.sin_addr);
	addr.sin_port = htons((uint16_t)atoi(argv[2]));
	for (int size = 1024; size <= 65536; size *= 4)
		for (int i = 0; i < 3; i++)
			if (run(&addr, size, count))
				return -1;
	return 0;
}
