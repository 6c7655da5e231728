/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "card.h"
#include "queue.h"

bool queue_is_possible(const struct queue *q, uint64_t end)
{
	const uint64_t size = (uint64_t)q->slots * q->slot_bytes;

	return q->slots <= CARD_SLOTS_MOST && q->slot_bytes <= 65536 && q->at <= end && size <= end - q->at &&
	       (!q->slots || (q->slot_bytes >= sizeof(struct card_wqe) && q->slot_bytes % 64 == 0));
}

bool queue_post(struct queue *q, uint32_t posted)
{
	if (posted - q->taken > q->slots || posted - q->taken < q->posted - q->taken)
		return false;
	q->posted = posted;
	return true;
}

bool queue_inline(struct card *card, const struct memory *memory, const struct queue *q, uint32_t index, uint64_t after,
		  void *buffer, uint64_t size)
{
	if (after > q->slot_bytes || size > q->slot_bytes - after)
		return false;
	return memory_access(memory, card->world, q->at + (uint64_t)(index % q->slots) * q->slot_bytes + after, buffer,
			     size, false);
}

bool queue_request(struct card *card, const struct memory *memory, const struct queue *q, uint32_t index,
		   struct card_wqe *wqe)
{
	return queue_inline(card, memory, q, index, 0, wqe, sizeof(*wqe));
}

bool queue_pieces(struct card *card, const struct memory *memory, const struct queue *q, uint32_t index, uint32_t after,
		  struct card_piece *pieces, uint32_t count)
{
	return count <= CARD_PIECES_MOST &&
	       queue_inline(card, memory, q, index, sizeof(struct card_wqe) + after, pieces, count * sizeof(*pieces));
}

bool queue_take(struct card *card, const struct memory *memory, struct queue *q, struct receive *r)
{
	struct card_wqe wqe = { .pieces = 0 };

	if (q->taken == q->posted)
		return false;
	*r = (struct receive){ .index = q->taken };
	queue_request(card, memory, q, q->taken, &wqe);
	if (queue_pieces(card, memory, q, q->taken, 0, r->pieces, wqe.pieces))
		r->count = wqe.pieces;
	for (uint32_t i = 0; i < r->count; i++)
		r->room += r->pieces[i].bytes;
	r->wr_id = wqe.wr_id;
	q->taken++;
	return true;
}
