/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "station.h"

static struct station *of(void *machine)
{
	return machine;
}

int station_of(const struct station *s, uint64_t value)
{
	const int number = (int)(value >> 8) & 7;

	return number >= s->count || number == s->number ? s->count : number;
}

static void write_address(uint8_t *to, int number, int count)
{
	const uint8_t one[6] = { 2, 0, 0, 0, 0, (uint8_t)number };

	if (number == count)
		memset(to, 0xff, sizeof(one));
	else
		memcpy(to, one, sizeof(one));
}

static void send(struct emulated *e, int wire, uint64_t value)
{
	struct station *const s = of(e);
	struct frame *const frame = steps_room(&e->steps, wire, VALUE_BYTES);

	if (wire_send(&e->wires[wire], e->now, VALUE_BYTES, &frame->arrival_ns) != CARRIED)
		return;
	frame->size = VALUE_BYTES;
	write_address(frame->bytes, station_of(s, value), s->count);
	write_address(frame->bytes + 6, s->number, s->count);
	memcpy(frame->bytes + HEADER_BYTES, &value, sizeof(value));
	steps_send(&e->steps, wire, frame);
}

/* Waits for a time that no seed decides. */
static void loiter(void)
{
	const int64_t until = host_ns() + host_ns() / 64 % 4096;

	while (host_ns() < until)
		continue;
}

static void deliver(struct machine *machine, int wire, const struct frame *frame)
{
	uint64_t value;

	loiter();
	memcpy(&value, frame->bytes + HEADER_BYTES, sizeof(value));
	emulated_receive(&of(machine)->machine, wire, value);
}

bool station_open(struct station *s, uint64_t seed, const char *path, const struct wire_model *link)
{
	emulated_start(&s->machine, seed, s->number, link);
	if (!pair_open(&s->pair, 0, path))
		return false;
	emulated_join(&s->machine, &s->pair);
	s->machine.machine.deliver = deliver;
	s->machine.send = send;
	return true;
}
