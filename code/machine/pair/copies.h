/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forks of a process that waits: each has at once what the process has read, run and translated.
 *
 * An order comes over a socket: words, and ORDER_FILES descriptors or up to two more. The fork gets the files, and the
 * words as options. Over the last of the files, a socket, the orderer receives its process number and later its status,
 * 4 bytes each; a fork whose socket is closed there is killed.
 */
#ifndef COPIES_H
#define COPIES_H

#include <stdbool.h>

enum { SHARED, MAILBOX, CONSOLE, ERRORS, LIFE, LOG, ORDER_FILES = LOG, MOST_FILES = LOG + 2 };
enum { WORDS_BYTES = 1024 };

struct order {
	char words[WORDS_BYTES];
	int files[MOST_FILES]; /* -1: none */
};

/* Call this first: QEMU excludes the memory of the guest from forks. */
void copies_allow_memory(void);

/* Fork for each order until no more can come, and then end this process. Calls before each fork. Returns in each. */
void copies_serve(int calls, struct order *order, void (*before_each)(void));

/* In a fork: replace a file by another one, wherever it is open or mapped. */
void copies_replace(int old_file, int new_file);

/* In a fork: detach it from the threads and the monitor of the original. */
void copies_forget_original(void);

#endif
