/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions of programs: those since a poll began are remembered, until it turns out that it found nothing. */
#ifndef POLLS_H
#define POLLS_H

#include "pages.h"

void polls_begin(void);
void polls_count(struct count *);
void polls_were_in_vain(void);

#endif
