/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of programs that the card reads and writes: it stays where it is meanwhile. */
#ifndef LABCARD_PINS_H
#define LABCARD_PINS_H

#include <linux/list.h>
#include <linux/mm.h>

struct pinned {
	struct list_head list;
	struct mm_struct *mm; /* whose account it is on */
	u32 handle;           /* of the object that lies there */
	u64 cookie;
	unsigned long count;
	struct page *pages[];
};

/* Pin a program's memory; an error pointer if that can't be. */
struct pinned *pins_take(u64 address, u64 length);

void pins_release(struct pinned *pinned);

#endif
