/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is lost comes again: whatever packets a wire loses, all operations end as without a loss. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "computers.h"
#include "drawn.h"

#define ALL (LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC)

enum { OPERATIONS = 24, PART = 16384, COUNTER = OPERATIONS * PART };

static const struct costs costs = { .header_bytes = 30,
				    .rate_bit_s = 32000000000ull,
				    .doorbell_ps = 100000,
				    .fetch_ps = 400000,
				    .write_ps = 150000,
				    .gap_ps = 100000,
				    .ack_ps = 100000,
				    .irq_ps = 1000 };
static struct computers all;
static struct program a, b;
static uint64_t seed, loss_of_1000;

static bool is_lost(uint64_t number, const struct packet *packet)
{
	(void)number, (void)packet;
	return drawn_below(&seed, 1000) < loss_of_1000;
}

static void start(void)
{
	computers_start(&all, &costs, 1000);
	all.is_lost = is_lost;
	a = program_new(&all.one[0], 1, RC, 256, 64, ALL);
	b = program_new(&all.one[1], 2, RC, 256, 64, ALL);
	program_connect(&a, &b);
	for (uint64_t i = 0; i < COUNTER; i++) {
		*program_bytes(&a, a.buffer_at + i) = (uint8_t)drawn(&seed);
		*program_bytes(&b, b.buffer_at + (2 << 20) + i) = (uint8_t)drawn(&seed);
	}
}

/* Where an operation's bytes are at first, and where they come to. */
static uint8_t *source(uint32_t opcode, uint64_t at)
{
	return opcode == READ ? program_bytes(&b, b.buffer_at + (2 << 20) + at) : program_bytes(&a, a.buffer_at + at);
}

static uint8_t *target(uint32_t opcode, uint64_t at)
{
	return opcode == READ ? program_bytes(&a, a.buffer_at + (2 << 20) + at) : program_bytes(&b, b.buffer_at + at);
}

static void post(uint32_t opcode, uint64_t at, uint32_t bytes)
{
	struct card_wqe wqe = { .wr_id = at, .opcode = opcode, .flags = SIGNALLED, .rkey = b.region };

	wqe.remote = opcode == READ ? b.buffer_at + (2 << 20) + at : b.buffer_at + at;
	if (opcode == FADD) {
		wqe.remote = b.buffer_at + COUNTER;
		wqe.compare_add = 1;
		bytes = 8;
	}
	if (verbs_takes(opcode))
		program_receive(&b, at, b.buffer_at + at, PART);
	program_send(&a, wqe, verbs_asks(opcode) ? a.buffer_at + (2 << 20) + at : a.buffer_at + at, bytes);
}

static void try_one(void)
{
	uint32_t opcodes[OPERATIONS], bytes[OPERATIONS];
	uint64_t added = 0, value;

	start();
	for (uint64_t i = 0; i < OPERATIONS; i++) {
		opcodes[i] = (uint32_t)drawn_below(&seed, OPCODES);
		bytes[i] = (uint32_t)drawn_below(&seed, PART);
		if (opcodes[i] == CAS)
			opcodes[i] = FADD;
		post(opcodes[i], i * PART, bytes[i]);
	}
	computers_run(&all, INT64_MAX);
	for (uint64_t i = 0; i < OPERATIONS; i++) {
		assert_int_equal(program_expect(&a, SUCCESS).wr_id, i * PART);
		if (verbs_takes(opcodes[i]))
			assert_int_equal(program_expect(&b, SUCCESS).wr_id, i * PART);
		if (opcodes[i] == FADD) {
			memcpy(&value, program_bytes(&a, a.buffer_at + (2 << 20) + i * PART), 8);
			assert_int_equal(value, added++);
		} else {
			assert_memory_equal(source(opcodes[i], i * PART), target(opcodes[i], i * PART), bytes[i]);
		}
	}
	memcpy(&value, program_bytes(&b, b.buffer_at + COUNTER), 8);
	assert_int_equal(value, added);
	computers_end(&all);
}

static void test_any_loss(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 150; i++) {
		seed = i;
		loss_of_1000 = i % 50;
		try_one();
	}
}

static bool loses_all(uint64_t number, const struct packet *packet)
{
	(void)number, (void)packet;
	return true;
}

static void test_retries_end(void **state)
{
	(void)state;
	start();
	all.is_lost = loses_all;
	post(WRITE, 0, 3000);
	computers_run(&all, INT64_MAX);
	program_expect(&a, RETRIES_EXCEEDED);
	assert_in_range(all.now_ns, 8 * (4096ll << 14), 8 * (4096ll << 14) + 100000);
	assert_int_equal(all.one[0].packets, 8 * 3);
	computers_end(&all);
}

static bool loses_first_message(uint64_t number, const struct packet *packet)
{
	(void)packet;
	return number == 1;
}

/* A message without reliability that has lost a packet is not there at all, and the next one is. */
static void test_unreliable(void **state)
{
	(void)state;
	computers_start(&all, &costs, 1000);
	all.is_lost = loses_first_message;
	a = program_new(&all.one[0], 1, UC, 256, 64, ALL);
	b = program_new(&all.one[1], 2, UC, 256, 64, ALL);
	program_connect(&a, &b);
	memset(program_bytes(&a, a.buffer_at + PART), 7, 3000);
	program_receive(&b, 1, b.buffer_at, PART);
	program_send(&a, (struct card_wqe){ .opcode = SEND }, a.buffer_at, 3000);
	program_send(&a, (struct card_wqe){ .opcode = SEND }, a.buffer_at + PART, 2000);
	computers_run(&all, INT64_MAX);
	assert_int_equal(program_expect(&b, SUCCESS).bytes, 2000);
	assert_memory_equal(program_bytes(&a, a.buffer_at + PART), program_bytes(&b, b.buffer_at), 2000);
	assert_false(program_poll(&b, &(struct card_cqe){ 0 }));
	computers_end(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_any_loss), cmocka_unit_test(test_retries_end),
					    cmocka_unit_test(test_unreliable) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
