/* The reaction of a device to mistakes, and its features: a line each, "name: answer". Both queue pairs are in this
 * process, so the same program runs over Soft-RoCE and over the modelled card. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ends.h"

#define OTHER_KEY 0x100
#define WRITE IBV_WR_RDMA_WRITE
#define READ IBV_WR_RDMA_READ
#define SEND IBV_WR_SEND
#define SWAP IBV_WR_ATOMIC_CMP_AND_SWP
#define ADD IBV_WR_ATOMIC_FETCH_AND_ADD

enum { BYTES = 8192, ENTRIES = 64, WAIT_MS = 500, QUIET_MS = 20 };

struct mistake {
	const char *name;
	enum ibv_wr_opcode opcode;
	uint32_t length;
	int remote_off, local_off;           /* of the addresses */
	uint32_t remote_key, local_key;      /* what is wrong in the keys */
	int region_without, pair_without;    /* rights that the target lacks */
	uint32_t receive_bytes, receive_key; /* 0 bytes: there is no receive */
	bool other_domain, is_gone;          /* the target's region; the target */
	int reads_off, dest_reads_off;       /* of 1, what the sender may ask at once and the target answer */
	int more;                            /* requests at once */
	enum ibv_qp_type type;               /* 0: RC */
};

static const struct mistake mistakes[] = {
	{ "none", WRITE, 8, .remote_off = 0 }, /* the first one, which other functions post */
	{ "remote key", WRITE, 8, .remote_key = OTHER_KEY },
	{ "beyond the remote region", WRITE, 8, .remote_off = BYTES - 4 },
	{ "before the remote region", READ, 8, .remote_off = -4 },
	{ "region without remote write", WRITE, 8, .region_without = REMOTE_WRITE | REMOTE_ATOMIC },
	{ "region without remote read", READ, 8, .region_without = REMOTE_READ },
	{ "region without atomics", ADD, 8, .region_without = REMOTE_ATOMIC },
	{ "queue pair without remote write", WRITE, 8, .pair_without = REMOTE_WRITE },
	{ "queue pair without remote read", READ, 8, .pair_without = REMOTE_READ },
	{ "queue pair without atomics", SWAP, 8, .pair_without = REMOTE_ATOMIC },
	{ "region of another domain", WRITE, 8, .other_domain = true },
	{ "local key", WRITE, 8, .local_key = OTHER_KEY },
	{ "beyond the local region", WRITE, 8, .local_off = BYTES - 4 },
	{ "atomic off its place", ADD, 8, .remote_off = 4 },
	{ "atomic of 4 bytes", ADD, 4, .remote_off = 0 },
	{ "receive too short", SEND, 64, .receive_bytes = 32 },
	{ "receive's key", SEND, 64, .receive_bytes = 64, .receive_key = OTHER_KEY },
	{ "no receive", SEND, 64, .receive_bytes = 0 },
	{ "no peer", WRITE, 8, .is_gone = true },
	{ "READ with max_rd_atomic 0", READ, 8, .reads_off = -1 },
	{ "READ with max_dest_rd_atomic 0", READ, 8, .dest_reads_off = -1 },
	{ "8 READs with max_dest_rd_atomic 1", READ, 8, .reads_off = 7, .more = 7 },
	{ "receive of UC too short", SEND, 64, .receive_bytes = 32, .type = IBV_QPT_UC },
};

struct end {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
};

static struct ibv_pd *other_pd;
static char memory[2][BYTES] __attribute__((aligned(4096)));
static const char constant[BYTES] = "read-only";
static atomic_bool is_acknowledged;

static struct end a, b; /* the sender and the target */
static struct ibv_comp_channel *channel;

static struct end make(char *bytes, struct ibv_pd *of, int access, int entries, enum ibv_qp_type type)
{
	struct end e = { .cq = ibv_create_cq(context, entries, NULL, channel, 0) };
	struct ibv_qp_init_attr attr = { .send_cq = e.cq, .recv_cq = e.cq, .qp_type = type ? type : IBV_QPT_RC };

	must(e.cq, "ibv_create_cq");
	attr.cap = (struct ibv_qp_cap){ ENTRIES, ENTRIES, 1, 1, 0 };
	e.qp = ibv_create_qp(pd, &attr);
	must(e.qp, "ibv_create_qp");
	e.mr = ibv_reg_mr(of, bytes, BYTES, access);
	must(e.mr, "ibv_reg_mr");
	return e;
}

static void drop(struct end *e)
{
	must(!e->qp || !ibv_destroy_qp(e->qp), "ibv_destroy_qp");
	must((!e->cq || !ibv_destroy_cq(e->cq)) && !ibv_dereg_mr(e->mr), "ibv_destroy_cq");
}

/* Connect both for a mistake. */
static void start(const struct mistake *m, int entries)
{
	a = make(memory[0], pd, ALL, entries, m->type);
	b = make(memory[1], m->other_domain ? other_pd : pd, ALL & ~m->region_without, ENTRIES, m->type);
	connect_to(a.qp, b.qp->qp_num, ALL, 1 + m->reads_off);
	connect_to(b.qp, a.qp->qp_num, ALL & ~m->pair_without, 1 + m->dest_reads_off);
}

static void end(void)
{
	drop(&a);
	drop(&b);
}

static void nap(int ms)
{
	poll(NULL, 0, ms);
}

/* The status of the first completion that is none of `more` successes, waited for or not. */
static void tell_status(const char *who, struct end *e, int wait_ms, int more)
{
	struct ibv_wc wc = { .status = IBV_WC_SUCCESS };
	int found;

	do
		while ((found = ibv_poll_cq(e->cq, 1, &wc)) == 0 && wait_ms-- > 0)
			nap(1);
	while (found > 0 && wc.status == IBV_WC_SUCCESS && more-- > 0);
	printf("%s %s; ", who, found > 0 ? ibv_wc_status_str(wc.status) : found ? "can't be polled" : "nothing");
}

static void tell_state(const char *who, struct end *e)
{
	static const char *const names[] = { "RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR" };
	struct ibv_qp_attr attr;
	struct ibv_qp_init_attr made;

	if (!e->qp)
		return;
	must(!ibv_query_qp(e->qp, &attr, IBV_QP_STATE, &made), "ibv_query_qp");
	printf("%s %s; ", who, names[attr.qp_state]);
}

static void tell_events(void)
{
	struct pollfd file = { .fd = context->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	while (poll(&file, 1, QUIET_MS) > 0) {
		must(!ibv_get_async_event(context, &event), "ibv_get_async_event");
		printf("event %s; ", ibv_event_type_str(event.event_type));
		ibv_ack_async_event(&event);
	}
	putchar('\n');
}

static void post_receive(const struct mistake *m)
{
	struct ibv_sge sge = { (uintptr_t)b.mr->addr, m->receive_bytes, b.mr->lkey ^ m->receive_key };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	if (m->receive_bytes)
		must(!ibv_post_recv(b.qp, &wr, &bad), "ibv_post_recv");
}

static int post_send(const struct mistake *m)
{
	const uint64_t remote = (uintptr_t)b.mr->addr + (uint64_t)(int64_t)m->remote_off;
	const uint32_t key = b.mr->rkey ^ m->remote_key;
	struct ibv_sge sge = { (uintptr_t)a.mr->addr + (uint64_t)m->local_off, m->length, a.mr->lkey ^ m->local_key };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = m->opcode, .send_flags = IBV_SEND_SIGNALED },
			   *bad;

	if (m->opcode == ADD || m->opcode == SWAP) {
		wr.wr.atomic.remote_addr = remote;
		wr.wr.atomic.rkey = key;
	} else {
		wr.wr.rdma.remote_addr = remote;
		wr.wr.rdma.rkey = key;
	}
	return ibv_post_send(a.qp, &wr, &bad);
}

static void make_mistake(const struct mistake *m)
{
	int error = 0;

	start(m, ENTRIES);
	post_receive(m);
	if (m->is_gone) {
		must(!ibv_destroy_qp(b.qp), "ibv_destroy_qp");
		b.qp = NULL;
	}
	printf("%s: ", m->name);
	for (int i = 0; i <= m->more && !error; i++)
		error = post_send(m);
	if (error)
		printf("post %s; ", strerror(error));
	else
		tell_status("sender", &a, WAIT_MS, m->more);
	tell_status("receiver", &b, 0, 0);
	tell_state("sender", &a);
	tell_state("receiver", &b);
	tell_events();
	end();
}

/* More completions than there is room for. */
static void overflow(void)
{
	start(mistakes, 1);
	for (int i = 0; i < a.cq->cqe + 8 && i < ENTRIES; i++)
		post_send(mistakes);
	nap(QUIET_MS);
	printf("completion queue too small: ");
	tell_state("sender", &a);
	tell_events();
	end();
}

/* A request that is posted in SQD waits there. */
static void drain(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };

	start(mistakes, ENTRIES);
	printf("SQD: ");
	must(!ibv_modify_qp(a.qp, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), "SQD");
	post_send(mistakes);
	tell_status("sender", &a, QUIET_MS, 0);
	tell_events();
	attr.qp_state = IBV_QPS_RTS;
	printf("RTS after SQD: ");
	must(!ibv_modify_qp(a.qp, &attr, IBV_QP_STATE), "RTS after SQD");
	tell_status("sender", &a, WAIT_MS, 0);
	tell_events();
	end();
}

static void *acknowledge(void *cq)
{
	nap(QUIET_MS);
	is_acknowledged = true;
	ibv_ack_cq_events(cq, 1);
	return NULL;
}

/* The completion queue of an event is destroyed while the program still works on the event. */
static void destroy_early(void)
{
	pthread_t thread;
	struct ibv_cq *cq;
	void *user;

	channel = ibv_create_comp_channel(context);
	start(mistakes, ENTRIES);
	must(!ibv_req_notify_cq(a.cq, 0), "ibv_req_notify_cq");
	post_send(mistakes);
	must(!ibv_get_cq_event(channel, &cq, &user) && cq == a.cq, "ibv_get_cq_event");
	pthread_create(&thread, NULL, acknowledge, cq);
	must(!ibv_destroy_qp(a.qp) && !ibv_destroy_cq(cq), "ibv_destroy_cq");
	printf("ibv_destroy_cq before an event is acknowledged: %s\n", is_acknowledged ? "waits" : "does not wait");
	pthread_join(thread, NULL);
	a.qp = NULL;
	a.cq = NULL;
	end();
	must(!ibv_destroy_comp_channel(channel), "ibv_destroy_comp_channel");
}

static void tell_call(const char *name, bool works)
{
	printf("%s: %s\n", name, works ? "works" : strerror(errno));
}

static void calls(void)
{
	struct ibv_cq *const cq = ibv_create_cq(context, 1, NULL, NULL, 0);
	struct ibv_qp_init_attr_ex more = { .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .pd = pd };
	struct ibv_cq_init_attr_ex cq_more = { .cqe = 1 };
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = 1, .max_sge = 1 } };
	struct ibv_srq_init_attr_ex srq_more = { .attr = { .max_wr = 1, .max_sge = 1 },
						 .comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
						 .srq_type = IBV_SRQT_BASIC,
						 .pd = pd };
	struct ibv_qp_init_attr old = { .send_cq = cq, .recv_cq = cq, .cap = { 1, 1, 1, 1, 0 }, .qp_type = IBV_QPT_UD };
	struct ibv_qp *const datagrams = ibv_create_qp(pd, &old);
	const union ibv_gid group = { .raw = { 0xff, 0x0e, [10] = 0xff, 0xff, 239, 1, 1, 1 } };
	struct ibv_mr *const mr = ibv_reg_mr(pd, memory[0], BYTES, 0);

	must(datagrams && mr, "UD");
	more.cap = old.cap;
	more.comp_mask = IBV_QP_INIT_ATTR_PD;
	tell_call("ibv_create_qp_ex", ibv_create_qp_ex(context, &more));
	more.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	more.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE;
	tell_call("ibv_create_qp_ex for ibv_wr_*", ibv_create_qp_ex(context, &more));
	tell_call("ibv_create_cq_ex", ibv_create_cq_ex(context, &cq_more));
	cq_more.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
	tell_call("ibv_create_cq_ex for times", ibv_create_cq_ex(context, &cq_more));
	tell_call("ibv_create_srq_ex", ibv_create_srq_ex(context, &srq_more));
	errno = ibv_attach_mcast(datagrams, &group, 0);
	tell_call("ibv_attach_mcast", !errno);
	errno = 0;
	tell_call("ibv_rereg_mr", !ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, ALL));
	tell_call("ibv_alloc_mw", ibv_alloc_mw(pd, IBV_MW_TYPE_1));
	errno = ibv_resize_cq(cq, 100);
	tell_call("ibv_resize_cq", !errno);
	tell_call("ibv_reg_mr of read-only memory", ibv_reg_mr(pd, (void *)constant, sizeof(constant), 0));
	old.qp_type = IBV_QPT_RC;
	old.srq = ibv_create_srq(pd, &srq);
	must(old.srq && ibv_create_qp(pd, &old), "ibv_create_srq");
	errno = ibv_destroy_srq(old.srq);
	tell_call("ibv_destroy_srq of a used one", !errno);
}

static void limits(void)
{
	struct ibv_device_attr d;
	struct ibv_port_attr p;

	must(!ibv_query_device(context, &d) && !ibv_query_port(context, 1, &p), "ibv_query_device");
	printf("max_qp_wr: %d\nmax_sge: %d\nmax_cqe: %d\nmax_qp: %d\nmax_mr: %d\n", d.max_qp_wr, d.max_sge, d.max_cqe,
	       d.max_qp, d.max_mr);
	printf("max_srq_wr: %d\nmax_qp_rd_atom: %d\nmax_msg_sz: %u\n", d.max_srq_wr, d.max_qp_rd_atom, p.max_msg_sz);
}

int main(void)
{
	open_device();
	other_pd = ibv_alloc_pd(context);
	must(other_pd, "ibv_alloc_pd");
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++)
		make_mistake(&mistakes[i]);
	overflow();
	drain();
	destroy_early();
	calls();
	limits();
	return 0;
}
