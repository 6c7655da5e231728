/* A line a size for people and for plotting programs: "size  value  Mbps", in 10^6 bit/s, to the server's answer. */
#ifndef COLUMNS_H
#define COLUMNS_H

#include "output.h"

extern const struct output columns_output;

#endif
