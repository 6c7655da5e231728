/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/mman.h>

#include "check.h"
#include "hosts.h"

struct flying {
	TAILQ_ENTRY(flying) entry;
	int64_t at_ns;
	struct host *from, *to;
	size_t size;
	uint8_t bytes[];
};

struct hosts hosts;
struct program a, b;
uint64_t seed;

static bool access_memory(struct world *w, uint64_t at, void *buffer, size_t size, bool is_write)
{
	struct host *const h = (struct host *)w;

	if (at > MEMORY_BYTES || size > MEMORY_BYTES - at) {
		h->outside++;
		return false;
	}
	if (is_write)
		memcpy(h->memory + at, buffer, size);
	else
		memcpy(buffer, h->memory + at, size);
	return true;
}

static void arm(struct world *w, int64_t at)
{
	((struct host *)w)->armed_ns = at;
}

static void interrupt(struct world *w, bool is_wanted)
{
}

static void fly(struct host *from, struct host *to, int64_t at, const uint8_t *bytes, size_t size)
{
	struct flying *const f = malloc(sizeof(*f) + size), *before = TAILQ_LAST(&hosts.flying, flights);

	f->at_ns = at;
	f->from = from;
	f->to = to;
	f->size = size;
	memcpy(f->bytes, bytes, size);
	while (before && before->at_ns > at)
		before = TAILQ_PREV(before, flights, entry);
	if (before)
		TAILQ_INSERT_AFTER(&hosts.flying, before, f, entry);
	else
		TAILQ_INSERT_HEAD(&hosts.flying, f, entry);
}

static uint32_t host_number(const struct host *h)
{
	return (uint32_t)(1 + (h - hosts.host));
}

/* Through a switch that has a queue before each host, marks a packet that makes it longer than a quarter of its limit,
 * and drops one without room. False if it does. */
static bool queue(struct host *to, int64_t *at, uint8_t *bytes, uint64_t line_bytes)
{
	const uint64_t line_ns = (uint64_t)costs_time(line_bytes, hosts.costs.rate_bit_s) / 1000;
	const int64_t begin = to->queue_free_ns > *at ? to->queue_free_ns : *at;
	const uint64_t waiting = line_bytes + (uint64_t)(begin - *at) * hosts.costs.rate_bit_s / 8000000000;

	if (waiting > hosts.queue_bytes) {
		hosts.dropped++;
		return false;
	}
	if (waiting > hosts.queue_bytes / 4 && hosts.marks) {
		((struct packet *)bytes)->flags |= MARKED;
		hosts.marked++;
	}
	to->queue_free_ns = begin + (int64_t)line_ns;
	*at = to->queue_free_ns + hosts.latency_ns;
	return true;
}

static void carry(struct host *from, uint32_t to, const uint8_t *bytes, size_t size, uint64_t line_bytes)
{
	static uint8_t copy[sizeof(struct packet) + PACKET_MOST];
	int64_t at = from->free_ns + hosts.latency_ns;

	memcpy(copy, bytes, size);
	if (hosts.queue_bytes && !queue(&hosts.host[to - 1], &at, copy, line_bytes))
		return;
	fly(from, &hosts.host[to - 1], at, copy, size);
	from->carried_bytes += line_bytes;
}

static int64_t send(struct world *w, int64_t now, uint32_t to, const uint8_t *bytes, size_t size, uint64_t line_bytes)
{
	struct host *const h = (struct host *)w;
	struct packet packet;

	memcpy(&packet, bytes, sizeof(packet));
	if (packet.kind == MESSAGE && packet.flags & FIRST)
		hosts.posted[packet.flags / INSIDE % 8]++;
	assert_true(now >= h->free_ns);
	assert_int_equal(now, hosts.now_ns);
	h->free_ns = now + (costs_time(line_bytes, hosts.costs.rate_bit_s) + 999) / 1000;
	h->packets++;
	if (to <= HOSTS && to != host_number(h) && (!hosts.is_lost || !hosts.is_lost(hosts.sent)))
		carry(h, to, bytes, size, line_bytes);
	hosts.sent++;
	return h->free_ns;
}

static void slow_down(struct world *w, uint64_t bit_s)
{
	((struct host *)w)->slow_downs++;
	((struct host *)w)->bit_s = bit_s;
}

static void count_early(struct world *w)
{
	((struct host *)w)->early++;
}

static int64_t line_free(struct world *w)
{
	return ((struct host *)w)->free_ns;
}

/* calloc() would be slow: a sanitiser clears or marks each byte, and few of them are used. */
static uint8_t *memory_new(void)
{
	void *const memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	return memory;
}

void hosts_start(const struct costs *costs, int64_t latency_ns)
{
	hosts_end();
	hosts = (struct hosts){ .costs = *costs, .latency_ns = latency_ns, .buffer_bytes = 4 << 20 };
	TAILQ_INIT(&hosts.flying);
	for (struct host *h = hosts.host; h < hosts.host + HOSTS; h++) {
		h->world = (struct world){ access_memory, arm, interrupt, send, slow_down, count_early, line_free };
		h->memory = memory_new();
		h->used = FIRST_FREE;
		h->armed_ns = INT64_MAX;
		card_start(&h->card, costs, &h->world);
	}
}

void hosts_end(void)
{
	struct flying *f;

	if (!hosts.host->memory)
		return;
	for (struct host *h = hosts.host; h < hosts.host + HOSTS; h++) {
		card_end(&h->card);
		munmap(h->memory, MEMORY_BYTES);
	}
	while ((f = TAILQ_FIRST(&hosts.flying))) {
		TAILQ_REMOVE(&hosts.flying, f, entry);
		free(f);
	}
	hosts.host->memory = NULL;
}

int hosts_end_well(void **unused)
{
	for (struct host *h = hosts.host; h < hosts.host + HOSTS; h++)
		assert_int_equal(h->outside, 0);
	hosts_end();
	return 0;
}

/* The host whose card has the next event, if that is before any packet arrives; NULL: a packet arrives first. */
static struct host *next(int64_t *at)
{
	struct host *first = NULL;

	*at = TAILQ_EMPTY(&hosts.flying) ? INT64_MAX : TAILQ_FIRST(&hosts.flying)->at_ns;
	for (struct host *h = hosts.host; h < hosts.host + HOSTS; h++)
		if (h->armed_ns != INT64_MAX && (first ? h->armed_ns < *at : h->armed_ns <= *at)) {
			*at = h->armed_ns;
			first = h;
		}
	return first;
}

static void land(void)
{
	struct flying *const f = TAILQ_FIRST(&hosts.flying);

	TAILQ_REMOVE(&hosts.flying, f, entry);
	card_deliver(&f->to->card, hosts.now_ns, host_number(f->from), f->bytes, f->size);
	free(f);
}

void hosts_run_until(int64_t until)
{
	struct host *h;
	int64_t at;

	while (h = next(&at), at <= until && at != INT64_MAX) {
		hosts.now_ns = at > hosts.now_ns ? at : hosts.now_ns;
		if (h) {
			h->armed_ns = INT64_MAX;
			card_happen(&h->card, hosts.now_ns);
		} else {
			land();
		}
	}
	if (until != INT64_MAX && until > hosts.now_ns)
		hosts.now_ns = until;
}

void hosts_run(void)
{
	hosts_run_until(INT64_MAX);
}

static uint64_t allocate(struct host *h, uint64_t bytes)
{
	const uint64_t at = h->used;

	h->used += (bytes + 4095) / 4096 * 4096;
	assert_true(h->used <= MEMORY_BYTES);
	return at;
}

void host_write(struct host *h, uint64_t at, uint64_t value)
{
	card_write(&h->card, hosts.now_ns, at, value);
}

static uint32_t run(struct host *h, struct card_command *command)
{
	memcpy(h->memory + COMMAND_AT, command, sizeof(*command));
	host_write(h, CARD_COMMAND, COMMAND_AT);
	memcpy(command, h->memory + COMMAND_AT, sizeof(*command));
	return command->status;
}

uint32_t host_command(struct host *h, struct card_command *command, uint64_t memory_at)
{
	const uint64_t pages = (memory_at % 4096 + command->length + 4095) / 4096;
	struct card_command give = { .op = CARD_PAGES, .owner = command->owner };

	for (uint64_t i = 0; command->length && i < pages; i += give.count) {
		give.count = pages - i < CARD_PFNS ? pages - i : CARD_PFNS;
		for (uint64_t p = 0; p < give.count; p++)
			give.pfns[p] = memory_at / 4096 + i + p;
		assert_int_equal(run(h, &give), 0);
	}
	command->first = memory_at % 4096;
	return run(h, command);
}

uint64_t program_create(struct program *p, struct card_command c, uint64_t bytes, uint64_t at, uint32_t *handle)
{
	c.owner = p->owner;
	c.length = bytes;
	if (!at)
		at = allocate(p->host, bytes);
	assert_int_equal(host_command(p->host, &c, at), 0);
	*handle = c.handle;
	return at;
}

uint32_t program_region(struct program *p, uint64_t at, uint64_t bytes, uint32_t access, uint32_t pd)
{
	uint32_t handle;

	program_create(p,
		       (struct card_command){ .op = CARD_CREATE_REGION,
					      .arguments.region = { .iova = at, .access = access, .pd = pd } },
		       bytes, at, &handle);
	return handle;
}

static void create_queues(struct program *p, bool shares)
{
	const struct card_cq cq = { .cookie = 0xc0 + p->owner, .entries = p->entries, .channel = (int)p->owner };
	const struct card_srq srq = { .cookie = 0x50, .pd = 1, .slots = p->slots, .slot_bytes = p->slot_bytes };
	struct card_qp qp = { .cookie = 0xa0 + p->owner,
			      .type = p->type,
			      .pd = 1,
			      .send_slots = p->slots,
			      .send_slot_bytes = p->slot_bytes,
			      .recv_slots = shares ? 0 : p->slots,
			      .recv_slot_bytes = p->slot_bytes };

	p->cq_at = program_create(p, (struct card_command){ .op = CARD_CREATE_CQ, .arguments.cq = cq },
				  sizeof(struct card_ring) + p->entries * sizeof(struct card_cqe), 0, &p->cq);
	if (shares)
		p->srq_at = program_create(p, (struct card_command){ .op = CARD_CREATE_SRQ, .arguments.srq = srq },
					   (uint64_t)p->slots * p->slot_bytes, 0, &p->srq);
	qp.send_cq = qp.recv_cq = p->cq;
	qp.srq = p->srq;
	p->qp_at = program_create(p, (struct card_command){ .op = CARD_CREATE_QP, .arguments.qp = qp },
				  2ull * p->slots * p->slot_bytes, 0, &p->qp);
}

struct program program_new(int host, uint32_t owner, uint32_t type, uint32_t entries, uint32_t slots, bool shares)
{
	struct program p = { .host = &hosts.host[host],
			     .owner = owner,
			     .page = owner,
			     .type = type,
			     .entries = entries,
			     .slots = slots,
			     .slot_bytes = 1280,
			     .buffer_bytes = hosts.buffer_bytes };
	struct card_command bells = { .op = CARD_BELLS, .owner = owner, .arguments.doorbells.page = owner };

	assert_int_equal(host_command(p.host, &bells, 0), 0);
	p.buffer_at = allocate(p.host, p.buffer_bytes);
	p.region = program_region(&p, p.buffer_at, p.buffer_bytes, ALL, 1);
	create_queues(&p, shares);
	p.attributes = (struct card_attributes){ .access = ALL,
						 .peer = host ? 1 : 2,
						 .mtu_bytes = 1024,
						 .qkey = 0x1111,
						 .send_psn = 0xfffff0 + owner,
						 .timeout = 14,
						 .retries = 7,
						 .rnr_timer = 1,
						 .rnr_retries = 7,
						 .reads = 4,
						 .peer_reads = 4 };
	return p;
}

uint32_t program_set(struct program *p, uint32_t state)
{
	struct card_command c = { .op = CARD_MODIFY_QP, .owner = p->owner, .handle = p->qp };

	p->attributes.state = state;
	c.arguments.attributes = p->attributes;
	return host_command(p->host, &c, 0);
}

uint32_t program_state(struct program *p)
{
	struct card_command c = { .op = CARD_QUERY_QP, .owner = p->owner, .handle = p->qp };

	assert_int_equal(host_command(p->host, &c, 0), 0);
	return c.arguments.attributes.state;
}

static void get_ready(struct program *p, const struct program *peer)
{
	p->attributes.peer_qp = peer->qp;
	p->attributes.recv_psn = peer->attributes.send_psn;
	for (uint32_t state = INIT; state <= RTS; state++)
		assert_int_equal(program_set(p, state), 0);
}

void program_connect(struct program *one, struct program *other)
{
	get_ready(one, other);
	get_ready(other, one);
}

static uint8_t *slot(struct program *p, uint64_t queue_at, uint32_t number)
{
	return p->host->memory + queue_at + (uint64_t)(number % p->slots) * p->slot_bytes;
}

static void ring(struct program *p, uint64_t bell, uint32_t handle, uint32_t count, uint64_t flag)
{
	host_write(p->host, (1ull + p->page) * CARD_PAGE_BYTES + bell, flag | (uint64_t)handle << 32 | count);
}

void program_ring(struct program *p)
{
	ring(p, CARD_SEND, p->qp, p->sends, 0);
}

/* A request and the two parts after it. */
static void put(uint8_t *to, const struct card_wqe *wqe, const void *second, size_t second_bytes, const void *third,
		size_t third_bytes)
{
	memcpy(to, wqe, sizeof(*wqe));
	memcpy(to + sizeof(*wqe), second, second_bytes);
	if (third_bytes)
		memcpy(to + sizeof(*wqe) + second_bytes, third, third_bytes);
}

void program_put(struct program *p, struct card_wqe wqe, const struct card_piece *pieces)
{
	put(slot(p, p->qp_at, p->sends++), &wqe, pieces, wqe.pieces * sizeof(*pieces), NULL, 0);
}

void program_send(struct program *p, struct card_wqe wqe, uint64_t address, uint32_t bytes)
{
	wqe.pieces = 1;
	program_put(p, wqe, &(struct card_piece){ address, bytes, p->region });
	program_ring(p);
}

void program_send_inline(struct program *p, struct card_wqe wqe, const void *data, uint32_t bytes)
{
	wqe.flags |= INLINE;
	wqe.inline_bytes = bytes;
	put(slot(p, p->qp_at, p->sends++), &wqe, data, bytes, NULL, 0);
	program_ring(p);
}

void program_send_to(struct program *p, struct card_wqe wqe, struct card_address address, uint64_t at, uint32_t bytes)
{
	const struct card_piece piece = { at, bytes, p->region };

	wqe.pieces = 1;
	put(slot(p, p->qp_at, p->sends++), &wqe, &address, sizeof(address), &piece, sizeof(piece));
	program_ring(p);
}

void program_receive(struct program *p, uint64_t wr_id, uint64_t address, uint32_t bytes)
{
	const uint32_t number = p->srq ? p->shared++ : p->receives++;
	const uint64_t queue_at = p->srq ? p->srq_at : p->qp_at + (uint64_t)p->slots * p->slot_bytes;
	const struct card_piece piece = { address, bytes, p->region };

	put(slot(p, queue_at, number), &(struct card_wqe){ .wr_id = wr_id, .pieces = 1 }, &piece, sizeof(piece), NULL,
	    0);
	ring(p, CARD_RECV, p->srq ? p->srq : p->qp, number + 1, 0);
}

void program_arm(struct program *p, bool only_solicited)
{
	ring(p, CARD_ARM, p->cq, (uint32_t)p->read, only_solicited ? CARD_SOLICITED : 0);
}

bool program_poll(struct program *p, struct card_cqe *entry)
{
	uint8_t *const memory = p->host->memory + p->cq_at;

	memcpy(entry, memory + sizeof(struct card_ring) + p->read % p->entries * sizeof(*entry), sizeof(*entry));
	if (entry->turn != p->read + 1)
		return false;
	p->read++;
	memcpy(memory, &p->read, sizeof(p->read));
	return true;
}

struct card_cqe program_expect(struct program *p, uint32_t status)
{
	struct card_cqe entry;

	assert_true(program_poll(p, &entry));
	assert_int_equal(entry.status, status);
	return entry;
}

uint8_t *program_bytes(struct program *p, uint64_t address)
{
	return p->host->memory + address;
}

void pair_start(const struct costs *costs, uint32_t type, uint32_t entries, uint32_t slots, bool shares)
{
	hosts_end_well(NULL);
	hosts_start(costs, 1000);
	a = program_new(0, 1, type, entries, slots, false);
	b = program_new(1, 2, type, entries, slots, shares);
	program_connect(&a, &b);
}

uint64_t pair_target(const struct program *p)
{
	return p->buffer_at + PART_BYTES;
}

struct card_wqe pair_wqe(uint32_t opcode)
{
	return (struct card_wqe){ .wr_id = 77,
				  .opcode = opcode,
				  .flags = SIGNALLED,
				  .remote = pair_target(&b),
				  .rkey = b.region,
				  .imm = 0x01020304 };
}

uint64_t drawn(void)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint64_t below(uint64_t bound)
{
	return drawn() % bound;
}
