#include "hello.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "die.h"

static const char magic[] = "LABBENCH"; /* sent without its terminating 0 */

struct digesting {
	uint64_t digest;
	size_t length;
	char *text;
};

/* FNV-1a: detects different options. The token, not this, keeps other clients out. */
static void digest_add(uint64_t *digest, const char *text)
{
	for (; *text; text++)
		*digest = (*digest ^ (unsigned char)*text) * 0x100000001b3u;
}

static void hello_add_option(const char *key, const char *value, bool shared, void *context)
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

void hello_fill(struct hello *hello, const struct options *o)
{
	struct digesting d = { 0xcbf29ce484222325u, 0, hello->options };

	if (strlen(o->token) >= TOKEN_MAX)
		die_usage("the token is longer than %d characters", TOKEN_MAX - 1);
	memset(hello, 0, sizeof(*hello));
	memcpy(hello->magic, magic, sizeof(hello->magic));
	hello->version = htonl(HELLO_VERSION);
	options_each(hello_add_option, &d);
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

/* Makes bytes from the other end safe for a terminal. */
static void printable(char *text)
{
	for (; *text; text++)
		if (!isprint((unsigned char)*text))
			*text = '?';
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
	printable(sentence);
}

bool hello_judge(struct hello *there, const struct hello *here, char sentence[SENTENCE_MAX])
{
	bool known = false;

	there->options[OPTIONS_TEXT_MAX - 1] = '\0';
	sentence[0] = '\0';
	if (memcmp(there->magic, magic, sizeof(there->magic)) != 0)
		snprintf(sentence, SENTENCE_MAX, "this is not a lab-bench client");
	else if (ntohl(there->version) != HELLO_VERSION)
		snprintf(sentence, SENTENCE_MAX,
			 "the client has version %u, the server version %d; build both from one checkout",
			 ntohl(there->version), HELLO_VERSION);
	else if (!token_equal(there->token, here->token))
		snprintf(sentence, SENTENCE_MAX, "wrong token; is another run using the same port?");
	else if ((known = *here->token != '\0', there->digest != here->digest))
		describe_difference(here->options, there->options, sentence);
	return known;
}

struct verdict verdict_of(const char *sentence)
{
	struct verdict v = { .version = htonl(HELLO_VERSION), .refused = htonl(*sentence != '\0') };

	memcpy(v.magic, magic, sizeof(v.magic));
	for (size_t i = 0; i < SENTENCE_MAX - 1 && sentence[i]; i++)
		v.sentence[i] = sentence[i];
	return v;
}

void verdict_obey(struct verdict *v, const char *host)
{
	if (memcmp(v->magic, magic, sizeof(v->magic)) != 0)
		die("the server at %s is not a lab-bench server", host);
	v->sentence[SENTENCE_MAX - 1] = '\0';
	printable(v->sentence);
	if (v->refused)
		die("the server refused: %s", v->sentence);
	if (ntohl(v->version) != HELLO_VERSION)
		die("the server has version %u, this client version %d", ntohl(v->version), HELLO_VERSION);
}
