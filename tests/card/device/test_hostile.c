/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Anything at all: random registers, commands, rings and packets. The card must stay within the guest's memory, which
 * the sanitizers and the harness see, and must not stop. LAB_CARD_COMMANDS says how many; 200,000 if nothing does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "computers.h"
#include "drawn.h"

#define ALL (LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC)

enum { PROGRAMS = 4, RENEWED = 500, SOME = 200000, REASONABLE = 5, TRIES = 9 };

static struct computers all;
static struct program programs[PROGRAMS];
static uint64_t seed, wildness;

static uint64_t below(uint64_t bound)
{
	return drawn_below(&seed, bound);
}

static uint64_t near(uint64_t value)
{
	return drawn_near(&seed, wildness, value);
}

static struct program *some(void)
{
	return &programs[below(PROGRAMS)];
}

static uint32_t handle(void)
{
	const struct program *const p = some();
	const uint32_t handles[] = { p->qp, p->cq, p->srq, p->region };

	return (uint32_t)near(handles[below(4)]);
}

static bool is_lost(uint64_t number, const struct packet *packet)
{
	(void)number, (void)packet;
	return below(20) == 0;
}

static void start(void)
{
	const uint32_t type = RC + (uint32_t)below(4) % 3;
	const struct costs costs = { .header_bytes = 30 + below(60),
				     .rate_bit_s = below(3) ? 1000000000ull * (1 + below(100)) : 0,
				     .bus_bit_s = below(2) * 50000000000ull,
				     .fetch_ps = (int64_t)below(500000),
				     .gap_ps = (int64_t)below(300000) };

	computers_start(&all, &costs, 1 + (int64_t)below(2000));
	all.is_lost = is_lost;
	wildness = 8 << below(7);
	for (uint32_t i = 0; i < PROGRAMS; i++)
		programs[i] = (below(3) ? program_new : program_sharing)(&all.one[i % 2], 1 + i, type, 64, 16, ALL);
	program_connect(&programs[0], &programs[1]);
	program_connect(&programs[2], &programs[3]);
}

static void try_command(void)
{
	struct program *const p = some();
	struct card_command c = { .op = (uint32_t)near(below(CARD_DESTROY + 1)),
				  .owner = (uint32_t)near(p->owner),
				  .handle = handle() };

	for (int i = 0; i < 12; i++)
		c.arguments.words[i] = near(below(3) ? below(64) : (uint64_t)handle() << 32 | handle());
	if (c.op == CARD_MODIFY_QP && below(4)) {
		c.arguments.attributes = p->attributes;
		c.arguments.attributes.state = (uint32_t)below(STATES);
	}
	c.length = near(below(8192));
	c.first = near(below(4096));
	c.count = near(below(CARD_PFNS));
	for (int i = 0; i < 8; i++)
		c.pfns[i] = near(below(2 * MEMORY_BYTES / 4096));
	memcpy(p->computer->memory + COMMAND_AT, &c, sizeof(c));
	computer_write(p->computer, CARD_COMMAND, below(50) ? COMMAND_AT : drawn(&seed));
}

static void try_register(void)
{
	struct program *const p = some();
	const uint64_t page = near((1 + p->page) * CARD_PAGE_BYTES), which = 8 * below(5);
	const uint64_t value = (uint64_t)handle() << 32 | (uint32_t)near(p->sends + below(4));

	if (page + which != CARD_COMMAND)
		computer_write(p->computer, page + which, value);
	card_read(&p->computer->card, 8 * below(6));
}

static struct card_wqe draw_wqe(const struct program *to)
{
	return (struct card_wqe){ .opcode = (uint32_t)near(below(OPCODES)),
				  .flags = (uint32_t)below(16),
				  .remote = near(to->buffer_at + below(1 << 20)),
				  .rkey = (uint32_t)near(to->region),
				  .compare_add = drawn(&seed),
				  .pieces = (uint32_t)below(3),
				  .inline_bytes = (uint32_t)near(below(1024)) };
}

static void try_send(void)
{
	struct program *const p = some(), *const to = &programs[(p - programs) ^ 1];
	struct card_piece pieces[CARD_PIECES_MOST] = { { 0 } };

	for (int i = 0; i < 3; i++)
		pieces[i] = (struct card_piece){ near(p->buffer_at + below(1 << 20)), (uint32_t)near(below(4096)),
						 (uint32_t)near(p->region) };
	if (p->type == UD && below(2)) {
		program_send_to(p, draw_wqe(to),
				(struct card_address){ .peer = (uint32_t)near(below(2)),
						       .peer_qp = (uint32_t)near(to->qp),
						       .qkey = 0x1111 },
				near(p->buffer_at), (uint32_t)near(below(1024)));
		return;
	}
	program_put(p, draw_wqe(to), pieces);
	if (below(2))
		program_ring(p);
}

static void try_receive(void)
{
	struct program *const p = some();

	program_receive(p, 1, near(p->buffer_at), (uint32_t)near(below(8192)));
}

static void try_bytes(void)
{
	struct program *const p = some();
	const uint64_t places[] = { p->qp_at + below(2 * 16 * 1280), p->cq_at + below(8), p->buffer_at + below(4096) };
	const uint64_t value = drawn(&seed);

	memcpy(p->computer->memory + places[below(3)], &value, sizeof(value));
}

/* From a card that lies: it is not to be believed either. */
static void try_packet(void)
{
	struct program *const p = some();
	uint8_t bytes[sizeof(struct packet) + 64];
	struct packet packet = { .kind = (uint8_t)below(PACKET_KINDS + 1),
				 .flags = (uint8_t)below(16),
				 .opcode = (uint8_t)near(below(OPCODES)),
				 .ack = (uint8_t)below(8),
				 .from = (uint32_t)near(p->attributes.peer_qp),
				 .to = (uint32_t)near(p->qp),
				 .psn = (uint32_t)near(p->attributes.recv_psn + below(4)),
				 .bytes = (uint32_t)near(64),
				 .rkey = (uint32_t)near(p->region),
				 .length = (uint32_t)near(below(100000)),
				 .rnr_timer = (uint32_t)drawn(&seed),
				 .remote = near(p->buffer_at) };

	memset(bytes, 0x55, sizeof(bytes));
	memcpy(bytes, &packet, sizeof(packet));
	card_deliver(&p->computer->card, all.now_ns, bytes, below(10) ? sizeof(bytes) : below(sizeof(bytes)));
}

static void try_poll(void)
{
	struct program *const p = some();
	struct card_cqe entry;

	while (below(8) && program_poll(p, &entry))
		;
	program_arm(p, below(2));
}

static void try_one(void)
{
	void (*const tries[])(void) = { try_send,    try_send,     try_receive, try_receive, try_poll,
					try_command, try_register, try_bytes,   try_packet };

	tries[below(below(wildness) < 4 ? TRIES : REASONABLE)]();
	if (below(4) == 0)
		computers_run(&all, all.now_ns + (int64_t)below(3000));
}

/* What random keeps running would run for years: the next computers are new ones. */
static void test_anything(void **state)
{
	const char *const wanted = getenv("LAB_CARD_COMMANDS");
	const uint64_t count = wanted ? strtoull(wanted, NULL, 10) : SOME;

	(void)state;
	for (uint64_t i = 0; i < count; i++) {
		if (i % RENEWED == 0) {
			if (i)
				computers_end(&all);
			seed = i;
			start();
		}
		try_one();
	}
	computers_end(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_anything) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
