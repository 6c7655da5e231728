#include "span.h"

#include "clock.h"
#include "least.h"
#include "sweep.h"

#define ROUND_MAX 1024     /* messages */
#define ROUNDS_PER_SPAN 80 /* at least, as with the windows of throughput */

struct span span_new(uint64_t seconds)
{
	const uint64_t now = now_ns();

	return (struct span){ seconds * NS_PER_S, now, now, .messages = 1, .every = 1 };
}

/* Full: every second sample goes, and from here on one in twice as many messages is kept. */
static void thin(struct span *s, struct sample *samples)
{
	for (uint64_t i = 0; 2 * i < s->count; i++)
		samples[i] = samples[2 * i];
	s->count = (s->count + 1) / 2;
	s->every *= 2;
}

void span_keep(struct span *s, struct sample *samples)
{
	const struct sample *const round = samples + s->count;

	s->all += s->messages;
	if (!s->is_middle)
		return;
	for (uint64_t i = 0; i < s->messages; i++)
		if ((s->measured + i) % s->every == 0)
			samples[s->count++] = round[i];
	s->measured += s->messages;
	if (s->count + ROUND_MAX > SAMPLES_MAX)
		thin(s, samples);
}

void span_next(struct span *s)
{
	const uint64_t now = now_ns(), elapsed_ns = now - s->start_ns;
	const uint64_t fitting = s->messages * (s->lasts_ns / ROUNDS_PER_SPAN) / (now - s->round_start_ns);

	s->messages = fitting > 0 ? least(fitting, ROUND_MAX) : 1;
	s->is_middle = elapsed_ns >= middle_start_ns(s->lasts_ns) &&
		       (elapsed_ns < middle_end_ns(s->lasts_ns) || s->count == 0);
	s->round_start_ns = now;
	if (elapsed_ns >= s->lasts_ns && s->count > 0)
		s->messages = 0;
}
