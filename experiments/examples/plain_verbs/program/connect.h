/* One reliable connection, and what it is asked for. */
#ifndef CONNECT_H
#define CONNECT_H

#include <infiniband/verbs.h>
#include <stdbool.h>

struct setting {
	const char *device, *port, *host;
	long server, slide, sleeps; /* 0 or 1 */
	long size, iterations, warmup, depth, signal_every, list;
};

/* What each end tells the other. */
struct end {
	uint32_t qp, key;
	uint64_t address;
	union ibv_gid gid;
};

struct connection {
	int side; /* a TCP socket to the other end */
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct end here, there;
};

/* Says what failed and exits, unless it is good. */
void check(bool good, const char *what);

struct connection plain_connect(const struct setting *s);

#endif
