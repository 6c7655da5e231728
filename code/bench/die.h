/* Messages on stderr, and the end of a program after an error. */
#ifndef DIE_H
#define DIE_H

/* The name that messages start with: the name of the called program. */
void die_name(const char *argv0);
const char *die_program(void);

/* Prints "program: message" and exits with status 1. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports bad usage: prints the message and a pointer to --help, exits with status 2. */
_Noreturn void die_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "program: message" and returns. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
