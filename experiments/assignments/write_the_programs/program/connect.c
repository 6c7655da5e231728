/* Step 2: a reliable connection (IBV_QPT_RC) between the two ends. */
#include "course.h"

void make_queue_pair(struct side *s)
{
	/* ibv_create_cq(), ibv_create_qp() with room for DEPTH requests, INLINE_MOST bytes inside one, and one receive
	 * for the frame, then ibv_modify_qp() to IBV_QPS_INIT, where the other end may write: fill s->cq and s->qp. */
	(void)s;
	not_yet("step 2, make_queue_pair() in connect.c");
}

void connect_queue_pair(struct side *s)
{
	/* By now s->there_qpn and s->there_gid are known. ibv_modify_qp() to IBV_QPS_RTR, then to IBV_QPS_RTS. */
	(void)s;
	not_yet("step 2, connect_queue_pair() in connect.c");
}
