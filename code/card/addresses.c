/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into programs with `emulate = ["addresses"]`, which name computers of their author: what they connect to is
 * the other computer of the link, and what they bind to is their own address. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>

#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

/* Puts the address of a variable in place of one of IPv4, and leaves that of all interfaces. */
static void place(struct sockaddr *address, const char *variable)
{
	struct sockaddr_in *in = (struct sockaddr_in *)address;
	const char *text = getenv(variable);

	if (address && address->sa_family == AF_INET && in->sin_addr.s_addr != INADDR_ANY && text)
		inet_pton(AF_INET, text, &in->sin_addr);
}

/* A copy of an address of IPv4, as a program may print its own; another address as it is. */
static struct sockaddr *placed(const struct sockaddr *address, struct sockaddr_in *copy, const char *variable)
{
	if (!address || address->sa_family != AF_INET)
		return (struct sockaddr *)address;
	*copy = *(const struct sockaddr_in *)address;
	place((struct sockaddr *)copy, variable);
	return (struct sockaddr *)copy;
}

int bind(int fd, const struct sockaddr *address, socklen_t length)
{
	struct sockaddr_in copy;

	return NEXT(bind)(fd, placed(address, &copy, "LAB_ADDRESS"), length);
}

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
	struct sockaddr_in copy;

	return NEXT(connect)(fd, placed(address, &copy, "LAB_PEER"), length);
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *address)
{
	struct sockaddr_in copy;

	return NEXT(rdma_bind_addr)(id, placed(address, &copy, "LAB_ADDRESS"));
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to, int timeout_ms)
{
	struct sockaddr_in source, peer;

	from = placed(from, &source, "LAB_ADDRESS");
	return NEXT(rdma_resolve_addr)(id, from, placed(to, &peer, "LAB_PEER"), timeout_ms);
}

/* rdma_create_ep() takes the addresses from here. */
int rdma_getaddrinfo(const char *node, const char *service, const struct rdma_addrinfo *hints,
		     struct rdma_addrinfo **found)
{
	const int status = NEXT(rdma_getaddrinfo)(node, service, hints, found);

	for (struct rdma_addrinfo *each = status ? NULL : *found; each; each = each->ai_next) {
		place(each->ai_src_addr, "LAB_ADDRESS");
		place(each->ai_dst_addr, "LAB_PEER");
	}
	return status;
}

/* A name that nobody knows is that of any address, since the others are in the places that use it. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
	const int status = NEXT(getaddrinfo)(node, service, hints, found);

	return status && node ? NEXT(getaddrinfo)(getenv("LAB_ADDRESS"), service, hints, found) : status;
}

struct hostent *gethostbyname(const char *name)
{
	struct hostent *found = NEXT(gethostbyname)(name);

	return found ? found : NEXT(gethostbyname)(getenv("LAB_ADDRESS"));
}
