/* One sentence on stderr, and how a program ends when there is nothing to recover. */
#ifndef DIE_H
#define DIE_H

/* What the sentences start with; the name the program was called by. */
void die_name(const char *argv0);
const char *die_program(void);

/* Prints "program: sentence" and exits with status 1. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for bad usage: points at --help and exits with status 2. */
_Noreturn void die_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "program: sentence" and goes on. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
