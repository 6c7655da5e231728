/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note OR MIT */
/*
 * What the modelled card, its kernel module and its library share: registers, commands, and rings in memory of the
 * guest.
 *
 * Numbers that verbs have too (opcodes, flags, states, access, statuses, events) are those of <infiniband/verbs.h>. A
 * handle is the name of an object in the card: never 0, less than 2^24. It is also the key of a region, local and
 * remote, and the number of a queue pair.
 */
#ifndef CARD_ABI_H
#define CARD_ABI_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Pages of registers in a hole of the q35's map. The first one is the kernel's; an open file may have one of the rest.
 */
#define CARD_BASE 0xfed80000ull
#define CARD_PAGE_BYTES 4096
#define CARD_DOORBELL_PAGES 64
#define CARD_BYTES ((1 + CARD_DOORBELL_PAGES) * CARD_PAGE_BYTES)
#define CARD_IRQ 5

/* The kernel's page, 8 bytes each. */
#define CARD_MAGIC_AT 0x00 /* read: CARD_MAGIC, changed with all that is here */
#define CARD_COMMAND 0x08  /* write: the physical address of a struct card_command, which is executed at once */
#define CARD_EVENT 0x10    /* read: takes the next event: kind << 32 | file; 0: there is none */
#define CARD_COOKIE 0x18   /* read: of the event that was taken last */
#define CARD_MAGIC 0x3364726143626c61ull

/* A page of doorbells, 8 bytes each; only for handles of the owner of the page. */
#define CARD_SEND 0x00 /* queue pair << 32 | requests posted since it left reset, modulo 2^32 */
#define CARD_RECV 0x08 /* the same for receives, of a queue pair or a shared receive queue */
#define CARD_ARM 0x10  /* CARD_SOLICITED or 0 | completion queue << 32 | entries read so far, modulo 2^32 */
#define CARD_SOLICITED (1ull << 63)

/* The kind of an event: completion, or an enum ibv_event_type. */
#define CARD_COMPLETION 0x100

#define CARD_OBJECTS 4096     /* of all kinds together, minus one */
#define CARD_INLINE_MOST 1024 /* bytes */
#define CARD_PIECES_MOST 32   /* of one request's list */
#define CARD_SLOTS_MOST 32768 /* of a queue; a completion queue has up to 131072 */
#define CARD_ENTRIES_MOST 131072
#define CARD_READS_MOST 16 /* READs and atomics of a queue pair in flight */

enum card_op {
	CARD_PAGES = 1, /* only of the module, like CARD_BELLS and CARD_CLOSE: pages of the next object, in order */
	CARD_BELLS,     /* doorbells.page now belongs to the owner */
	CARD_CLOSE,     /* all objects of the owner are destroyed, and its page is free */
	CARD_CREATE_REGION,
	CARD_CREATE_CQ,
	CARD_CREATE_SRQ,
	CARD_CREATE_QP,
	CARD_MODIFY_SRQ, /* of a handle, as what follows */
	CARD_MODIFY_QP,
	CARD_QUERY_QP,
	CARD_DESTROY,
};

/* Where packets of a queue pair go: to this card itself, or to the card of a computer, by its number from 1. */
enum card_peer { CARD_HERE, CARD_PEERS_MOST = 255 };

struct card_doorbells {
	__u32 page; /* from 0 */
};

#define CARD_ACCESS_WRITES 0xb /* local and remote writes, and atomics */

/* Memory: all its pages. */
struct card_region {
	__u64 iova; /* of its first byte */
	__u32 access, pd;
};

/* Memory: a struct card_ring, then struct card_cqe of each entry. */
struct card_cq {
	__u64 cookie; /* of its events, and of an asynchronous one */
	__u32 entries;
	__s32 channel; /* a file of this device that gets its events, by its descriptor (the module gives its number);
			  -1 */
};

/* Memory: its slots. */
struct card_srq {
	__u64 cookie;
	__u32 pd, slots, slot_bytes;
	__u32 limit; /* fewer receives cause an event, which resets this to 0; 0: none */
};

/* Memory: slots of the send queue, then of the receive queue. */
struct card_qp {
	__u64 cookie; /* of its entries in completion queues, and of asynchronous events */
	__u32 type, pd;
	__u32 send_slots, send_slot_bytes, recv_slots,
		recv_slot_bytes;     /* slots are multiples of 64 bytes; 0 receives: with an SRQ */
	__u32 send_cq, recv_cq, srq; /* handles; srq may be 0 */
	__u32 all_signalled;
};

/* All attributes of a queue pair; each change passes all of them. */
struct card_attributes {
	__u32 state, access;
	__u32 peer, peer_qp; /* enum card_peer */
	__u32 mtu_bytes, qkey;
	__u32 send_psn, recv_psn;
	__u32 timeout, retries, rnr_timer, rnr_retries; /* codes as in struct ibv_qp_attr */
	__u32 reads, peer_reads;                        /* in flight at most: of this end, and of the peer */
	__u32 notifies_drained;                         /* SQD: an event follows once its sends have completed */
};

union card_arguments {
	struct card_doorbells doorbells;
	struct card_region region;
	struct card_cq cq;
	struct card_srq srq;
	struct card_qp qp;
	struct card_attributes attributes;
	__u64 words[12];
};

/* From the library: an ioctl, which fails with an errno of the card or the kernel. */
struct card_request {
	__u32 op;
	__u32 handle;          /* of a new object, out; else in */
	__u64 address, length; /* of the program: memory of a new object, pinned until it is destroyed */
	union card_arguments arguments;
};
#define CARD_REQUEST _IOWR('c', 1, struct card_request)

/*
 * A file of the device may be mapped, one page from 0: its doorbells (ENOSPC: all pages are taken). Reading it gives
 * its next event: 8 bytes, the cookie, as libibverbs reads a completion channel; or 16, the cookie, the kind in 32 bits
 * and 32 bits of 0, as it reads asynchronous events. Those of an object go to the file that it was created by.
 */

#define CARD_PFNS 480

/* From the module, in a page of the module. */
struct card_command {
	__u32 op, owner; /* number of the file, from 1 */
	__u32 handle;
	__u32 status; /* out: 0, or an errno */
	__u64 length; /* bytes of memory; its pages were passed before */
	__u64 first;  /* offset in the first page */
	union card_arguments arguments;
	__u64 count; /* CARD_PAGES: of page frame numbers */
	__u64 pfns[CARD_PFNS];
};

/*
 * A slot of a send or receive queue, number `posted` modulo its slots. UD: a struct card_address follows in a send.
 * Then its list of struct card_piece, or its inline bytes. The card has read a receive's slot when it completes, and
 * those of all receives before it.
 */
struct card_wqe {
	__u64 wr_id;
	__u32 opcode, flags; /* enum ibv_wr_opcode, ibv_send_flags; IBV_SEND_INLINE selects what follows */
	__u64 remote;
	__u32 rkey, imm; /* as it is in the work request */
	__u64 compare_add, swap;
	__u32 pieces, inline_bytes;
	__u64 zero;
};

struct card_address {
	__u32 peer, peer_qp, qkey, zero;
	__u8 from[16], to[16]; /* GIDs, for the 40 bytes before what is received */
};

struct card_piece {
	__u64 address;
	__u32 bytes, key;
};

/* The first one goes after the ring's 64 bytes; entry n (from 0) is at n modulo the entries. */
struct card_cqe {
	__u64 turn; /* n + 1; written last */
	__u64 wr_id, cookie, at_ns;
	__u32 status, opcode, bytes, imm; /* enum ibv_wc_status, ibv_wc_opcode: valid in an error's entry too */
	__u32 flags, qp, source_qp;
	__u32 index; /* of its slot: that slot and all earlier ones are free */
};

struct card_ring {
	__u64 consumed; /* entries that the program has taken, in total; the program writes this */
	__u64 zero[7];
};

#endif
