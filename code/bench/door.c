#include "door.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "die.h"
#include "side.h"

#define CALLERS_MAX 64 /* at once; one more evicts the one that has waited longest */
#define LET_IN 8       /* connections accepted before all are read: a crowd does not delay the right client */
#define HELLO_WAIT_NS (2 * NS_PER_S) /* the right client sends its greeting at once; any other may send nothing */
#define LEAVE_WAIT_NS (NS_PER_S / 2) /* closing a socket with unread bytes resets it, and the message in it is lost */
#define SAID_MAX 20                  /* refusals that are reported one by one */

struct caller {
	int fd;
	bool refused; /* the message was sent; only wait until the caller closes */
	char peer[64];
	uint64_t until_ns;
	size_t length; /* of the greeting, so far */
	struct hello hello;
};

struct door {
	int listener;
	const struct hello *here;
	size_t count;
	uint64_t refusals;
	struct caller callers[CALLERS_MAX]; /* the first has waited longest */
};

static void door_answer(int fd, const char *sentence)
{
	const struct verdict v = verdict_of(sentence);
	const ssize_t ignored = send(fd, &v, sizeof(v), MSG_NOSIGNAL | MSG_DONTWAIT);

	(void)ignored; /* a fresh connection has room for it, and our client always has */
}

void door_busy(int fd)
{
	door_answer(fd, "the server is busy with another client");
}

static void dismiss(struct door *d, size_t i)
{
	close(d->callers[i].fd);
	d->count--;
	memmove(&d->callers[i], &d->callers[i + 1], (d->count - i) * sizeof(*d->callers));
}

static void refuse(struct door *d, struct caller *c, const char *sentence)
{
	door_answer(c->fd, sentence);
	shutdown(c->fd, SHUT_WR);
	c->refused = true;
	c->until_ns = now_ns() + LEAVE_WAIT_NS;
	if (++d->refusals <= SAID_MAX)
		say("refused %s: %s", c->peer, sentence);
}

static void let_in(struct door *d)
{
	struct caller *c;
	char peer[64];
	int fd;

	for (int i = 0; i < LET_IN && (fd = side_accept(d->listener, peer)) >= 0; i++) {
		if (d->count == CALLERS_MAX) {
			if (!d->callers[0].refused)
				refuse(d, &d->callers[0], "too many connections; try again");
			dismiss(d, 0);
		}
		c = &d->callers[d->count++];
		*c = (struct caller){ .fd = fd, .until_ns = now_ns() + HELLO_WAIT_NS };
		memcpy(c->peer, peer, sizeof(peer));
	}
}

/* Receives more of the greeting; false if no more can come. */
static bool door_hear(struct caller *c)
{
	ssize_t n = recv(c->fd, (char *)&c->hello + c->length, sizeof(c->hello) - c->length, MSG_DONTWAIT);

	if (n > 0)
		c->length += (size_t)n;
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* False once the refused caller has closed, or has had its time. */
static bool door_drain(struct caller *c)
{
	char rest[4096];
	ssize_t n = recv(c->fd, rest, sizeof(rest), MSG_DONTWAIT);

	return (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR))) && now_ns() < c->until_ns;
}

/* True if this is the right client. */
static bool receive(struct door *d, struct caller *c)
{
	const bool open = door_hear(c) && now_ns() < c->until_ns;
	char sentence[SENTENCE_MAX];

	if (c->length < sizeof(c->hello)) {
		if (!open)
			refuse(d, c, "no complete greeting came");
		return false;
	}
	if (hello_judge(&c->hello, d->here, sentence) && *sentence) {
		door_answer(c->fd, sentence);
		die("refused %s: %s", c->peer, sentence);
	}
	if (*sentence)
		refuse(d, c, sentence);
	return !*sentence;
}

/* Reads from each caller once. Returns the connection of the client, or -1. */
static int door_hear_all(struct door *d)
{
	struct caller *c;

	for (size_t i = 0; i < d->count;) {
		c = &d->callers[i];
		if (c->refused && !door_drain(c)) {
			dismiss(d, i);
			continue;
		}
		if (!c->refused && receive(d, c))
			return c->fd;
		i++;
	}
	return -1;
}

static void sleep_until_something_happens(const struct door *d, uint64_t deadline_ns)
{
	struct pollfd fds[CALLERS_MAX + 1] = { { .fd = d->listener, .events = POLLIN } };
	uint64_t until = deadline_ns, now = now_ns();

	for (size_t i = 0; i < d->count; i++) {
		fds[i + 1] = (struct pollfd){ .fd = d->callers[i].fd, .events = POLLIN };
		if (d->callers[i].until_ns < until)
			until = d->callers[i].until_ns;
	}
	poll(fds, d->count + 1, ms_between(now, until));
}

/* Refuses every caller but the client. */
static void shut(struct door *d, int client)
{
	for (size_t i = 0; i < d->count; i++) {
		if (d->callers[i].fd == client)
			continue;
		if (!d->callers[i].refused)
			door_busy(d->callers[i].fd);
		close(d->callers[i].fd);
	}
	if (d->refusals > SAID_MAX)
		say("refused %" PRIu64 " connections in all", d->refusals);
}

int door_wait(int listener, const struct hello *here, uint64_t deadline_ns)
{
	static struct door d;
	int client = -1;

	d.listener = listener;
	d.here = here;
	d.count = 0;
	fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK);
	while (client < 0 && now_ns() < deadline_ns) {
		sleep_until_something_happens(&d, deadline_ns);
		let_in(&d);
		client = door_hear_all(&d);
	}
	if (client >= 0)
		door_answer(client, "");
	shut(&d, client);
	return client;
}
