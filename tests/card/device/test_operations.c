/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each operation of each kind of queue pair, byte for byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "computers.h"

#define ALL (LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC)
#define DST(b) ((b).buffer_at + (1 << 20))

static const struct costs costs = { .header_bytes = 82,
				    .rate_bit_s = 40000000000ull,
				    .bus_bit_s = 64000000000ull,
				    .doorbell_ps = 100000,
				    .fetch_ps = 400000,
				    .write_ps = 150000,
				    .gap_ps = 100000,
				    .block_ps = 10000,
				    .ack_ps = 100000,
				    .irq_ps = 500000 };

static struct computers all;
static struct program a, b;

static void start_type(uint32_t type)
{
	computers_start(&all, &costs, 1000);
	a = program_new(&all.one[0], 1, type, 256, 64, ALL);
	b = program_new(&all.one[1], 2, type, 256, 64, ALL);
	program_connect(&a, &b);
	for (uint64_t i = 0; i < 1 << 20; i++) {
		a.computer->memory[a.buffer_at + i] = (uint8_t)(i * 7 + i / 251);
		b.computer->memory[b.buffer_at + i] = (uint8_t)(i * 11 + i / 241);
	}
}

static void end(void)
{
	assert_int_equal(all.one[0].outside + all.one[1].outside, 0);
	computers_end(&all);
}

static struct card_wqe remote(uint32_t opcode, struct program *to)
{
	return (struct card_wqe){ .wr_id = 77,
				  .opcode = opcode,
				  .flags = SIGNALLED,
				  .remote = to->buffer_at + (1 << 20),
				  .rkey = to->region,
				  .imm = 0x01020304 };
}

static void test_write(void **state)
{
	const uint32_t sizes[] = { 0, 1, 1023, 1024, 1025, 4096, 300001 };

	(void)state;
	start_type(RC);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		memset(program_bytes(&b, DST(b)), 0, 400000);
		program_send(&a, remote(WRITE, &b), a.buffer_at, sizes[i]);
		computers_run(&all, INT64_MAX);
		assert_int_equal(program_expect(&a, SUCCESS).wr_id, 77);
		assert_memory_equal(program_bytes(&a, a.buffer_at), program_bytes(&b, DST(b)), sizes[i]);
		assert_int_equal(*program_bytes(&b, DST(b) + sizes[i]), 0);
	}
	end();
}

static void test_send(void **state)
{
	struct card_cqe entry;

	(void)state;
	start_type(RC);
	for (uint32_t bytes = 0; bytes < 5000; bytes += 777) {
		program_receive(&b, bytes, DST(b), 5000);
		program_send(&a, remote(SEND_IMM, &b), a.buffer_at, bytes);
		computers_run(&all, INT64_MAX);
		program_expect(&a, SUCCESS);
		entry = program_expect(&b, SUCCESS);
		assert_int_equal(entry.wr_id, bytes);
		assert_int_equal(entry.bytes, bytes);
		assert_int_equal(entry.imm, 0x01020304);
		assert_int_equal(entry.flags, HAS_IMM);
		assert_int_equal(entry.opcode, ENTRY_RECV);
		assert_memory_equal(program_bytes(&a, a.buffer_at), program_bytes(&b, DST(b)), bytes);
	}
	end();
}

static void test_write_imm(void **state)
{
	struct card_cqe entry;

	(void)state;
	start_type(RC);
	program_receive(&b, 5, 0, 0);
	program_send(&a, remote(WRITE_IMM, &b), a.buffer_at, 2500);
	computers_run(&all, INT64_MAX);
	program_expect(&a, SUCCESS);
	entry = program_expect(&b, SUCCESS);
	assert_int_equal(entry.opcode, ENTRY_RECV_IMM);
	assert_int_equal(entry.bytes, 2500);
	assert_memory_equal(program_bytes(&a, a.buffer_at), program_bytes(&b, DST(b)), 2500);
	end();
}

static void test_read(void **state)
{
	(void)state;
	start_type(RC);
	for (uint32_t bytes = 0; bytes < 20000; bytes = bytes * 3 + 1) {
		struct card_wqe wqe = remote(READ, &b);

		wqe.remote = b.buffer_at;
		program_send(&a, wqe, DST(a), bytes);
		computers_run(&all, INT64_MAX);
		assert_int_equal(program_expect(&a, SUCCESS).bytes, bytes);
		assert_memory_equal(program_bytes(&b, b.buffer_at), program_bytes(&a, DST(a)), bytes);
	}
	end();
}

static void test_many_reads(void **state)
{
	(void)state;
	start_type(RC);
	for (uint32_t i = 0; i < 40; i++) {
		struct card_wqe wqe = remote(i % 3 ? READ : WRITE, &b);

		wqe.remote = i % 3 ? b.buffer_at + i * 5000 : DST(b);
		program_send(&a, wqe, i % 3 ? DST(a) + i * 5000 : a.buffer_at, 5000);
	}
	computers_run(&all, INT64_MAX);
	for (uint32_t i = 0; i < 40; i++) {
		program_expect(&a, SUCCESS);
		if (i % 3)
			assert_memory_equal(program_bytes(&b, b.buffer_at + i * 5000),
					    program_bytes(&a, DST(a) + i * 5000), 5000);
	}
	end();
}

static void test_atomics(void **state)
{
	struct card_wqe wqe;
	uint64_t value;

	(void)state;
	start_type(RC);
	memset(program_bytes(&b, DST(b)), 0, 8);
	wqe = remote(FADD, &b);
	wqe.compare_add = 5;
	program_send(&a, wqe, DST(a), 8);
	program_send(&a, wqe, DST(a) + 8, 8);
	wqe = remote(CAS, &b);
	wqe.compare_add = 10;
	wqe.swap = 99;
	program_send(&a, wqe, DST(a) + 16, 8);
	program_send(&a, wqe, DST(a) + 24, 8);
	computers_run(&all, INT64_MAX);
	for (int i = 0; i < 4; i++)
		program_expect(&a, SUCCESS);
	for (int i = 0; i < 4; i++) {
		memcpy(&value, program_bytes(&a, DST(a) + 8 * (uint64_t)i), 8);
		assert_int_equal(value, ((uint64_t[]){ 0, 5, 10, 99 })[i]);
	}
	memcpy(&value, program_bytes(&b, DST(b)), 8);
	assert_int_equal(value, 99);
	end();
}

static void test_inline_and_lists(void **state)
{
	struct card_wqe wqe;
	struct card_piece pieces[3];

	(void)state;
	start_type(RC);
	program_send_inline(&a, remote(WRITE, &b), "carried along", 14);
	computers_run(&all, INT64_MAX);
	program_expect(&a, SUCCESS);
	assert_string_equal(program_bytes(&b, DST(b)), "carried along");
	for (int i = 0; i < 3; i++)
		pieces[i] = (struct card_piece){ a.buffer_at + 2000 * (uint64_t)(2 - i), 1500, a.region };
	wqe = remote(WRITE, &b);
	wqe.pieces = 3;
	program_put(&a, wqe, pieces);
	wqe.flags = 0;
	program_put(&a, wqe, pieces);
	wqe.flags = SIGNALLED;
	program_put(&a, wqe, pieces);
	program_ring(&a);
	computers_run(&all, INT64_MAX);
	program_expect(&a, SUCCESS);
	assert_int_equal(program_expect(&a, SUCCESS).index, 3);
	for (int i = 0; i < 3; i++)
		assert_memory_equal(program_bytes(&b, DST(b) + 1500 * (uint64_t)i),
				    program_bytes(&a, pieces[i].address), 1500);
	end();
}

static void test_unreliable(void **state)
{
	(void)state;
	start_type(UC);
	program_receive(&b, 1, DST(b), 5000);
	program_send(&a, remote(SEND, &b), a.buffer_at, 3000);
	program_send(&a, remote(WRITE, &b), a.buffer_at, 5000);
	computers_run(&all, INT64_MAX);
	program_expect(&a, SUCCESS);
	program_expect(&a, SUCCESS);
	program_expect(&b, SUCCESS);
	assert_memory_equal(program_bytes(&a, a.buffer_at), program_bytes(&b, DST(b)), 5000);
	assert_int_equal(all.one[1].packets, 0);
	end();
}

static void test_datagram(void **state)
{
	struct card_address to = { .peer = CARD_OTHER,
				   .qkey = 0x1111,
				   .from = { [10] = 255, 255, 10, 0, 0, 1 },
				   .to = { [10] = 255, 255, 10, 0, 0, 2 } };
	struct card_cqe entry;

	(void)state;
	start_type(UD);
	to.peer_qp = b.qp;
	program_receive(&b, 9, DST(b), 2000);
	program_send_to(&a, (struct card_wqe){ .opcode = SEND, .flags = SIGNALLED }, to, a.buffer_at, 1000);
	to.qkey = 0x2222;
	program_send_to(&a, (struct card_wqe){ .opcode = SEND, .flags = SIGNALLED }, to, a.buffer_at, 1000);
	computers_run(&all, INT64_MAX);
	program_expect(&a, SUCCESS);
	program_expect(&a, SUCCESS);
	entry = program_expect(&b, SUCCESS);
	assert_int_equal(entry.bytes, 1040);
	assert_int_equal(entry.flags, HAS_GRH);
	assert_int_equal(entry.source_qp, a.qp);
	assert_memory_equal(program_bytes(&a, a.buffer_at), program_bytes(&b, DST(b) + 40), 1000);
	assert_int_equal(*program_bytes(&b, DST(b) + 20), 0x45);
	assert_int_equal(*program_bytes(&b, DST(b) + 32), 10);
	assert_false(program_poll(&b, &entry));
	end();
}

static void test_loopback(void **state)
{
	(void)state;
	computers_start(&all, &costs, 1000);
	a = program_new(&all.one[0], 1, RC, 64, 16, ALL);
	b = program_new(&all.one[0], 2, RC, 64, 16, ALL);
	a.attributes.peer = b.attributes.peer = CARD_HERE;
	program_connect(&a, &b);
	program_receive(&b, 9, DST(b), 2000);
	memset(program_bytes(&a, a.buffer_at), 42, 2000);
	program_send(&a, remote(SEND, &b), a.buffer_at, 2000);
	computers_run(&all, INT64_MAX);
	program_expect(&a, SUCCESS);
	program_expect(&b, SUCCESS);
	assert_memory_equal(program_bytes(&a, a.buffer_at), program_bytes(&b, DST(b)), 2000);
	assert_int_equal(all.one[0].packets, 0);
	end();
}

static void test_shared_receives(void **state)
{
	(void)state;
	computers_start(&all, &costs, 1000);
	a = program_new(&all.one[0], 1, RC, 64, 16, ALL);
	b = program_sharing(&all.one[1], 2, RC, 64, 16, ALL);
	program_connect(&a, &b);
	for (uint64_t i = 0; i < 3; i++)
		program_receive(&b, i, DST(b) + 100 * i, 100);
	for (uint64_t i = 0; i < 3; i++)
		program_send(&a, remote(SEND, &b), a.buffer_at + i, 100);
	computers_run(&all, INT64_MAX);
	for (uint64_t i = 0; i < 3; i++) {
		program_expect(&a, SUCCESS);
		assert_int_equal(program_expect(&b, SUCCESS).wr_id, i);
		assert_memory_equal(program_bytes(&a, a.buffer_at + i), program_bytes(&b, DST(b) + 100 * i), 100);
	}
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_send),
		cmocka_unit_test(test_write_imm),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_many_reads),
		cmocka_unit_test(test_atomics),
		cmocka_unit_test(test_inline_and_lists),
		cmocka_unit_test(test_unreliable),
		cmocka_unit_test(test_datagram),
		cmocka_unit_test(test_loopback),
		cmocka_unit_test(test_shared_receives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
