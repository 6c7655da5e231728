/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A queue of requests in a program's memory. */
#ifndef QUEUE_H
#define QUEUE_H

#include "object.h"

struct card;

struct queue {
	uint64_t at; /* in its memory */
	uint32_t slots, slot_bytes;
	uint32_t posted, taken; /* modulo 2^32 */
};

/* A receive that the card has read. */
struct receive {
	uint64_t wr_id, room; /* bytes of all its pieces */
	uint32_t index, count;
	struct card_piece pieces[CARD_PIECES_MOST];
};

/* Whether the parameters of a queue are valid, and it ends within its memory. */
bool queue_is_possible(const struct queue *queue, uint64_t end);

/* Set the number of posted requests; false if it is impossible. */
bool queue_post(struct queue *queue, uint32_t posted);

/* Read the request at an index. */
bool queue_request(struct card *card, const struct memory *memory, const struct queue *queue, uint32_t index,
		   struct card_wqe *wqe);

/* Read the list of a request, which starts some bytes after it; false if that is not in its slot. */
bool queue_pieces(struct card *card, const struct memory *memory, const struct queue *queue, uint32_t index,
		  uint32_t after, struct card_piece *pieces, uint32_t count);

/* Read a part of the inline bytes of a request. */
bool queue_inline(struct card *card, const struct memory *memory, const struct queue *queue, uint32_t index,
		  uint64_t after, void *buffer, uint64_t size);

/* Read the next receive and take it; false if there is none. An unreadable one has no room and no pieces. */
bool queue_take(struct card *card, const struct memory *memory, struct queue *queue, struct receive *receive);

#endif
