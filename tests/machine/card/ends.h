/* A device, and queue pairs of it that are connected to each other. */
#ifndef ENDS_H
#define ENDS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REMOTE_WRITE IBV_ACCESS_REMOTE_WRITE
#define REMOTE_READ IBV_ACCESS_REMOTE_READ
#define REMOTE_ATOMIC IBV_ACCESS_REMOTE_ATOMIC
#define ALL (IBV_ACCESS_LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC)

static struct ibv_context *context;
static struct ibv_pd *pd;
static union ibv_gid gid;
static int gid_index;

static inline void must(bool holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	exit(1);
}

/* That of an IPv4 address. */
static inline void find_gid(void)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

	do
		must(!ibv_query_gid(context, 1, gid_index, &gid), "ibv_query_gid");
	while (memcmp(gid.raw, mapped, sizeof(mapped)) != 0 && ++gid_index);
}

static inline void open_device(void)
{
	struct ibv_device **const devices = ibv_get_device_list(NULL);

	must(devices && *devices, "ibv_get_device_list");
	context = ibv_open_device(*devices);
	must(context, "ibv_open_device");
	pd = ibv_alloc_pd(context);
	must(pd, "ibv_alloc_pd");
	find_gid();
}

static inline void connect_to(struct ibv_qp *qp, uint32_t peer, int access, int reads)
{
	const bool is_reliable = qp->qp_type == IBV_QPT_RC;
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = access };

	must(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), "INIT");
	a.qp_state = IBV_QPS_RTR;
	a.path_mtu = IBV_MTU_1024;
	a.dest_qp_num = peer;
	a.max_dest_rd_atomic = a.max_rd_atomic = (uint8_t)reads;
	a.min_rnr_timer = 1;
	a.ah_attr = (struct ibv_ah_attr){ .is_global = 1, .port_num = 1 };
	a.ah_attr.grh = (struct ibv_global_route){ .dgid = gid, .sgid_index = (uint8_t)gid_index, .hop_limit = 64 };
	must(!ibv_modify_qp(qp, &a,
			    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				    (is_reliable ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0)),
	     "RTR");
	a.qp_state = IBV_QPS_RTS;
	a.timeout = 10; /* 4 ms */
	a.retry_cnt = a.rnr_retry = 1;
	must(!ibv_modify_qp(qp, &a,
			    IBV_QP_STATE | IBV_QP_SQ_PSN |
				    (is_reliable ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
							   IBV_QP_MAX_QP_RD_ATOMIC :
						   0)),
	     "RTS");
}

#endif
