/* The lab's CSV on stdout: comment lines say what was asked and chosen, rows are raw samples as integers. */
#ifndef CSV_H
#define CSV_H

#include <stdint.h>

#include "options.h"
#include "transport.h"

struct sample {
	uint64_t messages;
	uint64_t time_ns;
};

void csv_begin(void);
void csv_note(const char *key, const char *format, ...) __attribute__((format(printf, 2, 3)));
void csv_header(void);
void csv_flow(const struct flow *flow);
void csv_row(const struct flow *flow, const char *sample, uint64_t index, struct sample value);

/* Writes what there is, so that an interrupted run keeps its finished sizes; exits if it can't be written. */
void csv_flush(void);

/* The last line, without which the CSV is not whole. */
void csv_end(void);

#endif
