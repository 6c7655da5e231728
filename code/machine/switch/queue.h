/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What waits before a port of the switch, in order: the wire behind it computes when each frame leaves. */
#ifndef QUEUE_H
#define QUEUE_H

#include <stddef.h>

#include "wire.h"

struct queued {
	int64_t leaves_ns;
	uint32_t line_bytes;
	uint8_t from, kind; /* its port; enum frame_kind */
};

struct queue {
	struct queued *ring;
	size_t first, used, room;
};

void queue_add(struct queue *queue, struct queued last);

/* The frame that leaves next; NULL if there is none. */
const struct queued *queue_first(const struct queue *queue);
struct queued queue_take(struct queue *queue);

/* Note the depth of the queue before a wire, just before and just after each frame. */
void depths_before(struct depths *depths, const struct wire *wire, int64_t now_ns);
void depths_after(struct depths *depths, const struct wire *wire, int64_t now_ns);

#endif
