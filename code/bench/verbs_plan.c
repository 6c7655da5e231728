#include "verbs_link.h"

#include <inttypes.h>

#include "die.h"
#include "least.h"

#define CHUNK_MAX (1u << 30)        /* a receive's length has 31 bits on mlx5 (struct mlx5_wqe_data_seg) */
#define CHAIN_MAX 64                /* messages per call, unless --post-list is set ... */
#define CHAIN_BYTES 262144          /* ... and bytes per call */
#define CHAIN_PACKETS_OF_WRITES 128 /* for the largest packets */
#define LARGEST_PACKET 4096         /* bytes of IBV_MTU_4096 */
#define SIGNAL_OF_BOTH 16           /* messages per completion at least, with --both */
#define SINGLES 8                   /* messages posted one by one: see below */
#define PINGS_MAX 64                /* pings per completion */

uint64_t verbs_chunk_bytes(const struct link *l)
{
	return least(least(l->here.max_message_bytes, l->there.max_message_bytes), CHUNK_MAX);
}

unsigned char *verbs_outgoing(struct link *l, uint64_t message)
{
	return buffer_outgoing(&l->buffer, l->flow.size_bytes, message % l->flow.slots);
}

unsigned char *verbs_incoming(struct link *l, uint64_t message)
{
	return buffer_incoming(&l->buffer, l->flow.size_bytes, message % l->flow.slots);
}

static uint64_t power_of_two_up_to(uint64_t most)
{
	uint64_t power = 1;

	while (power <= most / 2)
		power *= 2;
	return power;
}

/* A longer post list saves calls: 2.5 us each on Soft-RoCE, for any number of messages. But all its packets leave
 * before any returning packet is handled; too many fill the memory, and all get slower (docs/programs.md). WRITEs in
 * the largest packets allow the longest lists: they have the fewest packets per byte, and the program on the other end
 * sleeps. */
static bool bears_long_chains(const struct link *l)
{
	return l->verbs->operation == OP_WRITE && l->path.mtu == IBV_MTU_4096;
}

/* In both directions the packets of a list keep the driver from those that arrive: on Soft-RoCE, messages of 4 KiB that
 * are posted one by one move 15 % more bytes than in lists of 64 (docs/programs.md). */
static uint64_t chain_for(const struct link *l, uint64_t size_bytes)
{
	const uint64_t packets = (size_bytes + LARGEST_PACKET - 1) / LARGEST_PACKET;
	const uint64_t messages =
		bears_long_chains(l) ? CHAIN_PACKETS_OF_WRITES / packets : least(CHAIN_BYTES / size_bytes, CHAIN_MAX);

	if (l->options->both)
		return size_bytes < LARGEST_PACKET ? least(LARGEST_PACKET / size_bytes, CHAIN_MAX) : 1;
	return messages > 0 ? messages : 1;
}

/* Soft-RoCE reads no list from memory, and without acknowledgements nothing but its calls and packets takes time. */
static bool calls_set_pace(const struct link *l)
{
	return l->path.device.vendor_id == VERBS_VENDOR_SOFT_ROCE && l->verbs->connection != RELIABLE;
}

/* A card reads post lists from memory, but gets single requests with their doorbells: eight of them hide that read, and
 * the building of the next list. A round is short, so there each call costs more; a list from the options is used as it
 * is. */
static uint64_t singles_for(const struct link *l, bool whole)
{
	return whole || l->verbs->post_list != AUTO || calls_set_pace(l) ? 0 : SINGLES;
}

/* Each window should end with a completion. Short post lists complete in pairs. */
static uint64_t chain_within(const struct link *l, uint64_t per_window)
{
	return bears_long_chains(l) ? per_window : per_window / 2;
}

/* The ring of requests contains whole post lists only. */
static uint64_t divisor_up_to(uint64_t whole, uint64_t most)
{
	while (whole % most != 0)
		most--;
	return most;
}

static void plan_throughput(const struct link *l, struct flow *f)
{
	const struct verbs_options *v = l->verbs;
	const bool whole = l->options->verify || l->options->until_stable; /* a round is one window */
	const uint64_t windows = (whole ? 1 : l->options->windows) * l->pair_count;
	const uint64_t per_window = f->iterations > windows ? f->iterations / windows : 1; /* and pair */
	const uint64_t half = f->depth > 1 ? f->depth / 2 : 1, chain = chain_for(l, f->size_bytes);
	const uint64_t signal = l->options->both && chain < SIGNAL_OF_BOTH ? SIGNAL_OF_BOTH : chain;

	f->signal_every =
		v->signal_every != AUTO ? v->signal_every :
		v->post_list != AUTO    ? v->post_list :
					  power_of_two_up_to(least(signal, least(half, chain_within(l, per_window))));
	f->post_list = v->post_list != AUTO ? v->post_list : divisor_up_to(f->signal_every, chain);
	f->singles = least(singles_for(l, whole), f->post_list);
	if (!whole && (f->post_list > per_window || f->signal_every > per_window))
		die("%" PRIu64 " bytes: %" PRIu64 " messages per list, %" PRIu64
		    " per completion leave some of %" PRIu64 " windows of %" PRIu64
		    " iterations without one; lower --post-list or --signal-every",
		    f->size_bytes, f->post_list, f->signal_every, l->options->windows, f->iterations);
	if (f->post_list > f->depth || f->signal_every > f->depth)
		die("%" PRIu64 " bytes take %" PRIu64 " requests each: --tx-depth %" PRIu64
		    " is too small for that --post-list or --signal-every",
		    f->size_bytes, f->operations, v->tx_depth);
}

static void plan_latency(const struct link *l, struct flow *f)
{
	const uint64_t round = l->options->verify ? 1 : f->iterations;

	if (f->operations > 1)
		die("%" PRIu64 " bytes are above what one request carries (%" PRIu64 "): a ping must be one",
		    f->size_bytes, verbs_chunk_bytes(l));
	f->post_list = 1;
	f->signal_every = f->to_client ? 1 : power_of_two_up_to(least(PINGS_MAX, least(round, l->verbs->tx_depth)));
	f->marked = l->verbs->operation == OP_WRITE;
	f->slots = 1;
}

void verbs_plan(struct link *l, struct flow *f)
{
	const struct verbs_options *v = l->verbs;
	const unsigned int path_mtu_bytes = 128u << l->path.mtu;

	f->to_client = v->operation == OP_READ;
	f->operations = (f->size_bytes + verbs_chunk_bytes(l) - 1) / verbs_chunk_bytes(l);
	f->depth = v->tx_depth / f->operations;
	if (f->depth == 0)
		die("%" PRIu64 " bytes must be cut into %" PRIu64 " requests: --tx-depth must be at least that",
		    f->size_bytes, f->operations);
	if (v->connection != RELIABLE && f->operations > 1)
		die("%" PRIu64 " bytes are above what one request carries (%" PRIu64
		    "): with --connection uc a message must be one",
		    f->size_bytes, verbs_chunk_bytes(l));
	if (v->connection == DATAGRAMS && f->size_bytes > path_mtu_bytes)
		die("%" PRIu64 " bytes are above the path MTU (%u): with --connection ud a message is one packet",
		    f->size_bytes, path_mtu_bytes);
	f->arrival = v->connection == RELIABLE ? ALL_ARRIVE : l->counts ? MAY_BE_LOST : IS_NOT_SEEN;
	f->inline_bytes = !f->to_client && f->operations == 1 && f->size_bytes <= l->inline_max ? f->size_bytes : 0;
	if (l->options->measure == THROUGHPUT)
		plan_throughput(l, f);
	else
		plan_latency(l, f);
	l->depth = f->depth;
	f->depth *= l->pair_count;
	l->flow = *f;
}
