/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each operation of each type of queue pair, byte for byte. */
#include "check.h"
#include "hosts.h"

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

static void fill(void)
{
	for (uint64_t i = 0; i < PART_BYTES; i++) {
		*program_bytes(&a, a.buffer_at + i) = (uint8_t)(i * 7 + i / 251);
		*program_bytes(&b, b.buffer_at + i) = (uint8_t)(i * 11 + i / 241);
	}
}

static void start(uint32_t type)
{
	pair_start(&costs, type, 256, 64, false);
	fill();
}

/* The same with both programs on one host. */
static void start_on_one_host(const struct costs *c, uint64_t buffer_bytes)
{
	hosts_start(c, 1000);
	hosts.buffer_bytes = buffer_bytes;
	a = program_new(0, 1, RC, 64, 16, false);
	b = program_new(0, 2, RC, 64, 16, false);
	a.attributes.peer = b.attributes.peer = CARD_HERE;
	program_connect(&a, &b);
	fill();
}

static void expect_equal(uint64_t at_a, uint64_t at_b, uint64_t bytes)
{
	assert_memory_equal(program_bytes(&a, at_a), program_bytes(&b, at_b), bytes);
}

/* Both completions of a message that uses a receive. */
static void expect_received(uint32_t opcode, uint32_t bytes)
{
	const struct card_cqe entry = program_expect(&b, SUCCESS);
	const bool has_imm = opcode != SEND;

	assert_int_equal(entry.wr_id, 5);
	assert_int_equal(entry.bytes, bytes);
	assert_int_equal(entry.opcode, opcode == WRITE_IMM ? ENTRY_RECV_IMM : ENTRY_RECV);
	assert_int_equal(entry.flags, has_imm ? HAS_IMM : 0);
	assert_int_equal(entry.imm, has_imm ? 0x01020304 : 0);
}

/* One request; at the target, no byte after its last one changes. */
static void transfer(uint32_t opcode, uint32_t bytes)
{
	const uint64_t from = opcode == READ ? pair_target(&a) : a.buffer_at;
	struct program *const to = opcode == READ ? &a : &b;
	struct card_wqe wqe = pair_wqe(opcode);
	struct card_cqe entry;

	memset(program_bytes(to, pair_target(to)), 0, 400000);
	if (opcode == READ)
		wqe.remote = b.buffer_at;
	if (verbs_takes(opcode))
		program_receive(&b, 5, opcode == WRITE_IMM ? 0 : pair_target(&b), opcode == WRITE_IMM ? 0 : 400000);
	program_send(&a, wqe, from, bytes);
	hosts_run();
	entry = program_expect(&a, SUCCESS);
	assert_int_equal(entry.wr_id, 77);
	assert_int_equal(entry.bytes, bytes);
	if (verbs_takes(opcode))
		expect_received(opcode, bytes);
	expect_equal(from, wqe.remote, bytes);
	assert_int_equal(*program_bytes(to, pair_target(to) + bytes), 0);
}

TEST(each_operation_of_any_size_moves_its_bytes_and_no_others)
{
	static const uint32_t sizes[] = { 0, 1, 777, 1023, 1024, 1025, 4096, 300001 };

	for (uint32_t type = RC; type <= UC; type++) {
		start(type);
		for (uint32_t opcode = WRITE; opcode <= (type == UC ? SEND_IMM : READ); opcode++)
			for (size_t i = 0; i < COUNT(sizes); i++)
				transfer(opcode, sizes[i]);
		if (type == UC)
			assert_int_equal(hosts.host[1].packets, 0); /* nothing is acknowledged */
	}
}

TEST(more_reads_than_may_be_outstanding_wait_for_each_other)
{
	start(RC);
	for (uint32_t i = 0; i < 40; i++) {
		struct card_wqe wqe = pair_wqe(i % 3 ? READ : WRITE);

		if (i % 3)
			wqe.remote = b.buffer_at + i * 5000;
		program_send(&a, wqe, i % 3 ? pair_target(&a) + i * 5000 : a.buffer_at, 5000);
	}
	hosts_run();
	for (uint32_t i = 0; i < 40; i++) {
		program_expect(&a, SUCCESS);
		if (i % 3)
			expect_equal(pair_target(&a) + i * 5000, b.buffer_at + i * 5000, 5000);
	}
}

TEST(atomics_return_the_old_value_and_store_the_new_one)
{
	static const struct {
		uint32_t opcode;
		uint64_t compare_add, swap, old;
	} cases[] = { { FADD, 5, 0, 0 }, { FADD, 5, 0, 5 }, { CAS, 10, 99, 10 }, { CAS, 10, 77, 99 } };
	uint64_t values[COUNT(cases)], last;

	start(RC);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct card_wqe wqe = pair_wqe(cases[i].opcode);

		wqe.compare_add = cases[i].compare_add;
		wqe.swap = cases[i].swap;
		program_send(&a, wqe, pair_target(&a) + 8 * i, 8);
	}
	hosts_run();
	memcpy(values, program_bytes(&a, pair_target(&a)), sizeof(values));
	for (size_t i = 0; i < COUNT(cases); i++) {
		program_expect(&a, SUCCESS);
		assert_int_equal(values[i], cases[i].old);
	}
	memcpy(&last, program_bytes(&b, pair_target(&b)), sizeof(last));
	assert_int_equal(last, 99);
}

TEST(data_may_be_inline_or_in_several_pieces_and_packets_show_how_they_were_posted)
{
	struct card_wqe wqe;
	struct card_piece pieces[3];

	start(RC);
	program_send_inline(&a, pair_wqe(WRITE), "carried along", 14);
	hosts_run();
	program_expect(&a, SUCCESS);
	assert_string_equal(program_bytes(&b, pair_target(&b)), "carried along");
	for (uint64_t i = 0; i < 3; i++)
		pieces[i] = (struct card_piece){ a.buffer_at + 2000 * (2 - i), 1500, a.region };
	wqe = pair_wqe(WRITE);
	wqe.pieces = 3;
	for (int i = 0; i < 3; i++) {
		wqe.flags = i == 1 ? 0 : SIGNALLED;
		program_put(&a, wqe, pieces);
	}
	program_ring(&a);
	hosts_run();
	program_expect(&a, SUCCESS);
	assert_int_equal(program_expect(&a, SUCCESS).index, 3);
	for (uint64_t i = 0; i < 3; i++)
		expect_equal(pieces[i].address, pair_target(&b) + 1500 * i, 1500);
	assert_int_equal(hosts.posted[(INSIDE | REPORTED | RUNG) / INSIDE], 1);
	assert_int_equal(hosts.posted[(REPORTED | RUNG) / INSIDE], 1); /* of three for one doorbell */
	assert_int_equal(hosts.posted[REPORTED / INSIDE], 1);
	assert_int_equal(hosts.posted[0], 1);
}

TEST(a_datagram_arrives_behind_an_ip_header_and_only_with_the_right_key)
{
	struct card_address to = { .peer = 2,
				   .qkey = 0x1111,
				   .from = { [10] = 255, 255, 10, 0, 0, 1 },
				   .to = { [10] = 255, 255, 10, 0, 0, 2 } };
	struct card_cqe entry;
	uint64_t at;

	start(UD);
	at = pair_target(&b);
	to.peer_qp = b.qp;
	program_receive(&b, 9, at, 2000);
	program_send_to(&a, (struct card_wqe){ .opcode = SEND, .flags = SIGNALLED }, to, a.buffer_at, 1000);
	to.qkey = 0x2222;
	program_send_to(&a, (struct card_wqe){ .opcode = SEND, .flags = SIGNALLED }, to, a.buffer_at, 1000);
	hosts_run();
	program_expect(&a, SUCCESS);
	program_expect(&a, SUCCESS);
	entry = program_expect(&b, SUCCESS);
	assert_int_equal(entry.bytes, 1040);
	assert_int_equal(entry.flags, HAS_GRH);
	assert_int_equal(entry.source_qp, a.qp);
	expect_equal(a.buffer_at, at + 40, 1000);
	assert_int_equal(*program_bytes(&b, at + 20), 0x45);
	assert_int_equal(*program_bytes(&b, at + 32), 10);
	assert_false(program_poll(&b, &entry));
}

TEST(a_message_to_the_same_host_does_not_use_the_link)
{
	start_on_one_host(&costs, 4 << 20);
	transfer(SEND, 2000);
	assert_int_equal(hosts.host[0].packets, 0);
}

TEST(a_card_that_is_told_to_pause_sends_nothing_until_it_is_told_to_go_on)
{
	uint64_t before;

	start(RC);
	program_send(&a, pair_wqe(WRITE), a.buffer_at, 300000);
	hosts_run_until(20000);
	before = a.host->packets;
	assert_in_range(before, 1, 290);
	card_pause(&a.host->card, hosts.now_ns, true);
	program_send(&a, pair_wqe(WRITE), a.buffer_at, 300000);
	hosts_run_until(60000000); /* less than the timeout of an acknowledgement */
	assert_int_equal(a.host->packets, before);
	card_pause(&a.host->card, hosts.now_ns, false);
	hosts_run();
	for (int i = 0; i < 2; i++)
		program_expect(&a, SUCCESS);
	expect_equal(a.buffer_at, pair_target(&b), 300000);
	assert_int_equal(a.host->packets, 2 * 293);
}

static struct program one[HOSTS - 1], other[HOSTS - 1]; /* of the first host; their peers, each on another one */

static void start_several(void)
{
	hosts_start(&costs, 1000);
	for (int i = 0; i < HOSTS - 1; i++) {
		one[i] = program_new(0, 1 + (uint32_t)i, RC, 64, 16, false);
		other[i] = program_new(1 + i, 1, RC, 64, 16, false);
		one[i].attributes.peer = 2 + (uint32_t)i;
		program_connect(&one[i], &other[i]);
		memset(program_bytes(&one[i], one[i].buffer_at), 10 + i, PART_BYTES);
		memset(program_bytes(&other[i], other[i].buffer_at), 20 + i, PART_BYTES);
	}
}

static void write_to(struct program *from, struct program *to, int status)
{
	b = *to;
	program_send(from, pair_wqe(WRITE), from->buffer_at, 3000);
	hosts_run();
	program_expect(from, (uint32_t)status);
}

TEST(queue_pairs_of_one_card_have_peers_on_several_hosts)
{
	start_several();
	for (int i = 0; i < HOSTS - 1; i++) {
		write_to(&one[i], &other[i], SUCCESS);
		assert_int_equal(*program_bytes(&other[i], pair_target(&other[i]) + 2999), 10 + i);
		write_to(&other[i], &one[i], SUCCESS);
		assert_int_equal(*program_bytes(&one[i], pair_target(&one[i]) + 2999), 20 + i);
	}
}

/* Cards give the same numbers to their queue pairs, so only the number of the host distinguishes the two senders. */
TEST(a_queue_pair_hears_no_other_host_than_its_peers)
{
	start_several();
	assert_int_equal(other[0].qp, other[1].qp);
	other[1].attributes.peer_qp = one[0].qp;
	assert_int_equal(program_set(&other[1], RTS), 0);
	write_to(&other[1], &one[0], RETRIES_EXCEEDED);
	assert_int_equal(*program_bytes(&one[0], pair_target(&one[0])), 0);
}

static uint64_t waiting_most;
static bool (*access_memory)(struct world *, uint64_t, void *, size_t, bool);

/* Counts the payloads between this card's port and its memory. */
static bool count_waiting(struct world *w, uint64_t at, void *buffer, size_t size, bool is_write)
{
	static uint64_t calls;
	const struct arrival *each;
	uint64_t bytes = 0;

	if (++calls % 64 == 0)
		STAILQ_FOREACH(each, &((struct host *)w)->card.arrivals, entry)
	bytes += each->packet.bytes;
	waiting_most = bytes > waiting_most ? bytes : waiting_most;
	return access_memory(w, at, buffer, size, is_write);
}

TEST(a_large_read_from_the_same_host_holds_a_bounded_amount_of_memory)
{
	struct costs unpaced = costs;

	unpaced.bus_bit_s = 0;
	start_on_one_host(&unpaced, 10 << 20);
	access_memory = a.host->world.access;
	a.host->world.access = count_waiting;
	program_send(&a, pair_wqe(READ), pair_target(&a), 8 << 20);
	hosts_run_until(60000000); /* less than the timeout after which the READ is sent again */
	program_expect(&a, SUCCESS);
	expect_equal(pair_target(&a), pair_target(&b), 8 << 20);
	assert_in_range(waiting_most, 1 << 18, 5 << 18);
}

TEST(a_shared_receive_queue_is_used_in_order)
{
	pair_start(&costs, RC, 64, 16, true);
	fill();
	for (uint64_t i = 0; i < 3; i++)
		program_receive(&b, i, pair_target(&b) + 100 * i, 100);
	for (uint64_t i = 0; i < 3; i++)
		program_send(&a, pair_wqe(SEND), a.buffer_at + i, 100);
	hosts_run();
	for (uint64_t i = 0; i < 3; i++) {
		program_expect(&a, SUCCESS);
		assert_int_equal(program_expect(&b, SUCCESS).wr_id, i);
		expect_equal(a.buffer_at + i, pair_target(&b) + 100 * i, 100);
	}
}

RUN_TESTS("operations", NULL, hosts_end_well)
