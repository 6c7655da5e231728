/* Step 4: one RDMA WRITE. */
#include "course.h"

void post_write(struct side *s, long number)
{
	uint64_t place = (uint64_t)(number % DEPTH) * s->size;
	struct ibv_sge sge = { (uintptr_t)s->buffer + place, s->size, s->mr->lkey };
	struct ibv_send_wr *bad, wr = { .sg_list = &sge,
					.num_sge = 1,
					.opcode = IBV_WR_RDMA_WRITE,
					.send_flags = IBV_SEND_SIGNALED,
					.wr.rdma = { s->there_address + place, s->there_rkey } };

	course_fill(s->buffer + place, number);
	check(!ibv_post_send(s->qp, &wr, &bad), "ibv_post_send");
}
