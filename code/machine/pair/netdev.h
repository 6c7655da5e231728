/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The wires as QEMU's cards find them: `-device virtio-net-pci,netdev=link` and `netdev=side`. */
#ifndef NETDEV_H
#define NETDEV_H

#include <stdio.h>

#include "step.h"
#include "wire.h"

/* What a card is plugged into. */
struct plug {
	struct wire wire;
	FILE *log;       /* of what goes in and out; NULL: none */
	bool is_checked; /* the card tells its guest which checksums are right */
};

/* Make both; what the cards send then goes over these wires to the other end, or nowhere without steps. */
void netdev_plug(struct steps *steps, struct plug plugs[WIRES]);

/* Give a frame that has arrived to its card. */
void netdev_deliver(struct machine *machine, int wire, const struct frame *frame);

#endif
