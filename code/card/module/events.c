// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/sched/mm.h>

#include "events.h"

static void __iomem *registers;
static DEFINE_SPINLOCK(lock);
static LIST_HEAD(files);
static u32 opened;

static void give(u64 word, u64 cookie)
{
	const struct event event = { cookie, word >> 32 };
	struct card_file *f;

	list_for_each_entry(f, &files, list)
		if (f->number == (u32)word) {
			kfifo_put(&f->events, event);
			wake_up_interruptible(&f->wait);
		}
}

static irqreturn_t interrupt(int irq, void *data)
{
	u64 word;

	spin_lock(&lock);
	while ((word = readq(registers + CARD_EVENT)) != 0)
		give(word, readq(registers + CARD_COOKIE));
	spin_unlock(&lock);
	return IRQ_HANDLED;
}

int events_start(void __iomem *mapped)
{
	registers = mapped;
	return request_irq(CARD_IRQ, interrupt, 0, "labcard", &files);
}

void events_end(void)
{
	free_irq(CARD_IRQ, &files);
}

void events_open(struct card_file *f)
{
	INIT_KFIFO(f->events);
	init_waitqueue_head(&f->wait);
	f->mm = current->mm;
	mmgrab(f->mm);
	spin_lock_irq(&lock);
	f->number = ++opened;
	list_add(&f->list, &files);
	spin_unlock_irq(&lock);
}

void events_close(struct card_file *f)
{
	spin_lock_irq(&lock);
	list_del(&f->list);
	spin_unlock_irq(&lock);
	mmdrop(f->mm);
}

static void events_drop(struct card_file *f, u64 cookie)
{
	unsigned int left = kfifo_len(&f->events);
	struct event event;

	for (; left > 0; left--)
		if (kfifo_get(&f->events, &event) && event.cookie != cookie)
			kfifo_put(&f->events, event);
}

void events_forget(u64 cookie, const struct mm_struct *mm)
{
	struct card_file *f;

	spin_lock_irq(&lock);
	list_for_each_entry(f, &files, list)
		if (f->mm == mm)
			events_drop(f, cookie);
	spin_unlock_irq(&lock);
}

static bool take(struct card_file *f, struct event *event)
{
	bool found;

	spin_lock_irq(&lock);
	found = kfifo_get(&f->events, event);
	spin_unlock_irq(&lock);
	return found;
}

ssize_t events_read(struct file *file, char __user *to, size_t size, loff_t *at)
{
	struct card_file *f = file->private_data;
	struct event event;

	if (size < sizeof(event.cookie))
		return -EINVAL;
	size = size < sizeof(event) ? sizeof(event.cookie) : sizeof(event);
	while (!take(f, &event)) {
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (wait_event_interruptible(f->wait, !kfifo_is_empty(&f->events)))
			return -ERESTARTSYS;
	}
	return copy_to_user(to, &event, size) ? -EFAULT : size;
}

__poll_t events_poll(struct file *file, poll_table *table)
{
	struct card_file *f = file->private_data;

	poll_wait(file, &f->wait, table);
	return kfifo_is_empty(&f->events) ? 0 : EPOLLIN | EPOLLRDNORM;
}
