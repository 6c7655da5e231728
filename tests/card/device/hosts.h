/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hosts with a card each, numbered from 1, whose packets reach each other: the environment of a card, in memory of this
 * process. */
#ifndef HOSTS_H
#define HOSTS_H

#include "../../../code/card/device/card.h"
#include "../../../code/card/device/verbs.h"

#define ALL (LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC)

enum { HOSTS = 5, MEMORY_BYTES = 32 << 20, COMMAND_AT = 4096, FIRST_FREE = 2 * 4096, PART_BYTES = 1 << 20 };

struct host {
	struct world world; /* first, so that its address is the host's */
	struct card card;
	uint8_t *memory;
	uint64_t used; /* of the memory */
	int64_t armed_ns, free_ns, queue_free_ns;
	uint64_t packets;           /* sent */
	uint64_t carried_bytes;     /* on the link, and not dropped by a switch */
	uint64_t slow_downs, bit_s; /* how often a queue pair had to, and the last rate */
	uint64_t early;             /* messages without a receive */
	uint64_t outside;           /* accesses that were refused */
};

extern struct hosts {
	struct host host[HOSTS];
	struct costs costs;
	int64_t now_ns, latency_ns;
	uint64_t buffer_bytes; /* of each program */
	bool (*is_lost)(uint64_t number);
	uint64_t sent;
	uint64_t queue_bytes; /* of a switch before each host; 0: there is no switch */
	bool marks;           /* it marks packets */
	uint64_t marked, dropped;
	uint64_t posted[8]; /* messages sent, by INSIDE, REPORTED and RUNG of their first packet, divided by 16 */
	TAILQ_HEAD(flights, flying) flying; /* packets on the link, in the order of their arrival */
} hosts;

/* The objects of a program: a buffer, a completion queue, a queue pair. */
struct program {
	struct host *host;
	uint32_t owner, page;
	uint32_t region, cq, srq, qp;
	uint64_t buffer_at, buffer_bytes, cq_at, srq_at, qp_at;
	uint32_t entries, slots, slot_bytes, type;
	uint32_t sends, receives, shared;  /* posted */
	uint64_t read;                     /* entries */
	struct card_attributes attributes; /* host 1 and all others are peers, unless they are changed */
};

/* Start hosts in place of those before; hosts_end() does nothing if there are none. */
void hosts_start(const struct costs *costs, int64_t latency_ns);
void hosts_end(void);
/* The teardown of tests: no card may have tried to leave its memory. */
int hosts_end_well(void **unused);

/* Run until there are no events left, or until a time. */
void hosts_run_until(int64_t until_ns);
void hosts_run(void);

/* Run a command of the kernel and return its status; a command with a length passes its memory first. */
uint32_t host_command(struct host *host, struct card_command *command, uint64_t memory_at);
void host_write(struct host *host, uint64_t at, uint64_t value);

/* A program with all its objects, with or without a shared receive queue; program_connect() connects its queue pair. */
struct program program_new(int host, uint32_t owner, uint32_t type, uint32_t entries, uint32_t slots, bool shares);
/* Create an object in new memory, unless an address is passed; returns the address. */
uint64_t program_create(struct program *program, struct card_command command, uint64_t bytes, uint64_t at,
			uint32_t *handle);
uint32_t program_region(struct program *program, uint64_t at, uint64_t bytes, uint32_t access, uint32_t pd);
void program_connect(struct program *a, struct program *b);
uint32_t program_set(struct program *program, uint32_t state);
uint32_t program_state(struct program *program);

/* Send one piece of the program's buffer, with the doorbell. */
void program_send(struct program *program, struct card_wqe wqe, uint64_t address, uint32_t bytes);
void program_send_inline(struct program *program, struct card_wqe wqe, const void *data, uint32_t bytes);
void program_send_to(struct program *program, struct card_wqe wqe, struct card_address address, uint64_t at,
		     uint32_t bytes);
/* Put a send into its slot, without the doorbell. */
void program_put(struct program *program, struct card_wqe wqe, const struct card_piece *pieces);
void program_ring(struct program *program);
void program_receive(struct program *program, uint64_t wr_id, uint64_t address, uint32_t bytes);
void program_arm(struct program *program, bool only_solicited);

/* The next completion; false if there is none yet. */
bool program_poll(struct program *program, struct card_cqe *entry);
/* The next completion, which must have that status. */
struct card_cqe program_expect(struct program *program, uint32_t status);
uint8_t *program_bytes(struct program *program, uint64_t address);

/* The usual two programs, one per host: requests of a go to the part at `target` of the buffer of b. */
extern struct program a, b;
void pair_start(const struct costs *costs, uint32_t type, uint32_t entries, uint32_t slots, bool shares);
struct card_wqe pair_wqe(uint32_t opcode);
uint64_t pair_target(const struct program *program);

/* Random numbers of a seed (splitmix64): any, and one below a bound. */
extern uint64_t seed;
uint64_t drawn(void);
uint64_t below(uint64_t bound);

#endif
