/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The wires as QEMU's cards find them: `-device virtio-net-pci,netdev=link` and `netdev=side`. */
#ifndef NETDEV_H
#define NETDEV_H

#include "step.h"
#include "wire.h"

/* Make both; what the cards send then goes over these wires to the other end, or nowhere without steps. */
void netdev_plug(struct steps *steps, struct wire wires[WIRES]);

/* Give a frame that has arrived to its card. */
void netdev_deliver(struct machine *machine, int wire, const struct frame *frame);

#endif
