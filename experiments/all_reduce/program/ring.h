/* A ring of computers: each has a queue pair to the next one, and one from the previous one. */
#include <infiniband/verbs.h>

#include "all_reduce.h"

enum { DEPTH = 64 }; /* messages in flight at most */

/* Kinds of requests: the wr_id of their completions. */
enum kind { SENT, RECEIVED, GRANT_SENT, GRANTED, KINDS };

/* Where a message may be written. */
struct grant {
	uint64_t address;
	uint32_t key, unused;
};

struct ring {
	const struct setting *setting;
	int next, previous; /* sockets */
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *out, *in; /* to the next computer, and from the previous one */
	struct ibv_mr *sum_mr, *slots_mr, *grants_mr;
	char *slots; /* where messages arrive */
	size_t slot_bytes, slot_count;
	struct grant grants[2];        /* from the next computer */
	unsigned long done[KINDS];     /* completions so far */
	unsigned long posted, granted; /* receive requests of data, and grants that were taken, so far */
};

/* bootstrap.c: over TCP. */
void bootstrap_join(struct ring *r);
void bootstrap_pass(int to, const void *message, int from, void *received, size_t bytes); /* sends, then receives */
void bootstrap_barrier(const struct ring *r); /* returns when all computers are here */

/* verbs.c */
void verbs_open(struct ring *r);
void verbs_connect(struct ring *r); /* exchanges the addresses of the queue pairs */
void verbs_post_receive(struct ring *r);
void verbs_send(struct ring *r, const void *from, size_t bytes);
void verbs_write(struct ring *r, const void *from, size_t bytes, const struct grant *to);
void verbs_grant(struct ring *r, const void *at, const struct ibv_mr *mr); /* to the previous computer */
struct grant verbs_take_grant(struct ring *r);
void verbs_complete(struct ring *r); /* waits for completions and counts them */
void verbs_close(struct ring *r);
