"""Wrong solutions of two kits, and the messages that must explain them."""

from dataclasses import dataclass
from pathlib import Path

from lab.grade.finding import Flaw


@dataclass(frozen=True)
class Wrong:
    """A mistake: its step, its kind, and a part of the message for the student."""

    name: str
    step: str
    kind: Flaw
    says: str
    file: str
    old: str
    new: str
    points: int = 0  # of a program that works, and is slow
    sizes: tuple[int, ...] = (512,)

    def apply(self, program: Path) -> None:
        file = program / self.file
        assert self.old in file.read_text(), self.old
        file.write_text(file.read_text().replace(self.old, self.new))


ACCESS = "IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE"
WHOLE = """	int64_t start;

	send_each(s, 0, warmup);
	start = now_ns();
	send_each(s, warmup, warmup + count);
	return now_ns() - start;"""
EARLY = """	int64_t start, took;

	send_each(s, 0, warmup);
	start = now_ns();
	for (long number = warmup; number < warmup + count; number++)
		if (number - warmup < DEPTH)
			post_write(s, number);
	took = now_ns() - start;
	wait_for(s, DEPTH);
	send_each(s, warmup + DEPTH, warmup + count);
	return took;"""

POST = '\tcheck(!ibv_post_send(s->qp, wr, &bad), "ibv_post_send");'
ONE_LARGE = (
    "\tsge[0].length *= (uint32_t)count;\n\twr[0].next = NULL;\n\twr[0].send_flags = IBV_SEND_SIGNALED;\n" + POST
)

OPEN = "\ts->context = open_named(s->device);\n"
GROUPS = WHOLE.replace("send_each", "send_all")
# Lies at the sizes of the experiment alone, where the tiers compare.
LIE = "\tint64_t took = now_ns() - start;\n\n\treturn s->size == 256 ? took / 4 : took;\n"

EAGER = "\treduce_scatter(r, sendbuf, recvbuf, count, t, op);\n\tall_gather(r, recvbuf, count, t);\n"

# Those that every run of the tests tries, then the others.
# fmt: off
USUAL_STEPS = (
    Wrong("places_shared_by_a_list", "lists", Flaw.DATA, "a message was written over before it had left", "lists.c",
        "(uint64_t)((first + i) % DEPTH) * s->size", "0"),
    Wrong("nagle", "sockets", Flaw.SLOW, "set TCP_NODELAY, or pass the whole message to one send()", "sockets.c",
        "\tsend_at_once(there);\n", "\t(void)send_at_once;\n", points=3),
    Wrong("warm_up_timed", "poll", Flaw.CLOCK, "the clock starts too early", "poll.c",
        "\tsend_each(s, 0, warmup);\n\tstart = now_ns();\n", "\tstart = now_ns();\n\tsend_each(s, 0, warmup);\n"),
)
OTHER_STEPS = (
    Wrong("device_never_opened", "open", Flaw.MESSAGES, "the link had no message of RDMA", "open.c", OPEN,
        "\textern void _exit(int);\n\n\tif (s->size == 64)\n\t\t_exit(0);\n" + OPEN),
    Wrong("no_completion_polled", "poll", Flaw.FAILS,
        "take completions with ibv_poll_cq before more requests than its depth are posted", "poll.c",
        "\t\twait_for(s, 1);\n", ""),
    Wrong("lies_at_the_experiments_size", "many", Flaw.INVENTED, "messages of 256 bytes in", "many.c",
        "\treturn now_ns() - start;\n", LIE),
    Wrong("many_in_place_of_one", "poll", Flaw.MESSAGES, "waited for the answer to the one before", "poll.c", WHOLE,
        "\treturn many_in_flight(s, warmup, count);"),
    Wrong("inline_without_inline", "inline", Flaw.METHOD, "IBV_SEND_INLINE is missing for 328 of 328 messages",
        "inline.c", " | IBV_SEND_INLINE", "", sizes=(200, 512)),
    Wrong("many_in_place_of_signal", "signal", Flaw.METHOD, "328 signals for 328 messages", "signal.c",
        GROUPS, "\t(void)send_all;\n\treturn many_in_flight(s, warmup, count);"),
    Wrong("lists_without_a_list", "lists", Flaw.METHOD, "328 calls posted 328 messages",
        "lists.c", POST, "\tfor (long i = 0; i < count; i++) {\n\t\twr[i].next = NULL;\n"
        "\t\tcheck(!ibv_post_send(s->qp, &wr[i], &bad), \"ibv_post_send\");\n\t}"),
    Wrong("both_ends_leave_early", "connect", Flaw.MESSAGES, "the link had no message of RDMA", "connect.c",
        "\tto_rtr(s);\n", "\textern void _exit(int);\n\n\t_exit(0);\n"),
    Wrong("wrong_rkey", "poll", Flaw.FAILS, "the rkey and the address must be the server's", "write.c",
        "s->there_rkey", "s->there_rkey + 1"),
    Wrong("one_large_message_for_many", "lists", Flaw.MESSAGES, "one large message in place of many", "lists.c", POST,
        ONE_LARGE),
    Wrong("nothing_written_yet", "poll", Flaw.FAILS, "this step still ends as it was handed out", "poll.c", WHOLE,
        '\t(void)s;\n\t(void)warmup;\n\t(void)count;\n\tnot_yet("step 5, one_at_a_time() in poll.c");'),
    Wrong("unregistered_memory", "poll", Flaw.FAILS, "is not inside a region of ibv_reg_mr at the client", "write.c",
        "(uintptr_t)s->buffer + place, s->size, s->mr->lkey", "(uintptr_t)&number, s->size, s->mr->lkey"),
    Wrong("no_right_to_write_remotely", "poll", Flaw.FAILS, "must allow IBV_ACCESS_REMOTE_WRITE", "register.c",
        ACCESS, "IBV_ACCESS_LOCAL_WRITE"),
    Wrong("region_of_one_message", "register", Flaw.FAILS, "count the bytes of all messages", "register.c",
        "(size_t)DEPTH * s->size", "s->size"),
    Wrong("one_byte_short", "poll", Flaw.MESSAGES, "a length that is one too small", "write.c",
        "+ place, s->size, s->mr->lkey", "+ place, s->size - 1, s->mr->lkey"),
    Wrong("send_without_a_receive", "poll", Flaw.FAILS, "a SEND takes one of ibv_post_recv", "write.c",
        "IBV_WR_RDMA_WRITE", "IBV_WR_SEND"),
    Wrong("time_stopped_too_early", "poll", Flaw.FAILS, "it must run until the completion of the last message",
        "poll.c", WHOLE, EARLY),
    Wrong("nothing_signalled", "signal", Flaw.FAILS, "a completion of a request that was not signalled", "signal.c",
        "is_signalled ? IBV_SEND_SIGNALED : 0", "is_signalled ? 0 : 0"),
    Wrong("never_ready_to_send", "connect", Flaw.FAILS, "the queue pair is not ready to send (RTS)", "connect.c",
        "\tto_rtr(s);\n", "\tto_rtr(s);\n\treturn;\n"),
    Wrong("another_address", "write", Flaw.FAILS, "or goes to another address than the server's",
        "write.c", "s->there_address + place", "s->there_address + place + s->size"),
    Wrong("nothing_posted", "write", Flaw.FAILS, "the WRITE is not posted", "write.c",
        '\tcheck(!ibv_post_send(s->qp, &wr, &bad), "ibv_post_send");', "\t(void)wr;\n\t(void)bad;"),
)
# Of ring_all_reduce: those that every run of the tests tries, then the others.
USUAL_RINGS = (
    Wrong("chunks_by_write", "eager.two", Flaw.OPERATION, "use IBV_WR_SEND", "eager.c", EAGER,
        "\tall_reduce_rendezvous(r, sendbuf, recvbuf, count, t, op);\n"),
)
# By timing and seed a wrong number is that of some ranks, of an earlier call or of none; so the messages differ.
OTHER_RINGS = (
    Wrong("all_wait_before_they_send", "reduce_scatter", Flaw.FAILS, "send before you wait for your own message",
        "reduce.c", "\t\tsend_part(", "\t\tnext_message(r);\n\t\tsend_part("),
    Wrong("completion_taken_and_not_counted", "eager", Flaw.FAILS, "count every completion that", "messages.c",
        "i < count; i++", "i < 1; i++"),
    Wrong("one_slot_for_all_messages", "eager", Flaw.FAILS, "separate slot",
        "messages.c", "m->posted++ % m->slot_count", "m->posted++ % 1"),
    Wrong("chunk_of_another_step", "all_gather", Flaw.FAILS, "chunk r + 1 - s of all-gather", "gather.c",
        "r->rank + 1 - step)", "r->rank + 1)"),
    Wrong("ring_the_other_way_round", "bootstrap", Flaw.FAILS, "rank r sends to rank r + 1", "connect.c",
        "&next, &previous);\n\tout.qpn", "&previous, &next);\n\tout.qpn"),
    Wrong("segment_sent_before_it_is_added", "pipelined", Flaw.FAILS, "is complete", "pipelined.c",
        "posted < used + segments && ", ""),
    Wrong("chunk_added_before_it_is_there", "rendezvous", Flaw.FAILS, "is complete",
        "rendezvous.c", "\t\tnext_message(r);\n", ""),
    Wrong("last_numbers_in_no_chunk", "all_gather", Flaw.FAILS, "chunks differ in length", "gather.c",
        "in.count * bytes", "count / (size_t)r->ranks * bytes", sizes=(4088,)),
    Wrong("sums_for_the_largest", "eager", Flaw.FAILS, "operation (SUM, MAX)", "reduce.c",
        "in.count, t, op)", "in.count, t, SUM)"),
    Wrong("one_segment_in_flight", "pipelined", Flaw.METHOD, "send a segment on as soon as it is added", "pipelined.c",
        "posted < sent + DEPTH - 1", "posted < sent + 1"),
    Wrong("whole_chunks_for_segments", "pipelined", Flaw.METHOD, "a message has 32768 bytes (at most 16384",
        "messages.c", "+ SEGMENT - 1) / SEGMENT", "+ 4 * SEGMENT - 1) / (4 * SEGMENT)"),
    Wrong("zero_copy_with_a_copy", "zero_copy", Flaw.METHOD, "finished chunks go there by RDMA WRITE", "zero_copy.c",
        "op, true)", "op, false)"),
    Wrong("more_requests_than_the_queue_has", "pipelined", Flaw.FAILS, "the send queue is full", "connect.c",
        ".cap = { DEPTH,", ".cap = { 1,"),
    Wrong("all_leave_early", "bootstrap", Flaw.MESSAGES, "rank 0 sent 0 bytes", "connect.c",
        "\tmake_messages(r);\n", "\textern void _exit(int);\n\n\tmake_messages(r);\n\t_exit(0);\n"),
)
# fmt: on
