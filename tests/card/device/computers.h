/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two computers with a card each, and a wire between them: all that is around a card, in memory of this process. */
#ifndef COMPUTERS_H
#define COMPUTERS_H

#include "../../../code/card/device/card.h"
#include "../../../code/card/device/verbs.h"

enum { COMPUTERS = 2, MEMORY_BYTES = 32 << 20, COMMAND_AT = 4096, FIRST_FREE = 2 * 4096 };

struct computers;

struct computer {
	struct world world; /* first, so that one leads to the other */
	struct computers *all;
	struct card card;
	uint8_t *memory;
	uint64_t used; /* of it, by take_memory() */
	int64_t armed_ns, free_ns;
	unsigned int interrupts;
	uint64_t packets, line_bytes, payload_bytes; /* sent */
	uint64_t outside;                            /* accesses that were refused */
};

struct computers {
	struct computer one[COMPUTERS];
	struct costs costs;
	int64_t now_ns, latency_ns;
	uint64_t buffer_bytes; /* of each program that is made */
	bool (*is_lost)(uint64_t number, const struct packet *);
	uint64_t sent;
	struct flying {
		int64_t at_ns;
		uint64_t order;
		int to;
		size_t size;
		uint8_t *bytes;
	} *flying;
	size_t flying_count, flying_room;
};

/* What a program has of one card: buffers, a completion queue, a queue pair. */
struct program {
	struct computer *computer;
	uint32_t owner, page;
	uint32_t region, cq, srq, qp;
	uint64_t buffer_at, buffer_bytes, cq_at, srq_at, qp_at;
	uint32_t entries, slots, slot_bytes, type;
	uint32_t sends, receives, shared; /* posted */
	uint64_t read;                    /* entries */
	struct card_attributes attributes;
};

void computers_start(struct computers *computers, const struct costs *costs, int64_t latency_ns);
void computers_end(struct computers *computers);

/* Go on until nothing is to come, or a time. */
void computers_run(struct computers *computers, int64_t until_ns);

/* Pages of a computer's memory. */
uint64_t computer_take(struct computer *computer, uint64_t bytes);

/* A command of the kernel's; its status. Memory is handed over before if there is any. */
uint32_t computer_command(struct computer *computer, struct card_command *command, uint64_t memory_at);

void computer_write(struct computer *computer, uint64_t at, uint64_t value);

/* A program with all that it needs; the queue pair is to be made ready by program_connect(). */
struct program program_new(struct computer *computer, uint32_t owner, uint32_t type, uint32_t entries, uint32_t slots,
			   uint32_t access);
/* The same with a shared receive queue. */
struct program program_sharing(struct computer *computer, uint32_t owner, uint32_t type, uint32_t entries,
			       uint32_t slots, uint32_t access);
uint32_t program_region(struct program *program, uint64_t at, uint64_t bytes, uint32_t access, uint32_t pd);
void program_connect(struct program *a, struct program *b);
uint32_t program_set(struct program *program, uint32_t state);

/* A send of one piece of the program's buffer, with the doorbell; fields of the request that are given are taken. */
void program_send(struct program *program, struct card_wqe wqe, uint64_t address, uint32_t bytes);
void program_send_inline(struct program *program, struct card_wqe wqe, const void *data, uint32_t bytes);
void program_send_to(struct program *program, struct card_wqe wqe, struct card_address address, uint64_t at,
		     uint32_t bytes);
/* Put a send into its slot, without the doorbell. */
void program_put(struct program *program, struct card_wqe wqe, const struct card_piece *pieces);
void program_ring(struct program *program);
void program_receive(struct program *program, uint64_t wr_id, uint64_t address, uint32_t bytes);
void program_arm(struct program *program, bool only_solicited);

/* The next entry; false if there is none yet. */
bool program_poll(struct program *program, struct card_cqe *entry);
/* It must be there, and have that status. */
struct card_cqe program_expect(struct program *program, uint32_t status);

uint8_t *program_bytes(struct program *program, uint64_t address);
uint32_t program_state(struct program *program);

#endif
