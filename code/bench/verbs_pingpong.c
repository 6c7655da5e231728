/* Ping-pong: one message there and back. */
#include "verbs.h"

#include <sched.h>

static void verbs_send_one(struct link *l)
{
	if (l->flow.marked) {
		l->mark = l->mark == UINT8_MAX ? 1 : l->mark + 1;
		verbs_outgoing(l, 0)[l->flow.size_bytes - 1] = l->mark;
	}
	verbs_send_post(l, 1);
}

/* The completion of a signalled ping frees its place in the queue; the answer is here, so it is too, or soon. */
static void reap_if_signalled(struct link *l)
{
	if (l->posted % l->flow.signal_every == 0 || l->posted == l->messages)
		while (verbs_send_reap(l) == 0)
			;
}

/* Data that was written announces itself by nothing but its last byte. */
static void await_mark(struct link *l, unsigned char mark)
{
	const volatile unsigned char *last = verbs_incoming(l, 0) + l->flow.size_bytes - 1;

	while (*last != mark)
		if (l->options->wait == WAIT_YIELD)
			sched_yield();
}

void verbs_ping(struct link *l)
{
	verbs_send_one(l);
	if (l->flow.marked)
		await_mark(l, l->mark);
	else if (verbs_two_sided(l))
		verbs_receive_message(l);
	reap_if_signalled(l);
}

void verbs_pong(struct link *l)
{
	if (l->flow.to_client)
		return;
	if (l->flow.marked)
		await_mark(l, l->mark == UINT8_MAX ? 1 : l->mark + 1);
	else
		verbs_receive_message(l);
	verbs_send_one(l);
	reap_if_signalled(l);
}
