#include "handshake.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "die.h"

#define MAGIC "LABBENCH"
#define TOKEN_MAX 64
#define OPTIONS_TEXT_MAX 4096
#define SENTENCE_MAX 256
#define HELLO_WAIT_NS 2000000000u /* a client that has connected says hello at once; a stranger may never */

/* On the wire: fixed sizes, big-endian numbers, so that nothing is ever read past a bound. */
struct hello {
	char magic[8];
	uint32_t version;
	uint32_t reserved;
	uint64_t digest; /* of all shared options; the text is there to name the one that differs */
	char token[TOKEN_MAX];
	char options[OPTIONS_TEXT_MAX]; /* "key=value\n", cut off at the end */
};

struct verdict {
	char magic[8];
	uint32_t version;
	uint32_t refused;
	char sentence[SENTENCE_MAX];
};

struct digesting {
	uint64_t digest;
	size_t length;
	char *text;
};

/* FNV-1a: tells different options from equal ones; the token, not this, keeps strangers out. */
static void digest_add(uint64_t *digest, const char *text)
{
	for (; *text; text++)
		*digest = (*digest ^ (unsigned char)*text) * 0x100000001b3u;
}

static void add_option(const char *key, const char *value, bool shared, void *context)
{
	struct digesting *d = context;
	const char *parts[] = { key, "=", value, "\n" };

	for (size_t i = 0; shared && i < 4; i++) {
		digest_add(&d->digest, parts[i]);
		d->length += (size_t)snprintf(d->text + d->length, OPTIONS_TEXT_MAX - d->length, "%s", parts[i]);
		if (d->length >= OPTIONS_TEXT_MAX)
			d->length = OPTIONS_TEXT_MAX - 1;
	}
}

static void hello_fill(struct hello *hello, const struct options *o)
{
	struct digesting d = { 0xcbf29ce484222325u, 0, hello->options };

	if (strlen(o->token) >= TOKEN_MAX)
		die_usage("the token is longer than %d characters", TOKEN_MAX - 1);
	memset(hello, 0, sizeof(*hello));
	memcpy(hello->magic, MAGIC, 8);
	hello->version = htonl(HANDSHAKE_VERSION);
	options_each(add_option, &d);
	hello->digest = htobe64(d.digest);
	strcpy(hello->token, o->token);
}

static bool token_equal(const char a[TOKEN_MAX], const char b[TOKEN_MAX])
{
	unsigned char difference = 0;

	for (size_t i = 0; i < TOKEN_MAX; i++)
		difference |= (unsigned char)(a[i] ^ b[i]);
	return difference == 0;
}

/* Names the first option that differs: both texts list the same keys in the same order. */
static void describe_difference(const char *here, const char *there, char sentence[SENTENCE_MAX])
{
	size_t a, b;

	for (;;) {
		a = strcspn(here, "\n");
		b = strcspn(there, "\n");
		if (a != b || strncmp(here, there, a) != 0 || here[a] == '\0')
			break;
		here += a + 1;
		there += b + 1;
	}
	snprintf(sentence, SENTENCE_MAX,
		 "the options differ: the server has %.*s, the client %.*s; give both ends the same",
		 (int)(a < 80 ? a : 80), here, (int)(b < 80 ? b : 80), there);
}

/* Leaves sentence empty for a client that is welcome. True if it is at least our own client, if misled. */
static bool judge(struct hello *there, const struct hello *here, char sentence[SENTENCE_MAX])
{
	bool ours = false;

	there->options[OPTIONS_TEXT_MAX - 1] = '\0';
	sentence[0] = '\0';
	if (memcmp(there->magic, MAGIC, 8) != 0)
		snprintf(sentence, SENTENCE_MAX, "that is no lab-bench client");
	else if (ntohl(there->version) != HANDSHAKE_VERSION)
		snprintf(sentence, SENTENCE_MAX,
			 "the client speaks version %u, the server version %d; build both from one checkout",
			 ntohl(there->version), HANDSHAKE_VERSION);
	else if (!token_equal(there->token, here->token))
		snprintf(sentence, SENTENCE_MAX, "the token is not this server's; is another run using the same port?");
	else if ((ours = true, there->digest != here->digest))
		describe_difference(here->options, there->options, sentence);
	return ours;
}

static void answer(int fd, const char *sentence)
{
	struct verdict v = { .version = htonl(HANDSHAKE_VERSION), .refused = htonl(*sentence != '\0') };

	memcpy(v.magic, MAGIC, 8);
	snprintf(v.sentence, SENTENCE_MAX, "%s", sentence);
	side_write(fd, &v, sizeof(v));
}

void handshake_busy(int fd)
{
	static const struct verdict busy = { MAGIC, 0, 1, "the server is busy with another client" };
	struct verdict v = busy;

	v.version = htonl(HANDSHAKE_VERSION);
	v.refused = htonl(1);
	side_write(fd, &v, sizeof(v));
}

/* A socket closed on unread bytes is reset, and the sentence with it: end our half and drain, a bounded time. */
static void refuse(int fd, const char *sentence)
{
	char rest[1024];
	uint64_t deadline = now_ns() + HELLO_WAIT_NS / 4;

	answer(fd, sentence);
	shutdown(fd, SHUT_WR);
	while (now_ns() < deadline && side_read(fd, rest, 1, deadline))
		;
	close(fd);
}

static int admit(int listener, const struct hello *here, uint64_t deadline_ns)
{
	struct hello there;
	char peer[64], sentence[SENTENCE_MAX];
	int fd = side_accept(listener, deadline_ns, peer);
	bool ours;

	if (fd < 0)
		die("no client came within the deadline");
	if (!side_read(fd, &there, sizeof(there), now_ns() + HELLO_WAIT_NS)) {
		memset(&there, 0, sizeof(there));
		snprintf(sentence, sizeof(sentence), "no whole greeting came");
		ours = false;
	} else {
		ours = judge(&there, here, sentence);
	}
	if (!*sentence) {
		answer(fd, "");
		return fd;
	}
	refuse(fd, sentence);
	if (ours)
		die("refused %s: %s", peer, sentence);
	say("refused %s: %s", peer, sentence);
	return -1;
}

struct session handshake_serve(const struct options *o, side_tune tune)
{
	struct session session = { -1, side_listen(o->listen, (uint16_t)o->port, tune) };
	uint64_t deadline = now_ns() + o->deadline_s * 1000000000u;
	struct hello here;

	hello_fill(&here, o);
	while (session.peer < 0)
		session.peer = admit(session.listener, &here, deadline);
	return session;
}

static void printable(char *text)
{
	for (; *text; text++)
		if (!isprint((unsigned char)*text))
			*text = '?';
}

struct session handshake_join(const struct options *o, side_tune tune)
{
	uint64_t deadline = now_ns() + o->deadline_s * 1000000000u;
	struct session session = { side_connect(o->host, o->source, (uint16_t)o->port, deadline, tune), -1 };
	struct hello hello;
	struct verdict v;

	hello_fill(&hello, o);
	side_write(session.peer, &hello, sizeof(hello));
	if (!side_read(session.peer, &v, sizeof(v), deadline))
		die("the server at %s gave no answer; is it a lab-bench server?", o->host);
	if (memcmp(v.magic, MAGIC, 8) != 0)
		die("the server at %s is no lab-bench server", o->host);
	v.sentence[SENTENCE_MAX - 1] = '\0';
	printable(v.sentence);
	if (v.refused)
		die("the server refused: %s", v.sentence);
	if (ntohl(v.version) != HANDSHAKE_VERSION)
		die("the server speaks version %u, this client version %d", ntohl(v.version), HANDSHAKE_VERSION);
	return session;
}
