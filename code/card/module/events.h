/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of the card: taken at its interrupt, queued at the file of each, and read there. */
#ifndef LABCARD_EVENTS_H
#define LABCARD_EVENTS_H

#include "file.h"

/* Take the interrupt of the card, whose registers are mapped here. */
int events_start(void __iomem *registers);
void events_end(void);

/* A file gets events from now on, or no more. */
void events_open(struct card_file *file);
void events_close(struct card_file *file);

/* An object of a program is destroyed: drop its events from all its files. */
void events_forget(u64 cookie, const struct mm_struct *mm);

ssize_t events_read(struct file *file, char __user *to, size_t size, loff_t *at);
__poll_t events_poll(struct file *file, poll_table *table);

#endif
