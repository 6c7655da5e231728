/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands behind the plugin's name: `-plugin FILE,end=0,shared=PATH,latency=1000,...` */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { CARD_WORDS_BYTES = 512 };

struct options {
	const char *end;     /* 0: the client's, 1: the server's; without it, this machine has no wires */
	const char *shared;  /* the file that is shared with the other end; without it, the wires lead nowhere */
	const char *log;     /* a file that gets every frame on the link; without it, none does */
	uint64_t latency_ns; /* what all frames take at least, 1 or more */
	uint64_t begin_ns;   /* what is sent before this time goes nowhere, so that both ends can be made ready apart */
	uint64_t rate_bit_s, mtu_bytes, queue_bytes, loss_ppm, seed; /* of the link: see wire.h */
	uint64_t offload;                                            /* 1: the card checks what it receives */
	uint64_t trusted; /* 1: this QEMU is the very one whose structures are known */
	uint64_t hold_ns; /* the time at which it stops, and makes copies of itself from then on; 0: never */
	uint64_t calls, mailbox, console; /* descriptors: where copies are ordered, and what each has of its own */
	uint64_t processor; /* of this computer, counted from 1, which both ends of a pair share; 0: any */
	uint64_t card;      /* which of a copy's files is its RDMA card; 0: none */
	char card_words[CARD_WORDS_BYTES]; /* what that is told: all words that begin with `card_`, a comma after each
					    */
};

/* The options of a plugin; false for one that is unknown or is no number, which is then told. */
bool options_read(struct options *options, int argc, char **argv);

/* Read more of them, as one line with commas between: they take the place of what was there. */
bool options_change(struct options *options, char *line);

#endif
