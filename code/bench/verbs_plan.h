/* How the messages of one size go over the link: chains, completions, chunks, inline. */
#ifndef VERBS_PLAN_H
#define VERBS_PLAN_H

#include "verbs_link.h"

/* Fills the flow below slots; refuses what can't be. */
void verbs_plan(struct link *l, struct flow *f);

#endif
