/* A socket for each sender. */
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "incast.h"

static const struct setting *setting;

void transfer_connect(struct setting *s)
{
	setting = s;
}

static void ask_all(void)
{
	const char question = '?';

	for (int i = 0; i < setting->senders; i++)
		check(write(setting->sockets[i], &question, 1) == 1, "write");
}

void transfer_collect(size_t size)
{
	struct pollfd polled[SENDERS];
	size_t left[SENDERS];
	int waiting = setting->senders;

	for (int i = 0; i < setting->senders; i++) {
		polled[i] = (struct pollfd){ .fd = setting->sockets[i], .events = POLLIN };
		left[i] = size;
	}
	ask_all();
	while (waiting) {
		check(poll(polled, (nfds_t)setting->senders, -1) > 0, "poll");
		for (int i = 0; i < setting->senders; i++) {
			char *end = setting->blocks + (size_t)i * setting->most + size;
			ssize_t got;

			if (!polled[i].revents)
				continue;
			got = recv(polled[i].fd, end - left[i], left[i], 0);
			check(got > 0, "a sender has gone");
			left[i] -= (size_t)got;
			if (left[i])
				continue;
			polled[i].fd = -1; /* poll skips it */
			waiting--;
		}
	}
}

void transfer_answer(size_t size)
{
	char question;

	check(recv(setting->sockets[0], &question, 1, 0) == 1, "the receiver has gone");
	check(send(setting->sockets[0], setting->blocks, size, 0) == (ssize_t)size, "send");
}
