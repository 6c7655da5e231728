/* The fake provider: queue pairs, completion queues, devices, and trivial calls. */
#include "fake_verbs.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define PATIENCE 1000 /* waits without progress, by either end, until both are considered stuck */

#undef ibv_get_device_list
#undef ibv_query_port

struct fake_verbs fake_verbs;

struct opened {
	struct ibv_device device;
	struct verbs_context verbs;
	const struct fake_device *is;
};

static unsigned int fruitless;

void fake_fault(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: ", die_program());
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	_Exit(1);
}

static void act(void)
{
	if (fake_verbs.act)
		fake_verbs.act();
}

void fake_advance(void)
{
	fruitless = 0;
	act();
}

void fake_wait(void)
{
	if (++fruitless > PATIENCE)
		fake_fault("both ends wait for ever");
	act();
	if (fake_verbs.idle)
		fake_verbs.idle();
}

static struct opened *opened(struct ibv_context *context)
{
	return (struct opened *)(void *)((char *)context - offsetof(struct opened, verbs.context));
}

static const struct fake_device *device_of(struct ibv_context *context)
{
	return opened(context)->is;
}

/* Queues */

#define PAIRS 256

struct places {
	const char *name;
	uint64_t capacity, posted, carried_out, freed; /* counts of requests; an entry is number % capacity */
};

struct request {
	struct ibv_send_wr wr;
	struct ibv_sge piece;
	unsigned char inlined[FAKE_INLINE_MAX];
};

struct pair {
	struct ibv_qp_ex extended; /* first: a pointer to it is a pointer to the pair */
	struct places sends, receives;
	uint32_t qkey;
	struct request *requests;
	struct ibv_sge *rooms; /* buffers of the receive requests */
	struct pair *other;    /* none of datagrams */
	struct request next;   /* the request that ibv_wr_*() builds */
};

struct completion {
	struct ibv_wc wc;
	struct places *places;
	uint64_t covers; /* its poll frees all requests before this number */
};

struct queue {
	struct ibv_cq cq; /* first */
	struct completion *entries;
	uint64_t capacity, put, taken;
	bool armed;
};

struct channel {
	struct ibv_comp_channel channel; /* first */
	struct queue *told_by;
};

static struct pair *pairs[PAIRS];
static int pairs_most; /* numbers that were in use at once */

static void put_completion(struct ibv_cq *cq, struct ibv_wc wc, struct places *places, uint64_t covers)
{
	struct queue *queue = (struct queue *)cq;

	if (queue->put - queue->taken == queue->capacity)
		fake_fault("the completion queue's %lu places are taken", queue->capacity);
	queue->entries[queue->put++ % queue->capacity] = (struct completion){ wc, places, covers };
	if (queue->armed)
		((struct channel *)cq->channel)->told_by = queue;
	queue->armed = false;
}

static bool is_full(const struct places *places)
{
	return places->posted - places->freed == places->capacity;
}

static bool takes_receive(const struct ibv_send_wr *wr)
{
	return wr->opcode == IBV_WR_SEND || wr->opcode == IBV_WR_SEND_WITH_IMM ||
	       wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static void move_bytes(void *to, const void *from, size_t length)
{
	memmove(to, from, length);
	fake_verbs.landed[(uintptr_t)to / FAKE_LINE % FAKE_LINES]++;
}

static void move_data(struct request *r, void *room)
{
	void *here = r->wr.send_flags & IBV_SEND_INLINE ? (void *)r->inlined : (void *)r->piece.addr;
	void *there = takes_receive(&r->wr) && r->wr.opcode != IBV_WR_RDMA_WRITE_WITH_IMM ?
			      room :
			      (void *)r->wr.wr.rdma.remote_addr;

	if (r->wr.num_sge == 0)
		return;
	if (r->wr.opcode == IBV_WR_RDMA_READ)
		move_bytes(here, there, r->piece.length);
	else
		move_bytes(there, here, r->piece.length);
}

static void receive(struct pair *p, const struct request *r)
{
	const bool with_imm = r->wr.opcode != IBV_WR_SEND;
	struct ibv_wc wc = { .qp_num = p->extended.qp_base.qp_num,
			     .imm_data = r->wr.imm_data,
			     .wc_flags = with_imm ? IBV_WC_WITH_IMM : 0 };

	if (r->wr.num_sge > 0)
		wc.byte_len = r->piece.length;
	if (with_imm)
		fake_verbs.immediate = wc.imm_data;
	p->receives.carried_out++;
	put_completion(p->extended.qp_base.recv_cq, wc, &p->receives, p->receives.carried_out);
}

static bool is_reliable(const struct pair *p)
{
	return p->extended.qp_base.qp_type == IBV_QPT_RC;
}

static bool is_datagram(const struct pair *p)
{
	return p->extended.qp_base.qp_type == IBV_QPT_UD;
}

static struct pair *target(const struct pair *p, const struct request *r)
{
	if (!is_datagram(p))
		return p->other;
	if (!r->wr.wr.ud.ah || r->wr.wr.ud.remote_qkey != pairs[r->wr.wr.ud.remote_qpn]->qkey)
		fake_fault("a datagram without a route, or with another Q_Key");
	return pairs[r->wr.wr.ud.remote_qpn];
}

static bool is_lost(const struct pair *p, const struct request *r, const struct places *receives)
{
	static uint64_t count;
	const bool is_late = takes_receive(&r->wr) && receives->carried_out == receives->posted;

	return !is_reliable(p) && (is_late || (fake_verbs.lose_every && ++count % fake_verbs.lose_every == 0));
}

/* Requests are executed in order; one that needs a receive request waits until there is one, or is lost. */
static bool carry_out_next(struct pair *p)
{
	struct request *r = &p->requests[p->sends.carried_out % p->sends.capacity];
	const uint32_t before = is_datagram(p) ? sizeof(struct ibv_grh) : 0;
	struct pair *there;
	const struct places *receives;
	const struct ibv_sge *room = NULL;
	enum ibv_wc_status status = IBV_WC_SUCCESS;
	bool lost;

	if (p->sends.carried_out == p->sends.posted)
		return false;
	there = target(p, r);
	receives = &there->receives;
	lost = is_lost(p, r, receives);
	fake_verbs.lost += lost;
	if (takes_receive(&r->wr) && !lost) {
		if (receives->carried_out == receives->posted)
			return false;
		room = &there->rooms[receives->carried_out % receives->capacity];
		if (r->wr.opcode == IBV_WR_SEND && before + r->piece.length > room->length)
			fake_fault("%u bytes come to room for %u", r->piece.length, room->length);
	}
	if (r->wr.opcode == IBV_WR_RDMA_WRITE)
		status = fake_verbs.faults.write_status;
	if (status == IBV_WC_SUCCESS && !lost)
		move_data(r, room ? (void *)(room->addr + before) : NULL);
	if (room)
		receive(there, r);
	p->sends.carried_out++;
	if (r->wr.send_flags & IBV_SEND_SIGNALED || status)
		put_completion(p->extended.qp_base.send_cq,
			       (struct ibv_wc){ r->wr.wr_id, .status = status, .qp_num = p->extended.qp_base.qp_num },
			       &p->sends, p->sends.carried_out);
	fake_advance();
	return true;
}

void fake_carry_out(uint64_t most)
{
	bool found = true;

	while (found && most > 0) {
		found = false;
		for (int i = 0; i < pairs_most && most > 0; i++)
			if (pairs[i] && (pairs[i]->other || is_datagram(pairs[i])) && carry_out_next(pairs[i])) {
				found = true;
				most--;
			}
	}
}

static void posted(void)
{
	fake_advance();
	if (fake_verbs.pace == 0)
		fake_carry_out(UINT64_MAX);
}

static void count_ready(const struct pair *p, const struct request *r)
{
	const uint64_t ready = p->receives.posted - p->receives.carried_out;

	if (takes_receive(&r->wr) && r->wr.num_sge > 0 && ready <= FAKE_READY_MOST)
		fake_verbs.sent_with_ready[ready]++;
}

static int put_request(struct pair *p, const struct request *request)
{
	struct request *r = &p->requests[p->sends.posted % p->sends.capacity];

	if (is_full(&p->sends))
		return ENOMEM;
	*r = *request;
	if (r->wr.send_flags & IBV_SEND_INLINE)
		memcpy(r->inlined, (const void *)r->piece.addr, r->piece.length);
	p->sends.posted++;
	count_ready(p, r);
	return 0;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct request r = { 0 };
	int error = 0;

	for (; wr && !error; wr = wr->next) {
		r.wr = *wr;
		if (wr->num_sge > 0)
			r.piece = *wr->sg_list;
		error = put_request((struct pair *)qp, &r);
		*bad = wr;
	}
	posted();
	return error;
}

static int post_receive(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct pair *p = (struct pair *)qp;

	for (; wr; wr = wr->next) {
		*bad = wr;
		if (fake_verbs.faults.post_recv_error)
			return fake_verbs.faults.post_recv_error;
		if (is_full(&p->receives))
			return ENOMEM;
		p->rooms[p->receives.posted++ % p->receives.capacity] =
			wr->num_sge > 0 ? *wr->sg_list : (struct ibv_sge){ 0 };
	}
	posted();
	return 0;
}

static int poll_queue(struct ibv_cq *cq, int room, struct ibv_wc *wc)
{
	struct queue *queue = (struct queue *)cq;
	const struct completion *c;
	int found = 0;

	if (fake_verbs.faults.poll_result)
		return fake_verbs.faults.poll_result;
	if (queue->taken == queue->put)
		fake_carry_out(fake_verbs.pace);
	for (; found < room && queue->taken < queue->put; found++) {
		c = &queue->entries[queue->taken++ % queue->capacity];
		wc[found] = c->wc;
		c->places->freed = c->covers;
	}
	if (found > 0)
		fake_advance();
	else
		fake_wait();
	return found;
}

static int request_event(struct ibv_cq *cq, int solicited_only)
{
	((struct queue *)cq)->armed = true;
	return fake_verbs.faults.notify_error;
}

static const struct ibv_context_ops operations = {
	.poll_cq = poll_queue,
	.req_notify_cq = request_event,
	.post_send = post_send,
	.post_recv = post_receive,
};

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **context)
{
	struct channel *c = (struct channel *)channel;

	for (fake_carry_out(fake_verbs.pace); !c->told_by; fake_carry_out(fake_verbs.pace))
		fake_wait();
	*cq = &c->told_by->cq;
	*context = NULL;
	c->told_by = NULL;
	return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int count)
{
}

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct channel *c = calloc(1, sizeof(*c));

	c->channel.context = context;
	return &c->channel;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int entries, void *cq_context,
			     struct ibv_comp_channel *channel, int vector)
{
	struct queue *queue = calloc(1, sizeof(*queue));

	if (fake_verbs.queue_count < (int)(sizeof(fake_verbs.vectors) / sizeof(*fake_verbs.vectors)))
		fake_verbs.vectors[fake_verbs.queue_count++] = vector;
	queue->cq = (struct ibv_cq){ .context = context, .channel = channel };
	queue->capacity = (uint64_t)entries;
	queue->entries = calloc(queue->capacity, sizeof(*queue->entries));
	return &queue->cq;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	free(((struct queue *)cq)->entries);
	free(cq);
	return 0;
}

static void wr_start(struct ibv_qp_ex *qp)
{
	((struct pair *)qp)->next = (struct request){ 0 };
}

static void wr_rdma_read(struct ibv_qp_ex *qp, uint32_t key, uint64_t address)
{
	((struct pair *)qp)->next.wr = (struct ibv_send_wr){
		.wr_id = qp->wr_id, .opcode = IBV_WR_RDMA_READ, .send_flags = qp->wr_flags, .wr.rdma = { address, key }
	};
}

static void wr_set_sge(struct ibv_qp_ex *qp, uint32_t key, uint64_t address, uint32_t length)
{
	struct request *r = &((struct pair *)qp)->next;

	r->piece = (struct ibv_sge){ address, length, key };
	r->wr.num_sge = 1;
}

static int wr_complete(struct ibv_qp_ex *qp)
{
	struct pair *p = (struct pair *)qp;
	int error = fake_verbs.faults.complete_error ? fake_verbs.faults.complete_error : put_request(p, &p->next);

	posted();
	return error;
}

/* The room for requests that a device grants; 0: it refuses. */
static uint32_t granted_room(const struct fake_device *device, uint32_t asked)
{
	const uint32_t limit = device->room_limit ? device->room_limit : UINT32_MAX;
	uint32_t power = 1;

	if (asked > limit)
		return device->shortens_queues ? limit : 0;
	while (power < asked)
		power *= 2;
	return device->rounds_up ? power : asked;
}

static struct ibv_qp *create_pair(struct ibv_context *context, struct ibv_cq *sends, struct ibv_cq *receives,
				  enum ibv_qp_type type, struct ibv_qp_cap *cap)
{
	const struct fake_device *device = device_of(context);
	const uint32_t send_room = granted_room(device, cap->max_send_wr),
		       receive_room = granted_room(device, cap->max_recv_wr);
	struct pair *p;
	int number = 0, error = send_room && receive_room ? 0 : EINVAL;

	if (cap->max_inline_data > (device->inline_limit ? device->inline_limit : FAKE_INLINE_MAX))
		error = EINVAL;
	if (device->is_datagram_only)
		error = EOPNOTSUPP;
	if (error) {
		errno = device->refuses_silently ? errno : error;
		return NULL;
	}
	cap->max_send_wr = send_room;
	cap->max_recv_wr = receive_room;
	while (pairs[number])
		number++;
	pairs_most = number < pairs_most ? pairs_most : number + 1;
	if (cap->max_inline_data > fake_verbs.inline_most)
		fake_verbs.inline_most = cap->max_inline_data;
	p = pairs[number] = calloc(1, sizeof(*p));
	p->extended = (struct ibv_qp_ex){ .qp_base = { .context = context,
						       .send_cq = sends,
						       .recv_cq = receives,
						       .qp_num = (uint32_t)number,
						       .qp_type = type },
					  .wr_start = wr_start,
					  .wr_rdma_read = wr_rdma_read,
					  .wr_set_sge = wr_set_sge,
					  .wr_complete = wr_complete };
	p->sends.capacity = cap->max_send_wr;
	p->receives.capacity = cap->max_recv_wr;
	p->requests = calloc(cap->max_send_wr, sizeof(*p->requests));
	p->rooms = calloc(cap->max_recv_wr, sizeof(*p->rooms));
	return &p->extended.qp_base;
}

static struct ibv_qp *create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	if (device_of(context)->refuses_silently)
		return NULL;
	fake_verbs.extended = true;
	return create_pair(context, attr->send_cq, attr->recv_cq, attr->qp_type, &attr->cap);
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	return create_pair(pd->context, attr->send_cq, attr->recv_cq, attr->qp_type, &attr->cap);
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	return (struct ibv_qp_ex *)qp;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	const struct fake_device *device = device_of(qp->context);

	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC && device->init_reads && attr->max_dest_rd_atomic > device->init_reads)
		return EINVAL;
	if (mask & IBV_QP_PORT)
		fake_verbs.init = *attr;
	if (mask & IBV_QP_AV)
		fake_verbs.rtr = *attr;
	if (mask & IBV_QP_TIMEOUT)
		fake_verbs.rts = *attr;
	if (mask & IBV_QP_QKEY)
		((struct pair *)qp)->qkey = attr->qkey;
	if (mask & IBV_QP_DEST_QPN)
		((struct pair *)qp)->other = pairs[attr->dest_qp_num % PAIRS];
	return 0;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	struct pair *p = (struct pair *)qp;

	pairs[qp->qp_num] = NULL;
	if (p->other)
		p->other->other = NULL;
	free(p->requests);
	free(p->rooms);
	free(p);
	return 0;
}

/* The function of the macro ibv_reg_mr() where flags may be optional. */
struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, unsigned int access)
{
	struct ibv_mr *mr;

	if (device_of(pd->context)->is_datagram_only && access & ~(unsigned int)IBV_ACCESS_LOCAL_WRITE) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	mr = calloc(1, sizeof(*mr));
	fake_verbs.access = access;
	*mr = (struct ibv_mr){ .pd = pd, .addr = address, .length = length };
	return mr;
}

/* Devices */

struct ibv_device **ibv_get_device_list(int *count)
{
	struct ibv_device **list = calloc((size_t)fake_verbs.device_count + 1, sizeof(*list));

	if (count)
		*count = fake_verbs.device_count;
	for (int i = 0; i < fake_verbs.device_count; i++) {
		list[i] = calloc(1, sizeof(**list));
		snprintf(list[i]->name, sizeof(list[i]->name), "%s", fake_verbs.devices[i].name);
	}
	return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
	for (struct ibv_device **device = list; *device; device++)
		free(*device);
	free(list);
}

const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

/* The older call, which is unused: contexts have the newer one. */
int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	return EOPNOTSUPP;
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size)
{
	if (port != 1)
		return EINVAL;
	memcpy(attr, &device_of(context)->port, size);
	return 0;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct opened *o = calloc(1, sizeof(*o));

	o->device = *device; /* the list may be freed before the device is closed */
	for (int i = 0; i < fake_verbs.device_count; i++)
		if (strcmp(device->name, fake_verbs.devices[i].name) == 0)
			o->is = &fake_verbs.devices[i];
	if (o->is->open_error) {
		errno = o->is->open_error;
		free(o);
		return NULL;
	}
	o->verbs.sz = sizeof(o->verbs);
	o->verbs.query_port = query_port;
	o->verbs.create_qp_ex = o->is->newer_calls ? create_qp_ex : NULL;
	o->verbs.context = (struct ibv_context){ .device = &o->device,
						 .ops = operations,
						 .num_comp_vectors = o->is->vectors ? o->is->vectors : 1,
						 .abi_compat = __VERBS_ABI_IS_EXTENDED };
	return &o->verbs.context;
}

int ibv_close_device(struct ibv_context *context)
{
	free(opened(context));
	return 0;
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	const struct fake_device *device = device_of(context);

	*attr = (struct ibv_device_attr){ .vendor_id = device->vendor_id,
					  .phys_port_cnt = 1,
					  .max_qp_wr = device->room_limit ? (int)device->room_limit : 1 << 20,
					  .max_qp_rd_atom = device->reads ? device->reads : 16,
					  .max_qp_init_rd_atom = device->init_reads ? device->init_reads : 16 };
	return 0;
}

/* Like the kernel, refuses a table without room for all entries. */
ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t room, uint32_t flags,
			     size_t entry_size)
{
	const struct fake_device *device = device_of(context);

	if (device->gid_count > room)
		return -EINVAL;
	if (device->gid_count > 0)
		memcpy(entries, device->gids, device->gid_count * entry_size);
	return (ssize_t)device->gid_count;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct ibv_pd *pd = calloc(1, sizeof(*pd));

	pd->context = context;
	return pd;
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	fake_verbs.rtr.ah_attr = *attr;
	return calloc(1, sizeof(struct ibv_ah));
}

#define RELEASED_BY(call, type)                                                                                        \
	int call(type *object)                                                                                         \
	{                                                                                                              \
		free(object);                                                                                          \
		return 0;                                                                                              \
	}

RELEASED_BY(ibv_dealloc_pd, struct ibv_pd)
RELEASED_BY(ibv_destroy_ah, struct ibv_ah)
RELEASED_BY(ibv_dereg_mr, struct ibv_mr)
RELEASED_BY(ibv_destroy_comp_channel, struct ibv_comp_channel)

const char *ibv_port_state_str(enum ibv_port_state state)
{
	return state == IBV_PORT_ACTIVE ? "active" : "down";
}

const char *ibv_wc_status_str(enum ibv_wc_status status)
{
	return status == IBV_WC_SUCCESS ? "success" : "failure";
}
