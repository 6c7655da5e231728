/* What your files share: buffers, memory regions, counts of completions. Change it as you need it; messages.c may have
 * functions for all of your files. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "course.h"

struct messages {
	struct ibv_mr *mr;
};

#endif
