/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registered memory: the kernel checks the arguments with its region, the handle of the card is the local and remote
 * key. */
#include <errno.h>

#include "board.h"
#include "real.h"

#undef ibv_reg_mr
#undef ibv_reg_mr_iova

static struct ibv_mr *region_create_on_card(struct ibv_mr *mr, void *address, size_t length, uint64_t iova,
					    unsigned int access)
{
	struct card_request request = {
		.op = CARD_CREATE_REGION,
		.address = (uintptr_t)address,
		.length = length,
	};
	int error;

	if (!mr || !board_of(mr->context))
		return mr;
	request.arguments.region = (struct card_region){ .iova = iova, .access = access, .pd = mr->pd->handle };
	error = board_request(mr->context, &request);
	if (error) {
		real(ibv_dereg_mr)(mr);
		errno = error;
		return NULL;
	}
	mr->lkey = mr->rkey = request.handle;
	return mr;
}

EXPORTED struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access)
{
	return region_create_on_card(real(ibv_reg_mr)(pd, address, length, access), address, length, (uintptr_t)address,
				     (unsigned int)access);
}

EXPORTED struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, int access)
{
	return region_create_on_card(real(ibv_reg_mr_iova)(pd, address, length, iova, access), address, length, iova,
				     (unsigned int)access);
}

EXPORTED struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *address, size_t length, uint64_t iova,
					 unsigned int access)
{
	return region_create_on_card(real(ibv_reg_mr_iova2)(pd, address, length, iova, access), address, length, iova,
				     access);
}

EXPORTED int ibv_dereg_mr(struct ibv_mr *mr)
{
	struct ibv_context *context = mr->context;
	const uint32_t handle = mr->lkey;
	int error = real(ibv_dereg_mr)(mr);

	if (!error && board_of(context))
		board_destroy(context, handle);
	return error;
}
