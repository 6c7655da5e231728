/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each way to fail: the status at both ends, the states, the events, and what is never written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "computers.h"

#define ALL (LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC)
#define DST(b) ((b).buffer_at + (1 << 20))

static const struct costs costs = {
	.header_bytes = 82, .rate_bit_s = 40000000000ull, .write_ps = 150000, .irq_ps = 1000
};

static struct computers all;
static struct program a, b;

static int start(void **state)
{
	(void)state;
	computers_start(&all, &costs, 1000);
	a = program_new(&all.one[0], 1, RC, 64, 16, ALL);
	b = program_new(&all.one[1], 2, RC, 64, 16, ALL);
	program_connect(&a, &b);
	memset(program_bytes(&a, a.buffer_at), 0xaa, 8192);
	return 0;
}

static int end(void **state)
{
	(void)state;
	assert_int_equal(all.one[0].outside + all.one[1].outside, 0);
	computers_end(&all);
	return 0;
}

static struct card_wqe wqe(uint32_t opcode)
{
	return (struct card_wqe){
		.wr_id = 7, .opcode = opcode, .flags = SIGNALLED, .remote = DST(b), .rkey = b.region
	};
}

static void run(void)
{
	computers_run(&all, INT64_MAX);
}

/* The next event of a computer's card: its kind; -1: none. */
static int event(struct program *p)
{
	const uint64_t word = card_read(&p->computer->card, CARD_EVENT);

	if (word)
		assert_int_equal((uint32_t)word, p->owner);
	return word ? (int)(word >> 32) : -1;
}

static void expect_untouched(void)
{
	for (uint64_t i = 0; i < 8192; i++)
		assert_int_equal(*program_bytes(&b, DST(b) + i), 0);
}

static void expect_refused(uint32_t status, int seen)
{
	run();
	program_expect(&a, status);
	assert_int_equal(program_state(&a), ERR);
	assert_int_equal(program_state(&b), ERR);
	assert_int_equal(event(&b), seen);
	expect_untouched();
}

static void test_wrong_key(void **state)
{
	struct card_wqe w = wqe(WRITE);

	(void)state;
	w.rkey += 4096;
	program_send(&a, w, a.buffer_at, 100);
	expect_refused(REMOTE_ACCESS, QP_ACCESS_ERROR);
}

static void test_beyond_region(void **state)
{
	struct card_wqe w = wqe(WRITE);

	(void)state;
	w.remote = b.buffer_at + b.buffer_bytes - 1000;
	program_send(&a, w, a.buffer_at, 3000);
	expect_refused(REMOTE_ACCESS, QP_ACCESS_ERROR);
}

static void test_before_region(void **state)
{
	struct card_wqe w = wqe(READ);

	(void)state;
	w.remote = b.buffer_at - 1;
	program_send(&a, w, a.buffer_at, 10);
	expect_refused(REMOTE_ACCESS, QP_ACCESS_ERROR);
}

static void test_around_address_space(void **state)
{
	struct card_wqe w = wqe(READ);

	(void)state;
	w.remote = UINT64_MAX - 5;
	program_send(&a, w, a.buffer_at, 10);
	expect_refused(REMOTE_ACCESS, QP_ACCESS_ERROR);
}

static void test_access_of_region(void **state)
{
	const uint32_t needed[] = {
		[WRITE] = REMOTE_WRITE, [READ] = REMOTE_READ, [CAS] = REMOTE_ATOMIC, [FADD] = REMOTE_ATOMIC
	};

	(void)state;
	for (uint32_t opcode = WRITE; opcode <= FADD; opcode++) {
		struct card_wqe w = wqe(opcode);

		if (!needed[opcode])
			continue;
		end(NULL);
		start(NULL);
		w.rkey = program_region(&b, b.buffer_at, b.buffer_bytes, ALL & ~needed[opcode], 1);
		program_send(&a, w, a.buffer_at, 8);
		expect_refused(REMOTE_ACCESS, QP_ACCESS_ERROR);
	}
}

static void test_access_of_queue_pair(void **state)
{
	const uint32_t needed[] = {
		[WRITE] = REMOTE_WRITE, [READ] = REMOTE_READ, [CAS] = REMOTE_ATOMIC, [FADD] = REMOTE_ATOMIC
	};

	(void)state;
	for (uint32_t opcode = WRITE; opcode <= FADD; opcode++) {
		if (!needed[opcode])
			continue;
		end(NULL);
		start(NULL);
		b.attributes.access = ALL & ~needed[opcode];
		assert_int_equal(program_set(&b, RTS), 0);
		program_send(&a, wqe(opcode), a.buffer_at, 8);
		expect_refused(REMOTE_INVALID, QP_REQUEST_ERROR);
	}
}

static void test_protection_domain(void **state)
{
	struct card_wqe w = wqe(WRITE);

	(void)state;
	w.rkey = program_region(&b, b.buffer_at, b.buffer_bytes, ALL, 2);
	program_send(&a, w, a.buffer_at, 8);
	expect_refused(REMOTE_ACCESS, QP_ACCESS_ERROR);
}

static void test_other_owner(void **state)
{
	struct program other = program_new(&all.one[1], 3, RC, 4, 4, ALL);
	struct card_wqe w = wqe(WRITE);

	(void)state;
	w.rkey = other.region;
	w.remote = other.buffer_at;
	program_send(&a, w, a.buffer_at, 8);
	expect_refused(REMOTE_ACCESS, QP_ACCESS_ERROR);
	assert_int_equal(*program_bytes(&other, other.buffer_at), 0);
}

static void expect_local(uint32_t status)
{
	run();
	program_expect(&a, status);
	assert_int_equal(program_state(&a), ERR);
	assert_int_equal(program_state(&b), RTS);
	expect_untouched();
}

static void test_own_key(void **state)
{
	(void)state;
	a.region += 4096;
	program_send(&a, wqe(WRITE), a.buffer_at, 8);
	expect_local(LOCAL_PROTECTION);
}

static void test_own_memory_too_small(void **state)
{
	(void)state;
	program_send(&a, wqe(WRITE), a.buffer_at + a.buffer_bytes - 1, 2);
	expect_local(LOCAL_PROTECTION);
}

static void test_read_without_local_write(void **state)
{
	(void)state;
	a.region = program_region(&a, a.buffer_at, a.buffer_bytes, 0, 1);
	program_send(&a, wqe(READ), a.buffer_at, 8);
	expect_local(LOCAL_PROTECTION);
	assert_int_equal(*program_bytes(&a, a.buffer_at), 0xaa);
}

static void test_unknown_operation(void **state)
{
	(void)state;
	program_send(&a, wqe(OPCODES), a.buffer_at, 8);
	expect_local(LOCAL_OPERATION);
}

static void test_atomic_of_four_bytes(void **state)
{
	(void)state;
	program_send(&a, wqe(CAS), a.buffer_at, 4);
	expect_local(LOCAL_LENGTH);
}

static void test_atomic_off_its_place(void **state)
{
	struct card_wqe w = wqe(CAS);

	(void)state;
	w.remote++;
	program_send(&a, w, a.buffer_at, 8);
	expect_refused(REMOTE_INVALID, QP_REQUEST_ERROR);
}

static void test_send_too_long(void **state)
{
	(void)state;
	program_receive(&b, 3, DST(b), 1500);
	program_send(&a, wqe(SEND), a.buffer_at, 3000);
	run();
	program_expect(&a, REMOTE_INVALID);
	assert_int_equal(program_expect(&b, LOCAL_LENGTH).wr_id, 3);
	assert_int_equal(program_state(&b), ERR);
	assert_int_equal(event(&b), -1); /* the completion has said it */
}

static void test_receive_with_wrong_key(void **state)
{
	(void)state;
	b.region += 4096;
	program_receive(&b, 3, DST(b), 1500);
	program_send(&a, wqe(SEND), a.buffer_at, 300);
	run();
	program_expect(&a, REMOTE_OPERATION);
	assert_int_equal(program_expect(&b, LOCAL_PROTECTION).wr_id, 3);
	assert_int_equal(program_state(&b), ERR);
	assert_int_equal(event(&b), -1);
	expect_untouched();
}

static void test_flush(void **state)
{
	(void)state;
	program_receive(&a, 70, a.buffer_at, 100);
	a.region += 4096;
	program_send(&a, wqe(WRITE), a.buffer_at, 8);
	program_send(&a, (struct card_wqe){ .wr_id = 8, .opcode = WRITE, .rkey = b.region, .remote = DST(b) },
		     a.buffer_at, 8);
	run();
	program_expect(&a, LOCAL_PROTECTION);
	assert_int_equal(program_expect(&a, FLUSHED).wr_id, 8);
	assert_int_equal(program_expect(&a, FLUSHED).wr_id, 70);
	program_send(&a, wqe(WRITE), a.buffer_at, 8);
	program_receive(&a, 71, a.buffer_at, 100);
	run();
	assert_int_equal(program_expect(&a, FLUSHED).wr_id, 71);
	assert_int_equal(program_expect(&a, FLUSHED).wr_id, 7);
	expect_untouched();
}

static void test_peer_is_gone(void **state)
{
	struct card_command c = { .op = CARD_DESTROY, .owner = b.owner, .handle = b.qp };

	(void)state;
	assert_int_equal(computer_command(b.computer, &c, 0), 0);
	a.attributes.retries = 2;
	assert_int_equal(program_set(&a, RTS), 0);
	a.sends = 0;
	program_send(&a, wqe(WRITE), a.buffer_at, 8);
	run();
	program_expect(&a, RETRIES_EXCEEDED);
	assert_in_range(all.now_ns, 3 * (4096ll << 14), 4 * (4096ll << 14));
}

static void test_no_receive(void **state)
{
	(void)state;
	a.attributes.rnr_retries = 2;
	assert_int_equal(program_set(&a, RTS), 0);
	b.attributes.rnr_timer = 12; /* 0.64 ms */
	assert_int_equal(program_set(&b, RTS), 0);
	program_send(&a, wqe(SEND), a.buffer_at, 8);
	run();
	program_expect(&a, RNR_EXCEEDED);
	assert_int_equal(program_state(&b), RTS);
}

static void test_receive_comes_late(void **state)
{
	(void)state;
	b.attributes.rnr_timer = 12;
	assert_int_equal(program_set(&b, RTS), 0);
	program_send(&a, wqe(SEND), a.buffer_at, 5000);
	program_send(&a, wqe(SEND), a.buffer_at, 10);
	computers_run(&all, 2000000);
	program_receive(&b, 1, DST(b), 5000);
	program_receive(&b, 2, DST(b), 5000);
	run();
	program_expect(&a, SUCCESS);
	program_expect(&a, SUCCESS);
	assert_int_equal(program_expect(&b, SUCCESS).bytes, 5000);
	assert_int_equal(program_expect(&b, SUCCESS).bytes, 10);
}

static void test_overflow(void **state)
{
	struct card_cqe entry;

	(void)state;
	end(NULL);
	computers_start(&all, &costs, 1000);
	a = program_new(&all.one[0], 1, RC, 4, 16, ALL);
	b = program_new(&all.one[1], 2, RC, 4, 16, ALL);
	program_connect(&a, &b);
	for (int i = 0; i < 6; i++)
		program_send(&a, wqe(WRITE), a.buffer_at, 0);
	run();
	assert_int_equal(program_state(&a), ERR);
	assert_int_equal(event(&a), CQ_ERROR);
	assert_int_equal(event(&a), QP_FATAL);
	assert_int_equal(event(&a), -1);
	for (int i = 0; i < 4; i++)
		program_expect(&a, SUCCESS);
	assert_false(program_poll(&a, &entry));
}

static void test_foreign_doorbells(void **state)
{
	struct program other = program_new(&all.one[0], 3, RC, 4, 4, ALL), thief = other;
	struct card_cqe entry;

	(void)state;
	program_put(&a, (struct card_wqe){ .opcode = WRITE, .flags = SIGNALLED }, &(struct card_piece){ .bytes = 0 });
	thief.qp = a.qp;
	thief.sends = a.sends;
	program_ring(&thief);
	thief.cq = a.cq;
	program_arm(&thief, false);
	thief.page = 60; /* nobody's */
	program_ring(&thief);
	run();
	assert_false(program_poll(&a, &entry));
	assert_int_equal(a.computer->packets, 0);
	program_ring(&a);
	run();
	program_expect(&a, SUCCESS);
	assert_int_equal(event(&a), -1);
}

static void test_foreign_handles(void **state)
{
	struct card_command c = { .owner = 9, .handle = a.qp };

	(void)state;
	for (c.op = CARD_MODIFY_SRQ; c.op <= CARD_DESTROY; c.op++)
		assert_int_not_equal(computer_command(a.computer, &c, 0), 0);
	c = (struct card_command){ .op = CARD_CREATE_QP, .owner = 9, .length = 4096 };
	c.arguments.qp = (struct card_qp){
		.type = RC, .send_slots = 1, .send_slot_bytes = 64, .send_cq = a.cq, .recv_cq = a.cq
	};
	assert_int_not_equal(computer_command(a.computer, &c, a.buffer_at), 0);
	assert_int_equal(program_state(&a), RTS);
}

static void test_events(void **state)
{
	(void)state;
	program_receive(&b, 1, DST(b), 100);
	program_receive(&b, 2, DST(b), 100);
	program_receive(&b, 3, DST(b), 100);
	program_arm(&b, true);
	program_send(&a, wqe(SEND), a.buffer_at, 8);
	run();
	assert_int_equal(event(&b), -1);
	program_send(&a, (struct card_wqe){ .opcode = SEND, .flags = SIGNALLED | SOLICITED }, a.buffer_at, 8);
	run();
	assert_int_equal(event(&b), CARD_COMPLETION);
	assert_int_equal(card_read(&b.computer->card, CARD_COOKIE), 0xc0 + b.owner);
	assert_int_equal(event(&b), -1);
	program_arm(&b, false); /* two have come since the program looked */
	run();
	assert_int_equal(event(&b), CARD_COMPLETION);
	program_expect(&b, SUCCESS);
	program_expect(&b, SUCCESS);
	program_arm(&b, false);
	run();
	assert_int_equal(event(&b), -1);
	program_send(&a, wqe(SEND), a.buffer_at, 8);
	run();
	assert_int_equal(event(&b), CARD_COMPLETION);
}

static void test_shared_limit(void **state)
{
	struct card_command c = { .op = CARD_MODIFY_SRQ };

	(void)state;
	end(NULL);
	computers_start(&all, &costs, 1000);
	a = program_new(&all.one[0], 1, RC, 64, 16, ALL);
	b = program_sharing(&all.one[1], 2, RC, 64, 16, ALL);
	program_connect(&a, &b);
	program_receive(&b, 1, DST(b), 100);
	program_receive(&b, 2, DST(b), 100);
	c.owner = b.owner;
	c.handle = b.srq;
	c.arguments.srq.limit = 2;
	assert_int_equal(computer_command(b.computer, &c, 0), 0);
	program_send(&a, wqe(SEND), a.buffer_at, 8);
	run();
	assert_int_equal(event(&b), SRQ_LIMIT);
	assert_int_equal(program_set(&b, ERR), 0);
	run();
	assert_int_equal(event(&b), LAST_RECEIVE);
}

static void test_close(void **state)
{
	struct card_command c = { .op = CARD_CLOSE, .owner = b.owner };

	(void)state;
	a.attributes.retries = 0;
	assert_int_equal(program_set(&a, RTS), 0);
	assert_int_equal(computer_command(b.computer, &c, 0), 0);
	program_send(&a, wqe(WRITE), a.buffer_at, 8);
	run();
	program_expect(&a, RETRIES_EXCEEDED);
	expect_untouched();
}

static void test_reset_and_again(void **state)
{
	(void)state;
	assert_int_equal(program_set(&a, ERR), 0);
	assert_int_equal(program_set(&a, RESET), 0);
	assert_int_equal(program_set(&b, RESET), 0);
	assert_int_not_equal(program_set(&a, RTS), 0);
	a.sends = b.sends = 0;
	program_connect(&a, &b);
	program_send(&a, wqe(WRITE), a.buffer_at, 8);
	run();
	program_expect(&a, SUCCESS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_wrong_key),
		TEST(test_beyond_region),
		TEST(test_before_region),
		TEST(test_around_address_space),
		TEST(test_access_of_region),
		TEST(test_access_of_queue_pair),
		TEST(test_protection_domain),
		TEST(test_other_owner),
		TEST(test_own_key),
		TEST(test_own_memory_too_small),
		TEST(test_read_without_local_write),
		TEST(test_unknown_operation),
		TEST(test_atomic_of_four_bytes),
		TEST(test_atomic_off_its_place),
		TEST(test_send_too_long),
		TEST(test_receive_with_wrong_key),
		TEST(test_flush),
		TEST(test_peer_is_gone),
		TEST(test_no_receive),
		TEST(test_receive_comes_late),
		TEST(test_overflow),
		TEST(test_foreign_doorbells),
		TEST(test_foreign_handles),
		TEST(test_events),
		TEST(test_shared_limit),
		TEST(test_close),
		TEST(test_reset_and_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
