#include "verbs_link.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "least.h"

#define TIMEOUT 14           /* perftest's: 4.096 us x 2^14 = 67 ms (InfiniBand Architecture 1.4, 9.7.6.1.3) */
#define TIMEOUT_SOFT_ROCE 18 /* 1.07 s: an acknowledgement does not stop its timer (docs/programs.md) */
#define RETRIES 7     /* the largest value. On Soft-RoCE it means no limit; there the watch (watch.c) ends the run */
#define RNR_FOREVER 7 /* retry until the receiver is ready; the deadline ends this */

/* Inline data saves the device a read of memory for each ping. With many messages in flight that read is hidden, and
 * longer requests only cost time (docs/cards.md). perftest: 220 for latency of WRITE, else none. */
static const uint64_t inline_sizes[] = { 220, 128, 64, 0 };

static const enum ibv_qp_type types[] = { [RELIABLE] = IBV_QPT_RC,
					  [UNRELIABLE] = IBV_QPT_UC,
					  [DATAGRAMS] = IBV_QPT_UD };

/* Only pings of READ use ibv_wr_*(): see verbs_pings(). */
static bool wants_newer_calls(const struct link *l)
{
	return l->options->role == CLIENT && l->verbs->operation == OP_READ && l->options->measure == LATENCY &&
	       l->options->wait == WAIT_POLL;
}

/* bnxt_re gives shorter queues without an error (bnxt_re_check_qp_limits of rdma-core), and more messages than that
 * would overfill them. */
static void check_room(const struct link *l, const struct ibv_qp_cap *granted)
{
	if (granted->max_send_wr < l->verbs->tx_depth || granted->max_recv_wr < l->verbs->rx_depth)
		die("this device's queues take %u sends and %u receives: lower --tx-depth or --rx-depth",
		    granted->max_send_wr, granted->max_recv_wr);
}

/* A provider without the newer call fails with any errno, or sets none (mlx4): only that of the older call counts. */
static struct ibv_qp *try_qp(struct link *l, uint64_t pair, uint64_t inline_bytes)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = l->sends.cqs[pair % l->sends.count],
		.recv_cq = l->receives.cqs[pair % l->receives.count],
		.cap = { .max_send_wr = (uint32_t)l->verbs->tx_depth,
			 .max_recv_wr = (uint32_t)l->verbs->rx_depth,
			 .max_send_sge = 1,
			 .max_recv_sge = 1,
			 .max_inline_data = (uint32_t)inline_bytes },
		.qp_type = types[l->verbs->connection],
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = l->pd,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_READ,
	};
	struct ibv_qp *qp = wants_newer_calls(l) ? ibv_create_qp_ex(l->pd->context, &attr) : NULL;

	if (qp) {
		l->extended = ibv_qp_to_qp_ex(qp);
	} else {
		errno = 0;
		qp = ibv_create_qp(l->pd,
				   (struct ibv_qp_init_attr *)&attr); /* the newer struct starts with the older one */
	}
	if (qp) {
		l->inline_max = inline_bytes;
		check_room(l, &attr.cap);
	}
	return qp;
}

static bool makes_smallest_qp(const struct link *l, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = l->sends.cq, .recv_cq = l->receives.cq, .cap = { 1, 1, 1, 1, 0 }, .qp_type = type
	};

	return ibv_create_qp(l->pd, &attr) != NULL;
}

_Noreturn static void no_qp(const struct link *l, enum ibv_qp_type type)
{
	const char *why = errno ? strerror(errno) : "no reason given";
	const char *name = type == IBV_QPT_RC ? "reliable connections (RC)" : type == IBV_QPT_UC ? "UC" : "UD";

	if (makes_smallest_qp(l, type))
		die("ibv_create_qp: %s; this device takes at most %d requests: lower --tx-depth, --rx-depth or "
		    "--inline",
		    why, l->path.device.max_qp_wr);
	die("ibv_create_qp: %s, for one request too: this device makes no %s; choose another by --device", why, name);
}

/* An inline size from the options must be granted; auto takes the largest that is. */
static struct ibv_qp *first_qp(struct link *l)
{
	const uint64_t asked = l->verbs->inline_bytes;
	struct ibv_qp *qp = NULL;

	if (asked != AUTO || l->options->measure == THROUGHPUT)
		return try_qp(l, 0, asked == AUTO ? 0 : asked);
	for (size_t i = 0; !qp && i < sizeof(inline_sizes) / sizeof(*inline_sizes); i++)
		qp = try_qp(l, 0, inline_sizes[i]);
	return qp;
}

static void create_qps(struct link *l)
{
	struct ibv_qp_init_attr control = {
		.send_cq = l->control.sends.cq,
		.recv_cq = (l->counts ? &l->receives : &l->control.receives)->cqs[0],
		.cap = { VERBS_CONTROLS, VERBS_CONTROLS, 1, 1, 0 },
		.qp_type = IBV_QPT_RC,
	};

	for (uint64_t i = 0; i < l->pair_count; i++) {
		l->pairs[i].qp = i == 0 ? first_qp(l) : try_qp(l, i, l->inline_max);
		if (!l->pairs[i].qp)
			no_qp(l, types[l->verbs->connection]);
	}
	l->control.qp = ibv_create_qp(l->pd, &control);
	if (!l->control.qp)
		no_qp(l, IBV_QPT_RC);
}

/* Not if a receiver polls the last byte of its memory, which must be written last. A completion is never written before
 * its data, so --verify may follow one. */
static bool choose_relaxed_ordering(const struct link *l)
{
	const bool polled = l->verbs->operation == OP_WRITE && l->options->measure == LATENCY;

	return l->verbs->relaxed_ordering == RELAXED_AUTO ? !polled : l->verbs->relaxed_ordering == RELAXED_YES;
}

static void register_buffer(struct link *l)
{
	const size_t size = l->buffer.regions * l->buffer.region_bytes;
	const int relaxed = l->relaxed_ordering ? IBV_ACCESS_RELAXED_ORDERING : 0; /* ignored by devices without it */

	l->mr = ibv_reg_mr(l->pd, l->buffer.bytes, size,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | relaxed);
	if (!l->mr)
		die("ibv_reg_mr(%zu): %s; raise the limit of locked memory (ulimit -l)", size, strerror(errno));
}

static void modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, const char *state)
{
	int error = ibv_modify_qp(qp, attr, mask);

	if (error)
		die("the queue pair can't become %s: %s; check that GID and port (--gid-index, --ib-port) reach the "
		    "other end",
		    state, strerror(error));
}

static void to_init(const struct link *l, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = l->path.port_number,
		.pkey_index = (uint16_t)l->verbs->pkey_index,
		.qkey = VERBS_QKEY,
		.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};

	modify(qp, &attr,
	       IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		       (qp->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS),
	       "initialised");
}

static struct ibv_ah_attr route(const struct link *l)
{
	struct ibv_ah_attr route = { .dlid = (uint16_t)l->there.lid,
				     .sl = (uint8_t)l->verbs->sl,
				     .port_num = l->path.port_number,
				     .is_global = l->global_route,
				     .grh = { .sgid_index = (uint8_t)l->path.gid_index,
					      .hop_limit = 64,
					      .traffic_class = (uint8_t)l->verbs->tclass } };

	memcpy(route.grh.dgid.raw, l->there.gid, 16);
	return route;
}

static void to_receive(const struct link *l, struct ibv_qp *qp, uint32_t there)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = l->path.mtu,
		.dest_qp_num = there,
		.rq_psn = l->there.psn,
		.max_dest_rd_atomic = (uint8_t)l->here.reads,
		.min_rnr_timer = (uint8_t)l->verbs->rnr_timer,
		.ah_attr = route(l),
	};
	int mask = IBV_QP_STATE;

	if (qp->qp_type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	modify(qp, &attr, mask, "ready to receive");
}

static uint8_t choose_timeout(const struct link *l)
{
	if (l->verbs->timeout != AUTO)
		return (uint8_t)l->verbs->timeout;
	return l->path.device.vendor_id == VERBS_VENDOR_SOFT_ROCE ? TIMEOUT_SOFT_ROCE : TIMEOUT;
}

static void to_send(const struct link *l, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = l->here.psn,
		.timeout = l->timeout,
		.retry_cnt = RETRIES,
		.rnr_retry = RNR_FOREVER,
		.max_rd_atomic =
			(uint8_t)least((uint64_t)l->path.device.max_qp_init_rd_atom, least(l->there.reads, UINT8_MAX)),
	};

	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	modify(qp, &attr, mask, "ready to send");
}

/* An end that takes no part in the data only waits for a control message: spinning would take time from the driver. */
static enum wait control_wait(const struct link *l)
{
	const bool idle = l->verbs->operation == OP_WRITE || l->verbs->operation == OP_READ;

	return idle && l->options->role == SERVER ? WAIT_EVENT : (enum wait)l->options->wait;
}

/* Drivers number their completion vectors like the CPUs. */
static void open_queues(struct link *l)
{
	const uint64_t core = l->options->core, pairs = l->pair_count;
	const bool shared = l->verbs->completion_queues == QUEUES_SHARED;
	const uint64_t count = shared ? 1 : pairs, sharing = shared ? pairs : 1;
	const enum wait wait = (enum wait)l->options->wait;
	const struct {
		struct verbs_queue *queue;
		uint64_t count, entries;
		enum wait wait;
		uint64_t vector;
	} queues[] = {
		{ &l->sends, count, sharing * l->verbs->tx_depth, wait, 0 },
		{ &l->receives, count, sharing * l->verbs->rx_depth + (l->counts ? VERBS_CONTROLS : 0), wait, 1 },
		{ &l->control.sends, 1, VERBS_CONTROLS, wait, 0 },
		{ &l->control.receives, 1, VERBS_CONTROLS, control_wait(l), 1 },
	};

	for (size_t i = 0; i < sizeof(queues) / sizeof(*queues) - l->counts; i++) {
		queues[i].queue->count = queues[i].count;
		verbs_queue_open(queues[i].queue, l->path.context, queues[i].entries, queues[i].wait,
				 core != AUTO ? core : queues[i].vector);
	}
}

static bool tells_pairs_apart(struct link *l)
{
	memset(l->pair_at, VERBS_PAIRS_MAX, l->modulus);
	for (uint64_t i = 0; i < l->pair_count; i++) {
		uint8_t *at = &l->pair_at[l->pairs[i].qp->qp_num % l->modulus];

		if (*at != VERBS_PAIRS_MAX)
			return false;
		*at = (uint8_t)i;
	}
	return true;
}

/* Devices give consecutive numbers, so that the first try mostly succeeds. */
static void index_pairs(struct link *l)
{
	l->modulus = l->pair_count - 1;
	do {
		l->pair_at = realloc(l->pair_at, ++l->modulus);
		if (!l->pair_at)
			die("no memory for the index of %" PRIu64 " queue pairs", l->pair_count);
	} while (!tells_pairs_apart(l));
}

static void connect_qp(const struct link *l, struct ibv_qp *qp, uint32_t there)
{
	to_init(l, qp);
	to_receive(l, qp, there);
	to_send(l, qp);
}

static void create_ah(struct link *l)
{
	struct ibv_ah_attr there = route(l);

	l->ah = ibv_create_ah(l->pd, &there);
	if (!l->ah)
		die("ibv_create_ah: %s; check that GID and port (--gid-index, --ib-port) reach the other end",
		    strerror(errno));
}

void verbs_connect(struct link *l)
{
	l->pd = ibv_alloc_pd(l->path.context);
	if (!l->pd)
		die("ibv_alloc_pd: %s", strerror(errno));
	open_queues(l);
	l->timeout = choose_timeout(l);
	create_qps(l); /* before the memory: a device without RC may not allow remote access either (efa) */
	index_pairs(l);
	l->relaxed_ordering = choose_relaxed_ordering(l);
	register_buffer(l);
	verbs_addresses_exchange(l);
	connect_qp(l, l->control.qp, l->there.control_qp);
	for (uint64_t i = 0; i < l->pair_count; i++)
		connect_qp(l, l->pairs[i].qp, l->there.qps[i]);
	if (l->verbs->connection == DATAGRAMS)
		create_ah(l);
}

void verbs_disconnect(struct link *l)
{
	for (uint64_t i = 0; i < l->pair_count; i++)
		ibv_destroy_qp(l->pairs[i].qp);
	ibv_destroy_qp(l->control.qp);
	if (l->ah)
		ibv_destroy_ah(l->ah);
	verbs_queue_close(&l->sends);
	verbs_queue_close(&l->receives);
	verbs_queue_close(&l->control.sends);
	if (!l->counts)
		verbs_queue_close(&l->control.receives);
	ibv_dereg_mr(l->mr);
	ibv_dealloc_pd(l->pd);
	ibv_close_device(l->path.context);
}
