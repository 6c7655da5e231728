/* What a completion's status means and what to try: the sentence that a program ends with. */
#ifndef VERBS_STATUS_H
#define VERBS_STATUS_H

#include <infiniband/verbs.h>

_Noreturn void verbs_status_die(const struct ibv_wc *wc);
_Noreturn void verbs_poll_die(int result); /* of ibv_poll_cq() */

#endif
