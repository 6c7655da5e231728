"""Arguments by usage texts, as people write them."""

import pytest

from lab.cli.adopt.usage import usage_arguments, usage_in, usage_of

# Of one program for both ends: the text, the server's arguments and the client's.
BOTH = [
    ("usage: p --role=server|client [--host=H] [--port=9000] [--gid=N] [--bytes=64] [--n=10] [--depth=16]",
     "--role=server --port={port} --gid={gid} --bytes={size} --n={iterations}",
     "--role=client --host={host} --port={port} --gid={gid} --bytes={size} --n={iterations}"),
    ("p: usage: /lab/bin/p DEV GIDIDX [HOST]", "{device} {gid}", "{device} {gid} {host}"),
    ("usage: /lab/bin/p -r 0|1 [-a addr of p 0] [-p port]\n      [-l message length] [-q queue depth]",
     "-r 0 -p {port} -l {size}", "-r 1 -a {host} -p {port} -l {size}"),
    ("usage: /lab/bin/p serve | ask <ip> <bytes> <rounds>\nenvironment: P_GID (index, 0)\n",
     "serve", "ask {host} {size} {iterations}"),
    ("usage: p server PORT [GID-INDEX]\n       p client HOST PORT SIZE [GID-INDEX]\n",
     "server {port} {gid}", "client {host} {port} {size} {gid}"),
    ("usage: p --server | --client HOST [options]\n  -s, --size=BYTES   message size\n  -p, --port=P  TCP port\n",
     "--server -s {size} -p {port}", "--client {host} -s {size} -p {port}"),
    ("usage: p -s | -a address  [-p port] [-i iterations]\n",
     "-s -p {port} -i {iterations}", "-a {host} -p {port} -i {iterations}"),
    ("usage: /lab/bin/p recv | /lab/bin/p send <ip>", "recv", "send {host}"),
    ("usage: p server PORT | p client HOST PORT MAXSIZE", "server {port}", "client {host} {port} 4096"),
    ("usage: p -s | -c <server_ip> <count>", "-s", "-c {host} {iterations}"),
    ("usage: p -l | -c HOST [-b BYTES] [-t bw|lat]", "-l -b {size}", "-c {host} -b {size}"),
    ("Usage:\n  /lab/bin/p          start a server\n  /lab/bin/p <host>   connect to server at <host>\n\nOptions:\n"
     "  -i, --ib-port=<port>   use port <port> of IB device\n  -n, --iters=<iters>    number of exchanges\n"
     "  -e, --events           sleep on CQ events\n",
     "-n {iterations}", "{host} -n {iterations}"),
    ("p --role=sink  [--port=P]\np --role=source --peer=HOST [--port=P] [--sizes=LIST]\n\n  -r, --role  sink, ...\n",
     "--role=sink --port={port}", "--role=source --peer={host} --port={port} --sizes={size}"),
    ("/lab/bin/p --sink | --to HOST [--depth 9] [--port 7471]\n", "--sink --port {port}", "--to {host} --port {port}"),
    ("p target GID | p initiator IPV4 GID SIZE COUNT\n", "target {gid}", "initiator {host} {gid} {size} {iterations}"),
    ("usage : p            (récepteur)\n        p HOST [SIZE]  (émetteur)\n", "", "{host} {size}"),
    ("Usage:\n p start a server and wait for connection\n p <host> connect to server at <host>\n\nOptions:\n"
     " -p, --port <port> listen on/connect to port <port>\n -s, --size <bytes> bytes per READ\n" * 2,
     "-p {port} -s {size}", "{host} -p {port} -s {size}"),
    ("Usage: /lab/bin/p [OPTIONS] --mode <server|client>\n  --port <n>   port\n  --addr <ip>  server address\n",
     "--mode server --port {port}", "--mode client --port {port} --addr {host}"),
    ("usage: p role=server|client [peer=HOST] [port=5000] [bytes=64] [count=1000]",
     "role=server port={port} bytes={size} count={iterations}",
     "role=client peer={host} port={port} bytes={size} count={iterations}"),
    ("Syntax: p DEPTH\n        p HOST SIZE\n", "64", "{host} {size}"),
    ("usage: p -l ADDR:PORT | -c ADDR:PORT [-s SIZE]", "-l {host}:{port}", "-c {host}:{port} -s {size}"),
    ("usage: p <id> <address of node 0> [size]\n" * 2, "0 {host} {size}", "1 {host} {size}"),
    ("usage: p listen [port]\n       p connect address [port [bytes [messages]]]\n",
     "listen {port}", "connect {host} {port} {size} {iterations}"),
    ("usage: p wait [port]\n       p peer <address> [port]\n", "wait {port}", "peer {host} {port}"),
    ("usage: p server [port=9]\n       p client host=IP [port=9] [chunk=65536] [count=500]\n",
     "server port={port}", "client host={host} port={port} chunk={size} count={iterations}"),
    ("usage: p -S [-p port] [-x gid]\n       p -C host [-p port] [-v value_bytes] [-n ops]\n"
     "  -p port     TCP port\n  -v bytes  size of a value\n  -n ops   operations\n" * 2,
     "-S -p {port} -x {gid}", "-C {host} -p {port} -v {size} -n {iterations}"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "server", "client"), BOTH, ids=[text.partition("\n")[0] for text, *_ in BOTH])
def test_each_end_has_its_arguments(text: str, server: str, client: str) -> None:
    ends = {end: usage_arguments(usage_of(text, "p"), "bin/p", end, alone=True) for end in ("server", "client")}
    assert {end: " ".join(words) for end, words in ends.items()} == {"server": server, "client": client}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("usage: [QPS=4] [ROUNDS=50] p <peer> <bytes> <gid index>", "{host} {size} {gid}"),
        ("usage: p host [port [operations [value size]]]\n", "{host} {port}"),
        ("usage: p [-d value-size] [-t tries] <counter host> port", "-d {size} {host} {port}"),
        ("usage: p <host> [<block-KiB> [<count>]]", "{host} {size:1024} {iterations}"),
        ("usage: p [A|B]...", ""),
        ("no text about it", ""),
    ],
)
def test_client_has_its_arguments(text: str, expected: str) -> None:
    assert " ".join(usage_arguments(usage_of(text), "p", "client", alone=False)) == expected


def test_usage_text_is_found_in_a_source() -> None:
    source = 'if (argc < 3) std::cerr << "usage: " << argv[0] << " HOST SIZE[,SIZE...]\\n"; connect(argv[1]);'
    assert usage_arguments(usage_in(source, "p"), "p", "client", alone=False) == ["{host}", "{size}"]


@pytest.mark.parametrize("text", ["Server waiting on port 9", "server: 10 messages", "SERVER"])
def test_other_line_that_begins_with_the_program_is_no_usage_text(text: str) -> None:
    assert usage_of(text, "server") == ""
