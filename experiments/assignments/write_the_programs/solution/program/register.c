/* Step 3: memory that devices may touch, at this end and from the other one. */
#include "course.h"

void register_buffer(struct side *s)
{
	s->mr = ibv_reg_mr(s->pd, s->buffer, (size_t)DEPTH * s->size, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	check(s->mr, "ibv_reg_mr");
}
