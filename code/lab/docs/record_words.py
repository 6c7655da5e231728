"""What each column of a table and each field of a record means: one sentence each, by the name in the code."""

from __future__ import annotations

from lab.files.schema import whole_schema

CARD = whole_schema("card")  # says of each parameter what it is

FIELDS: dict[str, dict[str, str]] = {
    "Facts": {"key": "SHA-256 over commands, link, perturbation, programs and identity; the folder's name."},
    "Asked": {
        "format": "Version of keys and records.",
        "program": "The program's name in the experiment.",
        "operation": "What the client did: `write`, `read`, `send` or `write-imm`.",
        "measure": "`throughput`, `latency` or `one-way`.",
        "repetition": "Which repetition it is, from 1 on.",
        "counts": "The sizes in the order in which they ran, each with its numbers of messages.",
        "options": "Every parameter with the value it had in this trial, given or default: docs/experiments.md.",
        "programs": "The programs under test, each with the SHA-256 of its file.",
        "site": "The site's name.",
        "identity": "What must be equal for two trials to be the same trial: see Identity.",
        "traits": "What the site with its link is.",
        "ends": "The two ends of the data link.",
        "link": "The link model: docs/experiments.md.",
        "perturbation": "What differs at the start of this repetition.",
        "deadline_s": "Seconds after which the trial would have been ended.",
    },
    "Counts": {
        "size": "Bytes of a message.",
        "iterations": "Timed messages.",
        "warmup": "Untimed messages before them.",
    },
    "Traits": {
        "clock": "What the site's time is: instructions, or a wall clock.",
        "shared": "The most that client and server share.",
        "takes_models": "Whether the link takes a link model.",
        "reachable": "Whether others than both ends can connect to them.",
    },
    "Ends": {
        "client": "The client's end.",
        "server": "The server's end.",
        "side_channel": "The address at which peers open their TCP side channel.",
        "launcher": "How MPI's ranks are started; not written for `orterun` alone.",
    },
    "End": {
        "host": "Its address on the data link.",
        "device": "Its RDMA device; empty if it has none.",
        "interface": "Its network interface.",
        "gid": "The number of that address in the device's table of GIDs; only where it has a device.",
    },
    "Link": {
        "mtu": "Bytes of IP in a frame.",
        "rate_bit_s": "Bits per second on the wire; null without a model.",
        "delay_ns": "Delay each way.",
        "loss_ppm": "Packets lost of each million.",
        "loss_seed": "Which packets are lost.",
        "offload": "Whether segmentation offload is on.",
        "clock_offset_ns": "By how much the server's clock was ahead when the job began.",
        "clock_drift_ppm": "By how many millionths it was too fast.",
        "card": "The modelled card of each computer; left out without.",
    },
    "Card": {
        "name": "Its file in `experiments/cards`.",
        **{name: str(about["description"]) for name, about in CARD["properties"].items() if name != "title"},
    },
    "Perturbation": {
        "start_delay_ns": "How long the start was delayed.",
        "environment_bytes": "By how many bytes the environment was made longer, which moves the stack.",
    },
    "Measured": {
        "steps": "One for each pair of processes, in order.",
        "counters_before": "Counters of the link before the first step: see Counters.",
        "counters_after": "The same after the last step.",
        "clock_start_ns": "The site's clock before the first step.",
        "clock_end_ns": "The site's clock after the last step.",
        "header": "Options and choices, as the program printed them; those of one size under `size N`.",
    },
    "StepFacts": {
        "server": "The server's command; empty if a launcher starts both ends.",
        "client": "The client's command.",
        "server_status": "The server's exit status: 128 + n for signal n, 124 for the deadline.",
        "client_status": "The client's exit status, likewise.",
        "clock_start_ns": "The site's clock before the step.",
        "clock_end_ns": "The site's clock after the step.",
    },
    "Judged": {
        "lab": "The version of the lab that looked.",
        "notes": "Warnings: what a reader must know before using the numbers.",
        "checks": "The checks that it passed; a record has passed all of them.",
        "path": "The first counter that could have carried all claimed bytes.",
        "failed": "Why the trial failed; only in the folder `failed/`.",
    },
    "Moment": {
        "first_asked_by": "The series and the point that asked for the trial first; others may share it.",
        "published": "The parameters before the site's profile.",
        "profile": "The site's profile.",
        "state": "How the computers were: see State.",
    },
    "FirstAsked": {"series": "The series' name.", "point": "The varied parameters with their values."},
    "Sample": {
        "size_bytes": "Bytes of a message.",
        "sample": "What the row is: see the next table.",
        "index": "Its number among the rows of this size and kind, from 0 on.",
        "messages": "How many messages it holds.",
        "bytes": "How many bytes they have together.",
        "time_ns": "How long they took, by the site's clock.",
    },
}
COLUMNS = {
    "series": "The series' name.",
    "program": "The program's name.",
    "operation": "What the client did.",
    "measure": "`throughput`, `latency` or `one-way`.",
    "repetition": "Which repetition it is, from 1 on.",
    "size_bytes": "Bytes of a message.",
    "messages": "Messages that the row rests on.",
    "completed_ns": "Time to the client's last completion; of rounds, of all that were looked at last.",
    "completed_bytes_per_s": "Bytes by that time, rounded to whole bytes per second.",
    "confirmed_bytes": "Bytes that the server has confirmed.",
    "confirmed_ns": "Time to the server's answer that all data have arrived.",
    "confirmed_bytes_per_s": "Bytes by that time, rounded.",
    "steady_bytes_per_s": "The rate after the first window, without the fastest and the slowest tenth of the windows.",
    "round_trip_ns": "A round trip: of one message, or of the control message before rounds.",
    "round_trip_kind": "What `round_trip_ns` is: `median`, `mean`, or `control` for the control message's median.",
    "processor_messages": "All timed messages, of which the next four times are (the lab's own programs only).",
    "client_processor_ns": "Time that processors gave to the client's program while they were timed.",
    "client_kernel_ns": "The part of it in the kernel, by what the kernel's tick found: rough in times below a second.",
    "server_processor_ns": "The same of the server's program, from its go to its answer.",
    "server_kernel_ns": "The part of it in the kernel.",
    "rounds": "How many rounds ran (with `until_stable` only).",
    "stable": "`yes` if they agreed, `no` if the cap came first.",
    "send_mean_ns": "Mean time of the sender's call (one-way only).",
    "send_median_ns": "Median of the same.",
    "receive_mean_ns": "Mean time of the receiver's call (one-way only).",
    "receive_median_ns": "Median of the same.",
    "record": "The first 16 digits of the record's key: `lab show` takes them.",
}
KINDS = {
    "window": "From the start of a size to some of its messages.",
    "completed": "All messages, to the client's last completion.",
    "confirmed": "All messages, to the server's answer.",
    "round_trip": "One message there and back.",
    "round_trip_median": "A peer's own median of round trips.",
    "round_trip_mean": "A peer's own mean of round trips.",
    "control_trip": "The control message and its answer, without data, before rounds.",
    "round": "One round, to the server's answer.",
    "round_completed": "One round, to the client's last completion.",
    "settled": "The rounds that were looked at last, which agreed.",
    "unsettled": "The rounds that were looked at last, which did not agree before the cap.",
    "client_processor": "All timed messages: the processor time of the client's program, or of MPI's rank 0.",
    "client_kernel": "The part of it in the kernel.",
    "server_processor": "The same of the server's program, or of rank 1.",
    "server_kernel": "The part of it in the kernel.",
    "send": "One call of the sender (MPI).",
    "receive": "One call of the receiver (MPI).",
}
CLAIM_COLUMNS = {
    "kind": "`claim`: a number of the text; `statement`: a comparison in it.",
    "number": "The mark of a statement in the text: S1, S2 ...",
    "text": "The query or the statement, as it is typed.",
    "shown": "The number as the text prints it, rounded, with its unit; of a statement what the data show.",
    "value": "The number in its base unit, to the last digit.",
    "unit": "The base unit: B/s, s, bytes, messages/s ...; empty for a ratio or a count.",
    "low": "The lower end of the interval; empty without an interval.",
    "high": "The upper end.",
    "level": "The interval's level, such as 0.95.",
    "n": "The number of repetitions.",
    "verdict": "Of a statement: `true`.",
    "source": "Of a number without records: the plan, a card's file, or a published report.",
    "records": "The keys of the records behind it.",
}
FILES = {
    "results/NAME.csv": "One row for each trial and size of an experiment.",
    "results/records/KK/KEY/": "The record of one trial, with the files that follow.",
    "record.json": "All that is known of the trial but its samples.",
    "samples.csv.gz": "Its samples.",
    "client.log, server.log": "What the two programs printed, without the samples.",
    "digests": "SHA-256 of these files. If one differs, the record is damaged, and the trial is measured again.",
    "results/failed/KEY/": "The last failure of a trial: `failure.txt` (one sentence), `record.json`, the logs, and "
    "what the site left, such as `client.out` and `console.log`.",
    "results/reference/": "Tables and `identity.json` of the exact site, in git. `lab verify` compares with them.",
    "results/grades/NAME/N/": "The grade of a hand-in, one folder for each attempt: docs/grading.md.",
    "results/locks/, results/.*": "Which run measures which trial now; an index; stamps. While nothing runs, all "
    "of them may be removed.",
    "claims.csv, manifest.json, identity.json, NAME.csv": "Inside a report's PDF. `lab extract` takes them out.",
}
COUNTERS = """## Counters
`INTERFACE.NAME`: the kernel's counters of a network interface, with the names of
`/sys/class/net/INTERFACE/statistics`. `DEVICE.NAME`: the counters of an RDMA device's first port, with the names of
`counters` and `hw_counters` in `/sys/class/infiniband/DEVICE/ports/1`. Such a port may count its data in words of four
bytes; `DEVICE.tx_bytes` and `DEVICE.rx_bytes` then say it in bytes. On the exact site both ends are there: `v0` and
`rxe0` are the client's, `v1` and `rxe1` the server's, `side` both ends' together. The wires count by themselves, from
the start to the end of both computers: `link0.frames` (the client's), `link1.frames` (the server's), `side0.frames`.
"""
IDENTITY = {
    "exact, slurm:exact": "Digests of the `frozen` memory and the `wires`; QEMU's `arguments`; its `processor` again",
    "vm": "`image`, `qemu`, `acceleration`, `machines`, `processors`; of this computer `host.kernel` ...",
    "host": "`kernel`, `processor`, `governor`, `turbo`, `congestion`, `card`, `driver`, `rdma`, `firmware`, `link`",
    "ssh": "The same, and `hosts`",
    "slurm": "`cluster`, and of hosts.toml `partition`, `constraint`, `interface`, `device`",
}
STATE = """## State
Of every trial `started` (UTC), `load` and `host_seconds`. Of both ends of a real link, under `client` and `server`:
`load`, `temperatures_c`, `irq_affinity`, `cpus` (the processors that the end may use), `rate_bit_s`, `mtu`,
`link_state`, `gids`, `memlock_bytes`. A value that a computer does not give is left out. On `slurm` also `nodes`, the
names of both; on `exact` the version of `qemu`.
"""
