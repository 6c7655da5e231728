"""The sentences of docs/cards.md around its tables."""

from __future__ import annotations

HEAD = """# The modelled card

Written by `make docs` from experiments/cards and experiments/published: change those, not this page.

A link with `card = "qdr"` has an RDMA card in each of the exact machine's two computers. A program's verbs go to it
without the kernel: the card reads requests from the program's memory, moves the data itself, and writes completions.
No instruction of a computer moves a byte, and every time is the sum of the parts below.

```toml
[[series]]
name = "card"
program = "verbs"
operation = "write"
measure = "throughput"
link = { card = "qdr" }
```

## What it is
- A device in QEMU (`code/card/device`), a kernel module (`code/card/module`) and a library that is loaded before
  libibverbs (`code/card/library`). Programs run unchanged. The control path is that of the real Soft-RoCE device:
  contexts, addresses, protection domains, every change of a queue pair's state. The data path is the card's.
- RC, UC and UD, shared receive queues, lists, inline data, selective signalling, solicited events, asynchronous
  events. `ibv_create_qp_ex` with more than a protection domain, `ibv_create_cq_ex`, memory windows, multicast and
  resizing say that they are not supported, as other devices do; programs then take the older calls.
- rdma_cm, perftest with all its transports and atomics, and Open MPI by UCX (`rc_verbs`) run over it as they are. What
  programs try on it, whatever it is, reaches no other program: `make fuzz-card`.
- TCP on such a link takes the same wire: its frames and the card's packets share it. Where no program takes the card
  itself, each frame is also rung for, fetched, written, and interrupted for, as the card's own messages are.
  With `soft_roce = true` a series goes over that wire by Soft-RoCE, in place of the card.
- Seen by the wire: its log has each packet of a card with the card's header, and a grader holds students'
  programs over the card against it ([grading.md](grading.md)).

## What it is not
- The prediction of one particular card. It is a model with eleven numbers; whatever comes from it says "modelled
  card".
- Part of the other sites: `host`, `ssh`, `slurm` and `vm` leave such series out, and say so.
- Aware of caches: address translations, queue pairs and requests cost the same however many there are.

## Its clock
One instruction of a computer is one nanosecond, for the card as for TCP and MPI: the processor is a plain one of 1
GHz that executes an instruction in each cycle, beside a card with the times of a real one. A faster processor would
move TCP and Soft-RoCE up, and the card only where the processor limits it.
"""

OF_PARAMETERS = """## Its parameters
Each has a unit in its name and an origin in the card's file: a data sheet, a fit to a measured curve, or an
assumption. A fitted value names its report (`fitted_to`), and every report over the card prints the origins.
`lab fit-card CURVE.csv --rate-bit-s 32000000000 --inline 1K` fits header, gap and block to a curve of
throughput. Nothing else of a card follows from such a curve, and no parameter is of one size only.
"""

OF_ERRORS = """## Against the published reports
`qdr` is fitted to report A. Report B is predicted by it: its largest sizes are 4 % above the model, and 3 % above
what QDR can carry at all. Divided by 1.048576 they would agree with A to within 1 %, which looks like MiB printed as
MB; the data can't prove it. Both reports jump five-fold between 1 KiB and 2 KiB: up to 1 KiB the data travel inside
their requests, block by block, and from there on the card fetches them. At 1, 64 and 128 bytes both are slower than
at their neighbours, A at 2 and 4 too, by something that the model does not have.
"""

OF_DIFFERENCES = """## Beside Soft-RoCE
What one program was answered over Soft-RoCE and over the card, where that is not the same. To each mistake in a send:
the status of sender and receiver, the states of both queue pairs, and the asynchronous events. Then which calls work,
and what a device says of its limits. The card's statuses are those of the InfiniBand Architecture (1.4, 9.9 and
11.6.2) and of the manual pages of libibverbs.
"""

AFTER = """## Inline or not
A request that brings its data costs the card 78 ns for each 64 bytes, so that from 93 bytes on it costs more than the
message itself (228 ns): throughput is best without, and latency is better with, by one fetch from memory. `inline =
0` is the better choice for throughput at every size; report A's program sent up to 1 KiB inline.

## What a message takes of the processor
Over `ideal`, where the card costs nothing, what is left of a message of 1 byte is the way through program and
library: instructions, which are nanoseconds here. Each is below 350, and `qdr` takes 228 ns of its own for a message.
`lab causes` counts where they go, and `tests/machine/test_card.py` holds the bound.

| handed over | in all | library: request | library: completion | our program |
| --- | --- | --- | --- | --- |
| WRITE, 128 in a call and a completion | 66 | 64 | 1 | 1 |
| WRITE, each by a call, a completion for 64 | 233 | 105 | 40 | 88 |
| WRITE, each by a call and with a completion | 315 | 105 | 92 | 118 |
| the same, inline | 344 | | | |
| READ, 64 in a call and a completion | 125 | | | |

A SEND takes 66 of the sender, and 95 of the receiver, which posts another receive, beside the polls of both: the sender
outruns it, and is told that the receiver is not ready. Then it waits for a time that `--rnr-timer` sets. Over `ideal`
a message of 1 byte takes 143 ns in all with the default, 10 µs, and 869 ns with perftest's 0.64 ms. Over `qdr` the
card is the limit there too.
"""
