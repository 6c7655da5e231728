/* How results leave a client: csv.c and columns.c each fill this struct, and write to one stream. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "options.h"
#include "result.h"
#include "transport.h"

struct output {
	void (*begin)(void);  /* the options are known */
	void (*header)(void); /* the link is open, sizes follow */
	void (*size)(const struct options *, const struct flow *, const struct result *);
	void (*costs)(const struct cost *, size_t count); /* of all sizes, at the client */
	void (*end)(void);                                /* all is there */
};

/* At the start: no socket or device takes the place of a standard stream that is closed, and with it the samples. */
void output_guard(void);

/* Writes what there is, so that an interrupted run keeps its finished sizes; exits if a write has failed,
 * now or earlier. */
void output_flush(void);

extern const struct output csv_output, columns_output;

#endif
