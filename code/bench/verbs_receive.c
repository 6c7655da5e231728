#include "verbs_link.h"

#include <arpa/inet.h>
#include <string.h>

#include "die.h"
#include "least.h"
#include "watch.h"

#define BATCH 64 /* requests per post, or completions per poll */

/* Control messages use receive requests that were posted for data, and data those of control messages: a request may
 * receive any piece of a message of any size. So all pieces arrive at the start of a slot, where there is room for the
 * largest. --verify sends no control messages that way, and checks each piece at its offset. */
static void post_batch(struct link *l, uint64_t count)
{
	struct ibv_recv_wr wr[BATCH], *bad;
	struct ibv_sge sge[BATCH];
	const uint64_t chunk = verbs_chunk_bytes(l), operations = l->options->verify ? l->flow.operations : 1;
	const unsigned char *end = l->buffer.bytes + l->buffer.regions * l->buffer.region_bytes, *place;
	uint64_t offset;
	int error;

	for (uint64_t i = 0; i < count; i++, l->queued++) {
		offset = l->queued % operations * chunk;
		place = verbs_incoming(l, l->queued / operations) + offset;
		sge[i] = (struct ibv_sge){ (uintptr_t)place, (uint32_t)least(chunk, (uint64_t)(end - place)),
					   l->mr->lkey };
		wr[i] = (struct ibv_recv_wr){ .next = i + 1 < count ? &wr[i + 1] : NULL,
					      .sg_list = &sge[i],
					      .num_sge = 1 };
	}
	error = ibv_post_recv(l->qp, wr, &bad);
	if (error)
		die("ibv_post_recv: %s", strerror(error));
}

/* Keeps up to rx_depth receive requests posted, and no more than the round will use. */
void verbs_receive_refill(struct link *l)
{
	uint64_t room;

	while ((room = least(l->expected - l->queued, l->verbs->rx_depth - (l->queued - l->arrived))) > 0)
		post_batch(l, least(room, BATCH));
}

/* A control message has no data: any buffer will do. */
void verbs_receive_controls(struct link *l, unsigned int count)
{
	struct ibv_sge sge = { (uintptr_t)buffer_incoming(&l->buffer, 1, 0),
			       (uint32_t)least(verbs_chunk_bytes(l), l->buffer.region_bytes), l->mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	int error = 0;

	for (unsigned int i = 0; i < count && !error; i++)
		error = ibv_post_recv(l->qp, &wr, &bad);
	if (error)
		die("ibv_post_recv: %s", strerror(error));
}

static _Noreturn void no_control(void)
{
	die("the other end sent something other than a control message");
}

static uint32_t receive_immediate(struct link *l)
{
	struct ibv_wc wc;

	l->receives.wait(&l->receives, 1, &wc);
	if (!(wc.wc_flags & IBV_WC_WITH_IMM))
		no_control();
	verbs_receive_controls(l, 1);
	watch_advance();
	return ntohl(wc.imm_data);
}

enum control verbs_receive_control(struct link *l)
{
	const uint32_t number = receive_immediate(l);

	if ((number | CONTROL_STOP) != (VERBS_CONTROL | CONTROL_STOP))
		no_control();
	return (enum control)(number & CONTROL_STOP);
}

uint32_t verbs_receive_order(struct link *l)
{
	return receive_immediate(l);
}

void verbs_receive_message(struct link *l)
{
	struct ibv_wc wc;

	l->receives.wait(&l->receives, 1, &wc);
	l->arrived++;
}

void verbs_receive_round(struct link *l)
{
	struct ibv_wc wc[BATCH];

	while (l->arrived < l->expected) {
		l->arrived += (uint64_t)l->receives.wait(&l->receives, BATCH, wc);
		verbs_receive_refill(l);
		watch_advance();
	}
}
