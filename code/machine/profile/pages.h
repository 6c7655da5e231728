/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often each instruction of the guest was executed, page by page of its code. */
#ifndef PAGES_H
#define PAGES_H

#include <stdint.h>
#include <stdio.h>

enum { PAGE_BYTES = 4096 };

/* The count of an instruction. The bytes of the page identify the file of a program later, wherever a process has
 * mapped it; two processes may have different pages at one address. Pages of the kernel need no bytes: NULL. */
struct count {
	uint64_t begun;
	uint64_t in_vain; /* of these, in polls that found nothing */
};

struct count *pages_count(uint64_t address, const uint8_t *page_bytes);

/* Reset all counts; results of pages_count() stay valid. */
void pages_clear(void);

/* Write a line for each page with a count: `page ADDRESS [BYTES]`, in hexadecimal; then `OFFSET BEGUN [IN_VAIN]` for
 * each of its instructions. */
void pages_write(FILE *file);

#endif
