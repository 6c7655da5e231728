/* Incast: rank 0 asks all senders for a block at once, and asks again when it has all of them. incast.c connects, asks
 * and measures; tcp.c and rdma.c implement the transfer. */
#include <stdbool.h>
#include <stddef.h>

enum { SENDERS = 15 };

struct setting {
	int rank, senders;    /* ranks 1 to `senders` send; further ones do nothing */
	int peers;            /* at rank 0 all senders; at a sender one, rank 0 */
	int sockets[SENDERS]; /* to each peer */
	const char *device;   /* an RDMA device */
	int gid;              /* an index of its GID table */
	int timeout;          /* of an acknowledgement, as ibv_modify_qp takes it */
	size_t most;          /* bytes of the largest block */
	char *blocks;         /* at rank 0 one for each sender, `most` bytes apart; at a sender its own */
};

void transfer_connect(struct setting *s);
/* At rank 0: asks all senders, and waits until all blocks are in memory. */
void transfer_collect(size_t size);
/* At a sender: waits until it is asked, and sends its block. */
void transfer_answer(size_t size);

/* Ends the program with a message unless `good`. */
void check(bool good, const char *what);
