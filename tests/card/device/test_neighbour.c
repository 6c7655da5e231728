/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hostile program on each computer, beside one that does nothing: all that the kernel's module passes on for it, any
 * number in its doorbells, anything in its memory. It knows its neighbour's keys, numbers and addresses. It must not
 * get at a byte or an event of the neighbour's, whose queue pairs work after it all. LAB_CARD_COMMANDS says how many
 * commands; 100,000 if nothing does.
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
#define SECRET "what none other may have"

/* A larger buffer only makes it slow: most of the time then goes into clearing and comparing memory. */
enum { RENEWED = 500, SOME = 100000, PATIENCE_MS = 10000, BUFFER_BYTES = 64 << 10 };

/* A program, and the memory that it has. */
struct one {
	struct program program;
	uint64_t first, end;
};

static struct computers all;
static struct one quiet[COMPUTERS], hostile[COMPUTERS];
static uint8_t *before[COMPUTERS]; /* of a quiet one's memory */
static uint64_t seed, wildness;

static uint64_t below(uint64_t bound)
{
	return drawn_below(&seed, bound);
}

static uint64_t near(uint64_t value)
{
	return drawn_near(&seed, wildness, value);
}

static void make(struct one *one, int computer, uint32_t owner, uint32_t type)
{
	struct computer *const c = &all.one[computer];

	one->first = c->used;
	one->program = (below(3) ? program_new : program_sharing)(c, owner, type, 64, 16, ALL);
	one->end = c->used;
}

/* In another order on each computer, so that a quiet program's queue pair has the number of the hostile one's there. */
static void start(void)
{
	const struct costs costs = { .header_bytes = 30, .rate_bit_s = 100000000000ull, .gap_ps = 10000 };
	struct one *const order[COMPUTERS][2] = { { &quiet[0], &hostile[0] }, { &hostile[1], &quiet[1] } };

	computers_start(&all, &costs, 1000);
	all.buffer_bytes = BUFFER_BYTES;
	wildness = 8 << below(7);
	for (int i = 0; i < COMPUTERS; i++)
		for (int j = 0; j < 2; j++)
			make(order[i][j], i, 1 + (uint32_t)j, order[i][j] == &quiet[i] ? RC : RC + (uint32_t)below(3));
	program_connect(&quiet[0].program, &quiet[1].program);
	for (int i = 0; i < COMPUTERS; i++) {
		const struct program *const p = &quiet[i].program;

		for (uint64_t at = 0; at < p->buffer_bytes; at += 4096)
			memcpy(p->computer->memory + p->buffer_at + at, SECRET, sizeof(SECRET));
		before[i] = malloc(quiet[i].end - quiet[i].first);
		memcpy(before[i], p->computer->memory + quiet[i].first, quiet[i].end - quiet[i].first);
	}
}

static void end(void)
{
	for (int i = 0; i < COMPUTERS; i++)
		free(before[i]);
	computers_end(&all);
}

static struct program *some(void)
{
	return &(below(4) ? hostile : quiet)[below(COMPUTERS)].program;
}

/* Also its neighbour's, or one of the other computer's. */
static uint32_t handle(void)
{
	const struct program *const p = some();
	const uint32_t handles[] = { p->qp, p->cq, p->srq, p->region };

	return (uint32_t)near(handles[below(4)]);
}

static struct card_attributes draw_attributes(const struct program *p)
{
	struct card_attributes a = p->attributes;
	const struct program *const peer = some();

	a.state = (uint32_t)below(STATES);
	a.peer = (uint32_t)below(2);
	a.peer_qp = (uint32_t)near(peer->qp);
	a.send_psn = (uint32_t)near(peer->attributes.recv_psn);
	a.recv_psn = (uint32_t)near(peer->attributes.send_psn);
	a.access = (uint32_t)near(ALL);
	return a;
}

static struct card_qp draw_qp(const struct program *p)
{
	return (struct card_qp){ .type = RC + (uint32_t)below(3),
				 .pd = 1,
				 .send_slots = p->slots,
				 .send_slot_bytes = p->slot_bytes,
				 .send_cq = handle(),
				 .recv_cq = handle(),
				 .srq = below(2) ? handle() : 0 };
}

/* The module gives the owner and the pages, and lets through nothing but these commands; its event files are its own.
 */
static void try_command(struct one *one)
{
	struct program *const p = &one->program;
	const uint64_t at = one->first + below(one->end - one->first);
	struct card_command c = { .owner = p->owner, .handle = handle() };

	c.op = CARD_CREATE_REGION + (uint32_t)below(CARD_DESTROY - CARD_CREATE_REGION + (below(20) == 0));
	for (int i = 0; i < 12; i++)
		c.arguments.words[i] = near(below(3) ? below(64) : (uint64_t)handle() << 32 | handle());
	if (c.op == CARD_MODIFY_QP && below(8))
		c.arguments.attributes = draw_attributes(p);
	if (c.op == CARD_CREATE_CQ)
		c.arguments.cq.channel = below(2) ? (int)p->owner : 0;
	if (c.op == CARD_CREATE_QP && below(4))
		c.arguments.qp = draw_qp(p);
	if (c.op <= CARD_CREATE_QP)
		c.length = 1 + below(below(2) ? one->end - at : 8192) % (one->end - at);
	if (computer_command(p->computer, &c, at) == 0 && c.op == CARD_CREATE_QP)
		p->qp = below(2) ? c.handle : p->qp;
}

/* Anew, through all its states, to whomever. */
static void try_connect(struct one *one)
{
	struct program *const p = &one->program;
	struct card_command c = { .op = CARD_MODIFY_QP, .owner = p->owner };
	const struct card_attributes drawn = draw_attributes(p);

	p->sends = p->receives = 0;
	for (uint32_t state = RESET; state <= RTS; state++) {
		c.handle = p->qp;
		c.arguments.attributes = drawn;
		c.arguments.attributes.state = state;
		computer_command(p->computer, &c, 0);
	}
}

static void try_doorbell(struct one *one)
{
	const struct program *const p = &one->program;
	const uint64_t page = (1ull + p->page) * CARD_PAGE_BYTES;

	computer_write(p->computer, page + 8 * below(5),
		       near((uint64_t)handle() << 32 | (uint32_t)near(p->sends + below(4))));
}

static struct card_wqe draw_wqe(const struct program *to)
{
	return (struct card_wqe){ .opcode = (uint32_t)near(below(OPCODES)),
				  .flags = (uint32_t)below(16),
				  .remote = near(to->buffer_at + below(to->buffer_bytes)),
				  .rkey = (uint32_t)near(to->region),
				  .pieces = (uint32_t)below(3),
				  .inline_bytes = (uint32_t)near(below(1024)) };
}

static struct card_piece draw_piece(void)
{
	const struct program *const p = some();

	return (struct card_piece){ near(p->buffer_at + below(p->buffer_bytes)), (uint32_t)near(below(4096)),
				    (uint32_t)near(p->region) };
}

static void try_send(struct one *one)
{
	struct program *const p = &one->program;
	const struct program *const to = some();
	const struct card_piece pieces[] = { draw_piece(), draw_piece(), draw_piece() };

	if (p->type == UD)
		program_send_to(p, draw_wqe(to),
				(struct card_address){ .peer = (uint32_t)below(2),
						       .peer_qp = (uint32_t)near(to->qp),
						       .qkey = to->attributes.qkey },
				pieces[0].address, pieces[0].bytes);
	else
		program_put(p, draw_wqe(to), pieces);
	program_ring(p);
}

static void try_receive(struct one *one)
{
	const struct card_piece piece = draw_piece();

	program_receive(&one->program, 1, piece.address, piece.bytes);
}

/* Rings, queues, and its own data, as it likes. */
static void try_bytes(struct one *one)
{
	const uint64_t value = near(below(2) ? handle() : below(1 << 20));

	memcpy(one->program.computer->memory + one->first + below(one->end - one->first - 8), &value, sizeof(value));
}

static void try_one(void)
{
	void (*const often[])(struct one *) = { try_send, try_send, try_send, try_receive };
	void (*const seldom[])(struct one *) = { try_connect, try_command, try_doorbell, try_bytes };

	(below(4) ? often : seldom)[below(4)](&hostile[below(COMPUTERS)]);
	if (below(4) == 0)
		computers_run(&all, all.now_ns + (int64_t)below(3000));
}

/* What the module would hand on. */
static void expect_no_events_of_neighbours(void)
{
	uint64_t word;

	for (int i = 0; i < COMPUTERS; i++)
		while ((word = card_read(&all.one[i].card, CARD_EVENT)))
			assert_int_equal((uint32_t)word, hostile[i].program.owner);
}

static void expect_no_access(void)
{
	for (int i = 0; i < COMPUTERS; i++) {
		const struct computer *const c = &all.one[i];

		assert_int_equal(c->outside, 0);
		assert_memory_equal(c->memory + quiet[i].first, before[i], quiet[i].end - quiet[i].first);
		assert_null(memmem(c->memory + hostile[i].first, hostile[i].end - hostile[i].first, SECRET,
				   sizeof(SECRET)));
	}
}

static struct card_cqe await(struct program *p)
{
	struct card_cqe entry = { .turn = 0 };

	for (int ms = 0; ms < PATIENCE_MS && !program_poll(p, &entry); ms++)
		computers_run(&all, all.now_ns + 1000000);
	assert_int_equal(entry.turn, p->read);
	assert_int_equal(entry.status, SUCCESS);
	return entry;
}

static void expect_messages(struct program *from, struct program *to)
{
	const struct card_wqe wqe = { .opcode = SEND, .flags = SIGNALLED };

	program_receive(to, 1, to->buffer_at, 10000);
	program_send(from, wqe, from->buffer_at + 4096, 9000);
	assert_int_equal(await(to).bytes, 9000);
	await(from);
	assert_memory_equal(program_bytes(to, to->buffer_at), program_bytes(from, from->buffer_at + 4096), 9000);
}

static void torment(uint64_t count)
{
	start();
	for (uint64_t i = 0; i < count; i++)
		try_one();
	expect_no_events_of_neighbours();
	expect_no_access();
	expect_messages(&quiet[0].program, &quiet[1].program);
	expect_messages(&quiet[1].program, &quiet[0].program);
	end();
}

static void test_neighbours_are_left_alone(void **state)
{
	const char *const wanted = getenv("LAB_CARD_COMMANDS");
	const uint64_t count = wanted ? strtoull(wanted, NULL, 10) : SOME;

	(void)state;
	for (uint64_t i = 0; i < count; i += RENEWED) {
		seed = i;
		torment(RENEWED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_neighbours_are_left_alone) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
