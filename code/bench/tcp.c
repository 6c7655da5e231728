/* TCP sockets: the connection of the side channel carries the messages too, so that all is one link. */
#include "tcp.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "buffer.h"
#include "clock.h"
#include "csv.h"
#include "die.h"
#include "watch.h"

#define LANDING_BYTES (1u << 20) /* what one recv may bring: many small messages, or a part of a large one */
#define LARGE_BYTES 4096         /* a message that takes several frames */
#define WRITE_MAX 0x7ffff000u    /* what one send(2) moves at most */

struct link {
	int fd;
	int flags; /* of send and recv: how to wait */
	bool yield, check;
	struct flow flow;
	struct buffer buffer;
	unsigned char *landing;
	uint64_t messages, posted, arrived; /* of the round */
	int64_t sent, acknowledged;         /* bytes, of all rounds; the latter where it was looked at last */
};

static bool nodelay;
static uint64_t send_buffer, receive_buffer;

static struct option_spec tcp_options[] = {
	{ "nodelay", OPTION_FLAG, &nodelay, "no", true, NULL, "set TCP_NODELAY: send small messages at once", 0, 0,
	  NULL },
	{ "send-buffer", OPTION_BYTES, &send_buffer, "0", true, NULL, "SO_SNDBUF (0: the kernel's choice)", 1,
	  INT32_MAX, "bytes" },
	{ "receive-buffer", OPTION_BYTES, &receive_buffer, "0", true, NULL, "SO_RCVBUF (0: the kernel's choice)", 1,
	  INT32_MAX, "bytes" },
	{ NULL, 0, NULL, NULL, false, NULL, NULL, 0, 0, NULL },
};

static void set(int fd, int level, int option, const char *name, int value)
{
	if (setsockopt(fd, level, option, &value, sizeof(value)))
		die("setsockopt(%s, %d): %s", name, value, strerror(errno));
}

static void tcp_tune(int fd)
{
	if (nodelay)
		set(fd, IPPROTO_TCP, TCP_NODELAY, "TCP_NODELAY", 1);
	if (send_buffer)
		set(fd, SOL_SOCKET, SO_SNDBUF, "SO_SNDBUF", (int)send_buffer);
	if (receive_buffer)
		set(fd, SOL_SOCKET, SO_RCVBUF, "SO_RCVBUF", (int)receive_buffer);
}

static int option_value(int fd, int level, int option)
{
	int value = 0;
	socklen_t length = sizeof(value);

	getsockopt(fd, level, option, &value, &length);
	return value;
}

static struct link *tcp_open(const struct options *o, const struct session *s)
{
	struct link *l = calloc(1, sizeof(*l));

	if (!l || !(l->landing = calloc(1, LANDING_BYTES)))
		die("no memory for the link");
	l->fd = s->peer;
	l->flags = MSG_NOSIGNAL | (o->wait == WAIT_EVENT ? 0 : MSG_DONTWAIT);
	l->yield = o->wait == WAIT_YIELD;
	l->check = o->verify;
	l->buffer = buffer_new(o);
	if (o->role == CLIENT) {
		csv_note("mss", "%d", option_value(l->fd, IPPROTO_TCP, TCP_MAXSEG));
		csv_note("so_sndbuf", "%d", option_value(l->fd, SOL_SOCKET, SO_SNDBUF));
		csv_note("so_rcvbuf", "%d", option_value(l->fd, SOL_SOCKET, SO_RCVBUF));
	}
	return l;
}

static void tcp_plan(struct link *l, struct flow *f)
{
	f->depth = f->post_list = f->signal_every = 1;
	f->operations = (f->size_bytes + WRITE_MAX - 1) / WRITE_MAX;
	l->flow = *f;
}

static void tcp_begin(struct link *l, uint64_t messages)
{
	l->messages = messages;
	l->posted = l->arrived = 0;
}

/* What to do when send or recv brought nothing: go on waiting, or say that the other end is gone. */
static void wait_or_die(const struct link *l, const char *what, ssize_t n)
{
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		if (l->yield)
			sched_yield();
		return;
	}
	die("%s: %s; the other end is gone", what, n == 0 ? "connection closed" : strerror(errno));
}

/* What blocks in send(2) comes back with a part at each look of the watch, and each time the kernel has taken a bit
 * more, whether anything leaves or not: there only what the other end has acknowledged is progress. */
static bool more_acknowledged(struct link *l)
{
	const int64_t before = l->acknowledged;
	int unacknowledged = 0;

	ioctl(l->fd, SIOCOUTQ, &unacknowledged);
	l->acknowledged = l->sent - unacknowledged;
	return l->acknowledged > before;
}

static void send_all(struct link *l, const unsigned char *bytes, uint64_t size)
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

static uint64_t receive_some(struct link *l, unsigned char *bytes, uint64_t size)
{
	ssize_t n;

	while ((n = recv(l->fd, bytes, size, l->flags)) <= 0)
		wait_or_die(l, "recv", n);
	watch_advance();
	return (uint64_t)n;
}

static void receive_all(struct link *l, unsigned char *bytes, uint64_t size)
{
	uint64_t n;

	for (; size > 0; size -= n, bytes += n)
		n = receive_some(l, bytes, size);
}

static unsigned char *tcp_outgoing(struct link *l, uint64_t message)
{
	return buffer_outgoing(&l->buffer, l->flow.size_bytes, message % l->flow.slots);
}

static unsigned char *tcp_incoming(struct link *l, uint64_t message)
{
	return buffer_incoming(&l->buffer, l->flow.size_bytes, message % l->flow.slots);
}

static uint64_t tcp_post(struct link *l, uint64_t messages)
{
	for (uint64_t i = 0; i < messages; i++)
		send_all(l, tcp_outgoing(l, l->posted++), l->flow.size_bytes);
	return messages;
}

static void arrive_in_slots(struct link *l)
{
	while (l->arrived < l->messages)
		receive_all(l, tcp_incoming(l, l->arrived++), l->flow.size_bytes);
}

/* So many bytes of the round make the next window. */
static uint64_t window_bytes(const struct link *l, const struct windows *w)
{
	return (w && w->mark < l->messages ? w->mark : l->messages) * l->flow.size_bytes;
}

/* A large message is awaited to its end where a window ends with it. Of small ones each look brings some anyway, and
 * what it brings of one more is not counted: a look for each window would be a hundredth of their time. */
static void arrive_anywhere(struct link *l, struct windows *w)
{
	const uint64_t size = l->flow.size_bytes, all = l->messages * size;
	uint64_t got = l->arrived * size, end;

	while (got < all) {
		end = size < LARGE_BYTES ? all : window_bytes(l, w);
		got += receive_some(l, l->landing, end - got < LANDING_BYTES ? end - got : LANDING_BYTES);
		if (w && got >= window_bytes(l, w))
			windows_look(w, got / size, now_ns());
	}
	l->arrived = l->messages;
}

static void tcp_arrive(struct link *l, struct windows *w)
{
	if (l->check)
		arrive_in_slots(l);
	else
		arrive_anywhere(l, w);
}

/* Nagle may hold the last bytes back until a delayed acknowledgement comes: setting TCP_NODELAY pushes them out. */
static void tcp_finish(struct link *l)
{
	if (!nodelay) {
		set(l->fd, IPPROTO_TCP, TCP_NODELAY, "TCP_NODELAY", 1);
		set(l->fd, IPPROTO_TCP, TCP_NODELAY, "TCP_NODELAY", 0);
	}
}

static const unsigned char control_bytes[] = { [CONTROL_GO] = 'c', [CONTROL_STOP] = 's' };

static void tcp_signal(struct link *l, enum control control)
{
	send_all(l, &control_bytes[control], 1);
}

static enum control tcp_await(struct link *l)
{
	unsigned char byte;

	receive_all(l, &byte, 1);
	if (byte == control_bytes[CONTROL_STOP])
		return CONTROL_STOP;
	if (byte != control_bytes[CONTROL_GO])
		die("the other end sent something that is no control message");
	return CONTROL_GO;
}

static void tcp_order(struct link *l, uint32_t number)
{
	const uint32_t wire = htonl(number);

	send_all(l, (const unsigned char *)&wire, sizeof(wire));
}

static uint32_t tcp_ordered(struct link *l)
{
	uint32_t wire;

	receive_all(l, (unsigned char *)&wire, sizeof(wire));
	return ntohl(wire);
}

/* Numbers travel as the network orders them, since the ends may be of two kinds. */
static void tcp_tell(struct link *l, const struct sample *windows, size_t count)
{
	uint64_t numbers[2] = { htobe64(count) };

	send_all(l, (unsigned char *)numbers, sizeof(*numbers));
	for (size_t i = 0; i < count; i++) {
		numbers[0] = htobe64(windows[i].messages);
		numbers[1] = htobe64(windows[i].time_ns);
		send_all(l, (unsigned char *)numbers, sizeof(numbers));
	}
	tcp_finish(l);
}

static size_t tcp_hear(struct link *l, struct sample *windows, size_t room)
{
	uint64_t numbers[2], count;

	receive_all(l, (unsigned char *)numbers, sizeof(*numbers));
	count = be64toh(*numbers);
	if (count == 0 || count > room)
		die("the server has %" PRIu64 " windows where at most %zu were asked for", count, room);
	for (size_t i = 0; i < count; i++) {
		receive_all(l, (unsigned char *)numbers, sizeof(numbers));
		windows[i] = (struct sample){ be64toh(numbers[0]), be64toh(numbers[1]) };
	}
	return count;
}

static void tcp_ping(struct link *l)
{
	send_all(l, tcp_outgoing(l, 0), l->flow.size_bytes);
	receive_all(l, tcp_incoming(l, 0), l->flow.size_bytes);
}

static void tcp_pong(struct link *l)
{
	receive_all(l, tcp_incoming(l, 0), l->flow.size_bytes);
	send_all(l, tcp_outgoing(l, 0), l->flow.size_bytes);
	l->arrived++;
}

static void tcp_close(struct link *l)
{
	buffer_free(&l->buffer);
	free(l->landing);
	free(l);
}

const struct transport tcp_transport = {
	.name = "tcp",
	.options = tcp_options,
	.tune = tcp_tune,
	.open = tcp_open,
	.plan = tcp_plan,
	.begin = tcp_begin,
	.post = tcp_post,
	.arrive = tcp_arrive,
	.finish = tcp_finish,
	.signal = tcp_signal,
	.await = tcp_await,
	.order = tcp_order,
	.ordered = tcp_ordered,
	.tell = tcp_tell,
	.hear = tcp_hear,
	.ping = tcp_ping,
	.pong = tcp_pong,
	.outgoing = tcp_outgoing,
	.incoming = tcp_incoming,
	.close = tcp_close,
};
