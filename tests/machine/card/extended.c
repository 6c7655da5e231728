/* Posting by ibv_wr_start() and polling by ibv_start_poll(), in a queue pair that is connected and in one of datagrams.
 * Soft-RoCE's library of rdma-core 44 refuses inline data here, and its ibv_next_poll() never ends. */
#include <errno.h>
#include <stddef.h>

#include "ends.h"

#define RELIABLE                                                                                                       \
	(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | DATAGRAMS | IBV_QP_EX_WITH_RDMA_READ |       \
	 IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
#define DATAGRAMS (IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM)

enum { BYTES = 4096, ENTRIES = 16, INLINE = 32, QKEY = 0x1111, GRH = 40 };

/* Where requests go: to bytes of the same number in `there`. */
static struct memory {
	uint64_t words[8], swapped, added;
	char sent[64], received[4][64];
} here __attribute__((aligned(BYTES))), there __attribute__((aligned(BYTES)));

static struct ibv_mr *own, *other;
static uint64_t last_ns; /* of the completion before */
static struct ibv_cq_ex *sends, *receives;

static struct ibv_qp *make(enum ibv_qp_type type, uint64_t operations)
{
	struct ibv_qp_init_attr_ex attr = { .send_cq = ibv_cq_ex_to_cq(sends),
					    .recv_cq = ibv_cq_ex_to_cq(receives),
					    .cap = { ENTRIES, ENTRIES, 2, 1, INLINE },
					    .qp_type = type,
					    .pd = pd,
					    .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
					    .send_ops_flags = operations };

	return ibv_create_qp_ex(context, &attr);
}

static void receive(struct ibv_qp *qp, uint64_t id, char *to, uint32_t bytes)
{
	struct ibv_sge sge = { (uintptr_t)to, bytes, other->lkey };
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 }, *bad;

	must(!ibv_post_recv(qp, &wr, &bad), "ibv_post_recv");
}

static void tell_entry(struct ibv_cq_ex *cq)
{
	printf(" %llu", (unsigned long long)cq->wr_id);
	if (cq->status)
		printf(" %s", ibv_wc_status_str(cq->status));
	if (cq == receives)
		printf(" of %u", ibv_wc_read_byte_len(cq));
	if (ibv_wc_read_wc_flags(cq) & IBV_WC_WITH_IMM)
		printf(" with %x", be32toh(ibv_wc_read_imm_data(cq)));
	must(ibv_wc_read_completion_ts(cq) >= last_ns, "ibv_wc_read_completion_ts");
	last_ns = ibv_wc_read_completion_ts(cq);
}

/* Wait for so many completions, in batches as large as possible. */
static void tell(struct ibv_cq_ex *cq, int count)
{
	struct ibv_poll_cq_attr attr = { .comp_mask = 0 };
	int error;

	last_ns = 1;
	while (count > 0) {
		do
			error = ibv_start_poll(cq, &attr);
		while (error == ENOENT);
		must(!error, "ibv_start_poll");
		do {
			tell_entry(cq);
			count--;
		} while (!ibv_next_poll(cq));
		ibv_end_poll(cq);
	}
	putchar('\n');
}

/* Begin a request. */
static void number(struct ibv_qp_ex *qp, uint64_t id)
{
	qp->wr_id = id;
	qp->wr_flags = IBV_SEND_SIGNALED;
}

static void piece(struct ibv_qp_ex *qp, void *from, size_t bytes)
{
	ibv_wr_set_sge(qp, own->lkey, (uintptr_t)from, (uint32_t)bytes);
}

static uint64_t at(const void *remote)
{
	return (uintptr_t)remote;
}

/* All operations with one doorbell; each kind of data. */
static void post_all(struct ibv_qp_ex *qp)
{
	const struct ibv_sge two[] = { { at(&here.words[1]), 8, own->lkey }, { at(&here.words[0]), 8, own->lkey } };
	char text[] = "inline", *const halves[] = { text, text + 2 };
	struct ibv_data_buf parts[] = { { halves[1], 4 }, { halves[0], 2 } };

	ibv_wr_start(qp);
	number(qp, 1);
	ibv_wr_rdma_write(qp, other->rkey, at(&there.words[0]));
	piece(qp, &here.words[0], 8);
	number(qp, 2);
	ibv_wr_rdma_write_imm(qp, other->rkey, at(&there.words[1]), htobe32(0x22));
	ibv_wr_set_sge_list(qp, 2, two);
	number(qp, 3);
	ibv_wr_send(qp);
	ibv_wr_set_inline_data(qp, text, sizeof(text));
	memset(text, 'X', 1);
	number(qp, 4);
	ibv_wr_send_imm(qp, htobe32(0x44));
	ibv_wr_set_inline_data_list(qp, 2, parts);
	number(qp, 5);
	ibv_wr_rdma_read(qp, other->rkey, at(&there.words[3]));
	piece(qp, &here.words[3], 8);
	number(qp, 6);
	ibv_wr_atomic_cmp_swp(qp, other->rkey, at(&there.swapped), 6, 66);
	piece(qp, &here.swapped, 8);
	number(qp, 7);
	ibv_wr_atomic_fetch_add(qp, other->rkey, at(&there.added), 7);
	piece(qp, &here.added, 8);
	number(qp, 8);
	ibv_wr_send(qp); /* of nothing */
	must(!ibv_wr_complete(qp), "ibv_wr_complete");
}

/* What is dropped or refused leaves nothing; request 9 is the only one. */
static void post_none(struct ibv_qp_ex *qp)
{
	char text[INLINE + 1] = "too long";

	ibv_wr_start(qp);
	number(qp, 90);
	ibv_wr_send(qp);
	ibv_wr_abort(qp);
	ibv_wr_start(qp);
	number(qp, 91);
	ibv_wr_send(qp);
	number(qp, 92);
	ibv_wr_send(qp);
	ibv_wr_set_inline_data(qp, text, sizeof(text));
	must(ibv_wr_complete(qp) == EINVAL, "ibv_wr_complete of too many bytes inline");
	ibv_wr_start(qp);
	for (uint64_t i = 0; i <= ENTRIES; i++) {
		number(qp, 100 + i);
		ibv_wr_rdma_write(qp, other->rkey, at(&there.words[0]));
	}
	must(ibv_wr_complete(qp) == ENOMEM, "ibv_wr_complete of too many requests");
	ibv_wr_start(qp);
	number(qp, 9);
	ibv_wr_rdma_write(qp, other->rkey, at(&there.words[7]));
	piece(qp, &here.words[7], 8);
	must(!ibv_wr_complete(qp), "ibv_wr_complete");
	tell(sends, 1);
}

static void fill(void)
{
	for (size_t i = 0; i < 8; i++) {
		here.words[i] = 10 + i;
		there.words[i] = 20 + i;
	}
	there.swapped = 6;
	there.added = 70;
}

static void connected(void)
{
	struct ibv_qp *a = make(IBV_QPT_RC, RELIABLE), *b = make(IBV_QPT_RC, RELIABLE);

	must(a && b, "ibv_create_qp_ex");
	connect_to(a, b->qp_num, ALL, 1);
	connect_to(b, a->qp_num, ALL, 1);
	fill();
	for (size_t i = 0; i < 4; i++)
		receive(b, 50 + i, there.received[i], sizeof(there.received[i]));
	post_all(ibv_qp_to_qp_ex(a));
	tell(sends, 8);
	tell(receives, 4);
	printf("%s %s", there.received[1], there.received[2]);
	for (size_t i = 0; i < 3; i++)
		printf(" %llu", (unsigned long long)there.words[i]);
	printf(" %llu %llu %llu", (unsigned long long)here.words[3], (unsigned long long)here.swapped,
	       (unsigned long long)here.added);
	printf(" %llu %llu\n", (unsigned long long)there.swapped, (unsigned long long)there.added);
	post_none(ibv_qp_to_qp_ex(a));
	must(!ibv_destroy_qp(a) && !ibv_destroy_qp(b), "ibv_destroy_qp");
}

static void set_state(struct ibv_qp *qp, enum ibv_qp_state state, int mask)
{
	struct ibv_qp_attr attr = { .qp_state = state, .port_num = 1, .qkey = QKEY };

	must(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | mask), "ibv_modify_qp");
}

static void datagrams(void)
{
	struct ibv_ah_attr to = { .is_global = 1, .port_num = 1 };
	struct ibv_qp *qp = make(IBV_QPT_UD, DATAGRAMS);
	struct ibv_qp_ex *more;
	struct ibv_ah *ah;

	must(qp, "ibv_create_qp_ex of UD");
	set_state(qp, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
	set_state(qp, IBV_QPS_RTR, 0);
	set_state(qp, IBV_QPS_RTS, IBV_QP_SQ_PSN);
	to.grh = (struct ibv_global_route){ .dgid = gid, .sgid_index = (uint8_t)gid_index, .hop_limit = 64 };
	ah = ibv_create_ah(pd, &to);
	must(ah, "ibv_create_ah");
	receive(qp, 60, there.received[0], GRH + 8);
	receive(qp, 61, there.received[1], GRH + 8);
	more = ibv_qp_to_qp_ex(qp);
	ibv_wr_start(more);
	number(more, 1);
	ibv_wr_send(more);
	ibv_wr_set_ud_addr(more, ah, qp->qp_num, QKEY);
	piece(more, strcpy(here.sent, "packet"), 7);
	number(more, 2);
	ibv_wr_send_imm(more, htobe32(0x22));
	ibv_wr_set_inline_data(more, here.sent, 7);
	ibv_wr_set_ud_addr(more, ah, qp->qp_num, QKEY);
	must(!ibv_wr_complete(more), "ibv_wr_complete");
	tell(sends, 2);
	tell(receives, 2);
	printf("%s %s\n", there.received[0] + GRH, there.received[1] + GRH);
	must(!ibv_destroy_ah(ah) && !ibv_destroy_qp(qp), "ibv_destroy_qp");
}

static struct ibv_cq_ex *make_queue(void)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = ENTRIES,
					    .wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP };

	return ibv_create_cq_ex(context, &attr);
}

int main(void)
{
	struct ibv_device_attr_ex device;

	open_device();
	must(!ibv_query_device_ex(context, NULL, &device), "ibv_query_device_ex");
	must(device.completion_timestamp_mask == UINT64_MAX && device.hca_core_clock == 1000000, "hca_core_clock");
	sends = make_queue();
	receives = make_queue();
	own = ibv_reg_mr(pd, &here, sizeof(here), ALL);
	other = ibv_reg_mr(pd, &there, sizeof(there), ALL);
	must(sends && receives && own && other, "ibv_create_cq_ex");
	must(!make(IBV_QPT_UD, IBV_QP_EX_WITH_RDMA_READ) && errno == EOPNOTSUPP, "datagrams cannot read");
	connected();
	datagrams();
	return 0;
}
