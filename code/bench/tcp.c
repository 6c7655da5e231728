#include "transport.h"

#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "buffer.h"
#include "clock.h"
#include "csv.h"
#include "die.h"
#include "option_table.h"
#include "tcp_link.h"
#include "ticks.h"
#include "watch.h"

#define LARGE_BYTES 4096      /* a message of at least this size takes several frames */
#define WRITE_MAX 0x7ffff000u /* what one send(2) moves at most */

static bool nodelay;
static uint64_t streams, send_buffer, receive_buffer;

static struct option_spec tcp_options[] = {
	{ "nodelay", OPTION_FLAG, &nodelay, "no", true, NULL, "set TCP_NODELAY: send small messages at once", 0, 0,
	  NULL },
	{ "streams", OPTION_NUMBER, &streams, "1", true, NULL, "connections that share the messages of a size", 1,
	  TCP_STREAMS_MAX, "connections" },
	{ "both", OPTION_FLAG, &options.both, "no", true, NULL,
	  "both ends send at once, each as many messages; the rate of each direction is reported", 0, 0, NULL },
	{ "send-buffer", OPTION_BYTES, &send_buffer, "0", true, NULL, "SO_SNDBUF (0: the kernel's choice)", 1,
	  INT32_MAX, "bytes" },
	{ "receive-buffer", OPTION_BYTES, &receive_buffer, "0", true, NULL, "SO_RCVBUF (0: the kernel's choice)", 1,
	  INT32_MAX, "bytes" },
	{ NULL, 0, NULL, NULL, false, NULL, NULL, 0, 0, NULL },
};

static void tcp_tune(int fd)
{
	if (nodelay)
		tcp_set(fd, IPPROTO_TCP, TCP_NODELAY, "TCP_NODELAY", 1);
	if (send_buffer)
		tcp_set(fd, SOL_SOCKET, SO_SNDBUF, "SO_SNDBUF", (int)send_buffer);
	if (receive_buffer)
		tcp_set(fd, SOL_SOCKET, SO_RCVBUF, "SO_RCVBUF", (int)receive_buffer);
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

	if (!l || !(l->landing = calloc(1, TCP_LANDING_BYTES)))
		die("no memory for the link");
	l->fd = s->peer;
	l->flags = MSG_NOSIGNAL | (o->wait == WAIT_EVENT ? 0 : MSG_DONTWAIT);
	l->yield = o->wait == WAIT_YIELD;
	l->sleeps = o->wait == WAIT_EVENT;
	l->check = o->verify;
	l->sends = o->role == CLIENT || o->both;
	l->receives = o->role == SERVER || o->both;
	l->hurries = o->both || (o->measure == LATENCY && o->duration_s);
	l->nodelay = nodelay;
	l->buffer = buffer_new(o);
	tcp_streams_open(l, streams, o, s, tcp_tune);
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
	tcp_streams_begin(l, messages);
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
	if (l->stream_count > 1)
		return tcp_streams_post(l);
	for (uint64_t i = 0; i < messages; i++)
		tcp_send_all(l, tcp_outgoing(l, l->posted++), l->flow.size_bytes);
	return messages;
}

static uint64_t tcp_stop(struct link *l)
{
	return l->stream_count > 1 ? tcp_streams_stop(l) : l->posted;
}

static void arrive_in_slots(struct link *l)
{
	while (l->arrived < l->messages)
		tcp_receive_all(l, tcp_incoming(l, l->arrived++), l->flow.size_bytes);
}

/* The bytes of the round at which the next window ends. */
static uint64_t window_bytes(const struct link *l, const struct windows *w)
{
	return (w && w->mark < l->messages ? w->mark : l->messages) * l->flow.size_bytes;
}

/* A large message is received to its end if a window ends with it. A read brings several small messages anyway, and a
 * part of one more is not counted: a read for each window would cost 1 % of their time. */
static void arrive_anywhere(struct link *l, struct windows *w)
{
	const uint64_t size = l->flow.size_bytes, all = l->messages * size;
	uint64_t got = l->arrived * size, end;

	while (got < all) {
		end = size < LARGE_BYTES ? all : window_bytes(l, w);
		got += tcp_receive_some(l, l->landing, end - got < TCP_LANDING_BYTES ? end - got : TCP_LANDING_BYTES);
		if (w && got >= window_bytes(l, w))
			windows_look(w, got / size, now_ns());
	}
	l->arrived = l->messages;
}

/* All bytes of data are 0; the mark of the end is the last byte. */
static void arrive_until_mark(struct link *l, struct windows *w)
{
	const uint64_t size = l->flow.size_bytes;
	uint64_t got = 0, n;

	do {
		n = tcp_receive_some(l, l->landing, TCP_LANDING_BYTES);
		got += n;
		if (got / size >= w->mark)
			windows_look(w, got / size, now_ns());
	} while (l->landing[n - 1] == 0);
}

static void tcp_arrive(struct link *l, struct windows *w)
{
	if (l->stream_count > 1 || l->sends)
		tcp_streams_arrive(l, w);
	else if (l->check)
		arrive_in_slots(l);
	else if (l->messages == UNTIL_STOPPED)
		arrive_until_mark(l, w);
	else
		arrive_anywhere(l, w);
}

static void tcp_pings(struct link *l, uint64_t messages, uint64_t *stamps)
{
	for (uint64_t i = 0; i < messages; i++) {
		tcp_send_all(l, tcp_outgoing(l, 0), l->flow.size_bytes);
		watch_advance();
		tcp_receive_all(l, tcp_incoming(l, 0), l->flow.size_bytes);
		stamps[i] = ticks_now();
	}
}

static void tcp_pongs(struct link *l, uint64_t messages)
{
	for (uint64_t i = 0; i < messages; i++) {
		tcp_receive_all(l, tcp_incoming(l, 0), l->flow.size_bytes);
		tcp_send_all(l, tcp_outgoing(l, 0), l->flow.size_bytes);
		watch_advance();
	}
	l->arrived += messages;
}

static void tcp_close(struct link *l)
{
	for (uint64_t i = 1; i < l->stream_count; i++)
		close(l->streams[i].fd);
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
	.stop = tcp_stop,
	.shares = tcp_streams_shares,
	.arrive = tcp_arrive,
	.finish = tcp_streams_finish,
	.signal = tcp_signal,
	.await = tcp_await,
	.order = tcp_order,
	.ordered = tcp_ordered,
	.tell = tcp_tell,
	.hear = tcp_hear,
	.pings = tcp_pings,
	.pongs = tcp_pongs,
	.outgoing = tcp_outgoing,
	.incoming = tcp_incoming,
	.close = tcp_close,
};
