/* Step 8: a completion says that all requests before it are complete, too. */
#include "course.h"

static void post(struct side *s, long number, bool is_signalled)
{
	uint64_t place = (uint64_t)(number % DEPTH) * s->size;
	struct ibv_sge sge = { (uintptr_t)s->buffer + place, s->size, s->mr->lkey };
	struct ibv_send_wr *bad, wr = { .sg_list = &sge,
					.num_sge = 1,
					.opcode = IBV_WR_RDMA_WRITE,
					.send_flags = is_signalled ? IBV_SEND_SIGNALED : 0,
					.wr.rdma = { s->there_address + place, s->there_rkey } };

	course_fill(s->buffer + place, number);
	check(!ibv_post_send(s->qp, &wr, &bad), "ibv_post_send");
}

/* One completion for each group, so that a full queue waits for its oldest group. */
static void send_all(struct side *s, long first, long end)
{
	int groups = 0;

	for (long number = first; number < end; number += LIST) {
		long next = number + LIST < end ? number + LIST : end;

		if (groups == DEPTH / LIST) {
			wait_for(s, 1);
			groups--;
		}
		for (long each = number; each < next; each++)
			post(s, each, each + 1 == next);
		groups++;
	}
	wait_for(s, groups);
}

int64_t signal_some(struct side *s, long warmup, long count)
{
	int64_t start;

	send_all(s, 0, warmup);
	start = now_ns();
	send_all(s, warmup, warmup + count);
	return now_ns() - start;
}
