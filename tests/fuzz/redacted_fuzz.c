/*
 * The comparison of redacted texts: "A\n--\nB". It must agree with one that takes all fingerprints
 * out first; and a text redacted under two keys is the same, however it is cut into secrets.
 */
#include "secrecy/secrecy.h"
#include "value/text.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* Every "#" and ten bytes in front of the ">" that ends a mark, taken out. */
static sv without_fingerprints(struct arena *arena, sv text)
{
	const sv mark = SV("<sealed:");
	struct buf out = buf_in(arena);
	size_t at = 0;

	while (at < text.len) {
		sv rest = sv_from_offset(text, at);
		size_t end = sv_find_char(sv_from_offset(rest, mark.len), '>');

		if (!sv_starts_with(rest, mark) || end == SV_NPOS) {
			buf_add_char(&out, text.ptr[at++]);
			continue;
		}
		size_t name = mark.len + end;
		if (end > 10 && rest.ptr[name - 11] == '#')
			buf_add(&out, sv_slice(rest, 0, name - 11));
		else
			buf_add(&out, sv_slice(rest, 0, name));
		at += name;
	}
	return buf_sv(&out);
}

static void fingerprint(const void *context, const struct secret *secret,
                        uint8_t ret_fingerprint[SECRECY_FINGERPRINT_SIZE])
{
	uint64_t hash = sv_hash(secret->text, *(const uint64_t *)context);

	memcpy(ret_fingerprint, &hash, SECRECY_FINGERPRINT_SIZE);
}

static sv redacted(struct arena *arena, const struct value *v, uint64_t key)
{
	struct redaction redaction = {fingerprint, &key};
	struct buf buf = buf_in(arena);

	secrecy_redact(&buf, &redaction, v);
	return buf_sv(&buf);
}

/* Cut at each line feed; every second line is a secret. */
static void redact_lines(struct arena *arena, sv text)
{
	const struct secret secret = {
	    .name = SV("n/s:k"), .text = SV("0123456789abcdef"), .high_entropy = true};
	struct sv_splitter lines = sv_split(text, '\n');
	struct text marked = text_in(arena);
	bool is_secret = false;
	sv line;

	for (; sv_split_next(&lines, &line); is_secret = !is_secret)
		text_add_secret(&marked, line, is_secret ? &secret : NULL);
	struct value v = text_value(arena, &marked);
	sv one = redacted(arena, &v, 1);
	sv other = redacted(arena, &v, 2);
	check(sv_eq(one, redacted(arena, &v, 1)));
	check(secrecy_redacted_equal(one, other));
	text_mark_derived(&marked, marked.buf.len, &secret);
	v = text_value(arena, &marked);
	check(sv_starts_with(redacted(arena, &v, 1), SV("<sealed:n/s:k#")));
	check(redacted(arena, &v, 1).len == strlen("<sealed:n/s:k#0123456789>"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv text = sv_from((const char *)data, size);
	sv a = text;
	sv b = {0};

	if (size > 4096)
		return 0;
	sv_cut(text, SV("\n--\n"), &a, &b);
	bool equal = secrecy_redacted_equal(a, b);
	check(equal == secrecy_redacted_equal(b, a));
	check(equal == sv_eq(secrecy_without_fingerprints(arena, a),
	                     secrecy_without_fingerprints(arena, b)));
	check(equal == sv_eq(without_fingerprints(arena, a), without_fingerprints(arena, b)));
	check(secrecy_redacted_equal(a, a));
	/* A mark in the text itself may end behind a secret: such texts are not looked at. */
	if (!sv_contains(text, SV("<")))
		redact_lines(arena, text);
	return 0;
}
