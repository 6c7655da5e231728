/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The 40 bytes before the data of a datagram: its IP header. */
#ifndef GRH_H
#define GRH_H

#include <stdint.h>

#include "../abi.h"

/* Write the header of a datagram of a size. IPv4 is in the last 20 bytes, as in RoCE v2. */
void grh_write(const struct card_address *address, uint32_t bytes, __u8 *to);

#endif
