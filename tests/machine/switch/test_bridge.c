/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A switch between machines that only write frames and promises, at the times and in the order of a test. */
#include "bridge.h"
#include "check.h"
#include "emulated.h"
#include "promise.h"
#include "rdma.h"

enum { LATENCY = 1000, FRAME = 76, ON_LINE = 100, ALL = 0xff }; /* bytes: with preamble, checksum and gap */

static struct bridge bridge;
static struct pair machines[MOST_PORTS];
static uint64_t taken[MOST_PORTS][WIRES];
static int files[MOST_PORTS];

static void plug(int count, uint64_t rate_bit_s, uint64_t queue_bytes)
{
	const struct wire_model link = { .latency_ns = LATENCY, .rate_bit_s = rate_bit_s, .queue_bytes = queue_bytes };
	char path[64];

	memset(&bridge, 0, sizeof(bridge));
	memset(taken, 0, sizeof(taken));
	for (int i = 0; i < count; i++) {
		files[i] = pair_file(path);
		assert_true(pair_open(&machines[i], 0, path));
		assert_true(bridge_plug(&bridge, path, &link));
	}
}

static int unplug(void **state)
{
	for (int i = 0; i < bridge.count; i++) {
		free(bridge.ports[i].queue.ring);
		pair_forget(&machines[i]);
		pair_forget(&bridge.ports[i].pair);
		close(files[i]);
	}
	return 0;
}

/* A frame between the machines of two ports, that arrives at the switch at a time. */
static struct frame *put(int from, int wire, int to, int64_t arrival)
{
	_Atomic uint64_t *const sent = &machines[from].mine->sent[wire];
	struct frame *const frame = ring_at(&machines[from].out[wire], *sent);

	*frame = (struct frame){ .arrival_ns = arrival, .size = FRAME, .verified = 1 };
	memset(frame->bytes, to == ALL ? ALL : 0, ADDRESS_BYTES);
	memcpy(frame->bytes + ADDRESS_BYTES, "\2\0\0\0\0", ADDRESS_BYTES);
	if (to != ALL)
		frame->bytes[0] = 2, frame->bytes[5] = (uint8_t)to;
	frame->bytes[11] = (uint8_t)from;
	*sent = ring_after(*sent, FRAME);
	return frame;
}

static void say(int port, int64_t until)
{
	promise_make(&machines[port], until, taken[port]);
}

static void all_say(int64_t until)
{
	for (int i = 0; i < bridge.count; i++)
		say(i, until);
}

static void work(void *unused)
{
	struct view view;

	bridge_work(&bridge, &view);
}

/* The next frame that comes to a machine over a wire; NULL if there is none. */
static const struct frame *next(int port, int wire)
{
	const uint64_t at = taken[port][wire];
	const struct frame *const frame = ring_at(&machines[port].in[wire], at);

	if (at == machines[port].other->sent[wire])
		return NULL;
	taken[port][wire] = ring_after(at, frame->size);
	return frame;
}

static void assert_next(int port, int wire, int from, int64_t arrival)
{
	const struct frame *const frame = next(port, wire);

	assert_non_null(frame);
	assert_int_equal(frame->bytes[11], from);
	assert_int_equal(frame->arrival_ns, arrival);
	assert_int_equal(frame->size, FRAME);
	assert_int_equal(frame->verified, 1);
}

TEST(a_frame_without_a_header_goes_nowhere)
{
	plug(2, 0, 0);
	put(0, LINK, ALL, 5000)->size = HEADER_BYTES - 1;
	machines[0].mine->sent[LINK] = ring_after(0, HEADER_BYTES - 1);
	put(0, LINK, ALL, 6000);
	all_say(10000);
	work(NULL);
	assert_next(1, LINK, 0, 7000);
	assert_null(next(1, LINK));
}

static int64_t promised(int port)
{
	return promise_of_other(&machines[port]);
}

TEST(a_machine_that_has_finished_holds_up_nobody)
{
	struct view view;

	plug(2, 0, 0);
	put(0, LINK, 1, 5000);
	pair_finish(&machines[0]);
	say(1, 30000);
	assert_true(bridge_work(&bridge, &view));
	assert_next(1, LINK, 0, 6000);
	assert_int_equal(promised(1), INT64_MAX);
	put(1, LINK, 0, 40000);
	pair_finish(&machines[1]);
	assert_false(bridge_work(&bridge, &view));
	assert_int_equal(bridge.ports[0].pair.mine->counts[LINK].frames, 1); /* counted, though nobody takes it */
}

/* Three at once into a queue of two. Of a port's own counts: what it dropped, and what it sent. */
TEST(a_full_queue_drops_and_counts)
{
	const struct counts *counts;

	plug(4, 8000000000, 2 * ON_LINE);
	for (int from = 0; from < 3; from++)
		put(from, LINK, 3, 5000);
	all_say(10000);
	work(NULL);
	counts = &bridge.ports[3].pair.mine->counts[LINK];
	assert_next(3, LINK, 0, 5000 + ON_LINE + LATENCY);
	assert_next(3, LINK, 1, 5000 + 2 * ON_LINE + LATENCY);
	assert_null(next(3, LINK));
	assert_int_equal(counts->frames, 2);
	assert_int_equal(counts->bytes, 2 * FRAME);
	assert_int_equal(counts->dropped, 1);
}

static void put_rdma(int from, int computer, int64_t arrival)
{
	struct frame *const frame = put(from, LINK, computer, arrival);

	frame->kind = RDMA;
	frame->line_bytes = 3 * ON_LINE;
}

static void assert_order(int port, enum frame_kind kind, int64_t arrival)
{
	const struct frame *const frame = next(port, SIDE);

	assert_non_null(frame);
	assert_int_equal(frame->kind, kind);
	assert_int_equal(frame->arrival_ns, arrival);
}

/* Two packets of 300 bytes at once, 1 ns a byte; nobody else is told. The machine is promised the next order at most,
 * and the receiver what its card may send then. */
TEST(a_card_pauses_above_xoff_and_goes_on_at_xon)
{
	plug(3, 8000000000, 40 * ON_LINE);
	bridge.flow = (struct flow_control){ .xoff_bytes = 500, .xon_bytes = 300 };
	put_rdma(0, 3, 5000);
	put_rdma(0, 3, 5100);
	all_say(10000);
	say(0, 4200);
	work(NULL);
	assert_order(0, PAUSE, 5100 + LATENCY);
	assert_null(next(0, SIDE));
	say(0, 4200);
	assert_int_equal(promised(0), 5300);
	assert_int_equal(promised(1), 4200 + LATENCY);
	all_say(10000);
	say(2, 4250);
	work(NULL);
	assert_int_equal(promised(2), 5300 + 2 * LATENCY);
	say(2, 10000);
	work(NULL);
	assert_order(0, RESUME, 5300 + LATENCY);
	for (int port = 0; port < 3; port++)
		assert_null(next(port, SIDE));
	assert_int_equal(bridge.ports[0].pair.mine->depths.pauses, 1);
}

/* Packets of 300 bytes, 1 ns a byte: after the second and third one, 600 bytes and more wait, and 500 after the last.
 */
TEST(a_packet_that_makes_a_queue_too_long_is_marked)
{
	static const int64_t arrivals[] = { 5000, 5000, 5000, 5700 };
	static const int marks[] = { 0, RDMA_MARKED, RDMA_MARKED, 0 };

	plug(3, 8000000000, 0);
	bridge.mark_bytes = 599;
	for (int i = 0; i < 4; i++)
		put_rdma(0, 3, arrivals[i]);
	all_say(10000);
	work(NULL);
	for (int i = 0; i < 4; i++) {
		const struct frame *const frame = next(2, LINK);

		assert_int_equal(frame->bytes[HEADER_BYTES + RDMA_FLAGS] & RDMA_MARKED, marks[i]);
		assert_int_equal(frame->arrival_ns, 5000 + 300 * (i + 1) + LATENCY);
	}
	assert_int_equal(bridge.ports[2].pair.mine->depths.marks, 2);
}

/* With flow control, so that frames leave the other half to packets. */
TEST(frames_fill_one_half_of_a_queue_only)
{
	plug(4, 8000000000, 4 * ON_LINE);
	bridge.flow.xoff_bytes = 2 * ON_LINE;
	for (int from = 0; from < 3; from++)
		put(from, LINK, 3, 5000);
	all_say(10000);
	work(NULL);
	assert_int_equal(bridge.ports[3].pair.mine->counts[LINK].frames, 2);
	assert_int_equal(bridge.ports[3].pair.mine->counts[LINK].dropped, 1);
}

static void assert_depths(const struct depth *expected, uint64_t count, uint64_t interval_ns)
{
	const struct depths *const d = &bridge.ports[1].pair.mine->depths;

	assert_int_equal(d->interval_ns, interval_ns);
	assert_in_range(d->count, count, MOST_DEPTHS);
	for (uint64_t i = 0; i < count; i++) {
		assert_int_equal(d->depths[i].at_ns, expected[i].at_ns);
		assert_int_equal(d->depths[i].bytes, expected[i].bytes);
	}
}

/* Frames of 1 us that do not wait, then 5 at once, which the next frame finds gone; later ever more queues. */
TEST(the_depth_of_a_queue_is_noted_for_ever_longer_intervals)
{
	static const struct depth few[] = {
		{ 102400, 500 }, { 103424, 398 }, { 104448, 296 }, { 105472, 193 }, { 106496, 91 }
	};
	static const struct depth many[] = { { 102400, 500 }, { 104448, 296 }, { 106496, 91 }, { 204800, 200 } };

	plug(2, 800000000, 0); /* 10 ns a byte */
	for (int i = 0; i < 100; i++)
		put(0, LINK, 1, 5000 + 1024 * i);
	for (int i = 0; i < 5; i++)
		put(0, LINK, 1, 5000 + 1024 * 100);
	put(0, LINK, 1, 5000 + 1024 * 150);
	pair_finish(&machines[1]); /* else it may answer each frame */
	say(0, INT64_MAX / 2);
	work(NULL);
	assert_int_equal(bridge.ports[1].pair.mine->depths.begin_ns, 5000);
	assert_int_equal(bridge.ports[1].pair.mine->depths.most_bytes, 500);
	assert_depths(few, COUNT(few), 1024);
	for (int i = 0; i < MOST_DEPTHS; i++)
		put(0, LINK, 1, 5000 + 1024 * (200 + i / 2 * 3));
	work(NULL);
	assert_depths(many, COUNT(many), 2048);
}

/* By the number of its computer, whatever addresses the switch has learned, and behind a frame in the same queue. */
TEST(the_packet_of_an_rdma_card_goes_to_the_port_of_its_computer_or_nowhere)
{
	plug(3, 8000000000, 4 * ON_LINE);
	put(0, LINK, 2, 5000);
	put_rdma(1, 3, 5000);
	for (int nobody = 0; nobody < 2; nobody++)
		put_rdma(1, 4 * nobody, 6000);
	put_rdma(1, 2, 6000);
	put_rdma(1, 3, 6000);
	put_rdma(1, 3, 6000);
	all_say(10000);
	work(NULL);
	assert_next(2, LINK, 0, 5000 + ON_LINE + LATENCY);
	assert_next(2, LINK, 1, 5000 + 4 * ON_LINE + LATENCY);
	assert_next(2, LINK, 1, 6000 + 3 * ON_LINE + LATENCY);
	assert_null(next(2, LINK));
	assert_int_equal(bridge.ports[2].pair.mine->counts[LINK].dropped, 1);
	assert_null(next(0, LINK));
}

/* As from a machine with a shorter latency than the switch. */
TEST(a_frame_that_comes_too_late_ends_it)
{
	plug(2, 0, 0);
	put(0, LINK, 1, 5000);
	all_say(10000);
	work(NULL);
	put(1, LINK, 0, 4990);
	check_child(work, NULL, EXIT_FAILURE, "a frame came 10 ns late");
}

TEST(giving_up_tells_every_machine_that_is_there_why)
{
	plug(3, 0, 0);
	pair_finish(&bridge.ports[2].pair);
	snprintf(bridge.ports[1].pair.mine->reason, REASON_BYTES, "it was killed");
	bridge.ports[1].pair.mine->gone = FAILED;
	bridge_give_up(&bridge);
	assert_int_equal(machines[0].other->gone, FAILED);
	assert_string_equal(machines[0].other->reason, "at port 1, it was killed");
	assert_string_equal(machines[1].other->reason, "it was killed");
	assert_int_equal(machines[2].other->gone, FINISHED);
}

RUN_TESTS("bridge", NULL, unplug)
