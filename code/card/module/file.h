/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An open file of /dev/labcard: what it has pinned, and what it is told. */
#ifndef LABCARD_FILE_H
#define LABCARD_FILE_H

#include <linux/fs.h>
#include <linux/kfifo.h>
#include <linux/poll.h>

#include "../abi.h"

/* As a program reads it. */
struct event {
	u64 cookie;
	u32 kind, zero;
};

struct card_file {
	struct list_head list, pins;
	struct mm_struct *mm; /* of who opened it */
	u32 number;
	int page; /* of doorbells; -1: none */
	wait_queue_head_t wait;
	DECLARE_KFIFO(events, struct event, 1024);
};

#endif
