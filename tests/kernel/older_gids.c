/* Preloaded before libibverbs: turns every GID into RoCE v1, as on an older card; Soft-RoCE has only v2. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <infiniband/verbs.h>

ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t most, uint32_t flags,
			     size_t size)
{
	__typeof__(&_ibv_query_gid_table) next = dlsym(RTLD_NEXT, "_ibv_query_gid_table");
	ssize_t count = next(context, entries, most, flags, size);

	for (ssize_t i = 0; i < count; i++)
		entries[i].gid_type = IBV_GID_TYPE_ROCE_V1;
	return count;
}
