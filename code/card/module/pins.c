// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/capability.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "pins.h"

enum { AT_ONCE = 1 << 16 };

/* As RDMA in the kernel does: limited by RLIMIT_MEMLOCK, except for processes that may lock any amount. */
static bool charge(struct mm_struct *mm, unsigned long count)
{
	const unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;

	if (atomic64_add_return(count, &mm->pinned_vm) <= limit || capable(CAP_IPC_LOCK))
		return true;
	atomic64_sub(count, &mm->pinned_vm);
	return false;
}

/* As ib_umem_get(): read-only memory is forced to be pages of its own, so that they stay those of the program. */
static bool pin_all(struct pinned *p, unsigned long first, bool is_written)
{
	const unsigned int flags = FOLL_WRITE | FOLL_LONGTERM | (is_written ? 0 : FOLL_FORCE);
	unsigned long done = 0;
	long got;

	for (; done < p->count; done += got) {
		got = pin_user_pages_fast((first + done) << PAGE_SHIFT, min_t(unsigned long, p->count - done, AT_ONCE),
					  flags, p->pages + done);
		if (got <= 0) {
			unpin_user_pages(p->pages, done);
			return false;
		}
	}
	return true;
}

static void pins_drop(struct pinned *p)
{
	atomic64_sub(p->count, &p->mm->pinned_vm);
	mmdrop(p->mm);
	kvfree(p);
}

struct pinned *pins_take(u64 address, u64 length, bool is_written)
{
	const unsigned long first = address >> PAGE_SHIFT, count = ((address + length - 1) >> PAGE_SHIFT) - first + 1;
	struct pinned *p;

	if (!length || address + length < address || count > totalram_pages())
		return ERR_PTR(-EINVAL);
	p = kvzalloc(struct_size(p, pages, count), GFP_KERNEL);
	if (!p)
		return ERR_PTR(-ENOMEM);
	if (!charge(current->mm, count)) {
		kvfree(p);
		return ERR_PTR(-ENOMEM);
	}
	p->count = count;
	p->mm = current->mm;
	mmgrab(p->mm);
	if (pin_all(p, first, is_written))
		return p;
	pins_drop(p);
	return ERR_PTR(-EFAULT);
}

void pins_release(struct pinned *p)
{
	unpin_user_pages_dirty_lock(p->pages, p->count, true);
	pins_drop(p);
}
