#include "null.h"

#include <stdlib.h>

#include "clock.h"
#include "die.h"
#include "ticks.h"

#define SLOT_BYTES 65536
#define SLOTS 64

struct link {
	struct null_link state;
	struct flow flow;
	unsigned char *bytes;
};

struct link *null_open(const struct null_link *setting)
{
	struct link *l = calloc(1, sizeof(*l));

	if (!l || !(l->bytes = calloc(SLOTS, SLOT_BYTES)))
		die("no memory for the link");
	l->state = *setting;
	return l;
}

struct null_link *null_state(struct link *l)
{
	return &l->state;
}

void null_free(struct link *l)
{
	free(l->bytes);
	free(l);
}

static void null_plan(struct link *l, struct flow *f)
{
	f->depth = l->state.depth;
	f->post_list = l->state.post_list;
	f->singles = l->state.singles;
	f->signal_every = l->state.clump;
	f->operations = 1;
	f->to_client = true; /* both ends are this process: what is sent is what is received */
	l->flow = *f;
}

static void null_begin(struct link *l, uint64_t messages)
{
	(void)messages;
	l->state.sent = 0;
	l->state.rounds++;
	l->state.begun = true;
}

static void spend(uint64_t time_ns)
{
	uint64_t end = now_ns() + time_ns;

	while (now_ns() < end)
		;
}

static uint64_t null_stop(struct link *l)
{
	return l->state.sent;
}

static uint64_t null_post(struct link *l, uint64_t messages)
{
	struct null_link *s = &l->state;

	s->posts++;
	s->sent += messages;
	s->under_way += messages;
	if (s->under_way > s->most_under_way)
		s->most_under_way = s->under_way;
	return messages;
}

static uint64_t null_peek(struct link *l)
{
	(void)l;
	return 0;
}

static uint64_t null_reap(struct link *l)
{
	struct null_link *s = &l->state;
	uint64_t messages = s->under_way < s->clump ? s->under_way : s->clump;

	if (s->begun)
		spend(s->there_ns + s->back_ns);
	s->begun = false;
	spend(messages * (s->message_ns + (s->rounds - 1) * s->drift_ns));
	s->under_way -= messages;
	s->completed += messages;
	return messages;
}

static void null_arrive(struct link *l, struct windows *w)
{
	(void)l;
	(void)w;
}

static void null_signal(struct link *l, enum control control)
{
	l->state.stops += control == CONTROL_STOP;
	l->state.asked = true;
}

static enum control null_await(struct link *l)
{
	struct null_link *s = &l->state;

	if (s->answered < s->finished)
		spend(s->answer_ns + (s->one_sided ? s->there_ns + s->back_ns : 0));
	else if (s->asked)
		spend(s->there_ns + s->back_ns);
	s->answered = s->finished;
	s->asked = false;
	return CONTROL_GO;
}

static void null_order(struct link *l, uint32_t number)
{
	l->state.orders++;
	l->state.last_order = number;
}

static void null_finish(struct link *l)
{
	l->state.finished++;
}

static void null_pings(struct link *l, uint64_t messages, uint64_t *stamps)
{
	for (uint64_t i = 0; i < messages; i++) {
		spend(l->state.message_ns);
		stamps[i] = ticks_now();
	}
	l->state.completed += messages;
}

static void null_pongs(struct link *l, uint64_t messages)
{
	(void)l;
	(void)messages;
}

static unsigned char *null_slot(struct link *l, uint64_t message)
{
	return l->bytes + message % SLOTS * SLOT_BYTES;
}

const struct transport null_transport = {
	.name = "null",
	.plan = null_plan,
	.begin = null_begin,
	.post = null_post,
	.stop = null_stop,
	.peek = null_peek,
	.reap = null_reap,
	.arrive = null_arrive,
	.finish = null_finish,
	.signal = null_signal,
	.await = null_await,
	.order = null_order,
	.pings = null_pings,
	.pongs = null_pongs,
	.outgoing = null_slot,
	.incoming = null_slot,
	.close = null_free,
};
