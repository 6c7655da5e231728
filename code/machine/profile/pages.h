/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often each instruction of the guest began, page by page of its code. */
#ifndef PAGES_H
#define PAGES_H

#include <stdint.h>
#include <stdio.h>

enum { PAGE_BYTES = 4096 };

/*
 * The count of an instruction. What a page of a program's holds says later which file it is of, wherever the process
 * has mapped that; two processes may have different ones at one address. The kernel's need no bytes: NULL.
 */
struct count {
	uint64_t begun;
	uint64_t in_vain; /* of these, by polls that found nothing */
};

struct count *pages_count(uint64_t address, const uint8_t *page_bytes);

/* Begin to count from nothing; what pages_count() gave stays good. */
void pages_clear(void);

/* A line for each page with a count: `page ADDRESS [BYTES]`, in hexadecimal; then `OFFSET BEGUN [IN_VAIN]` for each of
 * its instructions. */
void pages_write(FILE *file);

#endif
