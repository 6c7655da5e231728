/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "computers.h"

static struct computer *of(struct world *world)
{
	return (struct computer *)world;
}

static bool access_memory(struct world *w, uint64_t at, void *buffer, size_t size, bool is_write)
{
	struct computer *const c = of(w);

	if (at > MEMORY_BYTES || size > MEMORY_BYTES - at) {
		c->outside++;
		return false;
	}
	if (is_write)
		memcpy(c->memory + at, buffer, size);
	else
		memcpy(buffer, c->memory + at, size);
	return true;
}

static void arm(struct world *w, int64_t at)
{
	of(w)->armed_ns = at;
}

static void interrupt(struct world *w, bool is_wanted)
{
	of(w)->interrupts += is_wanted;
}

static void fly(struct computers *all, int to, int64_t at, const uint8_t *bytes, size_t size)
{
	if (all->flying_count == all->flying_room) {
		all->flying_room = 2 * all->flying_room + 64;
		all->flying = realloc(all->flying, all->flying_room * sizeof(*all->flying));
	}
	all->flying[all->flying_count++] =
		(struct flying){ at, all->sent, to, size, memcpy(malloc(size), bytes, size) };
}

static int64_t send(struct world *w, int64_t now, const uint8_t *bytes, size_t size, uint64_t line_bytes)
{
	struct computer *const c = of(w);
	struct computers *const all = c->all;
	struct packet packet;

	memcpy(&packet, bytes, sizeof(packet));
	assert_true(now >= c->free_ns);
	assert_int_equal(now, all->now_ns);
	c->free_ns = now + (costs_time(line_bytes, all->costs.rate_bit_s) + 999) / 1000;
	c->packets++;
	c->line_bytes += line_bytes;
	c->payload_bytes += packet.bytes;
	if (!all->is_lost || !all->is_lost(all->sent, &packet))
		fly(all, c == &all->one[0], c->free_ns + all->latency_ns, bytes, size);
	all->sent++;
	return c->free_ns;
}

static int64_t line_free(struct world *w)
{
	return of(w)->free_ns;
}

/* Not by calloc(), of which a sanitizer clears or marks every byte: few of them are used, and what lies outside is
 * counted. */
static uint8_t *memory_new(void)
{
	void *const memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	return memory;
}

void computers_start(struct computers *all, const struct costs *costs, int64_t latency_ns)
{
	*all = (struct computers){ .costs = *costs, .latency_ns = latency_ns, .buffer_bytes = 4 << 20 };
	for (int i = 0; i < COMPUTERS; i++) {
		struct computer *const c = &all->one[i];

		c->world = (struct world){ access_memory, arm, interrupt, send, line_free };
		c->all = all;
		c->memory = memory_new();
		c->used = FIRST_FREE;
		c->armed_ns = INT64_MAX;
		card_start(&c->card, costs, &c->world);
	}
}

void computers_end(struct computers *all)
{
	for (int i = 0; i < COMPUTERS; i++) {
		card_end(&all->one[i].card);
		munmap(all->one[i].memory, MEMORY_BYTES);
	}
	for (size_t i = 0; i < all->flying_count; i++)
		free(all->flying[i].bytes);
	free(all->flying);
}

static size_t first_flying(const struct computers *all)
{
	size_t first = 0;

	for (size_t i = 1; i < all->flying_count; i++)
		if (all->flying[i].at_ns < all->flying[first].at_ns ||
		    (all->flying[i].at_ns == all->flying[first].at_ns &&
		     all->flying[i].order < all->flying[first].order))
			first = i;
	return first;
}

static int64_t next(const struct computers *all)
{
	int64_t at = all->flying_count ? all->flying[first_flying(all)].at_ns : INT64_MAX;

	for (int i = 0; i < COMPUTERS; i++)
		if (all->one[i].armed_ns < at)
			at = all->one[i].armed_ns;
	return at;
}

static void land(struct computers *all)
{
	const size_t first = first_flying(all);
	const struct flying f = all->flying[first];

	all->flying[first] = all->flying[--all->flying_count];
	card_deliver(&all->one[f.to].card, all->now_ns, f.bytes, f.size);
	free(f.bytes);
}

static void step(struct computers *all)
{
	for (int i = 0; i < COMPUTERS; i++)
		if (all->one[i].armed_ns <= all->now_ns) {
			all->one[i].armed_ns = INT64_MAX;
			card_happen(&all->one[i].card, all->now_ns);
			return;
		}
	land(all);
}

void computers_run(struct computers *all, int64_t until)
{
	int64_t at;

	while ((at = next(all)) <= until && at != INT64_MAX) {
		all->now_ns = at > all->now_ns ? at : all->now_ns;
		step(all);
	}
	if (until != INT64_MAX && until > all->now_ns)
		all->now_ns = until;
}

uint64_t computer_take(struct computer *c, uint64_t bytes)
{
	const uint64_t at = c->used;

	c->used += (bytes + 4095) / 4096 * 4096;
	assert_true(c->used <= MEMORY_BYTES);
	return at;
}

void computer_write(struct computer *c, uint64_t at, uint64_t value)
{
	card_write(&c->card, c->all->now_ns, at, value);
}

static uint32_t run(struct computer *c, struct card_command *command)
{
	memcpy(c->memory + COMMAND_AT, command, sizeof(*command));
	computer_write(c, CARD_COMMAND, COMMAND_AT);
	memcpy(command, c->memory + COMMAND_AT, sizeof(*command));
	return command->status;
}

uint32_t computer_command(struct computer *c, struct card_command *command, uint64_t memory_at)
{
	const uint64_t pages = (memory_at % 4096 + command->length + 4095) / 4096;
	struct card_command give = { .op = CARD_PAGES, .owner = command->owner };

	for (uint64_t i = 0; command->length && i < pages; i += give.count) {
		give.count = pages - i < CARD_PFNS ? pages - i : CARD_PFNS;
		for (uint64_t p = 0; p < give.count; p++)
			give.pfns[p] = memory_at / 4096 + i + p;
		assert_int_equal(run(c, &give), 0);
	}
	command->first = memory_at % 4096;
	return run(c, command);
}

uint32_t program_region(struct program *p, uint64_t at, uint64_t bytes, uint32_t access, uint32_t pd)
{
	struct card_command c = { .op = CARD_CREATE_REGION, .owner = p->owner, .length = bytes };

	c.arguments.region = (struct card_region){ .iova = at, .access = access, .pd = pd };
	assert_int_equal(computer_command(p->computer, &c, at), 0);
	return c.handle;
}

static uint64_t make_cq(struct program *p)
{
	const uint64_t bytes = sizeof(struct card_ring) + p->entries * sizeof(struct card_cqe);
	struct card_command c = { .op = CARD_CREATE_CQ, .owner = p->owner, .length = bytes };
	const uint64_t at = computer_take(p->computer, bytes);

	c.arguments.cq = (struct card_cq){ .cookie = 0xc0 + p->owner, .entries = p->entries, .channel = (int)p->owner };
	assert_int_equal(computer_command(p->computer, &c, at), 0);
	p->cq = c.handle;
	return at;
}

static uint64_t make_srq(struct program *p)
{
	const uint64_t bytes = (uint64_t)p->slots * p->slot_bytes;
	struct card_command c = { .op = CARD_CREATE_SRQ, .owner = p->owner, .length = bytes };
	const uint64_t at = computer_take(p->computer, bytes);

	c.arguments.srq = (struct card_srq){ .cookie = 0x50, .pd = 1, .slots = p->slots, .slot_bytes = p->slot_bytes };
	assert_int_equal(computer_command(p->computer, &c, at), 0);
	p->srq = c.handle;
	return at;
}

static uint64_t make_qp(struct program *p)
{
	const uint64_t bytes = 2ull * p->slots * p->slot_bytes;
	struct card_command c = { .op = CARD_CREATE_QP, .owner = p->owner, .length = bytes };
	const uint64_t at = computer_take(p->computer, bytes);

	c.arguments.qp = (struct card_qp){ .cookie = 0xa0 + p->owner,
					   .type = p->type,
					   .pd = 1,
					   .send_slots = p->slots,
					   .send_slot_bytes = p->slot_bytes,
					   .recv_slots = p->srq ? 0 : p->slots,
					   .recv_slot_bytes = p->slot_bytes,
					   .send_cq = p->cq,
					   .recv_cq = p->cq,
					   .srq = p->srq };
	assert_int_equal(computer_command(p->computer, &c, at), 0);
	p->qp = c.handle;
	return at;
}

static struct program make(struct computer *computer, uint32_t owner, uint32_t type, uint32_t entries, uint32_t slots,
			   uint32_t access, bool shares)
{
	struct program p = {
		.computer = computer, .owner = owner, .page = owner, .type = type, .entries = entries, .slots = slots
	};
	struct card_command bells = { .op = CARD_BELLS, .owner = owner };

	bells.arguments.doorbells.page = p.page;
	assert_int_equal(computer_command(computer, &bells, 0), 0);
	p.slot_bytes = 1280;
	p.buffer_bytes = computer->all->buffer_bytes;
	p.buffer_at = computer_take(computer, p.buffer_bytes);
	p.region = program_region(&p, p.buffer_at, p.buffer_bytes, access, 1);
	p.cq_at = make_cq(&p);
	if (shares)
		p.srq_at = make_srq(&p);
	p.qp_at = make_qp(&p);
	p.attributes = (struct card_attributes){ .access = access,
						 .peer = CARD_OTHER,
						 .mtu_bytes = 1024,
						 .qkey = 0x1111,
						 .send_psn = 0xfffff0 + owner,
						 .timeout = 14,
						 .retries = 7,
						 .rnr_timer = 1,
						 .rnr_retries = 7,
						 .reads = 4,
						 .peer_reads = 4 };
	return p;
}

struct program program_new(struct computer *computer, uint32_t owner, uint32_t type, uint32_t entries, uint32_t slots,
			   uint32_t access)
{
	return make(computer, owner, type, entries, slots, access, false);
}

struct program program_sharing(struct computer *computer, uint32_t owner, uint32_t type, uint32_t entries,
			       uint32_t slots, uint32_t access)
{
	return make(computer, owner, type, entries, slots, access, true);
}

uint32_t program_set(struct program *p, uint32_t state)
{
	struct card_command c = { .op = CARD_MODIFY_QP, .owner = p->owner, .handle = p->qp };

	p->attributes.state = state;
	c.arguments.attributes = p->attributes;
	return computer_command(p->computer, &c, 0);
}

static void get_ready(struct program *p, const struct program *peer)
{
	p->attributes.peer_qp = peer->qp;
	p->attributes.recv_psn = peer->attributes.send_psn;
	for (uint32_t state = INIT; state <= RTS; state++)
		assert_int_equal(program_set(p, state), 0);
}

void program_connect(struct program *a, struct program *b)
{
	get_ready(a, b);
	get_ready(b, a);
}

static uint8_t *slot(struct program *p, uint32_t number)
{
	return p->computer->memory + p->qp_at + (uint64_t)number * p->slot_bytes;
}

static void bell(struct program *p, uint64_t which, uint32_t handle, uint32_t count, uint64_t more)
{
	computer_write(p->computer, (1ull + p->page) * CARD_PAGE_BYTES + which, more | (uint64_t)handle << 32 | count);
}

void program_ring(struct program *p)
{
	bell(p, CARD_SEND, p->qp, p->sends, 0);
}

void program_put(struct program *p, struct card_wqe wqe, const struct card_piece *pieces)
{
	uint8_t *const to = slot(p, p->sends++ % p->slots);

	memcpy(to, &wqe, sizeof(wqe));
	memcpy(to + sizeof(wqe), pieces, wqe.pieces * sizeof(*pieces));
}

void program_send(struct program *p, struct card_wqe wqe, uint64_t address, uint32_t bytes)
{
	const struct card_piece piece = { address, bytes, p->region };

	wqe.pieces = 1;
	program_put(p, wqe, &piece);
	program_ring(p);
}

void program_send_inline(struct program *p, struct card_wqe wqe, const void *data, uint32_t bytes)
{
	uint8_t *const to = slot(p, p->sends++ % p->slots);

	wqe.flags |= INLINE;
	wqe.inline_bytes = bytes;
	memcpy(to, &wqe, sizeof(wqe));
	memcpy(to + sizeof(wqe), data, bytes);
	program_ring(p);
}

void program_send_to(struct program *p, struct card_wqe wqe, struct card_address address, uint64_t at, uint32_t bytes)
{
	uint8_t *const to = slot(p, p->sends++ % p->slots);
	const struct card_piece piece = { at, bytes, p->region };

	wqe.pieces = 1;
	memcpy(to, &wqe, sizeof(wqe));
	memcpy(to + sizeof(wqe), &address, sizeof(address));
	memcpy(to + sizeof(wqe) + sizeof(address), &piece, sizeof(piece));
	program_ring(p);
}

void program_receive(struct program *p, uint64_t wr_id, uint64_t address, uint32_t bytes)
{
	const uint32_t number = p->srq ? p->shared++ : p->receives++;
	uint8_t *const to = p->srq ? p->computer->memory + p->srq_at + (uint64_t)(number % p->slots) * p->slot_bytes :
				     slot(p, p->slots + number % p->slots);
	const struct card_wqe wqe = { .wr_id = wr_id, .pieces = 1 };
	const struct card_piece piece = { address, bytes, p->region };

	memcpy(to, &wqe, sizeof(wqe));
	memcpy(to + sizeof(wqe), &piece, sizeof(piece));
	bell(p, CARD_RECV, p->srq ? p->srq : p->qp, number + 1, 0);
}

void program_arm(struct program *p, bool only_solicited)
{
	bell(p, CARD_ARM, p->cq, (uint32_t)p->read, only_solicited ? CARD_SOLICITED : 0);
}

bool program_poll(struct program *p, struct card_cqe *entry)
{
	uint8_t *const ring = p->computer->memory + p->cq_at;

	memcpy(entry, ring + sizeof(struct card_ring) + p->read % p->entries * sizeof(*entry), sizeof(*entry));
	if (entry->turn != p->read + 1)
		return false;
	p->read++;
	memcpy(ring, &p->read, sizeof(p->read));
	return true;
}

struct card_cqe program_expect(struct program *p, uint32_t status)
{
	struct card_cqe entry;

	assert_true(program_poll(p, &entry));
	assert_int_equal(entry.status, status);
	return entry;
}

uint8_t *program_bytes(struct program *p, uint64_t address)
{
	return p->computer->memory + address;
}

uint32_t program_state(struct program *p)
{
	struct card_command c = { .op = CARD_QUERY_QP, .owner = p->owner, .handle = p->qp };

	assert_int_equal(computer_command(p->computer, &c, 0), 0);
	return c.arguments.attributes.state;
}
