/* What the files of the verbs transport share: one reliable connection and the queues it completes on. */
#ifndef VERBS_H
#define VERBS_H

#include <infiniband/verbs.h>

#include "buffer.h"
#include "transport.h"

extern const struct transport verbs_transport;

#define VERBS_GID_INDEX_MAX UINT8_MAX /* an address handle has one byte for it */
#define VERBS_SPARE 8                 /* room in each queue for control messages beside a full window */

static inline uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

enum operation { OP_WRITE, OP_READ, OP_SEND, OP_WRITE_IMM };

struct verbs_options {
	uint64_t operation; /* enum operation */
	uint64_t tx_depth, rx_depth, post_list, signal_every, inline_bytes, mtu;
	const char *device;
	uint64_t ib_port, gid_index;
};

/* Where our packets leave: verbs_device.c chooses it by rules that it prints. */
struct verbs_path {
	struct ibv_context *context;
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	uint8_t port_number;
	uint32_t gid_index, gid_type;
	union ibv_gid gid;
	enum ibv_mtu mtu;
};

/* What one end tells the other about itself. */
struct verbs_address {
	uint64_t buffer; /* of the memory that WRITE and READ go to */
	uint64_t max_message_bytes;
	uint32_t buffer_key, qp, psn, lid, link_layer, gid_type, mtu, reads;
	uint32_t global_route; /* 1: it must or shall be reached by GID */
	uint8_t gid[16];
};

/* A completion queue and the channel on which it wakes us. */
struct verbs_queue {
	struct ibv_cq *cq;
	struct ibv_comp_channel *channel;
	int (*wait)(struct verbs_queue *, int room, struct ibv_wc *); /* at least one completion; all are good */
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
	struct ibv_qp_ex *extended; /* the same, where the device has the newer calls */
	struct verbs_queue sends, receives;
	struct buffer buffer;
	uint64_t inline_max; /* what the queue pair granted */
	bool global_route;   /* packets carry GIDs */

	struct flow flow;
	struct ibv_send_wr *ring; /* prebuilt requests: ring_messages x flow.operations */
	struct ibv_sge *pieces;
	uint64_t ring_messages, ring_room;
	uint64_t messages, posted;          /* of the round */
	uint64_t signal_phase;              /* a message is signalled where posted % flow.signal_every is this */
	uint64_t expected, arrived, queued; /* receive requests of the round: all, completed, posted */
	uint64_t controls_out;              /* control messages whose completion is not reaped yet */
	void (*pingpong)(struct link *);
	unsigned char mark; /* of the last ping or pong of WRITE: 1 to 255 */
};

/* The immediate of a control message, which carries no bytes; its last bit is the enum control. Big-endian on the wire.
 */
#define VERBS_CONTROL 0x1abc0de0u

/* verbs_layout.c */
uint64_t verbs_chunk_bytes(const struct link *l);                /* the most that one request carries */
unsigned char *verbs_outgoing(struct link *l, uint64_t message); /* the slot of a message of the round */
unsigned char *verbs_incoming(struct link *l, uint64_t message);

/* verbs_plan.c: fills the flow below slots. */
void verbs_plan(struct link *l, struct flow *f);

/* verbs_send.c */
void verbs_ring_build(struct link *l);
uint64_t verbs_send_post(struct link *l, uint64_t messages);
void verbs_send_one(struct link *l); /* a ping or pong: the next of the ring */
uint64_t verbs_send_peek(struct link *l);
uint64_t verbs_send_reap(struct link *l);
void verbs_send_control(struct link *l, enum control control);
void verbs_send_order(struct link *l, uint32_t number); /* a control message that is nothing but a number */
void verbs_send_drain(struct link *l);

/* verbs_receive.c */
void verbs_receive_refill(struct link *l);                       /* up to rx_depth, and no more than the round uses */
void verbs_receive_controls(struct link *l, unsigned int count); /* requests that stand ready for control messages */
enum control verbs_receive_control(struct link *l);              /* waits for one */
uint32_t verbs_receive_order(struct link *l);
void verbs_receive_message(struct link *l); /* waits for one */
void verbs_receive_round(struct link *l);   /* waits for all messages of the round */

/* verbs_pingpong.c */
void verbs_pingpong_choose(struct link *l); /* by flow and role, once per size */
void verbs_pingpong(struct link *l);

/* verbs_device.c: the device, port, MTU and GID, by printed rules; exits if there is none. */
struct verbs_path verbs_path_choose(const struct options *o, const struct verbs_options *v, int side);

/* verbs_gid.c */
bool verbs_gid_is_on(struct ibv_context *context, uint8_t port, int side); /* the side channel's own address */
struct ibv_gid_entry verbs_gid_choose(struct ibv_context *context, uint8_t port, uint64_t wanted, int side);

/* verbs_options.c */
extern struct option_spec verbs_option_specs[];
const struct verbs_options *verbs_options_get(void);
void verbs_options_check(const struct options *o);

/* verbs_connect.c: makes queue pair and memory region, and connects them with the other end's. */
void verbs_connect(struct link *l);
void verbs_disconnect(struct link *l);

/* Returns when the other end has come as far: it has receive requests ready. */
void verbs_barrier(struct link *l);

/* verbs_wait.c: the way of waiting that --wait names. */
void verbs_queue_open(struct verbs_queue *q, struct ibv_context *context, uint64_t entries, enum wait wait);

/* How many completions there are now, up to room; all are good. */
int verbs_queue_poll(struct verbs_queue *q, int room, struct ibv_wc *wc);
void verbs_queue_close(struct verbs_queue *q);

/* verbs_status.c: exits with what the status means and what to try. */
_Noreturn void verbs_status_die(const struct ibv_wc *wc);
_Noreturn void verbs_poll_die(int result); /* of ibv_poll_cq() */

#endif
