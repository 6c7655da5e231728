/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A switch between exact machines: a process without a QEMU, which is the other end of the pair of each machine.
 *
 * A frame that has arrived completely is forwarded in the same ns (store and forward), to the port of its address, or
 * to all others. Each port has a queue with a rate and a depth before the link to its machine: the same wire as that of
 * a card, see wire.h. Of the frames that arrive in one ns, that of the lower port goes first, and the link before the
 * side network, in whatever order this process learns of them. A packet of an RDMA card names a computer, and computer
 * N is at port N - 1: it takes its place in the same queue, with its bytes on the link. What leaves in a ns goes before
 * what arrives.
 *
 * With flow control, frames have one half of each queue, and drop beyond it; packets have the other one. Of a machine,
 * no more than `xoff_bytes`, the packet that exceeds them, and what it sends until it is told wait there: two latencies
 * and a packet. So if all other machines together have no more than the half, no packet is lost. The orders to cards
 * take the latency alone, as frames of the highest priority, which are not counted.
 *
 * A packet after which more than `mark_bytes` wait is marked on its way (explicit congestion notification). A single
 * threshold, as DCTCP has it, needs no random numbers, and senders that alternate are all marked.
 *
 * Every link has the same latency, 1 or more, which must be set in its machine too. The promise of a machine
 * (promise.h) plus the latency is the `edge` of its port: a frame that is not in the ring yet arrives no sooner.
 * Therefore: (1) A frame that arrives before the edges of all ports is the next one. A frame sent to a machine can
 * lower its edge, to the arrival of that frame plus the latency, since the machine may answer at once: so the edges are
 * read again for each frame. (2) A port makes the switch send nothing before its edge, or the arrival of its first
 * waiting frame. A machine is promised the smallest of these times of all other ports, since nothing returns to where
 * it came from. Effects of its own frames break no promise: they are taken, and then their arrival elsewhere is part of
 * an edge, or the promise excludes them. (3) An RDMA card is told to pause only when a packet of its machine arrives,
 * and to go on only when a packet leaves a queue: a machine whose card pauses is promised the next such time at most,
 * and all others two latencies after it, when a packet that this card then sends arrives.
 *
 * There is no deadlock. Whenever the switch waits, it has taken all frames that arrive before the smallest edge, and
 * let go all that leave before it, so each of its promises is that edge or more. It waits for the machine of that edge,
 * which may run to a latency after its promise, that is two latencies after its last own promise: it continues,
 * promises more, and wakes the switch. So the smallest edge rises until all machines have finished.
 */
#ifndef BRIDGE_H
#define BRIDGE_H

#include "addresses.h"
#include "pair.h"
#include "queue.h"
#include "wire.h"

enum { MOST_PORTS = 16 };

struct port {
	struct pair pair;
	struct wire wires[WIRES];
	struct queue queue;      /* before the link, with flow control */
	uint64_t ethernet_bytes; /* of frames in this queue */
	uint64_t held_bytes;     /* of packets that came from the RDMA card of this machine, in all queues */
	bool is_paused;          /* that card */
	uint64_t taken[WIRES];   /* positions in the rings of the machine, up to which all frames are forwarded */
};

/* Priority flow control (IEEE 802.1Qbb) of RDMA packets by the bytes that a machine has in all queues. */
struct flow_control {
	uint64_t xoff_bytes; /* more: its card is told to pause; 0: no flow control */
	uint64_t xon_bytes;  /* as few: it is told to go on */
};

struct bridge {
	struct port ports[MOST_PORTS];
	struct flow_control flow;
	uint64_t mark_bytes; /* a packet that makes a queue longer is marked; 0: none is */
	int count;
	struct addresses known[WIRES];
	int64_t latency_ns;
	int64_t now_ns; /* when the last frame arrived */
};

/* The state of each port at one time. */
struct view {
	int64_t edges[MOST_PORTS];
	struct first {
		int64_t arrival_ns; /* INT64_MAX: no frame waits */
		int wire;
	} firsts[MOST_PORTS];
	uint32_t changes[MOST_PORTS]; /* changes of its machine before */
};

/* Connect a machine by its shared file, of which the switch is the end of the server. False, with errno, if that
 * fails. */
bool bridge_plug(struct bridge *bridge, const char *path, const struct wire_model *link);

/* Forward all possible frames, promise, and return the state that was read last; false once all machines have
 * finished. */
bool bridge_work(struct bridge *bridge, struct view *view);

/* Run until all machines have finished. Ends this process if one of them has failed. */
void bridge_run(struct bridge *bridge);

/* For the process that outlives this one: end every machine for a reason, that of a failed port if there is one. */
void bridge_give_up(struct bridge *bridge);

#endif
