/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of programs that the card reads and writes: its pages stay pinned meanwhile. */
#ifndef LABCARD_PINS_H
#define LABCARD_PINS_H

#include <linux/list.h>
#include <linux/mm.h>

struct pinned {
	struct list_head list;
	struct mm_struct *mm; /* of the process that it is charged to */
	u32 handle;           /* of the object in this memory */
	u64 cookie;
	unsigned long count;
	struct page *pages[];
};

/* Pin memory of a program, which may be read-only if the card only reads it; an error pointer if that fails. */
struct pinned *pins_take(u64 address, u64 length, bool is_written);

void pins_release(struct pinned *pinned);

#endif
