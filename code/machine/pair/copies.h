/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies of a process that waits: what it has read, run and translated is there in each of them at once.
 *
 * An order comes over a socket: words, and ORDER_FILES descriptors or up to two more. The copy gets the files, and the
 * words to go on by. Over the last one of the files, a socket, who ordered it learns its number and then its status, 4
 * bytes each; a copy whose socket is closed there is killed.
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

/* Before: QEMU keeps the guest's memory from copies of its process. */
void copies_allow_memory(void);

/* Make copies for as long as somebody can order them, and then end this process. Returns in each copy. */
void copies_serve(int calls, struct order *order);

/* In a copy: a file takes another one's place, wherever that is open or mapped. */
void copies_replace(int old_file, int new_file);

/* In a copy: what wakes the original's threads wakes nobody; its monitor is not there. */
void copies_forget_original(void);

#endif
