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

#endif
