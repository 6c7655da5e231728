/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of libibverbs that this library replaces. */
#ifndef REAL_H
#define REAL_H

/* A replaced function by its name: real(ibv_create_cq)(context, ...). */
#define real(name) ((__typeof__(&name))real_function(#name))

/* Exported functions; all others of this library are hidden. */
#define EXPORTED __attribute__((visibility("default")))

/* Ends the program if there is no function of that name. */
void *real_function(const char *name);

#endif
