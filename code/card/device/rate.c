/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rate.h"
#include "schedule.h"

/* The paper has a gain of 1/256 and steps of a thousandth of its link, for transfers of seconds. Those of an exact link
 * take milliseconds: its alpha follows as that of DCTCP does (RFC 8257), and its steps are ten times as large. */
enum { GAIN = 16, STEPS = 100, LEAST = 1024, FAST_ROUNDS = 5, BLOCK_BYTES = 10000000 };

/* The paper's 55 us, where a receiver notifies every 50 us: without congestion, no notification is missed. */
static int64_t period(const struct costs *c)
{
	return c->notify_ps + c->notify_ps / 10;
}

/* Fast recovery, and then additive increase. A rate that has come back to that of the link has no limit. */
static void rise(struct rate *r, uint64_t line_bit_s)
{
	if (r->periods > FAST_ROUNDS || r->blocks > FAST_ROUNDS)
		r->target_bit_s += line_bit_s / STEPS;
	if (r->target_bit_s > line_bit_s)
		r->target_bit_s = line_bit_s;
	r->bit_s = (r->target_bit_s + r->bit_s + 1) / 2;
	if (r->bit_s == line_bit_s)
		*r = (struct rate){ .next_ps = r->next_ps };
}

static void pass(struct rate *r, const struct costs *c, int64_t now)
{
	while (r->bit_s && r->period_ps <= now) {
		r->period_ps += period(c);
		r->alpha -= r->alpha / GAIN;
		r->periods++;
		rise(r, c->rate_bit_s);
	}
}

void rate_cut(struct rate *r, const struct costs *c, int64_t now)
{
	const uint64_t least = c->rate_bit_s / LEAST;

	pass(r, c, now);
	if (!r->bit_s)
		*r = (struct rate){ .bit_s = c->rate_bit_s, .alpha = RATE_ONE, .next_ps = r->next_ps };
	r->target_bit_s = r->bit_s;
	r->bit_s -= r->bit_s * r->alpha / (2 * RATE_ONE);
	if (r->bit_s < least)
		r->bit_s = least;
	r->alpha += (RATE_ONE - r->alpha) / GAIN;
	r->periods = r->blocks = 0;
	r->bytes = 0;
	r->period_ps = now + period(c);
}

void rate_take(struct rate *r, const struct costs *c, int64_t now, uint64_t line_bytes)
{
	pass(r, c, now);
	if (!r->bit_s)
		return;
	r->next_ps = later(r->next_ps, now) + costs_time(line_bytes, r->bit_s);
	r->bytes += line_bytes;
	if (r->bytes < BLOCK_BYTES)
		return;
	r->bytes -= BLOCK_BYTES;
	r->blocks++;
	rise(r, c->rate_bit_s);
}
