/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A device with a card: the data path of its context is that of this library, and its limits are those of the card. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "board.h"
#include "pair.h"
#include "pool.h"
#include "queue.h"
#include "real.h"

#define DEVICES "rxe" /* their control path serves the card */
#define LONGEST_MESSAGE (1u << 30)
#define NS_CLOCK_KHZ 1000000 /* of the times of completions */

static void limit(struct ibv_device_attr *attr)
{
	static const char version[] = "modelled card";

	memcpy(attr->fw_ver, version, sizeof(version));
	attr->vendor_id = 0; /* not that of Soft-RoCE, whose faults some programs avoid */
	attr->max_qp_wr = attr->max_srq_wr = CARD_SLOTS_MOST;
	attr->max_sge = attr->max_srq_sge = attr->max_sge_rd = CARD_PIECES_MOST;
	attr->max_cqe = CARD_ENTRIES_MOST;
	attr->max_qp = attr->max_cq = attr->max_mr = attr->max_srq = CARD_OBJECTS - 1;
	attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = CARD_READS_MOST;
	attr->max_res_rd_atom = CARD_READS_MOST * attr->max_qp;
	attr->atomic_cap = IBV_ATOMIC_HCA;
	attr->max_mw = attr->max_mcast_grp = attr->max_mcast_qp_attach = attr->max_total_mcast_qp_attach = 0;
	attr->device_cap_flags &=
		~(unsigned int)(IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B |
				IBV_DEVICE_RESIZE_MAX_WR | IBV_DEVICE_MEM_MGT_EXTENSIONS | IBV_DEVICE_SRQ_RESIZE);
}

EXPORTED int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	int error = real(ibv_query_device)(context, attr);

	if (!error && board_of(context))
		limit(attr);
	return error;
}

static int query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t size)
{
	int error = board_of(context)->kernels.query_device_ex(context, input, attr, size);

	if (error)
		return error;
	limit(&attr->orig_attr);
	if (size >= offsetof(struct ibv_device_attr_ex, hca_core_clock) + sizeof(attr->hca_core_clock)) {
		attr->completion_timestamp_mask = UINT64_MAX;
		attr->hca_core_clock = NS_CLOCK_KHZ;
	}
	return 0;
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size)
{
	int error = board_of(context)->kernels.query_port(context, port, attr, size);

	if (!error)
		attr->max_msg_sz = LONGEST_MESSAGE;
	return error;
}

/* What only the newer call can ask for is not modelled. */
static struct ibv_srq *no_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr)
{
	(void)context, (void)attr;
	errno = EOPNOTSUPP;
	return NULL;
}

static void put_data_path(struct ibv_context *context)
{
	context->ops.post_send = pair_send;
	context->ops.post_recv = pair_receive;
	context->ops.post_srq_recv = pool_receive;
	context->ops.poll_cq = queue_poll;
	context->ops.req_notify_cq = queue_arm;
	context->ops.alloc_mw = NULL; /* libibverbs then reports that there are no memory windows */
}

static void put_control_path(struct verbs_context *more)
{
	more->query_device_ex = query_device_ex;
	more->query_port = query_port;
	more->create_qp_ex = pair_create_more;
	more->create_cq_ex = queue_create_more;
	more->create_srq_ex = no_srq_ex;
}

EXPORTED struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *context = real(ibv_open_device)(device);
	struct board *board;
	int error;

	if (!context || strncmp(real(ibv_get_device_name)(device), DEVICES, strlen(DEVICES)) != 0)
		return context;
	board = board_open(context);
	if (!board) {
		error = errno;
		fprintf(stderr, "libcard: %s: %s\n", BOARD_FILE, strerror(error));
		real(ibv_close_device)(context);
		errno = error;
		return NULL;
	}
	put_data_path(context);
	put_control_path(verbs_get_ctx(context));
	return context;
}

EXPORTED int ibv_close_device(struct ibv_context *context)
{
	struct board *board = board_of(context);

	if (board)
		board_close(board);
	return real(ibv_close_device)(context);
}

EXPORTED int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return board_of(qp->context) ? EOPNOTSUPP : real(ibv_attach_mcast)(qp, gid, lid);
}

EXPORTED int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return board_of(qp->context) ? EOPNOTSUPP : real(ibv_detach_mcast)(qp, gid, lid);
}
