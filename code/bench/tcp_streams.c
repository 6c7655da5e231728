#include "tcp_link.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>

#include "clock.h"
#include "die.h"
#include "least.h"
#include "watch.h"

/* Of both directions, what a connection sends before it receives, and receives before it sends: with equal turns
 * neither direction starves the other. */
#define TURN_BYTES 131072
#define TURN_MESSAGES 16

void tcp_streams_open(struct link *l, uint64_t count, const struct options *o, const struct session *s, side_tune tune)
{
	l->stream_count = count;
	l->streams[0].fd = s->peer;
	for (uint64_t i = 1; i < count; i++)
		l->streams[i].fd = o->role == SERVER ? session_serve_again(s, o) : session_join_again(o, tune);
}

void tcp_streams_begin(struct link *l, uint64_t messages)
{
	const uint64_t count = l->stream_count;
	struct tcp_stream *s = l->streams;
	uint64_t share;

	for (uint64_t i = 0; i < count; i++, s++) {
		share = messages / count + (i < messages % count);
		*s = (struct tcp_stream){ .fd = s->fd,
					  .messages = share,
					  .sent = !l->sends || share == 0,
					  .arrived = !l->receives || share == 0 };
	}
}

/* No connection could move a byte: waits until one can. */
static void wait_for_any(const struct link *l)
{
	struct pollfd fds[TCP_STREAMS_MAX];

	if (l->yield)
		sched_yield();
	if (!l->sleeps)
		return;
	for (uint64_t i = 0; i < l->stream_count; i++) {
		const struct tcp_stream *s = &l->streams[i];

		fds[i] = (struct pollfd){ .fd = s->sent && s->arrived ? -1 : s->fd,
					  .events = (s->sent ? 0 : POLLOUT) | (s->arrived ? 0 : POLLIN) };
	}
	poll(fds, l->stream_count, -1);
}

/* The bytes that a call moved; 0 if it would have waited. */
static uint64_t moved(const char *what, ssize_t n)
{
	if (n > 0) {
		watch_advance();
		return (uint64_t)n;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		die("%s: %s; the other end is gone", what, n == 0 ? "connection closed" : strerror(errno));
	return 0;
}

static uint64_t send_some(const struct tcp_stream *s, const unsigned char *bytes, uint64_t size)
{
	return moved("send", send(s->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT));
}

/* Sends at most this much more of the stream's next message; true if that is whole. */
static bool send_more(struct link *l, struct tcp_stream *s, uint64_t most)
{
	const uint64_t size = l->flow.size_bytes;
	const unsigned char *bytes = buffer_outgoing(&l->buffer, size, s->posted % l->flow.slots);

	s->bytes += send_some(s, bytes + s->bytes, least(size - s->bytes, most));
	if (s->bytes < size)
		return false;
	s->bytes = 0;
	s->posted++;
	return true;
}

uint64_t tcp_streams_post(struct link *l)
{
	struct tcp_stream *s;

	for (;;) {
		for (uint64_t i = 0; i < l->stream_count; i++) {
			s = &l->streams[l->turn++ % l->stream_count];
			if (!s->sent && send_more(l, s, l->flow.size_bytes)) {
				s->sent = s->posted == s->messages;
				return 1;
			}
		}
		wait_for_any(l);
	}
}

/* Messages that have begun are sent to their ends. */
uint64_t tcp_streams_stop(struct link *l)
{
	uint64_t messages = 0;

	for (uint64_t i = 0; i < l->stream_count; i++) {
		struct tcp_stream *s = &l->streams[i];

		s->messages = s->posted + (s->bytes > 0);
		s->sent = !l->receives && s->bytes == 0;
		messages += s->messages;
	}
	return messages;
}

void tcp_streams_finish(struct link *l)
{
	const int side = l->fd;

	for (uint64_t i = 0; i < l->stream_count; i++) {
		l->fd = l->streams[i].fd;
		if (l->messages == UNTIL_STOPPED)
			tcp_send_all(l, &(unsigned char){ TCP_END }, 1);
		tcp_push(l, l->fd);
	}
	l->fd = side;
}

/* Receives what has come of a stream, and returns how many bytes. Of both directions, a control message may come with
 * the mark of the end. */
static uint64_t receive_more(struct link *l, struct tcp_stream *s)
{
	const bool timed = l->messages == UNTIL_STOPPED;
	const uint64_t rest = s->messages * l->flow.size_bytes - s->received;
	const uint64_t most = l->sends ? TURN_BYTES : TCP_LANDING_BYTES, room = timed ? most : least(most, rest);
	uint64_t n = moved("recv", recv(s->fd, l->landing, room, MSG_DONTWAIT));

	if (timed && n > 0 && l->landing[n - 1] != 0) {
		s->arrived = true;
		if (l->landing[--n] != TCP_END)
			l->early = l->landing[n--];
	}
	s->received += n;
	s->arrived |= !timed && s->received == s->messages * l->flow.size_bytes;
	if (s->arrived)
		s->end_ns = now_ns();
	return n;
}

/* Sends some messages of a stream, and pushes out its end; returns how many bytes. */
static uint64_t send_turn(struct link *l, struct tcp_stream *s)
{
	const uint64_t size = l->flow.size_bytes, before = s->posted * size + s->bytes;
	const uint64_t turn = least(s->posted + TURN_MESSAGES, s->messages);
	uint64_t sent = 0;

	while (s->posted < turn && sent < TURN_BYTES && send_more(l, s, TURN_BYTES - sent))
		sent = s->posted * size - before;
	if (s->posted == s->messages &&
	    (l->messages != UNTIL_STOPPED || send_some(s, &(unsigned char){ TCP_END }, 1))) {
		s->sent = true;
		tcp_push(l, s->fd);
	}
	return s->posted * size + s->bytes - before;
}

void tcp_streams_arrive(struct link *l, struct windows *w)
{
	const uint64_t size = l->flow.size_bytes;
	uint64_t got = 0, n;
	bool open = true, is_idle;

	while (open) {
		open = false;
		is_idle = true;
		for (uint64_t i = 0; i < l->stream_count; i++) {
			struct tcp_stream *s = &l->streams[i];

			if (!s->sent && send_turn(l, s) > 0)
				is_idle = false;
			if (!s->arrived && (n = receive_more(l, s)) > 0) {
				got += n;
				is_idle = false;
			}
			open |= !s->sent || !s->arrived;
		}
		if (w && got / size >= w->mark)
			windows_look(w, got / size, now_ns());
		if (w && w->over && l->sends && w->messages == UNTIL_STOPPED)
			w->messages = tcp_streams_stop(l);
		if (open && is_idle)
			wait_for_any(l);
	}
}

size_t tcp_streams_shares(struct link *l, struct sample *shares)
{
	if (l->stream_count == 1)
		return 0;
	for (uint64_t i = 0; i < l->stream_count; i++)
		shares[i] = (struct sample){ l->streams[i].received / l->flow.size_bytes, l->streams[i].end_ns };
	return l->stream_count;
}
