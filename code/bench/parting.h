/* How two ends leave each other, when all is measured. */
#ifndef PARTING_H
#define PARTING_H

#include "options.h"
#include "result.h"

/* Waits until the other end is through, and closes the socket to it. The client hears there what each size took of the
 * server's processor; costs has as many as there are sizes. */
void parting_run(const struct options *options, int peer, struct cost *costs);

#endif
