/* Step 9: many requests for one call of ibv_post_send(). */
#include "course.h"

static void post_list(struct side *s, long first, long count)
{
	struct ibv_sge sge[LIST];
	struct ibv_send_wr wr[LIST], *bad;

	for (long i = 0; i < count; i++) {
		uint64_t place = (uint64_t)((first + i) % DEPTH) * s->size;

		course_fill(s->buffer + place, first + i);
		sge[i] = (struct ibv_sge){ (uintptr_t)s->buffer + place, s->size, s->mr->lkey };
		wr[i] = (struct ibv_send_wr){ .next = i + 1 < count ? &wr[i + 1] : NULL,
					      .sg_list = &sge[i],
					      .num_sge = 1,
					      .opcode = IBV_WR_RDMA_WRITE,
					      .send_flags = i + 1 == count ? IBV_SEND_SIGNALED : 0,
					      .wr.rdma = { s->there_address + place, s->there_rkey } };
	}
	check(!ibv_post_send(s->qp, wr, &bad), "ibv_post_send");
}

static void send_all(struct side *s, long first, long end)
{
	int in_flight = 0;

	for (long number = first; number < end; number += LIST) {
		if (in_flight == DEPTH / LIST) {
			wait_for(s, 1);
			in_flight--;
		}
		post_list(s, number, number + LIST < end ? LIST : end - number);
		in_flight++;
	}
	wait_for(s, in_flight);
}

int64_t lists(struct side *s, long warmup, long count)
{
	int64_t start;

	send_all(s, 0, warmup);
	start = now_ns();
	send_all(s, warmup, warmup + count);
	return now_ns() - start;
}
