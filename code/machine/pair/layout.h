/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory that the two ends of a pair share: a file that each of them maps.
 *
 * It starts with a `struct end` of END_BYTES for each end, the client's first. The harness may read what stands before
 * `until_ns`, at any time, from its own mapping or by pread(); the rings of frames that follow are the plugin's own.
 * All numbers are little-endian: so are both kinds of host.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { ENDS = 2, END_BYTES = 4096 };
enum { LINK, SIDE, WIRES }; /* what is measured, and the network of those who measure */

/* What an end has sent over a wire. A trial leaves the same numbers on every run. */
struct counts {
	uint64_t frames;  /* that the wire took, lost ones included */
	uint64_t bytes;   /* of these, from the first byte of the header to the last one of the payload; of an RDMA
			     card's, all that they take on the line */
	uint64_t dropped; /* that the wire did not take: the queue was full, or the frame longer than the MTU */
	uint64_t lost;    /* of those that it took */
};

/* What became of an end. */
enum gone {
	HERE,
	FINISHED, /* its guest has ended as it should: the other goes on by itself */
	FAILED,   /* its QEMU has ended in another way, for `reason`: the other ends too */
};

enum { REASON_BYTES = 120 };

struct end {
	_Atomic uint32_t present;    /* at 0: 1 from when its QEMU has mapped this */
	_Atomic uint32_t gone;       /* at 4: enum gone */
	char reason[REASON_BYTES];   /* at 8: a sentence for people, with a 0 at its end */
	struct counts counts[WIRES]; /* at 128: of LINK, of SIDE */
	/* How it kept step, which differs from run to run. */
	uint64_t steps;   /* at 192: times that it looked at the other's promise */
	uint64_t waits;   /* at 200: times that it had to wait for a further one */
	uint64_t sleeps;  /* at 208: times that it slept while it waited */
	uint64_t wait_ns; /* at 216: of the host, in all waits */
	/* And what does not differ: the instructions of its guest, known when it has ended. */
	uint64_t instructions; /* at 224 */

	/* From here on for the plugin only: what it sends to the other end, see promise.h. */
	_Alignas(64) _Atomic int64_t until_ns;
	_Atomic uint64_t taken[WIRES]; /* positions in the other's rings */
	_Atomic uint64_t sent[WIRES];  /* positions in its own rings */
	_Atomic uint32_t changes;      /* a futex: grows with each of the above */
	_Atomic uint32_t asleep;       /* the other waits for it */
};

_Static_assert(offsetof(struct end, counts) == 128 && offsetof(struct end, steps) == 192, "the harness reads these");
_Static_assert(offsetof(struct end, until_ns) == 256 && sizeof(struct end) <= END_BYTES, "one page each");

#endif
