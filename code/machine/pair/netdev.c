/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "netdev.h"
#include "qemu.h"

static struct net_client *clients[WIRES];
static struct wire *wires;
static struct steps *steps;

static void send(int wire, int64_t now, const uint8_t *bytes, size_t size)
{
	struct frame *frame;
	int64_t arrival;

	if (wire_send(&wires[wire], now, size, &arrival) != CARRIED)
		return;
	frame = steps_room(steps, wire, size);
	frame->arrival_ns = arrival;
	frame->size = (uint32_t)size;
	frame->verified = 0;
	memcpy(frame->bytes, bytes, size);
	steps_send(steps, wire, frame);
}

static ssize_t from_card(struct net_client *client, const uint8_t *bytes, size_t size)
{
	const int64_t now = qemu_clock_get_ns(CLOCK_VIRTUAL);

	if (steps && now >= steps->begin_ns)
		send(client == clients[LINK] ? LINK : SIDE, now, bytes, size);
	return (ssize_t)size;
}

void netdev_deliver(struct machine *machine, int wire, const struct frame *frame)
{
	(void)machine;
	qemu_send_packet(clients[wire], frame->bytes, (int)frame->size);
}

void netdev_plug(struct steps *s, struct wire w[WIRES])
{
	static struct net_client_info info = { .type = LIKE_SOCKET, .size = CLIENT_BYTES, .receive = from_card };

	steps = s;
	wires = w;
	clients[LINK] = qemu_new_net_client(&info, NULL, "pair", "link");
	clients[SIDE] = qemu_new_net_client(&info, NULL, "pair", "side");
}
