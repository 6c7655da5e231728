#include "side.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "die.h"

static struct addrinfo *resolve(const char *host, const char *port, int family, int flags)
{
	const struct addrinfo hints = { .ai_flags = flags, .ai_family = family, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	int error = getaddrinfo(host, port, &hints, &found);

	if (error)
		die("%s: %s; give a host name or an address", host, gai_strerror(error));
	return found;
}

static int new_socket(const struct addrinfo *address, side_tune tune)
{
	int one = 1, fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (tune)
		tune(fd);
	return fd;
}

int side_listen(const char *address, uint16_t port, side_tune tune)
{
	char service[8];
	struct addrinfo *found;
	int fd;

	snprintf(service, sizeof(service), "%u", port);
	found = resolve(address, service, AF_UNSPEC, AI_PASSIVE | AI_NUMERICHOST);
	fd = new_socket(found, tune);
	if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) || listen(fd, SOMAXCONN))
		die("can't listen on %s port %u: %s; is another server running, or is it not an address of this "
		    "host?",
		    address, port, strerror(errno));
	freeaddrinfo(found);
	return fd;
}

static bool ready(int fd, short events, uint64_t deadline_ns)
{
	struct pollfd p = { .fd = fd, .events = events };
	uint64_t now = now_ns();
	int result;

	do {
		result = poll(&p, 1, ms_between(now, deadline_ns));
		now = now_ns();
	} while (result < 0 && errno == EINTR);
	return result > 0;
}

static int connected(int fd, const struct addrinfo *address, uint64_t deadline_ns)
{
	int flags = fcntl(fd, F_GETFL), error = 0;
	socklen_t length = sizeof(error);

	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	if (connect(fd, address->ai_addr, address->ai_addrlen) && errno != EINPROGRESS)
		return errno;
	if (!ready(fd, POLLOUT, deadline_ns))
		return ETIMEDOUT;
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
	fcntl(fd, F_SETFL, flags);
	return error;
}

/* A connection to one address, or -1 and errno. */
static int reach(const struct addrinfo *to, const struct addrinfo *from, uint64_t deadline_ns, side_tune tune)
{
	int fd = new_socket(to, tune), error;

	if (fd < 0)
		return -1;
	if (from && bind(fd, from->ai_addr, from->ai_addrlen))
		die("can't connect from that --source: %s; is it an address of this host?", strerror(errno));
	error = connected(fd, to, deadline_ns);
	if (!error)
		return fd;
	close(fd);
	errno = error;
	return -1;
}

static uint64_t length_of(const struct addrinfo *list)
{
	uint64_t length = 0;

	for (; list; list = list->ai_next)
		length++;
	return length;
}

/* A name may have several addresses, and the server may not listen on the first. Each address gets its share of the
 * time. */
static int reach_any(const struct addrinfo *to, const struct addrinfo *from, uint64_t deadline_ns, side_tune tune)
{
	int fd = -1;

	for (uint64_t now; fd < 0 && to; to = to->ai_next) {
		now = now_ns();
		fd = reach(to, from, now < deadline_ns ? now + (deadline_ns - now) / length_of(to) : now, tune);
	}
	return fd;
}

int side_connect(const char *host, const char *source, uint16_t port, uint64_t deadline_ns, side_tune tune)
{
	struct addrinfo *from = *source ? resolve(source, NULL, AF_UNSPEC, AI_NUMERICHOST) : NULL, *to;
	char service[8];
	int fd;

	snprintf(service, sizeof(service), "%u", port);
	to = resolve(host, service, from ? from->ai_family : AF_UNSPEC, 0);
	fd = reach_any(to, from, deadline_ns, tune);
	if (fd < 0)
		die("no server at %s port %u: %s; start the server first, and check address, port and firewall", host,
		    port, strerror(errno));
	freeaddrinfo(to);
	if (from)
		freeaddrinfo(from);
	return fd;
}

int side_accept(int listener, char peer[64])
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	int fd;

	fd = accept4(listener, (struct sockaddr *)&address, &length, SOCK_CLOEXEC);
	if (fd < 0 && (errno == EBADF || errno == EINVAL || errno == ENOTSOCK))
		die("accept: %s", strerror(errno));
	if (fd < 0)
		return -1; /* no connection, or one that is already closed */
	if (getnameinfo((struct sockaddr *)&address, length, peer, 64, NULL, 0, NI_NUMERICHOST))
		strcpy(peer, "an unknown address");
	return fd;
}

bool side_read(int fd, void *buffer, size_t size, uint64_t deadline_ns)
{
	char *cursor = buffer;
	ssize_t n;

	while (size > 0) {
		if (!ready(fd, POLLIN, deadline_ns))
			return false;
		n = recv(fd, cursor, size, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		cursor += n;
		size -= (size_t)n;
	}
	return true;
}

bool side_write(int fd, const void *buffer, size_t size)
{
	const char *cursor = buffer;
	ssize_t n;

	while (size > 0) {
		n = send(fd, cursor, size, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		cursor += n;
		size -= (size_t)n;
	}
	return true;
}
