/* --explain: what this program takes, for other programs: options with their limits, and the rules between them. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

/* Prints one JSON object and exits. */
_Noreturn void explain(void);

#endif
