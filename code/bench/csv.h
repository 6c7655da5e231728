/* The CSV on stdout: comment lines state the options and what the program chose, rows are raw samples as integers. */
#ifndef CSV_H
#define CSV_H

#include "output.h"

/* A comment line "# key=value" of the CSV; it is left out where the output is another. */
void csv_note(const char *key, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The samples of one size in the order in which they were taken, numbered from 0. */
void csv_rows(const struct flow *flow, const char *sample, size_t count, const struct sample *values);

#endif
