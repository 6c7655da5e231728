/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An open file of /dev/labcard: its pinned memory and its events. */
#ifndef LABCARD_FILE_H
#define LABCARD_FILE_H

#include <linux/fs.h>
#include <linux/kfifo.h>
#include <linux/poll.h>

#include "../abi.h"

/* An event as programs read it. */
struct event {
	u64 cookie;
	u32 kind, zero;
};

struct card_file {
	struct list_head list, pins;
	struct mm_struct *mm; /* of the process that opened it */
	u32 number;
	int page; /* of doorbells; -1: none */
	wait_queue_head_t wait;
	DECLARE_KFIFO(events, struct event, 1024);
};

#endif
