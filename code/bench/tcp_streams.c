#include "tcp_link.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>

#include "clock.h"
#include "die.h"
#include "watch.h"

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

	for (uint64_t i = 0; i < count; i++, s++)
		*s = (struct tcp_stream){ .fd = s->fd, .messages = messages / count + (i < messages % count) };
}

/* No connection could move a byte: waits until one can. */
static void wait_for_any(const struct link *l, short events)
{
	struct pollfd fds[TCP_STREAMS_MAX];

	if (l->yield)
		sched_yield();
	if (!l->sleeps)
		return;
	for (uint64_t i = 0; i < l->stream_count; i++)
		fds[i] = (struct pollfd){ .fd = l->streams[i].ended ? -1 : l->streams[i].fd, .events = events };
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

/* Sends more of the stream's next message; true if that is whole. */
static bool send_more(struct link *l, struct tcp_stream *s)
{
	const uint64_t size = l->flow.size_bytes;
	const unsigned char *bytes = buffer_outgoing(&l->buffer, size, s->posted % l->flow.slots);

	s->bytes += moved("send", send(s->fd, bytes + s->bytes, size - s->bytes, MSG_NOSIGNAL | MSG_DONTWAIT));
	if (s->bytes < size)
		return false;
	s->bytes = 0;
	s->posted++;
	s->ended = s->posted == s->messages;
	return true;
}

uint64_t tcp_streams_post(struct link *l)
{
	struct tcp_stream *s;

	for (;;) {
		for (uint64_t i = 0; i < l->stream_count; i++) {
			s = &l->streams[l->turn++ % l->stream_count];
			if (!s->ended && send_more(l, s))
				return 1;
		}
		wait_for_any(l, POLLOUT);
	}
}

/* Messages that have begun are sent to their ends. */
uint64_t tcp_streams_stop(struct link *l)
{
	uint64_t messages = 0;

	for (uint64_t i = 0; i < l->stream_count; i++) {
		struct tcp_stream *s = &l->streams[i];

		s->messages = s->posted + (s->bytes > 0);
		s->ended = s->bytes == 0;
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
		tcp_push(l);
	}
	l->fd = side;
}

/* Receives what has come of a stream, and returns how many bytes. */
static uint64_t receive_more(const struct link *l, struct tcp_stream *s, unsigned char *landing, uint64_t room)
{
	const bool timed = l->messages == UNTIL_STOPPED;
	const uint64_t rest = s->messages * l->flow.size_bytes - s->bytes;
	const uint64_t n = moved("recv", recv(s->fd, landing, timed || room < rest ? room : rest, MSG_DONTWAIT));

	s->bytes += n;
	s->ended = timed ? n > 0 && landing[n - 1] == TCP_END : n == rest;
	if (s->ended)
		s->end_ns = now_ns();
	return n;
}

void tcp_streams_arrive(struct link *l, struct windows *w, unsigned char *landing, uint64_t room)
{
	const uint64_t size = l->flow.size_bytes;
	uint64_t got = 0, open = 0, n;

	for (uint64_t i = 0; i < l->stream_count; i++)
		open += !(l->streams[i].ended = l->streams[i].messages == 0);
	while (open > 0) {
		n = 0;
		for (uint64_t i = 0; i < l->stream_count; i++)
			if (!l->streams[i].ended) {
				n += receive_more(l, &l->streams[i], landing, room);
				open -= l->streams[i].ended;
			}
		got += n;
		if (w && got / size >= w->mark)
			windows_look(w, got / size, now_ns());
		if (n == 0)
			wait_for_any(l, POLLIN);
	}
}

size_t tcp_streams_shares(struct link *l, struct sample *shares)
{
	if (l->stream_count == 1)
		return 0;
	for (uint64_t i = 0; i < l->stream_count; i++)
		shares[i] = (struct sample){ l->streams[i].bytes / l->flow.size_bytes, l->streams[i].end_ns };
	return l->stream_count;
}
