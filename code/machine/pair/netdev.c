/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "cut.h"
#include "log.h"
#include "netdev.h"
#include "qemu.h"

enum { LARGEST = 1 << 17 }; /* the bound of QEMU is 69,632 bytes */

/* A card and its settings. */
static struct card {
	struct net_client *client;
	size_t header_bytes; /* before each frame, in both directions: some or all of struct card_header */
	bool takes_checked;  /* it uses the verdict on checksums */
} cards[WIRES];
static struct plug *plugs;
static struct steps *steps;
static struct {
	uint8_t computer;
	const struct rdma_card *card; /* NULL: there is none */
} rdma;

static int wire_of(const struct net_client *client)
{
	return client == cards[LINK].client ? LINK : SIDE;
}

static void log_at(int wire, int64_t now, enum direction direction, const struct frame *frame, const char *fate)
{
	if (plugs[wire].log)
		log_frame(plugs[wire].log, now, direction, frame->bytes, frame->size, fate);
}

static const char *const fates[] = { [CARRIED] = NULL, [LOST] = "lost", [DROPPED] = "dropped" };

static void send_one(int wire, int64_t now, const struct cut *cut, unsigned int number)
{
	const size_t size = cut_size(cut, number);
	struct frame *const frame = steps_room(steps, wire, size);
	const enum fate fate = wire_send(&plugs[wire].wire, now, size, &frame->arrival_ns);

	frame->size = (uint32_t)size;
	frame->verified = cut->verified;
	frame->kind = ETHERNET;
	cut_write(cut, number, frame->bytes);
	log_at(wire, now, OUT, frame, fates[fate]);
	if (fate == CARRIED)
		steps_send(steps, wire, frame);
}

static void send(int wire, int64_t now, const uint8_t *bytes, size_t size)
{
	const size_t before = cards[wire].header_bytes;
	struct card_header header = { .flags = 0 };
	struct cut cut;

	if (size < before)
		return;
	memcpy(&header, bytes, before);
	if (!cut_plan(&cut, &header, bytes + before, size - before)) {
		plugs[wire].wire.counts->dropped++;
		return;
	}
	for (unsigned int number = 0; number < cut.frames; number++)
		send_one(wire, now, &cut, number);
}

static ssize_t from_card(struct net_client *client, const uint8_t *bytes, size_t size)
{
	const int64_t now = qemu_clock_get_ns(CLOCK_VIRTUAL);

	if (steps && now >= steps->begin_ns)
		send(wire_of(client), now, bytes, size);
	return (ssize_t)size;
}

void netdev_plug_rdma(uint64_t computer, const struct rdma_card *card)
{
	rdma.computer = (uint8_t)computer;
	rdma.card = card;
}

int64_t netdev_link_free(void)
{
	return plugs[LINK].wire.free_ns;
}

/* The addresses end with the numbers of the computers: see bridge.h. In a log, the type is the first one for local
 * experiments (IEEE 802). */
int64_t netdev_send_rdma(int64_t now, uint32_t to, const uint8_t *bytes, size_t size, uint64_t line_bytes)
{
	const uint8_t header[HEADER_BYTES] = { 2, 0, 0, 0, 2, (uint8_t)to, 2, 0, 0, 0, 2, rdma.computer, 0x88, 0xb5 };
	struct frame *const frame = steps_room(steps, LINK, sizeof(header) + size);
	const enum fate fate = wire_carry(&plugs[LINK].wire, now, line_bytes, &frame->arrival_ns);

	frame->size = (uint32_t)(sizeof(header) + size);
	frame->line_bytes = (uint16_t)line_bytes;
	frame->verified = 0;
	frame->kind = RDMA;
	memcpy(frame->bytes, header, sizeof(header));
	memcpy(frame->bytes + sizeof(header), bytes, size);
	log_at(LINK, now, OUT, frame, fates[fate]);
	if (fate == CARRIED)
		steps_send(steps, LINK, frame);
	return netdev_link_free();
}

static void deliver_rdma(int64_t now, const struct frame *frame)
{
	if (frame->kind == RDMA)
		log_at(LINK, now, IN, frame, NULL);
	if (!rdma.card)
		return;
	if (frame->kind != RDMA)
		rdma.card->pause(now, frame->kind == PAUSE);
	else if (frame->bytes[RDMA_TO] == rdma.computer)
		rdma.card->deliver(now, frame->bytes[RDMA_FROM], frame->bytes + HEADER_BYTES,
				   frame->size - HEADER_BYTES);
}

void netdev_deliver(struct machine *machine, int wire, const struct frame *frame)
{
	static uint8_t bytes[sizeof(struct card_header) + LARGEST];
	const struct card *const card = &cards[wire];
	const bool told = frame->verified && plugs[wire].is_checked && card->takes_checked;
	const struct card_header header = { .flags = told ? CHECKSUM_IS_RIGHT : 0, .buffers = 1 };

	if (frame->kind != ETHERNET) {
		deliver_rdma(machine->now_ns(machine), frame);
		return;
	}
	log_at(wire, machine->now_ns(machine), IN, frame, NULL);
	memcpy(bytes, &header, card->header_bytes);
	memcpy(bytes + card->header_bytes, frame->bytes, frame->size);
	qemu_send_packet(card->client, bytes, (int)(card->header_bytes + frame->size));
}

static bool has_header(struct net_client *client)
{
	(void)client;
	return true;
}

static bool has_header_of(struct net_client *client, int size)
{
	(void)client;
	return size == sizeof(struct card_header) || size == offsetof(struct card_header, buffers);
}

static void use_header(struct net_client *client, bool is_used)
{
	cards[wire_of(client)].header_bytes = is_used ? offsetof(struct card_header, buffers) : 0;
}

static void use_header_of(struct net_client *client, int size)
{
	cards[wire_of(client)].header_bytes = (size_t)size;
}

/* The feature of merged frames is never offered, so the other arguments do not matter. */
static void take(struct net_client *client, int checked, int tso4, int tso6, int ecn, int ufo)
{
	(void)tso4, (void)tso6, (void)ecn, (void)ufo;
	cards[wire_of(client)].takes_checked = checked;
}

void netdev_plug(struct steps *s, struct plug p[WIRES])
{
	static struct net_client_info info = { .type = LIKE_SOCKET,
					       .size = CLIENT_BYTES,
					       .receive = from_card,
					       .has_vnet_hdr = has_header,
					       .has_vnet_hdr_len = has_header_of,
					       .using_vnet_hdr = use_header,
					       .set_vnet_hdr_len = use_header_of,
					       .set_offload = take };

	steps = s;
	plugs = p;
	cards[LINK].client = qemu_new_net_client(&info, NULL, "pair", "link");
	cards[SIDE].client = qemu_new_net_client(&info, NULL, "pair", "side");
}
