/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory for rings: whole pages of zeros, which a child process does not inherit. */
#ifndef PAGES_H
#define PAGES_H

#include <stddef.h>

/* NULL if there is no memory. */
void *pages_take(size_t bytes);
void pages_give(void *pages, size_t bytes);

#endif
