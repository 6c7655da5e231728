/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rate of a queue pair that its receiver has told of congestion, in the form of DCQCN (Y. Zhu et al., "Congestion
 * Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section 3): each notification cuts it by half of alpha, a
 * moving average of how often they come; without one, it recovers to its target, and then the target rises. All in
 * integers, and computed when it is asked for, without a timer of its own.
 */
#ifndef RATE_H
#define RATE_H

#include "costs.h"

struct rate {
	uint64_t bit_s;        /* 0: that of the link, since there is no congestion */
	uint64_t target_bit_s; /* that before the last notification, and what it has risen since */
	uint32_t alpha;        /* of RATE_ONE */
	/* Since the last notification: periods, and blocks of bytes; those of the present block. */
	uint32_t periods, blocks;
	uint64_t bytes;
	int64_t period_ps; /* the end of the present period */
	int64_t next_ps;   /* when the next packet may be taken */
};

enum { RATE_ONE = 1 << 16 };

/* A notification has come. */
void rate_cut(struct rate *rate, const struct costs *costs, int64_t now_ps);

/* A packet has been taken, which delays the next one. */
void rate_take(struct rate *rate, const struct costs *costs, int64_t now_ps, uint64_t line_bytes);

#endif
