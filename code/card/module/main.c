// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel part of the modelled card: pins memory, passes commands, wakes processes that wait for events. No data
 * passes here. */
#include <linux/bitmap.h>
#include <linux/file.h>
#include <linux/io.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "events.h"
#include "pins.h"

static void __iomem *registers;
static struct card_command *command;
static DECLARE_BITMAP(doorbells, CARD_DOORBELL_PAGES);
static DEFINE_MUTEX(commands); /* protects the command page, and all state that commands change */
static const struct file_operations operations;

static int run(u32 op, const struct card_file *f)
{
	command->op = op;
	command->owner = f->number;
	command->status = EIO; /* if the card is gone */
	writeq(virt_to_phys(command), registers + CARD_COMMAND);
	return -(int)command->status;
}

static int hand_over(const struct card_file *f, const struct pinned *p)
{
	unsigned long done, i;
	int error = 0;

	for (done = 0; done < p->count && !error; done += command->count) {
		command->count = min_t(unsigned long, p->count - done, CARD_PFNS);
		for (i = 0; i < command->count; i++)
			command->pfns[i] = page_to_pfn(p->pages[done + i]);
		error = run(CARD_PAGES, f);
	}
	return error;
}

/* A program can name only its own event files. */
static int channel_number(struct card_request *r)
{
	struct fd channel;
	int error = 0;

	if (r->arguments.cq.channel < 0) {
		r->arguments.cq.channel = 0;
		return 0;
	}
	channel = fdget(r->arguments.cq.channel);
	if (channel.file && channel.file->f_op == &operations)
		r->arguments.cq.channel = ((struct card_file *)channel.file->private_data)->number;
	else
		error = -EBADF;
	fdput(channel);
	return error;
}

static bool creates(u32 op)
{
	return op >= CARD_CREATE_REGION && op <= CARD_CREATE_QP;
}

static int pass(const struct card_file *f, struct card_request *r)
{
	int error;

	command->handle = r->handle;
	command->length = r->length;
	command->first = offset_in_page(r->address);
	command->arguments = r->arguments;
	error = run(r->op, f);
	r->handle = command->handle;
	r->arguments = command->arguments;
	return error;
}

/* The first word of what an object with events is made of. */
static u64 cookie_of(const struct card_request *r)
{
	return r->op == CARD_CREATE_REGION ? 0 : r->arguments.words[0];
}

/* Of enum ibv_access_flags; other objects than regions are written. */
static bool is_written(const struct card_request *r)
{
	return r->op != CARD_CREATE_REGION || (r->arguments.region.access & CARD_ACCESS_WRITES);
}

static int create(struct card_file *f, struct card_request *r)
{
	const u64 cookie = cookie_of(r);
	struct pinned *p = pins_take(r->address, r->length, is_written(r));
	int error;

	if (IS_ERR(p))
		return PTR_ERR(p);
	error = hand_over(f, p);
	if (!error)
		error = pass(f, r);
	if (error) {
		pins_release(p);
		return error;
	}
	p->handle = r->handle;
	p->cookie = cookie;
	list_add(&p->list, &f->pins);
	return 0;
}

static void release(struct card_file *f, struct pinned *p)
{
	if (p->cookie)
		events_forget(p->cookie, p->mm);
	list_del(&p->list);
	pins_release(p);
}

static int destroy(struct card_file *f, struct card_request *r)
{
	struct pinned *each, *next;
	int error = pass(f, r);

	if (error)
		return error;
	list_for_each_entry_safe(each, next, &f->pins, list)
		if (each->handle == r->handle)
			release(f, each);
	return 0;
}

static int request(struct card_file *f, struct card_request *r)
{
	int error = r->op == CARD_CREATE_CQ ? channel_number(r) : 0;

	if (error)
		return error;
	if (creates(r->op))
		return create(f, r);
	if (r->op == CARD_DESTROY)
		return destroy(f, r);
	return r->op > CARD_CREATE_QP && r->op < CARD_DESTROY ? pass(f, r) : -EINVAL;
}

static long card_ioctl(struct file *file, unsigned int code, unsigned long arg)
{
	struct card_request r;
	long error;

	if (code != CARD_REQUEST)
		return -ENOTTY;
	if (copy_from_user(&r, (void __user *)arg, sizeof(r)))
		return -EFAULT;
	mutex_lock(&commands);
	error = request(file->private_data, &r);
	mutex_unlock(&commands);
	return copy_to_user((void __user *)arg, &r, sizeof(r)) ? -EFAULT : error;
}

static int card_open(struct inode *inode, struct file *file)
{
	struct card_file *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	f->page = -1;
	INIT_LIST_HEAD(&f->pins);
	events_open(f);
	file->private_data = f;
	return 0;
}

static int card_release(struct inode *inode, struct file *file)
{
	struct card_file *f = file->private_data;

	mutex_lock(&commands);
	run(CARD_CLOSE, f);
	while (!list_empty(&f->pins))
		release(f, list_first_entry(&f->pins, struct pinned, list));
	if (f->page >= 0)
		clear_bit(f->page, doorbells);
	mutex_unlock(&commands);
	events_close(f);
	kfree(f);
	return 0;
}

/* The doorbell page of a file: taken when it is first mapped. */
static int take_page(struct card_file *f)
{
	unsigned long page = find_first_zero_bit(doorbells, CARD_DOORBELL_PAGES);
	int error;

	if (f->page >= 0)
		return 0;
	if (page >= CARD_DOORBELL_PAGES)
		return -ENOSPC;
	command->arguments.doorbells.page = page;
	error = run(CARD_BELLS, f);
	if (error)
		return error;
	set_bit(page, doorbells);
	f->page = page;
	return 0;
}

static int card_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct card_file *f = file->private_data;
	int error;

	if (vma->vm_end - vma->vm_start != PAGE_SIZE || vma->vm_pgoff)
		return -EINVAL;
	mutex_lock(&commands);
	error = take_page(f);
	mutex_unlock(&commands);
	if (error)
		return error;
	vma->vm_flags |= VM_DONTCOPY; /* a child process does not inherit doorbells */
	vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	return io_remap_pfn_range(vma, vma->vm_start, (CARD_BASE >> PAGE_SHIFT) + 1 + f->page, PAGE_SIZE,
				  vma->vm_page_prot);
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = card_open,
	.release = card_release,
	.read = events_read,
	.poll = events_poll,
	.mmap = card_mmap,
	.unlocked_ioctl = card_ioctl,
};
static struct miscdevice device = { .minor = MISC_DYNAMIC_MINOR, .name = "labcard", .mode = 0666, .fops = &operations };

static int __init card_start(void)
{
	int error = -ENODEV;

	command = (void *)get_zeroed_page(GFP_KERNEL);
	registers = ioremap(CARD_BASE, CARD_BYTES);
	if (!command || !registers || readq(registers + CARD_MAGIC_AT) != CARD_MAGIC)
		goto out;
	error = events_start(registers);
	if (error)
		goto out;
	error = misc_register(&device);
	if (!error)
		return 0;
	events_end();
out:
	if (registers)
		iounmap(registers);
	free_page((unsigned long)command);
	return error;
}

static void __exit card_end(void)
{
	misc_deregister(&device);
	events_end();
	iounmap(registers);
	free_page((unsigned long)command);
}

module_init(card_start);
module_exit(card_end);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("The modelled RDMA card of Verbyte");
