/* --verify: the same measurements, with every byte filled in before and checked after it travelled. */
#ifndef VERIFIED_H
#define VERIFIED_H

#include "run.h"

/* In rounds whose messages fit side by side into the buffer: each is a sample. */
void verified_stream(const struct run *run);
void verified_answer_stream(const struct run *run);

/* In rounds of one message there and back. */
void verified_pings(const struct run *run);
void verified_answer_pings(const struct run *run);

#endif
