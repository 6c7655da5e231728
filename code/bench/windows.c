#include "windows.h"

#include "clock.h"

static void next_mark(struct windows *w, uint64_t done)
{
	uint64_t k = done * w->count / w->messages + 1;

	w->mark = (k * w->messages + w->count - 1) / w->count;
}

void windows_begin(struct windows *w, struct result *result, uint64_t messages, uint64_t count)
{
	*w = (struct windows){ .result = result, .messages = messages, .count = count };
	next_mark(w, 0);
}

void windows_begin_timed(struct windows *w, struct result *result, uint64_t messages, uint64_t seconds, uint64_t count)
{
	*w = (struct windows){ .result = result, .messages = messages, .count = count, .mark = UINT64_MAX };
	w->lasts_ns = seconds * NS_PER_S;
	w->next_ns = middle_start_ns(w->lasts_ns);
}

/* A window without a message is joined to the next one. */
static void look_by_time(struct windows *w, uint64_t done, uint64_t elapsed_ns)
{
	const uint64_t start_ns = middle_start_ns(w->lasts_ns);
	const uint64_t part_ns = (middle_end_ns(w->lasts_ns) - start_ns) / w->count,
		       end_ns = start_ns + w->count * part_ns;
	struct result *r = w->result;
	const uint64_t before = w->first.messages + (r->count > 0 ? r->samples[r->count - 1].messages : 0);

	w->mark = UINT64_MAX;
	w->over = elapsed_ns >= w->lasts_ns;
	if (elapsed_ns < w->next_ns)
		return;
	if (w->first.time_ns == 0)
		w->first = (struct sample){ done, elapsed_ns };
	else if (done > before)
		r->samples[r->count++] = (struct sample){ done - w->first.messages, elapsed_ns - w->first.time_ns };
	else
		return;
	while (w->next_ns <= elapsed_ns)
		w->next_ns = w->next_ns < end_ns ? w->next_ns + part_ns : UINT64_MAX;
}

void windows_look(struct windows *w, uint64_t done, uint64_t time_ns)
{
	if (done < w->mark)
		return;
	if (w->lasts_ns) {
		look_by_time(w, done, time_ns - w->start_ns);
		return;
	}
	w->result->samples[w->result->count++] = (struct sample){ done, time_ns - w->start_ns };
	next_mark(w, done);
}
