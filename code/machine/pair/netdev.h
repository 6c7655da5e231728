/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The wires as network backends of QEMU: `-device virtio-net-pci,netdev=link` and `netdev=side`. */
#ifndef NETDEV_H
#define NETDEV_H

#include <stdio.h>

#include "rdma.h"
#include "step.h"
#include "wire.h"

/* What a card is connected to. */
struct plug {
	struct wire wire;
	FILE *log;       /* of its traffic; NULL: none */
	bool is_checked; /* the card reports correct checksums to its guest */
};

/* Create both; the cards then send over these wires to the other end, or nowhere if there are no steps. */
void netdev_plug(struct steps *steps, struct plug plugs[WIRES]);

/* Connect the RDMA card of a computer, by its number, which also sends over the link. */
void netdev_plug_rdma(uint64_t computer, const struct rdma_card *card);

/* Send a packet to the RDMA card of a computer; the time from which the link is free. */
int64_t netdev_send_rdma(int64_t now_ns, uint32_t to, const uint8_t *bytes, size_t size, uint64_t line_bytes);
int64_t netdev_link_free(void);

/* Pass a frame that has arrived to its card. */
void netdev_deliver(struct machine *machine, int wire, const struct frame *frame);

#endif
