/* From a device's name to a connected queue pair. */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connect.h"

void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "plain: %s: %s\n", what, strerror(errno));
	exit(1);
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;

	check(list, "ibv_get_device_list");
	for (int i = 0; list[i] && !context; i++)
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			context = ibv_open_device(list[i]);
	check(context, name);
	return context;
}

/* The first GID that is an IPv4 address; its index. */
static int choose_gid(struct ibv_context *context, union ibv_gid *gid)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	for (int index = 0;; index++) {
		check(!ibv_query_gid(context, 1, index, gid), "no GID of IPv4");
		if (memcmp(gid->raw, mapped, sizeof(mapped)) == 0)
			return index;
	}
}

static void make_queue_pair(struct connection *c, struct ibv_context *context, const struct setting *s)
{
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC };
	void *buffer = calloc(1, (size_t)s->size);

	c->mr = ibv_reg_mr(pd, buffer, (size_t)s->size, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	check(buffer && c->mr, "ibv_reg_mr");
	c->channel = ibv_create_comp_channel(context);
	c->cq = ibv_create_cq(context, (int)s->depth + 1, NULL, c->channel, 0);
	check(c->cq, "ibv_create_cq");
	attr.send_cq = attr.recv_cq = c->cq;
	attr.cap = (struct ibv_qp_cap){ (uint32_t)s->depth + 1, 1, 1, 1, 0 };
	c->qp = ibv_create_qp(pd, &attr);
	check(c->qp, "ibv_create_qp");
	c->here.qp = c->qp->qp_num;
	c->here.key = c->mr->rkey;
	c->here.address = (uintptr_t)buffer;
}

static int meet(const struct setting *s)
{
	const struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	int one = 1, fd;

	check(!getaddrinfo(s->host, s->port, &hints, &found), s->host);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!s->server) {
		check(!connect(fd, found->ai_addr, found->ai_addrlen), "connect");
		return fd;
	}
	check(!bind(fd, found->ai_addr, found->ai_addrlen) && !listen(fd, 1), "listen");
	return accept(fd, NULL, NULL);
}

static void modify(const struct connection *c, int gid_index)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT,
				    .port_num = 1,
				    .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };
	struct ibv_qp_attr receive = { .qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_4096, .min_rnr_timer = 12 };
	/* Seven retries would be the most, but to Soft-RoCE in Linux 6.1 they mean for ever. */
	struct ibv_qp_attr send = { .qp_state = IBV_QPS_RTS, .timeout = 18, .retry_cnt = 6, .rnr_retry = 7 };

	receive.dest_qp_num = c->there.qp;
	receive.ah_attr = (struct ibv_ah_attr){ .is_global = 1, .port_num = 1 };
	receive.ah_attr.grh =
		(struct ibv_global_route){ .dgid = c->there.gid, .sgid_index = (uint8_t)gid_index, .hop_limit = 64 };
	check(!ibv_modify_qp(c->qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
	      "init");
	check(!ibv_modify_qp(c->qp, &receive,
			     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
	      "ready to receive");
	check(!ibv_modify_qp(c->qp, &send,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				     IBV_QP_MAX_QP_RD_ATOMIC),
	      "ready to send");
}

struct connection plain_connect(const struct setting *s)
{
	struct ibv_context *context = open_device(s->device);
	struct connection c = { 0 };
	int gid_index = choose_gid(context, &c.here.gid);
	char ready = 'r';

	make_queue_pair(&c, context, s);
	c.side = meet(s);
	check(write(c.side, &c.here, sizeof(c.here)) == sizeof(c.here), "write");
	check(recv(c.side, &c.there, sizeof(c.there), MSG_WAITALL) == sizeof(c.there), "the other end is gone");
	modify(&c, gid_index);
	check(write(c.side, &ready, 1) == 1 && read(c.side, &ready, 1) == 1, "the other end is gone");
	return c;
}
