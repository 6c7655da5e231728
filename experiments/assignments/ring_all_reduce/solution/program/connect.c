/* Step 1: a ring of queue pairs. */
#include "messages.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

struct end {
	uint32_t qpn;
	union ibv_gid gid;
};

static struct sockaddr_in address_of(const struct ring *r, char **names, int rank, int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };

	check(inet_pton(AF_INET, names[rank % r->ranks], &address.sin_addr) == 1, "the address of a rank");
	return address;
}

/* Connects to the next rank, and waits for the previous one. */
static void join(const struct ring *r, char **names, int port, int *next, int *previous)
{
	const struct sockaddr_in here = address_of(r, names, r->rank, port);
	const struct sockaddr_in there = address_of(r, names, r->rank + 1, port);
	const int listening = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	check(!bind(listening, (const void *)&here, sizeof(here)) && !listen(listening, 1), "listen");
	for (;;) { /* until the next rank listens */
		*next = socket(AF_INET, SOCK_STREAM, 0);
		if (!connect(*next, (const void *)&there, sizeof(there)))
			break;
		close(*next);
		usleep(5000);
	}
	*previous = accept(listening, NULL, NULL);
	check(*previous >= 0, "accept");
	close(listening);
}

static struct end exchanged(const struct end *mine, int to, int from)
{
	struct end other;

	check(write(to, mine, sizeof(*mine)) == sizeof(*mine), "write");
	check(recv(from, &other, sizeof(other), MSG_WAITALL) == sizeof(other), "recv");
	return other;
}

static struct ibv_qp *make_queue_pair(const struct ring *r)
{
	struct ibv_qp_init_attr init = { .send_cq = r->cq,
					 .recv_cq = r->cq,
					 .qp_type = IBV_QPT_RC,
					 .cap = { DEPTH, (uint32_t)r->state->slot_count + GRANTS, 1, 1, 16 } };
	struct ibv_qp *qp = ibv_create_qp(r->pd, &init);

	check(qp, "ibv_create_qp");
	return qp;
}

static void connect_queue_pair(const struct ring *r, struct ibv_qp *qp, const struct end *other)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT,
				    .port_num = 1,
				    .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };
	struct ibv_qp_attr rtr = { .qp_state = IBV_QPS_RTR, .dest_qp_num = other->qpn, .min_rnr_timer = 12 };
	struct ibv_qp_attr rts = { .qp_state = IBV_QPS_RTS, .timeout = 12, .retry_cnt = 6, .rnr_retry = 7 };
	struct ibv_port_attr port;

	check(!ibv_query_port(r->context, 1, &port), "ibv_query_port");
	rtr.path_mtu = port.active_mtu;
	rtr.ah_attr = (struct ibv_ah_attr){ .is_global = 1, .port_num = 1 };
	rtr.ah_attr.grh =
		(struct ibv_global_route){ .dgid = other->gid, .sgid_index = (uint8_t)r->gid_index, .hop_limit = 64 };
	check(!ibv_modify_qp(qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), "INIT");
	check(!ibv_modify_qp(qp, &rtr,
			     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
	      "RTR");
	check(!ibv_modify_qp(qp, &rts,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				     IBV_QP_MAX_QP_RD_ATOMIC),
	      "RTS");
}

void connect_ring(struct ring *r, char **names, int port)
{
	struct end out = { 0 }, in = { 0 }, of_next, of_previous;
	int next, previous;

	make_messages(r);
	r->cq = ibv_create_cq(r->context, 4 * (DEPTH + (int)r->state->slot_count), NULL, NULL, 0);
	check(r->cq, "ibv_create_cq");
	r->out = make_queue_pair(r);
	r->in = make_queue_pair(r);
	join(r, names, port, &next, &previous);
	out.qpn = r->out->qp_num;
	in.qpn = r->in->qp_num;
	out.gid = in.gid = r->gid;
	of_previous = exchanged(&out, next, previous);
	of_next = exchanged(&in, previous, next);
	connect_queue_pair(r, r->out, &of_next);
	connect_queue_pair(r, r->in, &of_previous);
	post_receives(r);
	close(next);
	close(previous);
}

void close_ring(struct ring *r)
{
	ibv_destroy_qp(r->out);
	ibv_destroy_qp(r->in);
	free_messages(r);
	ibv_destroy_cq(r->cq);
}
