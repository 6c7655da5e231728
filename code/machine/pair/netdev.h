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

/* The other kind of card that sends over the link, and what is to get the packets that arrive for it. */
void netdev_plug_rdma(void (*deliver)(int64_t now_ns, const uint8_t *bytes, size_t size));

/* Send its packet to the other end's now; from when on the link is free. */
int64_t netdev_send_rdma(int64_t now_ns, const uint8_t *bytes, size_t size, uint64_t line_bytes);
int64_t netdev_link_free(void);

/* Give a frame that has arrived to its card. */
void netdev_deliver(struct machine *machine, int wire, const struct frame *frame);

#endif
