/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands of the kernel: objects, and the owners of doorbells. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdint.h>

struct card;
struct object;

/* Execute the command at a physical address, and write its result there. */
void command_run(struct card *card, uint64_t at);

/* Remove an object, and free all that it has. */
void command_drop(struct card *card, struct object *object);

#endif
