/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "queue.h"

enum { FIRST_INTERVAL_NS = 1024 };

static void make_room(struct queue *q)
{
	const size_t room = 2 * q->room + 64;
	struct queued *const ring = calloc(room, sizeof(*ring));

	if (!ring)
		abort();
	for (size_t i = 0; i < q->used; i++)
		ring[i] = q->ring[(q->first + i) % q->room];
	free(q->ring);
	*q = (struct queue){ ring, 0, q->used, room };
}

void queue_add(struct queue *q, struct queued last)
{
	if (q->used == q->room)
		make_room(q);
	q->ring[(q->first + q->used++) % q->room] = last;
}

const struct queued *queue_first(const struct queue *q)
{
	return q->used ? &q->ring[q->first] : NULL;
}

struct queued queue_take(struct queue *q)
{
	const struct queued first = q->ring[q->first];

	q->first = (q->first + 1) % q->room;
	q->used--;
	return first;
}

static void add(struct depths *d, uint64_t at, uint64_t bytes)
{
	const uint64_t begin = at / d->interval_ns * d->interval_ns;

	if (!d->count || d->depths[d->count - 1].at_ns != begin)
		d->depths[d->count++] = (struct depth){ begin, bytes };
	else if (d->depths[d->count - 1].bytes < bytes)
		d->depths[d->count - 1].bytes = bytes;
}

/* Two intervals become one. */
static void merge(struct depths *d)
{
	const uint64_t count = d->count;

	d->interval_ns *= 2;
	d->count = 0;
	for (uint64_t i = 0; i < count; i++) {
		const struct depth old = d->depths[i];

		add(d, old.at_ns, old.bytes);
	}
}

static void note(struct depths *d, uint64_t at, uint64_t bytes)
{
	while (d->count == MOST_DEPTHS)
		merge(d);
	add(d, at, bytes);
}

static uint64_t next_interval(const struct depths *d, uint64_t at)
{
	return (at / d->interval_ns + 1) * d->interval_ns;
}

/* No frame came meanwhile, so the queue was deepest when an interval began. */
void depths_before(struct depths *d, const struct wire *w, int64_t now)
{
	uint64_t bytes;

	if (!d->interval_ns)
		*d = (struct depths){ .begin_ns = (uint64_t)now, .interval_ns = FIRST_INTERVAL_NS };
	for (uint64_t at = next_interval(d, d->noted_ns);
	     d->is_queue && at < (uint64_t)now - d->begin_ns && (bytes = wire_waiting(w, (int64_t)(d->begin_ns + at)));
	     at = next_interval(d, at))
		note(d, at, bytes);
	d->noted_ns = (uint64_t)now - d->begin_ns;
	d->is_queue = wire_waiting(w, now) > 0;
}

void depths_after(struct depths *d, const struct wire *w, int64_t now)
{
	const uint64_t bytes = wire_waiting(w, now);

	if (bytes > d->most_bytes)
		d->most_bytes = bytes;
	if (d->is_queue)
		note(d, d->noted_ns, bytes);
}
