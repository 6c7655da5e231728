/* Requests, their completions, and the memory that they use. */
#include "messages.h"

#include <stdlib.h>
#include <string.h>

static struct ibv_mr *registered(const struct ring *r, void *at, size_t bytes)
{
	struct ibv_mr *mr = ibv_reg_mr(r->pd, at, bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);

	check(mr, "ibv_reg_mr");
	return mr;
}

size_t segments_of(const struct ring *r, size_t bytes)
{
	const size_t largest = bytes / (size_t)r->ranks + sizeof(int64_t);

	return (largest + SEGMENT - 1) / SEGMENT;
}

void make_messages(struct ring *r)
{
	struct messages *m = calloc(1, sizeof(*m));

	check(m, "calloc");
	m->slot_count = (size_t)r->ranks * segments_of(r, r->most);
	m->slot_bytes = r->most / (size_t)r->ranks + sizeof(int64_t);
	m->slots = calloc(m->slot_count, m->slot_bytes);
	check(m->slots, "calloc");
	m->slots_mr = registered(r, m->slots, m->slot_count * m->slot_bytes);
	m->grants_mr = registered(r, m->grants, sizeof(m->grants));
	r->state = m;
}

static void post_receive(struct ring *r)
{
	struct messages *m = r->state;
	char *slot = m->slots + m->posted++ % m->slot_count * m->slot_bytes;
	struct ibv_sge sge = { (uintptr_t)slot, (uint32_t)m->slot_bytes, m->slots_mr->lkey };
	struct ibv_recv_wr *bad, wr = { .wr_id = RECEIVED, .sg_list = &sge, .num_sge = 1 };

	check(!ibv_post_recv(r->in, &wr, &bad), "ibv_post_recv");
}

static void post_grant_receive(struct ring *r, unsigned long number)
{
	struct messages *m = r->state;
	struct ibv_sge sge = { (uintptr_t)&m->grants[number % GRANTS], sizeof(struct grant), m->grants_mr->lkey };
	struct ibv_recv_wr *bad, wr = { .wr_id = GRANTED, .sg_list = &sge, .num_sge = 1 };

	check(!ibv_post_recv(r->out, &wr, &bad), "ibv_post_recv");
}

void post_receives(struct ring *r)
{
	for (size_t i = 0; i < r->state->slot_count; i++)
		post_receive(r);
	for (unsigned long i = 0; i < GRANTS; i++)
		post_grant_receive(r, i);
}

struct ibv_mr *region_of(struct ring *r, const void *vector)
{
	struct ibv_mr **regions = r->state->vectors;
	int i = 0;

	while (i < VECTORS && regions[i] && regions[i]->addr != vector)
		i++;
	check(i < VECTORS, "more vectors than the regions for them");
	if (!regions[i])
		regions[i] = registered(r, (void *)(uintptr_t)vector, r->most);
	return regions[i];
}

static void post(struct ibv_qp *qp, struct ibv_send_wr wr, const void *at, size_t bytes, uint32_t lkey)
{
	struct ibv_sge sge = { (uintptr_t)at, (uint32_t)bytes, lkey };
	struct ibv_send_wr *bad;

	wr.sg_list = &sge;
	wr.num_sge = bytes > 0; /* a length of 0 would mean 2^31 */
	wr.send_flags |= IBV_SEND_SIGNALED;
	check(!ibv_post_send(qp, &wr, &bad), "ibv_post_send");
}

void send_part(struct ring *r, const void *at, size_t bytes, const struct ibv_mr *mr)
{
	r->state->sent++;
	post(r->out, (struct ibv_send_wr){ .wr_id = SENT, .opcode = IBV_WR_SEND }, at, bytes, mr->lkey);
}

/* The immediate data take one of the next rank's receives, and so tell it that the message is there. */
void write_part(struct ring *r, const void *at, size_t bytes, const struct ibv_mr *mr, uint64_t to, uint32_t rkey)
{
	r->state->sent++;
	post(r->out,
	     (struct ibv_send_wr){ .wr_id = SENT, .opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .wr.rdma = { to, rkey } }, at,
	     bytes, mr->lkey);
}

void give_grant(struct ring *r, const void *at, const struct ibv_mr *mr)
{
	const struct grant grant = { (uintptr_t)at, mr->rkey, 0 };

	post(r->in, (struct ibv_send_wr){ .wr_id = GRANT_SENT, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_INLINE },
	     &grant, sizeof(grant), 0);
}

struct grant take_grant(struct ring *r)
{
	struct messages *m = r->state;
	const unsigned long number = m->granted++;
	struct grant grant;

	while (m->done[GRANTED] <= number)
		take_completions(r);
	grant = m->grants[number % GRANTS];
	post_grant_receive(r, number);
	return grant;
}

const void *next_message(struct ring *r)
{
	struct messages *m = r->state;

	while (m->done[RECEIVED] <= m->used)
		take_completions(r);
	return m->slots + m->used % m->slot_count * m->slot_bytes;
}

void free_slot(struct ring *r)
{
	r->state->used++;
	post_receive(r);
}

void take_completions(struct ring *r)
{
	struct ibv_wc wc[16];
	int count;

	do
		count = ibv_poll_cq(r->cq, 16, wc);
	while (count == 0);
	check(count > 0, "ibv_poll_cq");
	for (int i = 0; i < count; i++) {
		check(wc[i].status == IBV_WC_SUCCESS, ibv_wc_status_str(wc[i].status));
		r->state->done[wc[i].wr_id]++;
	}
}

void wait_until_sent(struct ring *r)
{
	while (r->state->done[SENT] < r->state->sent)
		take_completions(r);
}

void free_messages(struct ring *r)
{
	struct messages *m = r->state;

	for (int i = 0; i < VECTORS && m->vectors[i]; i++)
		ibv_dereg_mr(m->vectors[i]);
	ibv_dereg_mr(m->grants_mr);
	ibv_dereg_mr(m->slots_mr);
	free(m->slots);
	free(m);
}
