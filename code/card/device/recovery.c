/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "card.h"
#include "completion.h"
#include "recovery.h"

void recovery_progress(struct qp *qp)
{
	qp->out.retries = qp->attributes.retries;
	qp->out.rnr_retries = qp->attributes.rnr_retries;
	qp->out.is_trying_again = false;
}

static void expire(struct card *card, uint64_t handle, uint64_t nothing);

static void set_timer(struct card *card, struct qp *qp)
{
	struct requester *const out = &qp->out;

	if (out->has_timer || out->deadline_ps == INT64_MAX)
		return;
	out->has_timer = true;
	schedule_plan(&card->schedule, out->deadline_ps - card->schedule.now_ps, expire, qp->is.handle, 0);
}

/* A deadline that moves needs no further timer. */
static void expire(struct card *card, uint64_t handle, uint64_t nothing)
{
	struct qp *const qp = qp_find(&card->table, (uint32_t)handle);

	(void)nothing;
	if (!qp)
		return;
	qp->out.has_timer = false;
	if (qp->out.deadline_ps <= card->schedule.now_ps) {
		qp->out.deadline_ps = INT64_MAX;
		qp->out.is_trying_again = false;
		recovery_retry(card, qp);
	}
	set_timer(card, qp);
}

/* The timeout of an acknowledgement; 0: none. */
static int64_t timeout_ps(const struct qp *qp)
{
	const uint32_t code = qp->attributes.timeout;

	return code ? (int64_t)4096000 << code : 0; /* 4.096 us times 2 to the code */
}

void recovery_watch(struct card *card, struct qp *qp)
{
	struct requester *const out = &qp->out;
	const bool waits = psn_after(out->sent, out->unacked) > 0 && timeout_ps(qp);

	out->deadline_ps = waits ? card->schedule.now_ps + timeout_ps(qp) : INT64_MAX;
	set_timer(card, qp);
}

static void go_back(struct qp *qp)
{
	struct requester *const out = &qp->out;

	out->next = out->queue.taken;
	while (out->next != out->started) {
		const struct request *const r = &out->requests[out->next % out->queue.slots];

		if (psn_after(out->unacked, (r->first_psn + r->packets) & PSN_MASK) < 0)
			break;
		out->next++;
	}
	out->next_packet = 0;
	if (out->next != out->started)
		out->next_packet = (out->unacked - out->requests[out->next % out->queue.slots].first_psn) & PSN_MASK;
}

static void send_again(struct card *card, struct qp *qp)
{
	go_back(qp);
	qp->out.reads = 0;
	engine_wake(card, &qp->out.flow);
}

void recovery_retry(struct card *card, struct qp *qp)
{
	if (!qp_sends(qp) || qp->out.queue.taken == qp->out.started || qp->out.is_trying_again)
		return;
	qp->out.is_trying_again = true;
	if (!qp->out.retries) {
		completion_end(card, qp, RETRIES_EXCEEDED);
		return;
	}
	qp->out.retries--;
	recovery_watch(card, qp);
	send_again(card, qp);
}

/* InfiniBand's table 45, in units of 10 us. */
static int64_t rnr_ps(uint32_t code)
{
	static const uint32_t table[32] = { 65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
					    48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
					    2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152 };

	return (int64_t)table[code % 32] * 10000000;
}

static void go_on(struct card *card, uint64_t handle, uint64_t nothing)
{
	struct qp *const qp = qp_find(&card->table, (uint32_t)handle);

	(void)nothing;
	if (qp)
		engine_wake(card, &qp->out.flow);
}

void recovery_pause(struct card *card, struct qp *qp, const struct packet *p)
{
	struct requester *const out = &qp->out;

	if (!qp_sends(qp) || out->unacked != p->psn)
		return;
	card->world->count_early(card->world);
	if (!out->rnr_retries) {
		completion_end(card, qp, RNR_EXCEEDED);
		return;
	}
	if (qp->attributes.rnr_retries != RNR_FOREVER)
		out->rnr_retries--;
	out->pause_until_ps = card->schedule.now_ps + rnr_ps(p->rnr_timer);
	out->deadline_ps = INT64_MAX;
	go_back(qp);
	out->reads = 0;
	schedule_plan(&card->schedule, out->pause_until_ps - card->schedule.now_ps, go_on, qp->is.handle, 0);
}

void recovery_catch_up(struct qp *qp)
{
	struct requester *const out = &qp->out;
	const struct request *const r = &out->requests[out->next % out->queue.slots];
	const bool is_behind = out->next - out->queue.taken > out->started - out->queue.taken ||
			       (out->next != out->started &&
				psn_after(out->unacked, (r->first_psn + out->next_packet) & PSN_MASK) > 0);

	if (qp_sends(qp) && is_behind)
		go_back(qp);
}
