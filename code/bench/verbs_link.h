/* What the files of the verbs transport share: queue pairs for data, and one for control messages. */
#ifndef VERBS_LINK_H
#define VERBS_LINK_H

#include "buffer.h"
#include "transport.h"
#include "verbs_device.h"
#include "verbs_queue.h"

#define VERBS_LAST 1                    /* immediate of the last message of a queue pair in a round that ends by time */
#define VERBS_QKEY 0x11111111           /* of datagrams at both ends; the first bit would ask for privileges */
#define VERBS_VENDOR_SOFT_ROCE 0xffffff /* RXE_VENDOR_ID of the kernel */
#define VERBS_CONTROLS 8                /* control messages in flight at most */

/* What the ends exchange about themselves. */
struct verbs_address {
	uint64_t buffer; /* the memory of WRITE and READ */
	uint64_t max_message_bytes;
	uint32_t buffer_key, control_qp, psn, lid, link_layer, gid_type, mtu, reads;
	uint32_t global_route; /* 1: the end must be reached by GID, or asks for it */
	uint8_t gid[16];
	uint32_t qps[VERBS_PAIRS_MAX]; /* for data */
};

/* A queue pair for data, and what it has done of a round. */
struct verbs_pair {
	struct ibv_qp *qp;
	uint64_t messages, posted, done; /* that this end sends: all, posted, completed (if there are several pairs) */
	uint64_t end_ns;                 /* when the last of them completed */
	uint64_t expected, arrived, queued; /* receive requests: all, completed, posted */
};

/* Control messages are reliable and have a queue pair to themselves, so that they neither use the entries of data nor
 * wait behind them. */
struct verbs_control {
	struct ibv_qp *qp;
	struct verbs_queue sends, receives;
	unsigned int out; /* sent messages without a completion so far */
	/* If data may be lost: what has arrived, in a ring. */
	uint32_t inbox[VERBS_CONTROLS];
	unsigned int arrived, taken;
	bool has_mark; /* the second mark of a round will arrive, and is not needed any more */
};

struct link {
	const struct options *options;
	const struct verbs_options *verbs;
	int side;
	struct verbs_path path;
	struct verbs_address here, there;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct verbs_pair pairs[VERBS_PAIRS_MAX];
	uint64_t pair_count, depth; /* the depth of each */
	struct verbs_pair *turn;    /* the pair that posted last */
	uint8_t *pair_at;           /* the pair of a queue pair's number, by the remainder of ... */
	uint64_t modulus;           /* ... a division by this */
	struct ibv_qp_ex *extended; /* the first pair's, if ibv_wr_*() posts to it; else NULL */
	struct verbs_queue sends, receives;
	struct verbs_control control;
	/* Data may be lost, and the receiver sees each message. An end then waits for data and control messages at
	 * once: both have the queue `receives`. */
	bool counts;
	struct sample lost; /* of the round: messages, and the time of those that arrived */
	uint64_t first_ns;  /* when the first arrived; 0: none did */
	struct ibv_ah *ah;  /* the other end's address; only for datagrams */
	bool is_plain;      /* one pair, one direction at a time: the loops are shorter */
	bool serves; /* --both of SEND or WRITE_IMM: an end that waits for completions posts receive requests too */
	struct buffer buffer;
	uint64_t inline_max;   /* what the queue pair granted */
	bool global_route;     /* packets carry GIDs */
	bool relaxed_ordering; /* of writes to the buffer, on PCIe */
	uint8_t timeout;       /* of the queue pair: a code */

	struct flow flow;
	bool until_stopped;       /* the round ends by time ... */
	uint64_t ended;           /* ... and so many pairs have received their last message */
	struct ibv_send_wr *ring; /* prebuilt requests: ring_messages x flow.operations */
	struct ibv_sge *pieces;
	struct ibv_send_wr *next; /* in the ring: the next ping or pong */
	uint64_t ring_messages, ring_room;
	uint64_t signal_phase;           /* a message is signalled where posted % flow.signal_every is this */
	volatile bool signalled;         /* the last message sent is signalled, and has no completion so far */
	volatile unsigned char mark;     /* of the next WRITE ping, and its pong: 1 to 255 */
	unsigned char *mark_out;         /* where it is sent from ... */
	volatile unsigned char *mark_in; /* ... and where that of the other end arrives */
};

/* Exchanges the addresses of the two ends; needs the queue pairs and the memory region. */
void verbs_addresses_exchange(struct link *l);

/* Waits until the other end is here too, with its receive requests posted. */
void verbs_barrier(struct link *l);

/* Creates queue pairs and memory region, and connects them to the other end. */
void verbs_connect(struct link *l);
void verbs_disconnect(struct link *l);

/* The pair of a completion. */
static inline struct verbs_pair *verbs_pair_of(struct link *l, const struct ibv_wc *wc)
{
	return &l->pairs[l->pair_at[wc->qp_num % l->modulus]];
}

uint64_t verbs_chunk_bytes(const struct link *l);                /* the most bytes of one request */
unsigned char *verbs_outgoing(struct link *l, uint64_t message); /* the slot of a message of the round */
unsigned char *verbs_incoming(struct link *l, uint64_t message);

/* Fills the flow from depth on; refuses what is impossible. */
void verbs_plan(struct link *l, struct flow *f);

/* Sends: a prebuilt ring of requests, and their completions. */
void verbs_ring_build(struct link *l);
uint64_t verbs_send_post(struct link *l, uint64_t messages);
void verbs_send_one(struct link *l); /* posts the next ping or pong of the ring */
uint64_t verbs_send_peek(struct link *l);
uint64_t verbs_send_reap(struct link *l);
uint64_t verbs_send_stop(struct link *l); /* the round ends soon; returns how many messages it has */
size_t verbs_send_shares(struct link *l, struct sample *shares);

/* Receives: what keeps them posted, and what arrives in them. */
void verbs_receive_refill(struct link *l, struct verbs_pair *p); /* up to rx_depth, and no more than the round uses */
void verbs_receive_message(struct link *l);                      /* waits for one; the caller refills */
bool verbs_receive_arrived(struct link *l); /* whether some have arrived since the last look; does not wait */
void verbs_receive_some(struct link *l);    /* waits for messages */
void verbs_receive_round(struct link *l);   /* waits for all messages of the round */

/* Control messages, on the queue pair of their own. */
void verbs_control_begin(struct link *l); /* posts their receive requests */
void verbs_control_signal(struct link *l, enum control control);
enum control verbs_control_await(struct link *l);
void verbs_control_order(struct link *l, uint32_t number);
uint32_t verbs_control_ordered(struct link *l);

/* Whether one of those in `receives` waits to be taken. */
static inline bool verbs_control_is_here(const struct link *l)
{
	return l->control.arrived != l->control.taken;
}

void verbs_control_drain(struct link *l); /* waits until all are acknowledged */

/* A round begins whose messages are seen by their last byte. */
void verbs_marks_begin(struct link *l);
void verbs_pings(struct link *l, uint64_t messages, uint64_t *stamps);
void verbs_pongs(struct link *l, uint64_t messages);

#endif
