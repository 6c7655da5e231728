/* A poll that finds nothing is waiting, not work. Two no-ops around the polls of a loop mark such polls for the plugin
 * that counts instructions (code/machine/profile); elsewhere they have no effect. */
#ifndef POLLING_H
#define POLLING_H

#if defined(__x86_64__)
#define POLLING_MARK(number) __asm__ volatile(".byte 0x0f, 0x1f, 0x84, 0x00; .long " #number)
#else
#define POLLING_MARK(number) ((void)0)
#endif

/* Before a poll. */
#define polling_begins() POLLING_MARK(0x6c6c6f70)

/* After one or more polls that found nothing: what the program executed since polling_begins() was waiting. */
#define polling_was_in_vain() POLLING_MARK(0x656c6469)

#endif
