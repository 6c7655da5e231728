/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel asks of the card: objects, and whose doorbells are whose. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdint.h>

struct card;
struct object;

/* Carry out the command at a physical address, and write there what came of it. */
void command_run(struct card *card, uint64_t at);

/* Take an object out, and give back all that it holds. */
void command_drop(struct card *card, struct object *object);

#endif
