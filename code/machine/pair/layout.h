/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory that the two ends of a pair share: a file that each of them maps.
 *
 * It starts with a `struct end` of END_BYTES for each end, that of the client first. The harness may read the members
 * before `until_ns` at any time, from its own mapping or by pread(); the rings of frames that follow are private to the
 * plugin. All numbers are little-endian, like both kinds of host.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { ENDS = 2, END_BYTES = 4096, DEPTHS_AT = 1024 };
enum { LINK, SIDE, WIRES }; /* the measured link, and the network of the harness */

/* What an end has sent over a wire. Each run of a trial leaves the same numbers. */
struct counts {
	uint64_t frames;  /* frames that the wire took, including lost ones */
	uint64_t bytes;   /* their bytes, from the first one of the header to the last one of the payload; for an RDMA
			     card, all bytes on the link */
	uint64_t dropped; /* frames that the wire did not take: queue full, or longer than the MTU */
	uint64_t lost;    /* of the frames that it took */
};

/* The queue of a switch before this end's machine, in bytes of the link. Each run of a trial leaves the same numbers.
 * Of all intervals since the first frame, only those in which a frame waited for another one have a depth. */
enum { MOST_DEPTHS = 128 };
struct depths {
	uint64_t begin_ns, interval_ns; /* of the first frame; of each interval, doubled whenever there are too many */
	uint64_t most_bytes, pauses;    /* at any time; how often the machine's card was told to pause */
	uint64_t marks;                 /* packets to it that were marked, since the queue was long */
	uint64_t noted_ns, is_queue;    /* of the last frame, after `begin_ns`; whether it had to wait */
	uint64_t count;
	struct depth {
		uint64_t at_ns, bytes; /* the beginning of the interval, after `begin_ns`; the most in it */
	} depths[MOST_DEPTHS];
};

/* The state of an end. */
enum gone {
	HERE,
	FINISHED, /* its guest has ended normally: the other end continues alone */
	FAILED,   /* its QEMU has ended otherwise, for `reason`: the other end ends too */
};

enum { REASON_BYTES = 120 };

struct end {
	_Atomic uint32_t present;    /* at 0: 1 from when its QEMU has mapped this */
	_Atomic uint32_t gone;       /* at 4: enum gone */
	char reason[REASON_BYTES];   /* a message, ending with a 0 */
	struct counts counts[WIRES]; /* at 128: of LINK, of SIDE */
	/* Statistics of the synchronisation, which differ from run to run. */
	uint64_t steps;   /* at 192: reads of the promise of the other end */
	uint64_t waits;   /* at 200: waits for a further one */
	uint64_t made;    /* at 208: translations of the guest's code that this fork made itself: see translations.h */
	uint64_t wait_ns; /* at 216: time of the host, in all waits */
	/* Equal in all runs: the instructions of its guest, stored when it has ended. */
	uint64_t instructions; /* at 224 */
	/* Likewise: the notifications of congestion to its RDMA card, and the lowest rate of a queue pair after one. */
	uint64_t notified, lowest_bit_s; /* at 232 */
	/* Likewise: the messages of its RDMA card that came before a receive, each time that they did. */
	uint64_t early; /* at 248 */

	/* From here on private to the plugin: what it publishes to the other end, see promise.h. */
	_Alignas(64) _Atomic int64_t until_ns;
	_Atomic uint64_t taken[WIRES]; /* positions in the rings of the other end */
	_Atomic uint64_t sent[WIRES];  /* positions in its own rings */
	_Atomic uint32_t changes;      /* a futex: incremented with each change above */
	_Atomic uint32_t asleep;       /* the other end waits for it */

	_Alignas(DEPTHS_AT) struct depths depths; /* written by a switch, for the harness */
};

_Static_assert(offsetof(struct end, counts) == 128 && offsetof(struct end, steps) == 192 &&
		       offsetof(struct end, made) == 208 && offsetof(struct end, notified) == 232 &&
		       offsetof(struct end, early) == 248,
	       "the harness reads these");
_Static_assert(offsetof(struct end, depths) == DEPTHS_AT && sizeof(struct depths) == 64 + 16 * MOST_DEPTHS,
	       "and these");
_Static_assert(offsetof(struct end, until_ns) == 256 && sizeof(struct end) <= END_BYTES, "one page each");

#endif
