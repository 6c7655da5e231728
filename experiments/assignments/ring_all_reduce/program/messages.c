/* Functions for all of your files, such as: post a receive, send a part of a vector, take completions. */
#include "messages.h"
