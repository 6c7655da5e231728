#include "tcp_link.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "die.h"
#include "watch.h"

void tcp_set(int fd, int level, int option, const char *name, int value)
{
	if (setsockopt(fd, level, option, &value, sizeof(value)))
		die("setsockopt(%s, %d): %s", name, value, strerror(errno));
}

/* After a send or recv without bytes: waits, or exits if the other end has closed. */
static void wait_or_die(const struct link *l, const char *what, ssize_t n)
{
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		if (l->yield)
			sched_yield();
		return;
	}
	die("%s: %s; the other end is gone", what, n == 0 ? "connection closed" : strerror(errno));
}

/* A blocking send(2) returns after each tick of the watch, and whenever the kernel has buffered some bytes, whether or
 * not any are sent. So only what the other end has acknowledged counts as progress. */
static bool more_acknowledged(struct link *l)
{
	const int64_t before = l->acknowledged;
	int unacknowledged = 0;

	ioctl(l->fd, SIOCOUTQ, &unacknowledged);
	l->acknowledged = l->sent - unacknowledged;
	return l->acknowledged > before;
}

void tcp_send_all(struct link *l, const unsigned char *bytes, uint64_t size)
{
	ssize_t n;

	while (size > 0) {
		n = send(l->fd, bytes, size, l->flags);
		if (n <= 0) {
			wait_or_die(l, "send", n);
			continue;
		}
		bytes += n;
		size -= (uint64_t)n;
		l->sent += n;
		if (size == 0 || l->flags & MSG_DONTWAIT || more_acknowledged(l))
			watch_advance();
	}
}

uint64_t tcp_receive_some(struct link *l, unsigned char *bytes, uint64_t size)
{
	ssize_t n;

	while ((n = recv(l->fd, bytes, size, l->flags)) <= 0)
		wait_or_die(l, "recv", n);
	watch_advance();
	return (uint64_t)n;
}

void tcp_receive_all(struct link *l, unsigned char *bytes, uint64_t size)
{
	uint64_t n;

	for (; size > 0; size -= n, bytes += n)
		n = tcp_receive_some(l, bytes, size);
}

/* Nagle may hold back the last bytes until a delayed acknowledgement comes: setting TCP_NODELAY pushes them out. */
void tcp_push(const struct link *l, int fd)
{
	if (!l->nodelay) {
		tcp_set(fd, IPPROTO_TCP, TCP_NODELAY, "TCP_NODELAY", 1);
		tcp_set(fd, IPPROTO_TCP, TCP_NODELAY, "TCP_NODELAY", 0);
	}
}
