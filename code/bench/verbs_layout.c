#include "verbs_layout.h"

#include "least.h"

uint64_t verbs_chunk_bytes(const struct link *l)
{
	return least(l->here.max_message_bytes, l->there.max_message_bytes);
}

unsigned char *verbs_outgoing(struct link *l, uint64_t message)
{
	return buffer_outgoing(&l->buffer, l->flow.size_bytes, message % l->flow.slots);
}

unsigned char *verbs_incoming(struct link *l, uint64_t message)
{
	return buffer_incoming(&l->buffer, l->flow.size_bytes, message % l->flow.slots);
}
