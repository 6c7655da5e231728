/* Step 7: small messages travel inside their requests, so that the device need not fetch them. */
#include "course.h"

static void post_inside(struct side *s, long number)
{
	uint64_t place = (uint64_t)(number % DEPTH) * s->size;
	struct ibv_sge sge = { (uintptr_t)s->buffer + place, s->size, s->mr->lkey };
	struct ibv_send_wr *bad, wr = { .sg_list = &sge,
					.num_sge = 1,
					.opcode = IBV_WR_RDMA_WRITE,
					.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
					.wr.rdma = { s->there_address + place, s->there_rkey } };

	course_fill(s->buffer + place, number);
	check(!ibv_post_send(s->qp, &wr, &bad), "ibv_post_send");
}

static void send_all(struct side *s, long first, long end)
{
	int in_flight = 0;

	for (long number = first; number < end; number++) {
		if (in_flight == DEPTH) {
			wait_for(s, 1);
			in_flight--;
		}
		post_inside(s, number);
		in_flight++;
	}
	wait_for(s, in_flight);
}

int64_t inline_data(struct side *s, long warmup, long count)
{
	int64_t start;

	if (s->size > INLINE_MOST)
		return many_in_flight(s, warmup, count);
	send_all(s, 0, warmup);
	start = now_ns();
	send_all(s, warmup, warmup + count);
	return now_ns() - start;
}
