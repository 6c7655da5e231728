/* The output of a client: csv.c and columns.c each fill this struct, and write to stdout. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "options.h"
#include "result.h"
#include "transport.h"

struct output {
	void (*begin)(void);  /* the options are known */
	void (*header)(void); /* the link is open; sizes follow */
	void (*size)(const struct options *, const struct flow *, const struct result *);
	void (*costs)(const struct cost *, size_t count); /* of all sizes, on the client */
	void (*end)(void);                                /* everything is printed */
};

/* Called first: no socket or device takes the number of a standard stream that is closed, which would lose samples. */
void output_guard(void);

/* Writes all output so far, so that an interrupted run keeps its finished sizes. Exits if a write has failed, now or
 * earlier. */
void output_flush(void);

extern const struct output csv_output, columns_output;

#endif
