#include "windows.h"

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

void windows_look(struct windows *w, uint64_t done, uint64_t time_ns)
{
	if (done < w->mark)
		return;
	w->result->samples[w->result->count++] = (struct sample){ done, time_ns - w->start_ns };
	next_mark(w, done);
}
