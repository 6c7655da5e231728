/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "polls.h"

/* After a poll that found something the program continues without a mark: more instructions than a poll has are not
 * one. */
enum { POLL_AT_MOST = 1 << 24 };

static struct count **since; /* the instructions since a poll began, each as often as it was executed */
static size_t number, room;

void polls_begin(void)
{
	number = 0;
	if (!since) {
		room = 1024;
		since = malloc(room * sizeof(struct count *));
		if (!since)
			abort();
	}
}

static void remember(struct count *count)
{
	if (number == room) {
		room *= 2;
		since = reallocarray(since, room, sizeof(struct count *));
		if (!since)
			abort();
	}
	since[number++] = count;
}

void polls_count(struct count *count)
{
	count->begun++;
	if (since && number < POLL_AT_MOST)
		remember(count);
}

void polls_were_in_vain(void)
{
	for (size_t i = 0; i < number && number < POLL_AT_MOST; i++)
		since[i]->in_vain++;
	number = 0;
}
