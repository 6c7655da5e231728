/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions of programs: those since a poll began are stored until the poll has found something or not. */
#ifndef POLLS_H
#define POLLS_H

#include "pages.h"

void polls_begin(void);
void polls_count(struct count *);
void polls_were_in_vain(void);

#endif
