/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair.h"

#include <errno.h>
#include <stdlib.h>

#include "events.h"
#include "pages.h"
#include "pool.h"
#include "real.h"

#define BIT(opcode) (1u << (opcode))
#define SENDS (BIT(IBV_WR_SEND) | BIT(IBV_WR_SEND_WITH_IMM))
#define WRITES (SENDS | BIT(IBV_WR_RDMA_WRITE) | BIT(IBV_WR_RDMA_WRITE_WITH_IMM))
#define READS (BIT(IBV_WR_RDMA_READ) | BIT(IBV_WR_ATOMIC_CMP_AND_SWP) | BIT(IBV_WR_ATOMIC_FETCH_AND_ADD))

static const uint32_t able[] = {
	[IBV_QPT_RC] = WRITES | READS,
	[IBV_QPT_UC] = WRITES,
	[IBV_QPT_UD] = SENDS,
};

static uint32_t able_of(enum ibv_qp_type type)
{
	return (size_t)type < sizeof(able) / sizeof(*able) ? able[type] : 0;
}

static int refusal(const struct ibv_qp_init_attr *attr)
{
	const struct ibv_qp_cap *cap = &attr->cap;

	if (!able_of(attr->qp_type))
		return EOPNOTSUPP;
	if (cap->max_send_wr > CARD_SLOTS_MOST || cap->max_recv_wr > CARD_SLOTS_MOST)
		return EINVAL;
	if (cap->max_send_sge > CARD_PIECES_MOST || cap->max_recv_sge > CARD_PIECES_MOST)
		return EINVAL;
	return cap->max_inline_data > CARD_INLINE_MOST ? EINVAL : 0;
}

/* At least one unit: it may have room for no request at all. */
static size_t memory_bytes(const struct pair *p)
{
	return slots_bytes(&p->sends) + slots_bytes(&p->own_receives) + SLOTS_UNIT;
}

/* A queue pair with an SRQ has no receive queue, whatever the arguments ask for. */
static int pair_allocate(struct pair *p, const struct ibv_qp_cap *cap, struct ibv_srq *srq)
{
	p->address_bytes = p->qp.qp_type == IBV_QPT_UD ? sizeof(struct card_address) : 0;
	p->inline_most = cap->max_inline_data;
	slots_size(&p->sends, cap->max_send_wr, cap->max_send_sge, p->inline_most, p->address_bytes);
	slots_size(&p->own_receives, srq ? 0 : cap->max_recv_wr, cap->max_recv_sge, 0, 0);
	p->receives = srq ? &pool_of(srq)->slots : &p->own_receives;
	p->memory = pages_take(memory_bytes(p));
	p->sends.first = p->memory;
	p->own_receives.first = p->memory + slots_bytes(&p->sends);
	return p->memory ? 0 : ENOMEM;
}

static int pair_create_on_card(struct pair *p)
{
	struct ibv_srq *srq = p->qp.srq;
	struct card_request request = {
		.op = CARD_CREATE_QP,
		.address = (uintptr_t)p->memory,
		.length = memory_bytes(p),
		.arguments.qp = {
			.cookie = (uintptr_t)p,
			.type = p->qp.qp_type,
			.pd = p->qp.pd->handle,
			.send_slots = p->sends.count,
			.send_slot_bytes = p->sends.bytes,
			.recv_slots = p->own_receives.count,
			.recv_slot_bytes = p->own_receives.bytes,
			.send_cq = queue_of(p->qp.send_cq)->handle,
			.recv_cq = queue_of(p->qp.recv_cq)->handle,
			.srq = srq ? pool_of(srq)->handle : 0,
			.all_signalled = p->all_signalled,
		},
	};
	int error = board_request(p->qp.context, &request);

	p->qp.qp_num = request.handle;
	return error;
}

/* Returns the granted sizes, as the calls that create a queue pair do. */
static void grant(const struct pair *p, struct ibv_qp_cap *cap)
{
	cap->max_send_wr = p->sends.count;
	cap->max_recv_wr = p->own_receives.count;
	cap->max_inline_data = p->inline_most;
}

static int pair_init(struct pair *p, struct board *board, struct ibv_qp_init_attr *attr)
{
	p->qp = (struct ibv_qp){ .context = board->context,
				 .qp_context = attr->qp_context,
				 .pd = p->real->pd,
				 .send_cq = attr->send_cq,
				 .recv_cq = attr->recv_cq,
				 .srq = attr->srq,
				 .handle = p->real->handle,
				 .state = IBV_QPS_RESET,
				 .qp_type = attr->qp_type };
	pthread_mutex_init(&p->qp.mutex, NULL);
	pthread_cond_init(&p->qp.cond, NULL);
	p->doorbells = board->doorbells;
	p->able = able_of(attr->qp_type);
	p->all_signalled = attr->sq_sig_all;
	if (pair_allocate(p, &attr->cap, attr->srq))
		return ENOMEM;
	return pair_create_on_card(p);
}

/* The queue pair of the kernel carries no data, and is as small as possible. */
static struct ibv_qp *pair_create_real(struct board *board, struct ibv_pd *pd, const struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr small = {
		.send_cq = queue_of(attr->send_cq)->real,
		.recv_cq = queue_of(attr->recv_cq)->real,
		.srq = attr->srq ? pool_of(attr->srq)->real : NULL, /* the kernel counts its users */
		.cap = { 1, 1, 1, 1, 0 },
		.qp_type = attr->qp_type,
	};
	struct ibv_pd kernels = board_pd(board, pd);
	struct ibv_qp *qp = real(ibv_create_qp)(&kernels, &small);

	if (qp)
		qp->pd = pd;
	return qp;
}

EXPORTED struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct board *board = board_of(pd->context);
	struct pair *p;
	int error;

	if (!board)
		return real(ibv_create_qp)(pd, attr);
	error = refusal(attr);
	if (error) {
		errno = error;
		return NULL;
	}
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->real = pair_create_real(board, pd, attr);
	if (!p->real) {
		free(p);
		return NULL;
	}
	error = pair_init(p, board, attr);
	if (error) {
		real(ibv_destroy_qp)(p->real);
		pages_give(p->memory, memory_bytes(p));
		free(p);
		errno = error;
		return NULL;
	}
	grant(p, &attr->cap);
	return &p->qp;
}

struct ibv_qp *pair_create_more(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp *qp;

	(void)context;
	if (attr->comp_mask != (IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) ||
	    attr->send_ops_flags & ~(uint64_t)able_of(attr->qp_type)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	qp = ibv_create_qp(attr->pd, (struct ibv_qp_init_attr *)attr);
	if (qp)
		pair_extend(pair_of(qp), attr->send_ops_flags);
	return qp;
}

EXPORTED struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	struct pair *p = pair_of(qp);

	if (!board_of(qp->context))
		return real(ibv_qp_to_qp_ex)(qp);
	return p->more.wr_start ? &p->more : NULL;
}

static void pair_drop_completions(struct pair *p)
{
	queue_forget(queue_of(p->qp.send_cq), (uintptr_t)p);
	queue_forget(queue_of(p->qp.recv_cq), (uintptr_t)p);
}

void pair_enter(struct pair *p, enum ibv_qp_state state)
{
	if (state == IBV_QPS_RESET) {
		pair_drop_completions(p);
		slots_reset(&p->sends);
		slots_reset(&p->own_receives);
	}
	p->qp.state = state;
	p->opcodes = state >= IBV_QPS_RTS ? p->able : 0;
	p->receiving = state >= IBV_QPS_INIT;
}

EXPORTED int ibv_destroy_qp(struct ibv_qp *qp)
{
	struct pair *p = pair_of(qp);
	int error;

	if (!board_of(qp->context))
		return real(ibv_destroy_qp)(qp);
	error = real(ibv_destroy_qp)(p->real);
	if (error)
		return error;
	board_destroy(qp->context, qp->qp_num);
	events_await(&qp->mutex, &qp->cond, &qp->events_completed, &p->async_taken);
	pair_drop_completions(p);
	pages_give(p->memory, memory_bytes(p));
	free(p);
	return 0;
}
