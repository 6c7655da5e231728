#include "verbs_status.h"

#include "die.h"

static const char *advice(enum ibv_wc_status status)
{
	switch (status) {
	case IBV_WC_RETRY_EXC_ERR:
		return "no acknowledgement came: the other end has died, or the path is broken; check that both ends "
		       "use GIDs of one network, that MTUs agree, and that no firewall stops UDP port 4791";
	case IBV_WC_RNR_RETRY_EXC_ERR:
		return "the other end had no receive request: raise --rx-depth or lower --tx-depth";
	case IBV_WC_REM_ACCESS_ERR:
		return "the other end does not allow that access: its buffer is smaller, or its key has changed";
	case IBV_WC_REM_INV_REQ_ERR:
		return "the other end refused the request: a message longer than its receive buffer, or more READs "
		       "under way than it allows";
	case IBV_WC_REM_OP_ERR:
		return "the other end failed on the request: look at its message";
	case IBV_WC_LOC_LEN_ERR:
		return "a message is longer than the buffer it should land in";
	case IBV_WC_LOC_PROT_ERR:
		return "the memory is not registered for that";
	case IBV_WC_LOC_QP_OP_ERR:
		return "the device refused the request: is --inline or --tx-depth above what it can do?";
	case IBV_WC_WR_FLUSH_ERR:
		return "the queue pair had failed before: an earlier error is the cause";
	default:
		return "see ibv_wc_status in <infiniband/verbs.h>";
	}
}

void verbs_status_die(const struct ibv_wc *wc)
{
	die("work completion failed: %s (status %d, vendor %u): %s", ibv_wc_status_str(wc->status), wc->status,
	    wc->vendor_err, advice(wc->status));
}

void verbs_poll_die(int result)
{
	die("ibv_poll_cq: error %d: the device or its driver has failed; dmesg may tell more", result);
}
