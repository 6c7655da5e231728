/* The lab's CSV on stdout: comment lines say what was asked and chosen, rows are raw samples as integers. */
#ifndef CSV_H
#define CSV_H

#include "output.h"

/* A comment line "# key=value" of the CSV; where the output is another, it has no place and is left out. */
void csv_note(const char *key, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The samples of one size, in the order in which they were taken, from 0 on. */
void csv_rows(const struct flow *flow, const char *sample, size_t count, const struct sample *values);

#endif
