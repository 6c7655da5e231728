/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into programs with `grants = "connectx"`: what mlx5 grants to a queue pair (mlx5_calc_sq_size() and
 * mlx5_calc_rq_size() of rdma-core) in place of what was requested. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <infiniband/verbs.h>

#define INLINE_BYTES 60 /* of 256 for a request with one piece, less its segments for control and addresses */

static uint32_t power_of_two(uint32_t least)
{
	uint32_t power = 1;

	while (power < least)
		power *= 2;
	return least ? power : 0;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp *(*next)(struct ibv_pd *, struct ibv_qp_init_attr *) = dlsym(RTLD_NEXT, "ibv_create_qp");
	const struct ibv_qp_cap requested = attr->cap;
	struct ibv_qp *qp;

	attr->cap.max_send_wr = power_of_two(requested.max_send_wr);
	attr->cap.max_recv_wr = power_of_two(requested.max_recv_wr);
	if (requested.max_inline_data < INLINE_BYTES)
		attr->cap.max_inline_data = INLINE_BYTES;
	qp = next(pd, attr);
	if (qp)
		return qp;
	attr->cap = requested; /* the device has less */
	return next(pd, attr);
}
