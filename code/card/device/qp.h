/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A queue pair: its requests, and its answers to the peer. */
#ifndef QP_H
#define QP_H

#include "engine.h"
#include "object.h"
#include "queue.h"
#include "verbs.h"

enum { ANSWERS = 64, RESULTS = CARD_READS_MOST };

/* A send, from its first packet to its completion. */
struct request {
	struct card_wqe wqe;
	struct card_address address; /* of a datagram */
	uint32_t first_psn, packets, bytes, status;
	bool is_rung; /* the first one of its doorbell */
};

/* An answer to the peer; answers leave in order. */
struct answer {
	enum { ANSWER_ACK, ANSWER_READ, ANSWER_RESULT } kind;
	uint32_t psn, rkey;
	uint64_t remote, bytes; /* what is left to send */
	uint64_t value;
	uint8_t ack;
	bool is_begun, is_again; /* the peer asked twice */
};

struct requester {
	struct queue queue; /* `taken`: the oldest incomplete send */
	struct request *requests;
	uint32_t posted;             /* according to the last doorbell */
	uint32_t started;            /* sends that have their sequence numbers */
	uint32_t next, next_packet;  /* the next packet */
	uint32_t psn, unacked, sent; /* of the next send; of the oldest packet in flight; after the last packet sent */
	uint32_t asks, reads;        /* READs and atomics without an answer: all, and those sent since the last retry */
	uint32_t retries, rnr_retries; /* left */
	int64_t pause_until_ps, deadline_ps;
	bool has_timer, is_trying_again;
	void (*fail)(struct card *, struct qp *); /* called when a send has failed */
	struct flow flow;
};

struct responder {
	struct queue queue;
	uint32_t psn;         /* the expected one */
	bool is_out_of_order; /* the peer was notified */
	struct receive receive;
	bool has_receive, is_within; /* a message has begun and not ended */
	bool has_reported;           /* the last receive completed with an error, which replaces the event */
	uint32_t done;               /* bytes of the message so far */
	struct answer answers[ANSWERS];
	uint32_t first_answer, answer_count;
	uint32_t leaving; /* answers that wait at the port, which acknowledgements would overtake */
	uint32_t owed;    /* READs and atomics without a whole answer, which the peer has not asked for again */
	struct {
		uint32_t psn;
		uint64_t value;
		bool is_there;
	} results[RESULTS]; /* of the last atomics, if the peer asks again */
	uint32_t result_count;
	struct flow flow;
};

struct qp {
	struct object is;
	uint32_t type, pd, send_cq, recv_cq, srq, all_signalled;
	struct card_attributes attributes;
	struct rate rate;       /* of its sends, and of its answers to READs */
	int64_t quiet_until_ps; /* its peer was notified of congestion */
	bool must_flush;        /* failed by an overrun, and not flushed yet */
	bool is_draining;       /* in SQD, and will have an event once its sends have completed */
	struct requester out;
	struct responder in;
};

/* Initialise a queue pair from the arguments of a command; 0 or an errno. */
int qp_create(struct card *card, struct qp *qp, const struct card_qp *wanted);

/* Change the attributes; 0 or an errno. */
int qp_modify(struct card *card, struct qp *qp, const struct card_attributes *wanted);

/* Fail the queue pair if the verdict is a failure: all its requests are flushed. */
void qp_obey(struct card *card, struct qp *qp, enum verbs_verdict verdict);

/* A completion queue has overrun: all its queue pairs fail with QP_FATAL. Their states change at once; their requests
 * are flushed after the caller returns, since it may be completing one of them. */
void qp_lose_cq(struct card *card, uint32_t cq);

/* Flush the requests of a failed queue pair. */
void qp_flush(struct card *card, struct qp *qp);

/* Free what it has besides the memory of its object. */
void qp_drop(struct card *card, struct qp *qp);

/* Whether it sends what has begun; in SQD it begins nothing new. */
static inline bool qp_sends(const struct qp *qp)
{
	return qp->attributes.state == RTS || qp->attributes.state == SQD;
}

/* The queue pair of a number; NULL if there is none. */
static inline struct qp *qp_find(const struct table *table, uint32_t number)
{
	return (struct qp *)table_find(table, QP, number);
}

#endif
