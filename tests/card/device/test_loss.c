/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lost packets are sent again: whatever packets a link loses, all operations end as without loss. */
#include "check.h"
#include "hosts.h"

enum { OPERATIONS = 24, PART = 16384, COUNTER = OPERATIONS * PART, FAR = 2 << 20 };

static const struct costs costs = { .header_bytes = 30,
				    .rate_bit_s = 32000000000ull,
				    .doorbell_ps = 100000,
				    .fetch_ps = 400000,
				    .write_ps = 150000,
				    .gap_ps = 100000,
				    .ack_ps = 100000,
				    .irq_ps = 1000 };
static uint64_t loss_of_1000;

static bool loses_some(uint64_t number)
{
	return below(1000) < loss_of_1000;
}

static bool loses_second(uint64_t number)
{
	return number == 1;
}

static void start(uint32_t type, bool (*is_lost)(uint64_t number))
{
	pair_start(&costs, type, 256, 64, false);
	hosts.is_lost = is_lost;
	for (uint64_t i = 0; i < COUNTER; i++) {
		*program_bytes(&a, a.buffer_at + i) = (uint8_t)drawn();
		*program_bytes(&b, b.buffer_at + FAR + i) = (uint8_t)drawn();
	}
}

/* Returned bytes go to the far part of the buffer of a, and those of a READ come from that of b. */
static void post(uint32_t opcode, uint64_t at, uint32_t bytes)
{
	struct card_wqe wqe = pair_wqe(opcode);

	wqe.wr_id = at;
	wqe.remote = b.buffer_at + (opcode == READ ? FAR + at : opcode == FADD ? COUNTER : at);
	wqe.compare_add = 1;
	if (verbs_takes(opcode))
		program_receive(&b, at, b.buffer_at + at, PART);
	program_send(&a, wqe, a.buffer_at + (verbs_asks(opcode) ? FAR : 0) + at, bytes);
}

static void expect_done(uint32_t opcode, uint64_t at, uint32_t bytes, uint64_t *added)
{
	const uint64_t from = opcode == READ ? FAR + at : at;

	assert_int_equal(program_expect(&a, SUCCESS).wr_id, at);
	if (verbs_takes(opcode))
		assert_int_equal(program_expect(&b, SUCCESS).wr_id, at);
	if (opcode == FADD)
		assert_memory_equal(program_bytes(&a, a.buffer_at + FAR + at), added, sizeof(*added));
	else
		assert_memory_equal(program_bytes(&a, a.buffer_at + from), program_bytes(&b, b.buffer_at + from),
				    bytes);
	*added += opcode == FADD;
}

static void run_any_operations(void)
{
	uint32_t opcodes[OPERATIONS], bytes[OPERATIONS];
	uint64_t added = 0;

	start(RC, loses_some);
	for (uint64_t i = 0; i < OPERATIONS; i++) {
		opcodes[i] = (uint32_t)below(OPCODES);
		opcodes[i] = opcodes[i] == CAS ? FADD : opcodes[i];
		bytes[i] = opcodes[i] == FADD ? 8 : (uint32_t)below(PART);
		post(opcodes[i], i * PART, bytes[i]);
	}
	hosts_run();
	for (uint64_t i = 0; i < OPERATIONS; i++)
		expect_done(opcodes[i], i * PART, bytes[i], &added);
	assert_memory_equal(program_bytes(&b, b.buffer_at + COUNTER), &added, sizeof(added));
}

TEST(all_operations_succeed_once_at_up_to_5_per_cent_of_loss)
{
	for (uint64_t i = 0; i < 150; i++) {
		seed = i;
		loss_of_1000 = i % 50;
		run_any_operations();
	}
}

TEST(a_dead_link_fails_after_all_retries)
{
	loss_of_1000 = 1000;
	start(RC, loses_some);
	post(WRITE, 0, 3000);
	hosts_run();
	program_expect(&a, RETRIES_EXCEEDED);
	assert_in_range(hosts.now_ns, 8 * (4096ll << 14), 8 * (4096ll << 14) + 100000);
	assert_int_equal(hosts.host[0].packets, 8 * 3);
}

TEST(an_unreliable_message_that_lost_a_packet_is_not_received)
{
	start(UC, loses_second);
	program_receive(&b, 1, b.buffer_at, PART);
	program_send(&a, (struct card_wqe){ .opcode = SEND }, a.buffer_at, 3000);
	program_send(&a, (struct card_wqe){ .opcode = SEND }, a.buffer_at + PART, 2000);
	hosts_run();
	assert_int_equal(program_expect(&b, SUCCESS).bytes, 2000);
	assert_memory_equal(program_bytes(&a, a.buffer_at + PART), program_bytes(&b, b.buffer_at), 2000);
	assert_false(program_poll(&b, &(struct card_cqe){ 0 }));
}

RUN_TESTS("loss", NULL, hosts_end_well)
