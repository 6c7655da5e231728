/* One reliable connection: what the files of the verbs transport share. */
#ifndef VERBS_LINK_H
#define VERBS_LINK_H

#include "buffer.h"
#include "transport.h"
#include "verbs_device.h"
#include "verbs_queue.h"

#define VERBS_SPARE 8 /* room in each queue for control messages beside a full window */

/* The immediate of a control message, which carries no bytes; its last bit is the enum control. Big-endian on the wire.
 */
#define VERBS_CONTROL 0x1abc0de0u

/* What one end tells the other about itself. */
struct verbs_address {
	uint64_t buffer; /* of the memory that WRITE and READ go to */
	uint64_t max_message_bytes;
	uint32_t buffer_key, qp, psn, lid, link_layer, gid_type, mtu, reads;
	uint32_t global_route; /* 1: it must or shall be reached by GID */
	uint8_t gid[16];
};

struct link {
	const struct options *options;
	const struct verbs_options *verbs;
	int side;
	struct verbs_path path;
	struct verbs_address here, there;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	struct ibv_qp_ex *extended; /* the same, where ibv_wr_*() posts to it; else NULL */
	struct verbs_queue sends, receives;
	struct buffer buffer;
	uint64_t inline_max;   /* what the queue pair granted */
	bool global_route;     /* packets carry GIDs */
	bool relaxed_ordering; /* of writes to the buffer, on PCIe */
	uint8_t timeout;       /* of the queue pair: a code */

	struct flow flow;
	struct ibv_send_wr *ring; /* prebuilt requests: ring_messages x flow.operations */
	struct ibv_sge *pieces;
	struct ibv_send_wr *next; /* of the ring: the ping or pong to come */
	uint64_t ring_messages, ring_room;
	uint64_t messages, posted;          /* of the round */
	uint64_t signal_phase;              /* a message is signalled where posted % flow.signal_every is this */
	uint64_t expected, arrived, queued; /* receive requests of the round: all, completed, posted */
	uint64_t controls_out;              /* control messages whose completion is not reaped yet */
	bool signalled;                     /* the message that was sent last has a completion of its own */
	unsigned char mark;                 /* of the next ping of WRITE, and of its pong: 1 to 255 */
	unsigned char *mark_out;            /* where it is sent from ... */
	volatile unsigned char *mark_in;    /* ... and where the other end's lands */
};

/* Fills in here and there; needs the queue pair and the memory region. */
void verbs_addresses_exchange(struct link *l);

/* Returns when the other end has come as far: it has receive requests ready. */
void verbs_barrier(struct link *l);

/* Makes queue pair and memory region, and connects them with the other end's. */
void verbs_connect(struct link *l);
void verbs_disconnect(struct link *l);

uint64_t verbs_chunk_bytes(const struct link *l);                /* the most that one request carries */
unsigned char *verbs_outgoing(struct link *l, uint64_t message); /* the slot of a message of the round */
unsigned char *verbs_incoming(struct link *l, uint64_t message);

/* Fills the flow below slots; refuses what can't be. */
void verbs_plan(struct link *l, struct flow *f);

void verbs_ring_build(struct link *l);
uint64_t verbs_send_post(struct link *l, uint64_t messages);
void verbs_send_one(struct link *l); /* a ping or pong: the next of the ring */
uint64_t verbs_send_peek(struct link *l);
uint64_t verbs_send_reap(struct link *l);
void verbs_send_control(struct link *l, enum control control);
void verbs_send_order(struct link *l, uint32_t number); /* a control message that is nothing but a number */
void verbs_send_drain(struct link *l);

void verbs_receive_refill(struct link *l);                       /* up to rx_depth, and no more than the round uses */
void verbs_receive_controls(struct link *l, unsigned int count); /* requests that stand ready for control messages */
enum control verbs_receive_control(struct link *l);              /* waits for one */
uint32_t verbs_receive_order(struct link *l);
void verbs_receive_message(struct link *l); /* waits for one, and leaves it to the caller when to refill */
void verbs_receive_round(struct link *l);   /* waits for all messages of the round */

/* A round of messages that show by their last byte that they are there comes. */
void verbs_marks_begin(struct link *l);
void verbs_pings(struct link *l, uint64_t messages, uint64_t *stamps);
void verbs_pongs(struct link *l, uint64_t messages);

#endif
