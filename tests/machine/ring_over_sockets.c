/* The all-reduce of experiments/all_reduce without RDMA: messages and grants go over a socket to each neighbour, which
 * the test opens (NEXT and PREVIOUS). A message that finds no posted receive request is an error. */
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "ring.h"

struct header {
	uint64_t address; /* 0: the next slot */
	uint32_t kind, bytes;
};

static void put(int to, struct header header, const void *from)
{
	const struct iovec parts[] = { { &header, sizeof(header) }, { (void *)(uintptr_t)from, header.bytes } };

	check(writev(to, parts, 2) == (ssize_t)(sizeof(header) + header.bytes), "writev");
}

static void get(int from, void *to, size_t bytes)
{
	check(bytes == 0 || recv(from, to, bytes, MSG_WAITALL) == (ssize_t)bytes, "recv");
}

void bootstrap_join(struct ring *r)
{
	r->next = atoi(getenv("NEXT"));
	r->previous = atoi(getenv("PREVIOUS"));
}

void verbs_open(struct ring *r)
{
	static struct ibv_mr mr;

	r->slots = calloc(r->slot_count, r->slot_bytes);
	r->slots_mr = r->sum_mr = &mr;
}

void verbs_connect(struct ring *r)
{
	r->posted = r->slot_count;
}

void verbs_post_receive(struct ring *r)
{
	r->posted++;
}

void verbs_send(struct ring *r, const void *from, size_t bytes)
{
	put(r->next, (struct header){ 0, RECEIVED, (uint32_t)bytes }, from);
	r->done[SENT]++;
}

void verbs_write(struct ring *r, const void *from, size_t bytes, const struct grant *to)
{
	put(r->next, (struct header){ to->address, RECEIVED, (uint32_t)bytes }, from);
	r->done[SENT]++;
}

void verbs_grant(struct ring *r, const void *at, const struct ibv_mr *mr)
{
	const struct grant grant = { .address = (uintptr_t)at, .key = mr->rkey };

	put(r->previous, (struct header){ 0, GRANTED, sizeof(grant) }, &grant);
}

struct grant verbs_take_grant(struct ring *r)
{
	while (r->done[GRANTED] <= r->granted)
		verbs_complete(r);
	return r->grants[r->granted++ % 2];
}

static void *place_of(const struct ring *r, const struct header *header)
{
	if (header->kind == GRANTED)
		return (void *)&r->grants[r->done[GRANTED] % 2];
	check(r->done[RECEIVED] < r->posted, "no receive request is posted");
	if (header->address)
		return (void *)(uintptr_t)header->address;
	check(header->bytes <= r->slot_bytes, "a message is longer than its slot");
	return r->slots + r->done[RECEIVED] % r->slot_count * r->slot_bytes;
}

void verbs_complete(struct ring *r)
{
	struct pollfd ends[] = { { r->previous, POLLIN, 0 }, { r->next, POLLIN, 0 } };
	struct header header;

	check(poll(ends, 2, -1) > 0, "poll");
	for (int i = 0; i < 2; i++) {
		if (!(ends[i].revents & POLLIN))
			continue;
		get(ends[i].fd, &header, sizeof(header));
		get(ends[i].fd, place_of(r, &header), header.bytes);
		r->done[header.kind]++;
	}
}

void verbs_close(struct ring *r)
{
	free(r->slots);
}
