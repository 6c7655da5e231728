/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of libibverbs that this library stands before, as they are in it. */
#ifndef REAL_H
#define REAL_H

/* A function by its name: real(ibv_create_cq)(context, ...). */
#define real(name) ((__typeof__(&name))real_function(#name))

/* Calls what is exported; all else of this library is hidden. */
#define EXPORTED __attribute__((visibility("default")))

/* Ends the program if there is none of that name. */
void *real_function(const char *name);

#endif
