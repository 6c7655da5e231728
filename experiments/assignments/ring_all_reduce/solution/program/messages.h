/* What all files share: slots for messages that arrive, memory regions, and counts of completions. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "course.h"

#define DEPTH 64  /* requests in flight at most */
#define VECTORS 8 /* memory regions of sendbufs and recvbufs */
#define GRANTS 4  /* requests that wait for a grant */

/* Kinds of requests: the wr_id of their completions. */
enum kind { SENT, RECEIVED, GRANT_SENT, GRANTED, KINDS };

/* Where the receiver wants a message. */
struct grant {
	uint64_t address;
	uint32_t rkey, unused;
};

struct messages {
	char *slots; /* for a whole turn of the ring: no rank is further ahead */
	size_t slot_bytes, slot_count;
	struct ibv_mr *slots_mr, *grants_mr, *vectors[VECTORS];
	struct grant grants[GRANTS];
	unsigned long done[KINDS];                 /* completions so far */
	unsigned long posted, used, sent, granted; /* receives, messages that were used, sends, grants so far */
};

void make_messages(struct ring *r); /* before the queue pairs */
void post_receives(struct ring *r); /* after them */
void free_messages(struct ring *r);

struct ibv_mr *region_of(struct ring *r, const void *vector);
void send_part(struct ring *r, const void *at, size_t bytes, const struct ibv_mr *mr);
void write_part(struct ring *r, const void *at, size_t bytes, const struct ibv_mr *mr, uint64_t to, uint32_t rkey);
void give_grant(struct ring *r, const void *at, const struct ibv_mr *mr); /* to the previous rank */
struct grant take_grant(struct ring *r);
const void *next_message(struct ring *r); /* the slot of the oldest unused message, once that is there */
void free_slot(struct ring *r);           /* of this message: its numbers are used */
void take_completions(struct ring *r);    /* at least one */
void wait_until_sent(struct ring *r);

size_t segments_of(const struct ring *r, size_t bytes); /* of each chunk */
/* The stream of segments; the finished chunks go into the next rank's recvbuf if `direct`. */
void reduce_in_segments(struct ring *r, char *recvbuf, size_t count, enum type t, enum operation op, bool direct);

#endif
