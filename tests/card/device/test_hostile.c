/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random use of the card. First anything at all, in registers, commands, queues and packets: the card must stay within
 * the memory of the VM, which the sanitisers and the harness check, and must not stop. Then a hostile program on each
 * host, beside an idle one: all commands that the kernel module passes on for it, any number in its doorbells, any
 * bytes in its memory. It has the keys, numbers and addresses of its neighbour. It must not read, change or be notified
 * of anything of the neighbour, whose queue pairs work afterwards. LAB_CARD_COMMANDS is the number of commands of each
 * test. */
#include "check.h"
#include "hosts.h"

#define SECRET "what none other may have"

/* A larger buffer only takes longer to clear and compare. */
enum { PROGRAMS = 4, RENEWED = 500, COMMANDS = 200000, PATIENCE_MS = 10000, BUFFER_BYTES = 64 << 10 };

/* A program and its memory. */
static struct actor {
	struct program program;
	uint64_t first, end;
	uint8_t *before; /* the memory of an idle one */
} actors[PROGRAMS];

/* The first active actor: all act, or the last two, which have a neighbour each. */
static int first_active;
static uint64_t wildness; /* 4 in this many values are wrong */

static uint64_t near(uint64_t value)
{
	switch (below(wildness)) {
	case 0:
		return drawn();
	case 1:
		return value + 1;
	case 2:
		return value - 1;
	case 3:
		return 1ull << below(64);
	default:
		return value;
	}
}

static struct program *some(void)
{
	return &actors[below(PROGRAMS)].program;
}

/* A handle of any program, including neighbours and the other host. */
static uint32_t handle(void)
{
	const struct program *const p = some();
	const uint32_t handles[] = { p->qp, p->cq, p->srq, p->region };

	return (uint32_t)near(handles[below(4)]);
}

static void add(int number, int host, uint32_t owner, uint32_t type)
{
	struct actor *const actor = &actors[number];

	actor->first = hosts.host[host].used;
	actor->program = program_new(host, owner, type, 64, 16, below(3) == 0);
	actor->end = hosts.host[host].used;
}

static struct card_attributes draw_attributes(const struct program *p)
{
	struct card_attributes attributes = p->attributes;
	const struct program *const peer = some();

	attributes.state = (uint32_t)below(STATES);
	attributes.peer = (uint32_t)below(HOSTS + 2);
	attributes.peer_qp = (uint32_t)near(peer->qp);
	attributes.send_psn = (uint32_t)near(peer->attributes.recv_psn);
	attributes.recv_psn = (uint32_t)near(peer->attributes.send_psn);
	attributes.access = (uint32_t)near(ALL);
	return attributes;
}

static void draw_arguments(struct card_command *c, const struct program *p)
{
	c->handle = handle();
	for (int i = 0; i < 12; i++)
		c->arguments.words[i] = near(below(3) ? below(64) : (uint64_t)handle() << 32 | handle());
	if (c->op == CARD_MODIFY_QP && below(8))
		c->arguments.attributes = draw_attributes(p);
}

/* Commands that the kernel would never write. */
static void try_raw_command(struct actor *actor)
{
	struct program *const p = &actor->program;
	struct card_command c = { .op = (uint32_t)near(below(CARD_DESTROY + 1)), .owner = (uint32_t)near(p->owner) };

	draw_arguments(&c, p);
	c.length = near(below(8192));
	c.first = near(below(4096));
	c.count = near(below(CARD_PFNS));
	for (int i = 0; i < 8; i++)
		c.pfns[i] = near(below(2 * MEMORY_BYTES / 4096));
	memcpy(p->host->memory + COMMAND_AT, &c, sizeof(c));
	host_write(p->host, CARD_COMMAND, below(50) ? COMMAND_AT : drawn());
}

/* The module supplies owner and pages, passes on nothing but these commands, and event files of the program itself. */
static void try_command(struct actor *actor)
{
	struct program *const p = &actor->program;
	const uint64_t at = actor->first + below(actor->end - actor->first), room = actor->end - at;
	struct card_command c = { .owner = p->owner };

	c.op = CARD_CREATE_REGION + (uint32_t)below(CARD_DESTROY - CARD_CREATE_REGION + (below(20) == 0));
	draw_arguments(&c, p);
	if (c.op == CARD_CREATE_CQ)
		c.arguments.cq.channel = below(2) ? (int)p->owner : 0;
	if (c.op == CARD_CREATE_QP && below(4))
		c.arguments.qp = (struct card_qp){ .type = RC + (uint32_t)below(3),
						   .pd = 1,
						   .send_slots = p->slots,
						   .send_slot_bytes = p->slot_bytes,
						   .send_cq = handle(),
						   .recv_cq = handle(),
						   .srq = below(2) ? handle() : 0 };
	if (c.op <= CARD_CREATE_QP)
		c.length = 1 + below(below(2) ? room : 8192) % room;
	if (host_command(p->host, &c, at) == 0 && c.op == CARD_CREATE_QP)
		p->qp = below(2) ? c.handle : p->qp;
}

/* Through all states again, to any peer. */
static void try_connect(struct actor *actor)
{
	struct program *const p = &actor->program;
	struct card_command c = { .op = CARD_MODIFY_QP, .owner = p->owner };
	const struct card_attributes attributes = draw_attributes(p);

	p->sends = p->receives = 0;
	for (uint32_t state = RESET; state <= RTS; state++) {
		c.handle = p->qp;
		c.arguments.attributes = attributes;
		c.arguments.attributes.state = state;
		host_command(p->host, &c, 0);
	}
}

static void try_doorbell(struct actor *actor)
{
	const struct program *const p = &actor->program;
	const uint64_t page = (1ull + p->page) * CARD_PAGE_BYTES,
		       at = (first_active ? page : near(page)) + 8 * below(5);

	if (at != CARD_COMMAND)
		host_write(p->host, at, near((uint64_t)handle() << 32 | (uint32_t)near(p->sends + below(4))));
	if (!first_active)
		card_read(&p->host->card, 8 * below(6));
}

static struct card_wqe draw_wqe(const struct program *to)
{
	return (struct card_wqe){ .opcode = (uint32_t)near(below(OPCODES)),
				  .flags = (uint32_t)below(16),
				  .remote = near(to->buffer_at + below(to->buffer_bytes)),
				  .rkey = (uint32_t)near(to->region),
				  .compare_add = drawn(),
				  .pieces = (uint32_t)below(3),
				  .inline_bytes = (uint32_t)near(below(1024)) };
}

static struct card_piece draw_piece(const struct program *p)
{
	return (struct card_piece){ near(p->buffer_at + below(p->buffer_bytes)), (uint32_t)near(below(4096)),
				    (uint32_t)near(p->region) };
}

/* Mostly from the buffer of the program to its peer, else from and to any address. */
static void try_send(struct actor *actor)
{
	struct program *const p = &actor->program, *const to = first_active ? some() :
									      &actors[(actor - actors) ^ 1].program;
	struct card_piece pieces[3];

	for (int i = 0; i < 3; i++)
		pieces[i] = draw_piece(first_active ? some() : p);
	if (p->type == UD && below(4))
		program_send_to(p, draw_wqe(to),
				(struct card_address){ .peer = (uint32_t)near(below(HOSTS + 2)),
						       .peer_qp = (uint32_t)near(to->qp),
						       .qkey = to->attributes.qkey },
				pieces[0].address, pieces[0].bytes);
	else
		program_put(p, draw_wqe(to), pieces);
	if (first_active || below(2))
		program_ring(p);
}

static void try_receive(struct actor *actor)
{
	const struct card_piece piece = draw_piece(first_active ? some() : &actor->program);

	program_receive(&actor->program, 1, piece.address, piece.bytes);
}

/* Writes into rings, queues and data of the program. */
static void try_bytes(struct actor *actor)
{
	struct program *const p = &actor->program;
	const uint64_t places[] = { p->qp_at + below(2 * 16 * 1280 - 8), p->cq_at + below(8),
				    p->buffer_at + below(4096), actor->first + below(actor->end - actor->first - 8) };
	const uint64_t value = below(2) ? drawn() : near(handle());

	memcpy(p->host->memory + places[below(4)], &value, sizeof(value));
}

/* A forged packet. */
static void try_packet(struct actor *actor)
{
	struct program *const p = &actor->program;
	uint8_t bytes[sizeof(struct packet) + 64];
	struct packet packet = { .kind = (uint8_t)below(PACKET_KINDS + 1),
				 .flags = (uint8_t)below(16),
				 .opcode = (uint8_t)near(below(OPCODES)),
				 .ack = (uint8_t)below(8),
				 .from = (uint32_t)near(p->attributes.peer_qp),
				 .to = (uint32_t)near(p->qp),
				 .psn = (uint32_t)near(p->attributes.recv_psn + below(4)),
				 .bytes = (uint32_t)near(64),
				 .rkey = (uint32_t)near(p->region),
				 .length = (uint32_t)near(below(100000)),
				 .rnr_timer = (uint32_t)drawn(),
				 .remote = near(p->buffer_at) };

	memset(bytes, 0x55, sizeof(bytes));
	memcpy(bytes, &packet, sizeof(packet));
	card_deliver(&p->host->card, hosts.now_ns, (uint32_t)below(HOSTS + 2), bytes,
		     below(10) ? sizeof(bytes) : below(sizeof(bytes)));
}

static void try_poll(struct actor *actor)
{
	struct card_cqe entry;

	while (below(8) && program_poll(&actor->program, &entry))
		;
	program_arm(&actor->program, below(2));
}

static void try_one(void (*const tries[])(struct actor *), uint64_t count)
{
	tries[below(count)](&actors[(uint64_t)first_active + below((uint64_t)(PROGRAMS - first_active))]);
	if (below(4) == 0)
		hosts_run_until(hosts.now_ns + (int64_t)below(3000));
}

static uint64_t commands(void)
{
	const char *const count = getenv("LAB_CARD_COMMANDS");

	return count ? strtoull(count, NULL, 10) : COMMANDS;
}

static bool is_lost(uint64_t number)
{
	return below(20) == 0;
}

static void start_anything(void)
{
	const uint32_t type = RC + (uint32_t)below(4) % 3;
	const struct costs costs = { .header_bytes = 30 + below(60),
				     .rate_bit_s = below(3) ? 1000000000ull * (1 + below(100)) : 0,
				     .bus_bit_s = below(2) * 50000000000ull,
				     .fetch_ps = (int64_t)below(500000),
				     .gap_ps = (int64_t)below(300000) };

	hosts_start(&costs, 1 + (int64_t)below(2000));
	hosts.is_lost = is_lost;
	wildness = 8 << below(7);
	first_active = 0;
	for (int i = 0; i < PROGRAMS; i++)
		add(i, i % 2, 1 + (uint32_t)i, type);
	program_connect(&actors[0].program, &actors[1].program);
	program_connect(&actors[2].program, &actors[3].program);
}

/* Random commands may cause work for years: the hosts are replaced after some of them. */
TEST(nothing_makes_the_card_leave_its_memory_or_stop)
{
	void (*const tries[])(struct actor *) = { try_send,        try_send,     try_receive, try_receive, try_poll,
						  try_raw_command, try_doorbell, try_bytes,   try_packet };

	for (uint64_t i = 0; i < commands(); i++) {
		if (i % RENEWED == 0) {
			seed = i;
			start_anything();
		}
		try_one(tries, below(wildness) < 4 ? COUNT(tries) : 5);
	}
	hosts_end();
}

/* Actors 0 and 1 are idle. The order of creation differs, so a queue pair has the number of the hostile one on the
 * other host. */
static void start_neighbours(void)
{
	const struct costs costs = { .header_bytes = 30, .rate_bit_s = 100000000000ull, .gap_ps = 10000 };
	static const int order[] = { 0, 2, 3, 1 };

	hosts_start(&costs, 1000);
	hosts.buffer_bytes = BUFFER_BYTES;
	wildness = 8 << below(7);
	first_active = 2;
	for (int i = 0; i < PROGRAMS; i++)
		add(order[i], i / 2, 1 + (uint32_t)i % 2, order[i] < 2 ? RC : RC + (uint32_t)below(3));
	program_connect(&actors[0].program, &actors[1].program);
	for (struct actor *quiet = actors; quiet < actors + 2; quiet++) {
		uint8_t *const memory = quiet->program.host->memory;

		for (uint64_t at = 0; at < BUFFER_BYTES; at += 4096)
			memcpy(memory + quiet->program.buffer_at + at, SECRET, sizeof(SECRET));
		quiet->before = malloc(quiet->end - quiet->first);
		memcpy(quiet->before, memory + quiet->first, quiet->end - quiet->first);
	}
}

static void expect_left_alone(struct actor *quiet, const struct actor *hostile)
{
	struct host *const h = quiet->program.host;
	uint64_t word;

	while ((word = card_read(&h->card, CARD_EVENT))) /* the module would pass it on */
		assert_int_equal((uint32_t)word, hostile->program.owner);
	assert_int_equal(h->outside, 0);
	assert_memory_equal(h->memory + quiet->first, quiet->before, quiet->end - quiet->first);
	assert_null(memmem(h->memory + hostile->first, hostile->end - hostile->first, SECRET, sizeof(SECRET)));
	free(quiet->before);
}

static struct card_cqe await(struct program *p)
{
	struct card_cqe entry = { .turn = 0 };

	for (int ms = 0; ms < PATIENCE_MS && !program_poll(p, &entry); ms++)
		hosts_run_until(hosts.now_ns + 1000000);
	assert_int_equal(entry.turn, p->read);
	assert_int_equal(entry.status, SUCCESS);
	return entry;
}

static void expect_message(struct program *from, struct program *to)
{
	program_receive(to, 1, to->buffer_at, 10000);
	program_send(from, (struct card_wqe){ .opcode = SEND, .flags = SIGNALLED }, from->buffer_at + 4096, 9000);
	assert_int_equal(await(to).bytes, 9000);
	await(from);
	assert_memory_equal(program_bytes(to, to->buffer_at), program_bytes(from, from->buffer_at + 4096), 9000);
}

TEST(a_hostile_program_does_not_reach_its_neighbour)
{
	void (*const often[])(struct actor *) = { try_send, try_send, try_send, try_receive };
	void (*const seldom[])(struct actor *) = { try_connect, try_command, try_doorbell, try_bytes };

	for (uint64_t i = 0; i < commands() / 2; i += RENEWED) {
		seed = i;
		start_neighbours();
		for (int j = 0; j < RENEWED; j++)
			try_one(below(4) ? often : seldom, 4);
		expect_left_alone(&actors[0], &actors[2]);
		expect_left_alone(&actors[1], &actors[3]);
		expect_message(&actors[0].program, &actors[1].program);
		expect_message(&actors[1].program, &actors[0].program);
		hosts_end();
	}
}

RUN_TESTS("hostile", NULL, NULL)
