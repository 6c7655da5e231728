/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each kind of failure: the status at both ends, the states, the events, and the memory that is not written. */
#include <pthread.h>

#include "check.h"
#include "hosts.h"

#define NO_EVENT (-1)

static const struct costs costs = {
	.header_bytes = 82, .rate_bit_s = 40000000000ull, .write_ps = 150000, .irq_ps = 1000
};

static int start(void **state)
{
	pair_start(&costs, RC, 64, 16, false);
	memset(program_bytes(&a, a.buffer_at), 0xaa, 8192);
	return 0;
}

static void send(uint32_t opcode, uint32_t bytes)
{
	program_send(&a, pair_wqe(opcode), a.buffer_at, bytes);
}

static void send_alone(uint32_t opcode, uint32_t bytes, uint32_t status)
{
	send(opcode, bytes);
	hosts_run();
	program_expect(&a, status);
}

/* The kind of the next event of a program's card. */
static int event(struct program *p)
{
	const uint64_t word = card_read(&p->host->card, CARD_EVENT);

	if (word)
		assert_int_equal((uint32_t)word, p->owner);
	return word ? (int)(word >> 32) : NO_EVENT;
}

static void expect_untouched(void)
{
	static const uint8_t zeros[8192];

	assert_memory_equal(program_bytes(&b, pair_target(&b)), zeros, sizeof(zeros));
}

/* The differences from a valid request of 8 bytes. */
struct request_case {
	const char *name;
	uint32_t opcode, status;
	int event; /* of the target, which then fails too */
	uint32_t bytes, remote_key;
	int64_t remote_offset;
	uint64_t remote;
	uint32_t region_denies, qp_denies, region_pd; /* accesses */
	uint32_t local_key;
	uint64_t local_offset;
	bool is_read_only;
};

static void expect_refused(const struct request_case *c)
{
	struct card_wqe wqe = pair_wqe(c->opcode);

	print_message("%s, operation %u\n", c->name, c->opcode);
	if (c->region_denies || c->region_pd)
		wqe.rkey = program_region(&b, b.buffer_at, b.buffer_bytes, ALL & ~c->region_denies,
					  c->region_pd ? c->region_pd : 1);
	if (c->qp_denies) {
		b.attributes.access = ALL & ~c->qp_denies;
		assert_int_equal(program_set(&b, RTS), 0);
	}
	if (c->is_read_only)
		a.region = program_region(&a, a.buffer_at, a.buffer_bytes, 0, 1);
	a.region += c->local_key;
	wqe.rkey += c->remote_key;
	wqe.remote = c->remote ? c->remote : wqe.remote + (uint64_t)c->remote_offset;
	program_send(&a, wqe, a.buffer_at + c->local_offset, c->bytes ? c->bytes : 8);
	hosts_run();
	program_expect(&a, c->status);
	assert_int_equal(program_state(&a), ERR);
	assert_int_equal(program_state(&b), c->event == NO_EVENT ? RTS : ERR);
	assert_int_equal(event(&b), c->event);
	expect_untouched();
	assert_int_equal(*program_bytes(&a, a.buffer_at), 0xaa);
}

TEST(an_invalid_request_is_refused)
{
	static const struct request_case cases[] = {
		{ "wrong key", WRITE, REMOTE_ACCESS, QP_ACCESS_ERROR, .remote_key = 4096 },
		{ "beyond the region", WRITE, REMOTE_ACCESS, QP_ACCESS_ERROR, .bytes = 3000,
		  .remote_offset = 3 * PART_BYTES - 1000 },
		{ "before the region", READ, REMOTE_ACCESS, QP_ACCESS_ERROR, .remote_offset = -PART_BYTES - 1 },
		{ "around the address space", READ, REMOTE_ACCESS, QP_ACCESS_ERROR, .remote = UINT64_MAX - 5 },
		{ "region's access", WRITE, REMOTE_ACCESS, QP_ACCESS_ERROR, .region_denies = REMOTE_WRITE },
		{ "region's access", READ, REMOTE_ACCESS, QP_ACCESS_ERROR, .region_denies = REMOTE_READ },
		{ "region's access", CAS, REMOTE_ACCESS, QP_ACCESS_ERROR, .region_denies = REMOTE_ATOMIC },
		{ "region's access", FADD, REMOTE_ACCESS, QP_ACCESS_ERROR, .region_denies = REMOTE_ATOMIC },
		{ "queue pair's access", WRITE, REMOTE_INVALID, QP_REQUEST_ERROR, .qp_denies = REMOTE_WRITE },
		{ "queue pair's access", READ, REMOTE_INVALID, QP_REQUEST_ERROR, .qp_denies = REMOTE_READ },
		{ "queue pair's access", CAS, REMOTE_INVALID, QP_REQUEST_ERROR, .qp_denies = REMOTE_ATOMIC },
		{ "queue pair's access", FADD, REMOTE_INVALID, QP_REQUEST_ERROR, .qp_denies = REMOTE_ATOMIC },
		{ "protection domain", WRITE, REMOTE_ACCESS, QP_ACCESS_ERROR, .region_pd = 2 },
		{ "unaligned atomic", CAS, REMOTE_INVALID, QP_REQUEST_ERROR, .remote_offset = 1 },
		{ "wrong local key", WRITE, LOCAL_PROTECTION, NO_EVENT, .local_key = 4096 },
		{ "beyond the local region", WRITE, LOCAL_PROTECTION, NO_EVENT, .local_offset = (4 << 20) - 1 },
		{ "read-only memory", READ, LOCAL_PROTECTION, NO_EVENT, .is_read_only = true },
		{ "unknown operation", OPCODES, LOCAL_OPERATION, NO_EVENT, .bytes = 8 },
		{ "atomic of four bytes", CAS, LOCAL_LENGTH, NO_EVENT, .bytes = 4 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		start(NULL);
		expect_refused(&cases[i]);
	}
}

TEST(a_region_of_another_program_is_not_written)
{
	struct program other = program_new(1, 3, RC, 4, 4, false);
	struct card_wqe wqe = pair_wqe(WRITE);

	wqe.rkey = other.region;
	wqe.remote = other.buffer_at;
	program_send(&a, wqe, a.buffer_at, 8);
	hosts_run();
	program_expect(&a, REMOTE_ACCESS);
	assert_int_equal(event(&b), QP_ACCESS_ERROR);
	assert_int_equal(*program_bytes(&other, other.buffer_at), 0);
}

/* The completion of the receive reports the error, which therefore causes no event. */
TEST(a_receive_that_cannot_take_the_message_fails_at_both_ends)
{
	for (int is_short = 0; is_short < 2; is_short++) {
		start(NULL);
		b.region += is_short ? 0 : 4096; /* or else it has a wrong key */
		program_receive(&b, 3, pair_target(&b), 1500);
		send_alone(SEND, is_short ? 3000 : 300, is_short ? REMOTE_INVALID : REMOTE_OPERATION);
		assert_int_equal(program_expect(&b, is_short ? LOCAL_LENGTH : LOCAL_PROTECTION).wr_id, 3);
		assert_int_equal(program_state(&b), ERR);
		assert_int_equal(event(&b), NO_EVENT);
		if (!is_short)
			expect_untouched();
	}
}

/* Without acknowledgements, only the receiver can see it. */
TEST(an_unreliable_message_longer_than_its_receive_fails_the_receiver)
{
	pair_start(&costs, UC, 64, 16, false);
	program_receive(&b, 3, pair_target(&b), 1500);
	program_receive(&b, 4, pair_target(&b), 1500);
	send_alone(SEND, 3000, SUCCESS);
	assert_int_equal(program_expect(&b, LOCAL_LENGTH).wr_id, 3);
	assert_int_equal(program_expect(&b, FLUSHED).wr_id, 4);
	assert_int_equal(program_state(&b), ERR);
	assert_int_equal(program_state(&a), RTS);
	assert_int_equal(event(&b), NO_EVENT);
}

/* READs and atomics in flight: as many as the requester was allowed, of which the responder answers fewer. */
TEST(a_target_refuses_more_reads_at_once_than_it_allows_and_a_sender_without_any_sends_none)
{
	static const struct {
		uint32_t opcode, reads, peer_reads, posted, done, status;
	} cases[] = {
		{ READ, 1, 1, 8, 8, SUCCESS },         { READ, 16, 16, 16, 16, SUCCESS },
		{ FADD, 4, 4, 16, 16, SUCCESS },       { READ, 16, 1, 8, 1, REMOTE_INVALID },
		{ READ, 16, 4, 8, 4, REMOTE_INVALID }, { READ, 1, 0, 1, 0, REMOTE_INVALID },
		{ FADD, 1, 0, 1, 0, REMOTE_INVALID },  { READ, 0, 4, 1, 0, LOCAL_OPERATION },
		{ CAS, 0, 4, 1, 0, LOCAL_OPERATION },  { WRITE, 0, 0, 4, 4, SUCCESS },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		start(NULL);
		a.attributes.reads = cases[i].reads;
		b.attributes.peer_reads = cases[i].peer_reads;
		assert_int_equal(program_set(&a, RTS) + program_set(&b, RTS), 0);
		for (uint32_t n = 0; n < cases[i].posted; n++)
			send(cases[i].opcode, cases[i].opcode > READ ? 8 : 20000);
		hosts_run();
		for (uint32_t n = 0; n < cases[i].done; n++)
			program_expect(&a, SUCCESS);
		if (cases[i].status)
			program_expect(&a, cases[i].status);
		assert_int_equal(program_state(&a), cases[i].status ? ERR : RTS);
		assert_int_equal(program_state(&b), cases[i].status == REMOTE_INVALID ? ERR : RTS);
		assert_int_equal(event(&b), cases[i].status == REMOTE_INVALID ? QP_REQUEST_ERROR : NO_EVENT);
	}
}

static bool loses_after_a_microsecond(uint64_t number)
{
	return hosts.now_ns > 1000 && hosts.now_ns < 1000000;
}

/* 100 packets of 1024 bytes, of which most are lost while the state changes. */
TEST(a_draining_queue_pair_completes_what_has_begun_and_only_that)
{
	hosts.is_lost = loses_after_a_microsecond;
	send(WRITE, 102400);
	hosts_run_until(1000);
	a.attributes.notifies_drained = 1;
	assert_int_equal(program_set(&a, SQD), 0);
	send(WRITE, 8);
	hosts_run_until(10000000);
	assert_int_equal(event(&a), NO_EVENT); /* nothing repeats the lost packet before the timeout of 67 ms */
	hosts_run();
	program_expect(&a, SUCCESS);
	assert_false(program_poll(&a, &(struct card_cqe){ 0 }));
	assert_int_equal(event(&a), SQ_DRAINED);
	assert_int_equal(event(&a), NO_EVENT);
	assert_int_equal(program_set(&a, RTS), 0);
	hosts_run();
	program_expect(&a, SUCCESS);
	assert_int_equal(program_set(&a, SQD), 0); /* idle */
	hosts_run();
	assert_int_equal(event(&a), SQ_DRAINED);
	a.attributes.notifies_drained = 0;
	assert_int_equal(program_set(&a, RTS) + program_set(&a, SQD), 0);
	hosts_run();
	assert_int_equal(event(&a), NO_EVENT);
}

TEST(a_failed_queue_pair_flushes_earlier_and_later_requests)
{
	struct card_wqe unsignalled = pair_wqe(WRITE);

	unsignalled.wr_id = 8;
	unsignalled.flags = 0;
	program_receive(&a, 70, a.buffer_at, 100);
	a.region += 4096;
	send(WRITE, 8);
	program_send(&a, unsignalled, a.buffer_at, 8);
	hosts_run();
	program_expect(&a, LOCAL_PROTECTION);
	assert_int_equal(program_expect(&a, FLUSHED).wr_id, 8);
	assert_int_equal(program_expect(&a, FLUSHED).wr_id, 70);
	send(WRITE, 8);
	program_receive(&a, 71, a.buffer_at, 100);
	hosts_run();
	assert_int_equal(program_expect(&a, FLUSHED).wr_id, 71);
	assert_int_equal(program_expect(&a, FLUSHED).wr_id, 77);
	expect_untouched();
}

TEST(a_destroyed_or_closed_peer_costs_all_retries)
{
	static const uint32_t ops[] = { CARD_DESTROY, CARD_CLOSE };

	for (size_t i = 0; i < COUNT(ops); i++) {
		struct card_command c = { .op = ops[i], .owner = b.owner };

		start(NULL);
		c.handle = b.qp;
		assert_int_equal(host_command(b.host, &c, 0), 0);
		a.attributes.retries = 2;
		assert_int_equal(program_set(&a, RTS), 0);
		send_alone(WRITE, 8, RETRIES_EXCEEDED);
		assert_in_range(hosts.now_ns, 3 * (4096ll << 14), 4 * (4096ll << 14));
		expect_untouched();
	}
}

static void set_rnr(uint32_t retries, uint32_t timer)
{
	a.attributes.rnr_retries = retries;
	assert_int_equal(program_set(&a, RTS), 0);
	b.attributes.rnr_timer = timer;
	assert_int_equal(program_set(&b, RTS), 0);
}

TEST(a_missing_receive_fails_after_the_retries_unless_it_comes_in_time)
{
	set_rnr(2, 12); /* 0.64 ms */
	send_alone(SEND, 8, RNR_EXCEEDED);
	assert_int_equal(program_state(&b), RTS);
	assert_int_equal(a.host->early, 3);
	assert_int_equal(b.host->early, 0);

	start(NULL);
	set_rnr(RNR_FOREVER, 12);
	send(SEND, 5000);
	send(SEND, 10);
	hosts_run_until(2000000);
	assert_int_equal(a.host->early, 4); /* at once, and after each 0.64 ms */
	program_receive(&b, 1, pair_target(&b), 5000);
	program_receive(&b, 2, pair_target(&b), 5000);
	hosts_run();
	assert_int_equal(a.host->early, 4);
	program_expect(&a, SUCCESS);
	program_expect(&a, SUCCESS);
	assert_int_equal(program_expect(&b, SUCCESS).bytes, 5000);
	assert_int_equal(program_expect(&b, SUCCESS).bytes, 10);
}

TEST(an_overrun_completion_queue_fails_its_queue_pairs)
{
	struct card_cqe entry;

	pair_start(&costs, RC, 4, 16, false);
	for (int i = 0; i < 6; i++)
		send(WRITE, 0);
	hosts_run();
	assert_int_equal(program_state(&a), ERR);
	assert_int_equal(event(&a), CQ_ERROR);
	assert_int_equal(event(&a), QP_FATAL);
	assert_int_equal(event(&a), NO_EVENT);
	for (int i = 0; i < 4; i++)
		program_expect(&a, SUCCESS);
	assert_false(program_poll(&a, &entry));
}

/* The completion that reports a queue pair's failure finds no room: QP_FATAL must replace it, and the queue pair still
 * has only one last receive. */
TEST(a_queue_pair_that_fails_as_its_completion_queue_overruns_has_each_event_once)
{
	static const int events[] = { CQ_ERROR, QP_FATAL, LAST_RECEIVE, NO_EVENT };

	pair_start(&costs, RC, 4, 16, true);
	for (uint64_t i = 0; i < 5; i++) {
		program_receive(&b, i, pair_target(&b), i < 4 ? 8 : 4); /* the last one is too short */
		send_alone(SEND, 8, i < 4 ? SUCCESS : REMOTE_INVALID);
	}
	assert_int_equal(program_state(&b), ERR);
	for (size_t i = 0; i < COUNT(events); i++)
		assert_int_equal(event(&b), events[i]);
	for (int i = 0; i < 4; i++)
		program_expect(&b, SUCCESS);
}

enum { CHAIN = 2000, STACK = 128 << 10 };

static void *run_hosts(void *unused)
{
	hosts_run();
	return unused;
}

/* Each queue pair has a receive whose flush overruns the completion queue of the next one. */
TEST(a_chain_of_overruns_needs_little_stack)
{
	const uint64_t full = UINT64_MAX; /* of all queues, which share a page: consumed before anything is produced */
	struct card_command cq = { .op = CARD_CREATE_CQ, .arguments.cq.entries = 1 }, qp = { .op = CARD_CREATE_QP };
	pthread_attr_t little;
	pthread_t thread;
	uint32_t cqs[CHAIN + 1], qps[CHAIN];

	memcpy(program_bytes(&a, a.buffer_at), &full, sizeof(full));
	for (int i = 0; i <= CHAIN; i++)
		program_create(&a, cq, 4096, a.buffer_at, &cqs[i]);
	for (int i = 0; i < CHAIN; i++) {
		qp.arguments.qp = (struct card_qp){ .type = RC,
						    .send_slots = 1,
						    .send_slot_bytes = 64,
						    .recv_slots = 1,
						    .recv_slot_bytes = 64,
						    .send_cq = cqs[i],
						    .recv_cq = cqs[i + 1] };
		program_create(&a, qp, 4096, a.buffer_at, &qps[i]);
		a.qp = qps[i];
		assert_int_equal(program_set(&a, INIT), 0);
		host_write(a.host, (1ull + a.page) * CARD_PAGE_BYTES + CARD_RECV, (uint64_t)qps[i] << 32 | 1);
	}
	a.qp = qps[0];
	assert_int_equal(program_set(&a, ERR), 0);
	pthread_attr_init(&little);
	assert_int_equal(pthread_attr_setstacksize(&little, STACK), 0);
	assert_int_equal(pthread_create(&thread, &little, run_hosts, NULL), 0);
	pthread_join(thread, NULL);
	for (int i = 0; i < CHAIN; i++) {
		a.qp = qps[i];
		assert_int_equal(program_state(&a), ERR);
	}
}

TEST(a_doorbell_page_rings_only_for_objects_of_its_owner)
{
	struct program thief = program_new(0, 3, RC, 4, 4, false);
	struct card_cqe entry;

	program_put(&a, (struct card_wqe){ .opcode = WRITE, .flags = SIGNALLED }, &(struct card_piece){ .bytes = 0 });
	thief.qp = a.qp;
	thief.sends = a.sends;
	program_ring(&thief);
	thief.cq = a.cq;
	program_arm(&thief, false);
	thief.page = 60; /* nobody's */
	program_ring(&thief);
	hosts_run();
	assert_false(program_poll(&a, &entry));
	assert_int_equal(a.host->packets, 0);
	program_ring(&a);
	hosts_run();
	program_expect(&a, SUCCESS);
	assert_int_equal(event(&a), NO_EVENT);
}

TEST(commands_work_only_on_objects_of_their_owner)
{
	struct card_command c = { .owner = 9, .handle = a.qp };

	for (c.op = CARD_MODIFY_SRQ; c.op <= CARD_DESTROY; c.op++)
		assert_int_not_equal(host_command(a.host, &c, 0), 0);
	c = (struct card_command){ .op = CARD_CREATE_QP, .owner = 9, .length = 4096 };
	c.arguments.qp = (struct card_qp){
		.type = RC, .send_slots = 1, .send_slot_bytes = 64, .send_cq = a.cq, .recv_cq = a.cq
	};
	assert_int_not_equal(host_command(a.host, &c, a.buffer_at), 0);
	assert_int_equal(program_state(&a), RTS);
}

TEST(an_armed_completion_queue_reports_the_next_completion_once)
{
	struct card_wqe solicited = pair_wqe(SEND);

	solicited.flags |= SOLICITED;
	for (uint64_t i = 1; i <= 3; i++)
		program_receive(&b, i, pair_target(&b), 100);
	program_arm(&b, true);
	send(SEND, 8);
	hosts_run();
	assert_int_equal(event(&b), NO_EVENT);
	program_send(&a, solicited, a.buffer_at, 8);
	hosts_run();
	assert_int_equal(event(&b), CARD_COMPLETION);
	assert_int_equal(card_read(&b.host->card, CARD_COOKIE), 0xc0 + b.owner);
	assert_int_equal(event(&b), NO_EVENT);
	program_arm(&b, false); /* two have come since the program polled */
	hosts_run();
	assert_int_equal(event(&b), CARD_COMPLETION);
	program_expect(&b, SUCCESS);
	program_expect(&b, SUCCESS);
	program_arm(&b, false);
	hosts_run();
	assert_int_equal(event(&b), NO_EVENT);
	send(SEND, 8);
	hosts_run();
	assert_int_equal(event(&b), CARD_COMPLETION);
}

TEST(a_shared_receive_queue_reports_its_limit_and_the_last_receive)
{
	struct card_command c = { .op = CARD_MODIFY_SRQ, .arguments.srq.limit = 2 };

	pair_start(&costs, RC, 64, 16, true);
	program_receive(&b, 1, pair_target(&b), 100);
	program_receive(&b, 2, pair_target(&b), 100);
	c.owner = b.owner;
	c.handle = b.srq;
	assert_int_equal(host_command(b.host, &c, 0), 0);
	send(SEND, 8);
	hosts_run();
	assert_int_equal(event(&b), SRQ_LIMIT);
	assert_int_equal(program_set(&b, ERR), 0);
	hosts_run();
	assert_int_equal(event(&b), LAST_RECEIVE);
}

TEST(a_queue_pair_can_be_reset_and_connected_again)
{
	assert_int_equal(program_set(&a, ERR), 0);
	assert_int_equal(program_set(&a, RESET), 0);
	assert_int_equal(program_set(&b, RESET), 0);
	assert_int_not_equal(program_set(&a, RTS), 0);
	a.sends = b.sends = 0;
	program_connect(&a, &b);
	send_alone(WRITE, 8, SUCCESS);
}

RUN_TESTS("errors", start, hosts_end_well)
