/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>

#include "wire.h"

#define NS_PER_S 1000000000
#define MILLION 1000000

typedef unsigned __int128 wide;

static uint64_t wire_draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

struct wire wire_new(const struct wire_model *model, uint64_t seed, int end, struct counts *counts)
{
	struct wire w = { .model = *model, .random = seed, .counts = counts };

	for (int i = 0; i <= end; i++)
		w.random = wire_draw(&w.random);
	return w;
}

uint64_t wire_line_bytes(uint64_t size)
{
	return (size < SHORTEST_BYTES ? SHORTEST_BYTES : size) + FRAME_EXTRA_BYTES;
}

uint64_t wire_waiting(const struct wire *w, int64_t now)
{
	wide left;

	if (w->free_ns < now)
		return 0;
	left = (wide)(w->free_ns - now) * w->model.rate_bit_s + w->fraction;
	return (uint64_t)((left + 8ull * NS_PER_S - 1) / (8ull * NS_PER_S));
}

static bool is_too_long(const struct wire_model *m, uint64_t size)
{
	return m->mtu_bytes && size > m->mtu_bytes + HEADER_BYTES;
}

static bool has_room(const struct wire *w, int64_t now, uint64_t line_bytes)
{
	const struct wire_model *const m = &w->model;

	return !m->queue_bytes || !m->rate_bit_s || wire_waiting(w, now) + line_bytes <= m->queue_bytes;
}

/* The first whole ns at which all of the frame has left; the rounded fraction is kept for the next one. */
static int64_t wire_leave(struct wire *w, int64_t now, uint64_t bytes)
{
	const uint64_t rate = w->model.rate_bit_s;
	wide time;

	if (!rate)
		return now;
	if (w->free_ns < now) {
		w->free_ns = now;
		w->fraction = 0;
	}
	time = (wide)bytes * 8 * NS_PER_S + w->fraction;
	w->free_ns += (int64_t)(time / rate);
	w->fraction = (uint64_t)(time % rate);
	return w->free_ns + (w->fraction > 0);
}

static bool loses(struct wire *w)
{
	return w->model.loss_ppm && (wide)wire_draw(&w->random) * MILLION >> 64 < w->model.loss_ppm;
}

static enum fate wire_drop(struct wire *w)
{
	w->counts->dropped++;
	return DROPPED;
}

static enum fate wire_carry_bytes(struct wire *w, int64_t now, uint64_t size, uint64_t line_bytes, int64_t *arrival)
{
	if (!has_room(w, now, line_bytes))
		return wire_drop(w);
	w->counts->frames++;
	w->counts->bytes += size;
	*arrival = wire_leave(w, now, line_bytes) + w->model.latency_ns;
	if (!loses(w))
		return CARRIED;
	w->counts->lost++;
	return LOST;
}

enum fate wire_send(struct wire *w, int64_t now, uint64_t size, int64_t *arrival)
{
	return is_too_long(&w->model, size) ? wire_drop(w) :
					      wire_carry_bytes(w, now, size, wire_line_bytes(size), arrival);
}

enum fate wire_carry(struct wire *w, int64_t now, uint64_t line_bytes, int64_t *arrival)
{
	return wire_carry_bytes(w, now, line_bytes, line_bytes, arrival);
}
