/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A queue pair: what it asks of its peer, and what it answers. */
#ifndef QP_H
#define QP_H

#include "engine.h"
#include "object.h"
#include "queue.h"
#include "verbs.h"

enum { ANSWERS = 64, RESULTS = CARD_READS_MOST };

/* A send from when its first packet is due to its completion. */
struct request {
	struct card_wqe wqe;
	struct card_address address; /* of a datagram */
	uint32_t first_psn, packets, bytes, status;
};

/* What is owed to the peer, in order. */
struct answer {
	enum { ANSWER_ACK, ANSWER_READ, ANSWER_RESULT } kind;
	uint32_t psn, rkey;
	uint64_t remote, bytes; /* what is left to be sent */
	uint64_t value;
	uint8_t ack;
	bool is_begun;
};

struct requester {
	struct queue queue; /* its `taken` is the oldest send that is not complete */
	struct request *requests;
	uint32_t posted;            /* as the last doorbell said */
	uint32_t started;           /* sends that have their numbers */
	uint32_t next, next_packet; /* what leaves next */
	uint32_t psn, unacked,
		sent;         /* of the next send; of the oldest packet under way; after the last one that left */
	uint32_t asks, reads; /* that have no answer yet: all, and those that were sent since the last retry */
	uint32_t retries, rnr_retries; /* that are left */
	int64_t pause_until_ps, deadline_ps;
	bool has_timer, is_trying_again;
	void (*fail)(struct card *, struct qp *); /* a send has ended with an error */
	struct flow flow;
};

struct responder {
	struct queue queue;
	uint32_t psn;         /* that is expected */
	bool is_out_of_order; /* which the peer was told */
	struct receive receive;
	bool has_receive, is_within; /* a message has begun, and not ended */
	bool has_told;               /* the last receive was completed with an error, which needs no event too */
	uint32_t done;               /* bytes of it */
	struct answer answers[ANSWERS];
	uint32_t first_answer, answer_count;
	uint32_t leaving; /* answers that wait at the port, where acknowledgements would overtake them */
	struct {
		uint32_t psn;
		uint64_t value;
		bool is_there;
	} results[RESULTS]; /* of the last atomics, for who asks again */
	uint32_t result_count;
	struct flow flow;
};

struct qp {
	struct object is;
	uint32_t type, pd, send_cq, recv_cq, srq, all_signalled;
	struct card_attributes attributes;
	bool must_flush; /* failed by an overrun, and not flushed yet */
	struct requester out;
	struct responder in;
};

/* Make one of the arguments of a command, but for its object; 0, or why not (errno). */
int qp_create(struct card *card, struct qp *qp, const struct card_qp *wanted);

/* Give it new attributes; 0, or why not. */
int qp_modify(struct card *card, struct qp *qp, const struct card_attributes *wanted);

/* It may have to fail: then all its requests are flushed. */
void qp_obey(struct card *card, struct qp *qp, enum verbs_verdict verdict);

/* A completion queue has overrun: all queue pairs that use it fail with QP_FATAL. They change their states at once;
 * their requests are flushed when the caller has returned, since it may be in the midst of completing one of them. */
void qp_lose_cq(struct card *card, uint32_t cq);

/* What was posted to one that has failed. */
void qp_flush(struct card *card, struct qp *qp);

/* Give back what it holds beside its object's memory. */
void qp_drop(struct card *card, struct qp *qp);

/* By its number; NULL if there is none. */
static inline struct qp *qp_find(const struct table *table, uint32_t number)
{
	return (struct qp *)table_find(table, QP, number);
}

#endif
