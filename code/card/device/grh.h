/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The 40 bytes before what a datagram brings: the IP header by which it would have come. */
#ifndef GRH_H
#define GRH_H

#include <stdint.h>

#include "../abi.h"

/* Write them for a datagram of some bytes. IPv4 stands in the last 20, as RoCE v2 has it. */
void grh_write(const struct card_address *address, uint32_t bytes, __u8 *to);

#endif
