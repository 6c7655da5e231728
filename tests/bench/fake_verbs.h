/* Both ends of a verbs link in one process, over a fake provider in place of libibverbs. It counts queue entries as
 * mlx5 does (mlx5_wq_overflow of rdma-core): the entry of a send request is free once a completion that covers it was
 * polled. */
#ifndef FAKE_VERBS_H
#define FAKE_VERBS_H

#include <stdbool.h>

#include <infiniband/verbs.h>

#include "verbs_options.h"

#define FAKE_INLINE_MAX 300
#define FAKE_READY_MOST 8
#define FAKE_LINE 64
#define FAKE_LINES (4096 / FAKE_LINE)

struct fake_device {
	const char *name;
	bool newer_calls; /* ibv_create_qp_ex() and ibv_wr_*() */
	uint32_t vendor_id;
	bool refuses_silently;     /* as mlx4: ibv_create_qp_ex() always fails, and no failure sets errno */
	uint32_t inline_limit;     /* 0: FAKE_INLINE_MAX */
	uint32_t room_limit;       /* requests of a queue; 0: any number */
	bool shortens_queues;      /* to the limit, without an error */
	bool rounds_up;            /* queues to a power of two */
	int reads, init_reads;     /* max_qp_rd_atom and max_qp_init_rd_atom; 0: 16 */
	bool is_datagram_only;     /* no RC, no remote access to memory */
	int open_error;            /* 0: it can be opened */
	int vectors;               /* completion vectors; 0: 1 */
	struct ibv_port_attr port; /* port 1, the only one */
	const struct ibv_gid_entry *gids;
	size_t gid_count;
};

struct fake_verbs {
	const struct fake_device *devices;
	int device_count;
	uint64_t pace;      /* requests executed whenever an end waits; 0: each when it is posted */
	void (*idle)(void); /* called by a waiting end: lets the other one run */
	void (*act)(void);  /* called at each step of the device and each wait for it */
	struct fake_faults {
		int poll_result, post_recv_error, notify_error, complete_error; /* if not 0: results of these calls */
		enum ibv_wc_status write_status; /* if not 0: of each WRITE, whose data are lost */
	} faults;
	struct ibv_qp_attr init, rtr, rts; /* what the last queue pair was set to for each of these states */
	int vectors[4];                    /* of the completion queues */
	int queue_count;
	unsigned int access;       /* of the memory that was registered last */
	uint32_t inline_most;      /* granted to a queue pair */
	bool extended;             /* a queue pair was created by ibv_create_qp_ex() */
	uint32_t immediate;        /* the last one that was sent */
	uint64_t lose_every, lost; /* one in so many data messages of UC and UD; how many were lost in all */
	uint64_t sent_with_ready[FAKE_READY_MOST +
				 1]; /* messages sent by an end with this many receive requests posted */
	uint64_t landed[FAKE_LINES]; /* messages that arrived on each cache line of a page */
};

extern struct fake_verbs fake_verbs;

/* Called by a waiting end. Ends the program if there is no progress for long. */
void fake_wait(void);

/* Records progress. */
void fake_advance(void);

/* Reports an error that a real device would not forgive, and ends the program. */
_Noreturn void fake_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Execute up to this many requests. */
void fake_carry_out(uint64_t most);

/* both_ends.c: runs body for the server and the client, each on its own stack, until both have returned. */
void two_ends_run(void (*body)(enum role role, int side));

/* Lets the other end run. */
void two_ends_switch(void);

/* The options of the verbs programs; a command line can set them only once per process. */
void verbs_set(const char *name, uint64_t value);
void verbs_set_text(const char *name, const char *text);
void verbs_set_defaults(void);

#endif
