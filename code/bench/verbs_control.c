#include "verbs_link.h"

#include <arpa/inet.h>
#include <string.h>

#include "die.h"
#include "watch.h"

/* The immediate of a control message, which has no data; its last bit is the enum control. Big-endian as sent. */
#define CONTROL 0x1abc0de0u

static void post_receives(struct link *l, unsigned int count)
{
	struct ibv_recv_wr wr = { 0 }, *bad;
	int error = 0;

	for (unsigned int i = 0; i < count && !error; i++)
		error = ibv_post_recv(l->control.qp, &wr, &bad);
	if (error)
		die("ibv_post_recv: %s", strerror(error));
}

void verbs_control_begin(struct link *l)
{
	post_receives(l, VERBS_CONTROLS);
}

void verbs_control_drain(struct link *l)
{
	struct ibv_wc wc;

	for (; l->control.out > 0; l->control.out--) {
		l->control.sends.wait(&l->control.sends, 1, &wc);
		watch_advance();
	}
}

void verbs_control_order(struct link *l, uint32_t number)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED,
		.imm_data = htonl(number),
	};
	struct ibv_send_wr *bad;
	int error;

	if (l->control.out == VERBS_CONTROLS)
		verbs_control_drain(l);
	l->control.out++;
	error = ibv_post_send(l->control.qp, &wr, &bad);
	if (error)
		die("ibv_post_send: %s", strerror(error));
}

static uint32_t take_next(struct link *l)
{
	struct ibv_wc wc;

	if (!l->counts) {
		l->control.receives.wait(&l->control.receives, 1, &wc);
		return ntohl(wc.imm_data);
	}
	while (!verbs_control_is_here(l))
		verbs_receive_some(l);
	return l->control.inbox[l->control.taken++ % VERBS_CONTROLS];
}

uint32_t verbs_control_ordered(struct link *l)
{
	uint32_t number = take_next(l);

	post_receives(l, 1);
	watch_advance();
	if (!l->control.has_mark)
		return number;
	l->control.has_mark = false;
	return verbs_control_ordered(l);
}

void verbs_control_signal(struct link *l, enum control control)
{
	verbs_control_order(l, CONTROL | control);
}

enum control verbs_control_await(struct link *l)
{
	const uint32_t number = verbs_control_ordered(l);

	if ((number | CONTROL_STOP) != (CONTROL | CONTROL_STOP))
		die("the other end sent something other than a control message");
	return (enum control)(number & CONTROL_STOP);
}
