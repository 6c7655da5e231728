/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A switch between any number of exact machines: a process without a QEMU, the other end of each machine's pair.
 *
 * A frame that has arrived whole is sent on in the same ns (store and forward), to the port behind which its address
 * is, or to all others. Each port has a queue with a rate and a depth before the cable to its machine: the same wire as
 * any card's, see wire.h. Of frames that arrive in one ns that of the lower port goes first, and the link's before the
 * side's, whichever this process learns of first. An RDMA card's packet names no port, since its cards know one other
 * end only: a switch refuses it.
 *
 * Every cable takes the same latency, 1 or more, which its machine must be told too. The machine's promise (promise.h)
 * plus the latency is the port's `edge`: what is not in its ring yet arrives no sooner. Hence
 *  - a frame that arrives before the edges of all ports is the next one, whatever else comes. An edge can fall by what
 *    is sent to its machine, to that frame's arrival and a latency more, which may answer at once: so the edges are
 *    looked up anew for each frame;
 *  - what a port may make the switch send, it makes it send no sooner than at its edge, or at the arrival of its first
 *    frame that waits. The least of these of all other ports is what a machine is promised, since nothing returns to
 *    where it came from. What comes of its own frames breaks no promise: they are either taken, and then their arrival
 *    elsewhere is in an edge, or the promise itself excepts them.
 *
 * None waits for ever. Whenever the switch waits, all is taken that arrives before the least edge, so that every
 * promise of its is that edge or more. It waits for the machine whose edge that is. This one may run to a latency after
 * what it was promised, which is two latencies after all that it has promised itself: it goes on, promises more, and
 * wakes the switch. So the least edge rises until all machines have finished.
 */
#ifndef BRIDGE_H
#define BRIDGE_H

#include "addresses.h"
#include "pair.h"
#include "wire.h"

enum { MOST_PORTS = 16 };

struct port {
	struct pair pair;
	struct wire wires[WIRES];
	uint64_t taken[WIRES]; /* positions in the machine's rings: before it, all is sent on */
};

struct bridge {
	struct port ports[MOST_PORTS];
	int count;
	struct addresses known[WIRES];
	int64_t latency_ns;
	int64_t now_ns; /* when the last frame arrived */
};

/* What is known at one time, of each port. */
struct view {
	int64_t edges[MOST_PORTS];
	struct first {
		int64_t arrival_ns; /* INT64_MAX: none waits */
		int wire;
	} firsts[MOST_PORTS];
	uint32_t changes[MOST_PORTS]; /* that its machine had told before */
};

/* Plug in a machine: a file that it shares, of which the switch is the server's end. False, with errno, if that fails.
 */
bool bridge_plug(struct bridge *bridge, const char *path, const struct wire_model *link);

/* Send on all that can be, promise, and say by what was seen last; false once all machines have finished. */
bool bridge_work(struct bridge *bridge, struct view *view);

/* Until all machines have finished. Ends this process if one of them has failed. */
void bridge_run(struct bridge *bridge);

/* For who outlives that process: every machine ends for a reason, that of the port which failed if one has. */
void bridge_give_up(struct bridge *bridge);

#endif
