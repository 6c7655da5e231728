/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of the plugin: `-plugin FILE,end=0,shared=PATH,latency=1000,...` */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { CARD_WORDS_BYTES = 512 };

struct options {
	const char *end; /* 0: client, 1: server; without it, this machine has no wires */
	uint64_t
		computer; /* the number of this machine on the link, from 1, as the RDMA cards know it; 0: by its end */
	const char *shared;  /* the file shared with the other end; without it, the wires lead nowhere */
	const char *log;     /* the log of all frames on the link; may be absent */
	uint64_t latency_ns; /* latency of all frames, 1 or more */
	uint64_t begin_ns; /* frames sent before this time are discarded, so the two ends can be prepared separately */
	uint64_t rate_bit_s, mtu_bytes, queue_bytes, loss_ppm, seed; /* of the link: see wire.h */
	uint64_t offload;                                            /* 1: the card verifies checksums */
	uint64_t trusted; /* 1: this QEMU is the known one, whose structures may be accessed */
	uint64_t hold_ns; /* the time at which the machine stops and then forks for each order; 0: never */
	uint64_t calls, mailbox,
		console;    /* descriptors: where orders come from, and files of which each fork has another one */
	uint64_t processor; /* CPU of this host, counted from 1, which both ends of a pair share; 0: any */
	uint64_t card;      /* the file of a fork that is its RDMA card; 0: none */
	char card_words[CARD_WORDS_BYTES]; /* its options: all words that begin with `card_`, each followed by a comma
					    */
};

/* Read the options of a plugin; false, with a message, if one is unknown or not a number. */
bool options_read(struct options *options, int argc, char **argv);

/* Read more options from one line with commas; they replace earlier ones. */
bool options_change(struct options *options, char *line);

#endif
