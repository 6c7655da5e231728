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

/* As a card does: one at a time, when the link is free. */
static void send_packet(struct station *s, uint64_t value)
{
	struct emulated *const e = &s->machine;
	const int other = station_of(s, value), to = value >> 16 & 3 || other == s->count ? !s->number : other;
	struct frame *frame;

	if (s->is_paused || e->wires[LINK].free_ns > e->now)
		return;
	frame = steps_room(&e->steps, LINK, VALUE_BYTES);
	wire_carry(&e->wires[LINK], e->now, s->packet_bytes, &frame->arrival_ns);
	frame->size = VALUE_BYTES;
	frame->kind = RDMA;
	frame->line_bytes = s->packet_bytes;
	frame->bytes[RDMA_TO] = (uint8_t)(1 + to);
	frame->bytes[RDMA_FROM] = (uint8_t)(1 + s->number);
	memcpy(frame->bytes + HEADER_BYTES, &value, sizeof(value));
	s->packets_sent++;
	steps_send(&e->steps, LINK, frame);
	if (e->habit == SENDING)
		emulated_wake_at(e, e->wires[LINK].free_ns);
}

static void send(struct emulated *e, int wire, uint64_t value)
{
	struct station *const s = of(e);
	struct frame *frame;

	if (wire == LINK && s->packet_bytes && (e->habit == SENDING || !s->has_frames || value >> 24 & 3)) {
		send_packet(s, value);
		return;
	}
	frame = steps_room(&e->steps, wire, VALUE_BYTES);
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

static void note_link(struct station *s, const struct frame *frame)
{
	const uint64_t bytes = frame->kind == RDMA ? frame->line_bytes : wire_line_bytes(frame->size);

	s->too_fast += (uint64_t)(s->machine.now - s->last_ns) < bytes;
	s->last_ns = s->machine.now;
	s->packets_received += frame->kind == RDMA;
}

static void deliver(struct machine *machine, int wire, const struct frame *frame)
{
	struct station *const s = of(machine);
	uint64_t value = frame->kind;

	loiter();
	if (wire == LINK)
		note_link(s, frame);
	if (frame->kind == PAUSE || frame->kind == RESUME)
		s->is_paused = frame->kind == PAUSE;
	else
		memcpy(&value, frame->bytes + HEADER_BYTES, sizeof(value));
	emulated_receive(&s->machine, wire, value);
}

bool station_open(struct station *s, uint64_t seed, const char *path, const struct wire_model *link)
{
	emulated_start(&s->machine, seed, s->number, link);
	if (!pair_open(&s->pair, 0, path))
		return false;
	emulated_join(&s->machine, &s->pair);
	s->machine.machine.deliver = deliver;
	s->machine.send = send;
	s->machine.habit = s->habit;
	return true;
}

uint64_t station_in_flight(const struct station *s)
{
	uint64_t packets = 0, at = s->machine.steps.taken[LINK];
	const struct frame *frame;

	for (; at != atomic_load(&s->pair.other->sent[LINK]); at = ring_after(at, frame->size)) {
		frame = ring_at(&s->pair.in[LINK], at);
		packets += frame->kind == RDMA;
	}
	return packets;
}
