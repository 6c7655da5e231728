/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is used of QEMU 7.2: its functions, which Debian's program exports, and three of its structures. Debian ships no
 * headers of these. A structure that is read, not only given, is used in the one QEMU that it was read from: see
 * clock.c.
 */
#ifndef QEMU_H
#define QEMU_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { CLOCK_VIRTUAL = 1, NS = 1, ALL_TIMERS = -1 }; /* QEMU_CLOCK_VIRTUAL, SCALE_NS, QEMU_TIMER_ATTR_ALL */

/* The clock, and timers in it: include/qemu/timer.h. */
struct timer_list {
	struct {
		struct timer_list *first;
	} *clock;
	struct {
		pthread_mutex_t lock;
		bool initialized;
	} lock;
	void *active;
	struct timer_list *next, **previous;
	void (*notify)(void *, int clock);
	void *opaque;
};
enum { TIMER_BYTES = 256 }; /* more than one has */
struct timer;
int64_t qemu_clock_get_ns(int clock);
int64_t qemu_clock_deadline_ns_all(int clock, int attributes);
struct timer_list *qemu_clock_get_main_loop_timerlist(int clock);
int64_t timerlist_deadline_ns(struct timer_list *list);
void timer_init_full(struct timer *timer, void *group, int clock, int scale, int attributes, void (*call)(void *),
		     void *opaque);
void timer_mod_ns(struct timer *timer, int64_t at);
void timer_del(struct timer *timer);

/* The instructions of the guest since it was booted: include/sysemu/cpu-timers.h. */
int64_t icount_get_raw(void);

/* Run what of that clock is due, and move it on to its next timer where the CPU is halted. */
void qemu_clock_run_timers(int clock);
void icount_start_warp_timer(void);

/* How QEMU takes its big lock, and how it waits: pointers, for a profiler: include/qemu/thread.h. */
typedef void lock_call(void *mutex, const char *file, int line);
typedef void wait_call(void *condition, void *mutex, const char *file, int line);
extern lock_call *qemu_bql_mutex_lock_func;
extern wait_call *qemu_cond_wait_func;

/* The CPU: include/hw/core/cpu.h, sysemu/cpus.h, runstate.h. */
struct processor;
struct processor *qemu_get_cpu(int number);
void qemu_cpu_kick(struct processor *);
union work_data {
	int host_int;
	unsigned long host_ulong;
	void *host_ptr;
	uint64_t target_ptr;
};
/* In its thread, with the big lock, before it goes on: include/hw/core/cpu.h. */
void async_run_on_cpu(struct processor *, void (*call)(struct processor *, union work_data), union work_data);
bool qemu_in_vcpu_thread(void);
bool runstate_is_running(void);
int qemu_shutdown_requested_get(void); /* for which cause; 0: it is not */
int qemu_main_loop(void);              /* returns at once where a shutdown is requested: the status to exit with */
bool all_cpu_threads_idle(void);
void *qemu_add_vm_change_state_handler(void (*call)(void *, bool running, int state), void *opaque);
void qemu_plugin_register_vcpu_init_cb(uint64_t id, void (*call)(uint64_t id, unsigned int cpu));

/* Translated code of the guest: include/exec/exec-all.h, tcg/tcg.h. There is a place for each of two pages. */
struct translation {
	uint64_t pc, cs_base;
	uint32_t flags, how, traced;
	uint16_t bytes, instructions;
	const void *code;
	size_t code_bytes;
	uintptr_t next[2];
	uint64_t places[2]; /* in the guest's memory; -1: none */
};
enum { INSTRUCTIONS = 0x1ff, NO_LONGER_VALID = 0x40000 }; /* in `how`: CF_COUNT_MASK, CF_INVALID */
enum { READ = 1, EXECUTE = 4, MODES = 6, MEMORY_BYTES = 1 << 30 /* the guest's main memory, from place 0 */ };
size_t tcg_nb_tbs(void);
size_t tcg_code_size(void);
size_t tcg_code_capacity(void);
void tcg_tb_foreach(int (*call)(void *key, void *translation, void *data), void *data);
struct translation *tb_gen_code(struct processor *, uint64_t pc, uint64_t cs_base, uint32_t flags, int how);
void tlb_set_page(struct processor *, uint64_t address, uint64_t place, int access, int mode, uint64_t bytes);
void tlb_flush(struct processor *);
void *qemu_map_ram_ptr(void *block, uint64_t place);

/* Processes that are forked off have their own thread for what is freed late: include/qemu/rcu.h. */
void rcu_enable_atfork(void);

/* A network's far end, as `-device ...,netdev=NAME` finds it: include/net/net.h. */
struct net_client;
struct net_client_info {
	int type;
	size_t size; /* of the client, which QEMU allocates */
	ssize_t (*receive)(struct net_client *, const uint8_t *bytes, size_t size);
	void *receive_raw, *receive_iov, *can_receive, *start, *load, *stop, *cleanup, *link_status_changed;
	void *query_rx_filter, *poll, *has_ufo;
	bool (*has_vnet_hdr)(struct net_client *);
	bool (*has_vnet_hdr_len)(struct net_client *, int size);
	void (*using_vnet_hdr)(struct net_client *, bool is_used);
	void (*set_offload)(struct net_client *, int checksum, int tso4, int tso6, int ecn, int ufo);
	void (*set_vnet_hdr_len)(struct net_client *, int size);
	void *more[16]; /* NULL */
};
enum { LIKE_SOCKET = 5, CLIENT_BYTES = 4096 }; /* -netdev socket; more than a client has */
struct net_client *qemu_new_net_client(struct net_client_info *, void *peer, const char *model, const char *name);
void qemu_send_packet(struct net_client *, const uint8_t *bytes, int size);

#endif
