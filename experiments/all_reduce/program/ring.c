/* The ring all-reduce (Patarasuk and Yuan, 2009): the vector is cut into as many chunks as there are computers. In
 * ranks - 1 steps each computer adds what arrives to its own chunk and sends the sum on (reduce-scatter); in as many
 * steps the finished chunks go round (all-gather).
 *
 *     eager       a message for a chunk, into a buffer that waits for it
 *     rendezvous  a message for a chunk, written where the receiver wants it; the receiver first says where
 *     pipelined   as eager, but a chunk is several messages: one is added while the next is in flight */
#include <string.h>

#include "ring.h"

enum { SEGMENT = 16384 }; /* bytes of a message, pipelined */

static struct ring ring;

struct part {
	uint32_t *at;
	size_t count;
};

static size_t divided(size_t a, size_t b)
{
	return (a + b - 1) / b;
}

/* Part `number` of `parts` parts of nearly the same length. */
static struct part part_of(struct part whole, size_t number, size_t parts)
{
	const size_t begin = whole.count * number / parts, end = whole.count * (number + 1) / parts;

	return (struct part){ whole.at + begin, end - begin };
}

static struct part chunk(size_t count, int number)
{
	const int ranks = ring.setting->ranks;

	return part_of((struct part){ ring.setting->sum, count }, (size_t)((number + 2 * ranks) % ranks),
		       (size_t)ranks);
}

static size_t bytes(struct part part)
{
	return part.count * sizeof(*part.at);
}

static void add(struct part to, const void *from)
{
	const uint32_t *numbers = from;

	for (size_t i = 0; i < to.count; i++)
		to.at[i] += numbers[i];
}

/* Messages of earlier calls: for each a new receive request was posted. The previous computer may be ahead, so more
 * than these may have arrived. */
static unsigned long used_before(void)
{
	return ring.posted - ring.slot_count;
}

/* In step s, a computer sends the chunk that it received in step s - 1. */
static struct part outgoing(size_t count, int step)
{
	return chunk(count, ring.setting->rank - step);
}

static struct part incoming(size_t count, int step)
{
	return outgoing(count, step + 1);
}

/* The next message may arrive as soon as the one before is in its place, so there is one at a time. */
static void reduce_by_rendezvous(size_t count)
{
	const int ranks = ring.setting->ranks, steps = 2 * (ranks - 1);
	const unsigned long sent = ring.done[SENT], received = used_before();

	for (int step = 0; step < steps; step++) {
		const struct part out = outgoing(count, step), in = incoming(count, step);
		const bool adds = step < ranks - 1;
		struct grant grant;

		if (adds)
			verbs_grant(&ring, ring.slots, ring.slots_mr);
		else
			verbs_grant(&ring, in.at, ring.sum_mr);
		grant = verbs_take_grant(&ring);
		verbs_write(&ring, out.at, bytes(out), &grant);
		while (ring.done[SENT] <= sent + (unsigned long)step ||
		       ring.done[RECEIVED] <= received + (unsigned long)step)
			verbs_complete(&ring);
		verbs_post_receive(&ring);
		if (adds)
			add(in, ring.slots);
	}
}

/* Adds the oldest message that arrived, or copies it. */
static void take(struct part in, bool adds)
{
	const char *slot = ring.slots + used_before() % ring.slot_count * ring.slot_bytes;

	if (adds)
		add(in, slot);
	else
		memcpy(in.at, slot, bytes(in));
	verbs_post_receive(&ring);
}

/* A stream of messages, `each` of them for a chunk. One can be sent as soon as the message for the same part of the
 * step before has been added. */
static void reduce_by_stream(size_t count, size_t each)
{
	const size_t adding = ((size_t)ring.setting->ranks - 1) * each, all = 2 * adding;
	const unsigned long sent_before = ring.done[SENT], received_before = used_before();

	for (size_t posted = 0, used = 0, sent = 0; sent < all || used < all; sent = ring.done[SENT] - sent_before) {
		/* A finished chunk replaces one that was sent ranks - 1 steps before: that must be complete. */
		const bool can_take =
			used < all && used < ring.done[RECEIVED] - received_before && used < sent + adding;

		if (posted < all && posted < used + each && posted < sent + DEPTH) {
			const struct part out = part_of(outgoing(count, (int)(posted / each)), posted % each, each);

			verbs_send(&ring, out.at, bytes(out));
			posted++;
		} else if (can_take) {
			take(part_of(incoming(count, (int)(used / each)), used % each, each), used < adding);
			used++;
		} else {
			verbs_complete(&ring);
		}
	}
}

static void reduce_eagerly(size_t count)
{
	reduce_by_stream(count, 1);
}

static size_t segments(size_t count)
{
	const size_t largest = divided(count, (size_t)ring.setting->ranks) * sizeof(uint32_t);

	return largest > SEGMENT ? divided(largest, SEGMENT) : 1;
}

static void reduce_in_segments(size_t count)
{
	reduce_by_stream(count, segments(count));
}

static size_t one(size_t count)
{
	(void)count;
	return 1;
}

static const struct variant {
	const char *name;
	void (*reduce)(size_t count);
	size_t (*messages)(size_t count); /* for a chunk */
} variants[] = {
	{ "eager", reduce_eagerly, one },
	{ "rendezvous", reduce_by_rendezvous, one },
	{ "pipelined", reduce_in_segments, segments },
};
static const struct variant *variant;

void all_reduce_connect(struct setting *s)
{
	const size_t count = sizeof(variants) / sizeof(*variants);

	for (variant = variants; variant < variants + count && strcmp(variant->name, s->variant); variant++)
		;
	check(variant < variants + count, "-variant must be eager, rendezvous or pipelined");
	check(s->ranks >= 2 && s->rank >= 0 && s->rank < s->ranks,
	      "-list must have two addresses, and -myindex be one");
	ring.setting = s;
	/* No computer can be more than a whole turn ahead of the next one, so that no message lacks a slot. */
	ring.slot_count = (size_t)s->ranks * variant->messages(s->most);
	ring.slot_bytes = divided(divided(s->most, (size_t)s->ranks), variant->messages(s->most)) * sizeof(uint32_t);
	bootstrap_join(&ring);
	verbs_open(&ring);
	verbs_connect(&ring);
}

void all_reduce(size_t count)
{
	memcpy(ring.setting->sum, ring.setting->mine, count * sizeof(uint32_t));
	variant->reduce(count);
}

void all_reduce_close(void)
{
	verbs_close(&ring);
}
