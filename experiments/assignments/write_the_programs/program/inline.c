/* Step 7: small messages travel inside their requests, so that the device need not fetch them. */
#include "course.h"

int64_t inline_data(struct side *s, long warmup, long count)
{
	/* IBV_SEND_INLINE up to INLINE_MOST bytes. Larger messages go as in step 6. */
	(void)s;
	(void)warmup;
	(void)count;
	not_yet("step 7, inline_data() in inline.c");
}
