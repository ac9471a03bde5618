/*
 * Redaction: replaces secrets by marks in files of the output that are not sealed. No other file
 * spells a mark.
 */
#include "codec/codec.h"
#include "secrecy/secrecy.h"

#define MARK            "<sealed:"
#define MARK_END        '>'
#define DERIVED_MARK    MARK SECRECY_DERIVED_PREFIX
#define NAMELESS_MARK   "<sealed>"
#define FINGERPRINT_LEN (2u * SECRECY_FINGERPRINT_SIZE) /* hex digits */

static void begin_mark(struct buf *buf, sv name)
{
	BUF_ADD_LIT(buf, MARK);
	buf_add(buf, name);
}

sv secrecy_mark(struct arena *arena, sv name)
{
	struct buf buf = buf_in(arena);

	begin_mark(&buf, name);
	buf_add_char(&buf, MARK_END);
	return buf_sv(&buf);
}

bool secrecy_is_derived(const struct secret *secret)
{
	return sv_starts_with(secret->name, SV(SECRECY_DERIVED_PREFIX));
}

bool secrecy_has_mark(sv text)
{
	return sv_contains(text, SV(MARK));
}

bool secrecy_has_derived_mark(sv text)
{
	return sv_contains(text, SV(DERIVED_MARK));
}

sv secrecy_without_names(struct arena *arena, sv text)
{
	struct buf buf = buf_in(arena);

	for (;;) {
		size_t at = sv_find(text, SV(MARK));
		size_t end =
		    at == SV_NPOS ? SV_NPOS : sv_find_char(sv_from_offset(text, at), MARK_END);

		if (end == SV_NPOS)
			break;
		buf_add(&buf, sv_slice(text, 0, at));
		BUF_ADD_LIT(&buf, NAMELESS_MARK);
		text = sv_from_offset(text, at + end + 1);
	}
	buf_add(&buf, text);
	return buf_sv(&buf);
}

/* ---- marks that nobody made ----------------------------------------------------------------- */

struct spelling {
	enum secrecy_spelling allowed;
	struct position otherwise;
	struct position at;
	bool is_found;
};

/* Returns true for text that begins with <sealed:NAME>, the mark of a secret that is not derived.
 */
static bool begins_with_placeholder(sv text)
{
	sv name = sv_slice(text, 0, sv_find_char(text, MARK_END));

	return name.len < text.len && !sv_starts_with(name, SV(DERIVED_MARK)) &&
	       sv_find_char(name, '#') == SV_NPOS && sv_find_char(name, '\n') == SV_NPOS;
}

static bool spells_mark(const struct spelling *s, sv text)
{
	for (;;) {
		size_t at = sv_find(text, SV(MARK));

		if (at == SV_NPOS)
			return false;
		text = sv_from_offset(text, at);
		if (s->allowed != SECRECY_SPELLS_PLACEHOLDERS || !begins_with_placeholder(text))
			return true;
		text = sv_from_offset(text, SV(MARK).len);
	}
}

size_t secrecy_fingerprint_at(sv text, size_t at)
{
	sv found = sv_slice(sv_from_offset(text, at), 0, FINGERPRINT_LEN + 2);

	if (found.len != FINGERPRINT_LEN + 2 || found.ptr[0] != '#' ||
	    found.ptr[found.len - 1] != MARK_END)
		return 0;
	for (size_t i = 1; i <= FINGERPRINT_LEN; i++)
		if (!ascii_is_lower_hex((uint8_t)found.ptr[i]))
			return 0;
	return found.len;
}

/* Returns true for <sealed:NAME> and <sealed:NAME#FINGERPRINT>. */
static bool is_one_mark(sv text)
{
	size_t hash = sv_find_char(text, '#');

	if (!sv_starts_with(text, SV(MARK)) || sv_find_char(text, MARK_END) != text.len - 1)
		return false;
	return begins_with_placeholder(text) ||
	       (hash + secrecy_fingerprint_at(text, hash) == text.len &&
	        sv_find_char(text, '\n') == SV_NPOS);
}

static bool string_spells_mark(const struct spelling *s, const struct value *string)
{
	const struct taint *taint = string->taint;
	size_t done = 0;

	if ((taint && taint->derived) ||
	    (s->allowed == SECRECY_SPELLS_WHOLE && is_one_mark(string->string)))
		return false;
	for (size_t i = 0; taint && i < taint->count; i++) {
		if (spells_mark(s, sv_slice(string->string, done, taint->spans[i].start)))
			return true;
		done = taint->spans[i].end;
	}
	return spells_mark(s, sv_from_offset(string->string, done));
}

static enum secrecy_step find_spelling(void *context, struct secrecy_place *place)
{
	struct spelling *s = context;
	/* A key is followed by a colon. */
	sv key = place->entry ? place->entry->key : SV("");

	if (sv_contains(key, sv_slice(SV(MARK), 0, SV(MARK).len - 1))) {
		s->is_found = true;
		s->at = secrecy_key_position(place, s->otherwise);
	} else if (value_is_string(place->value) && string_spells_mark(s, place->value)) {
		s->is_found = true;
		s->at = secrecy_position(place, s->otherwise);
	}
	return s->is_found ? SECRECY_END : SECRECY_INTO;
}

bool secrecy_spells_mark(const struct value *object, enum secrecy_spelling allowed,
                         struct position otherwise, struct position *ret_at)
{
	struct spelling s = {.allowed = allowed, .otherwise = otherwise};

	secrecy_visit(object, find_spelling, &s);
	if (s.is_found)
		*ret_at = s.at;
	return s.is_found;
}

/* ---- redaction ------------------------------------------------------------------------------ */

static void add_mark(struct buf *buf, const struct redaction *redaction,
                     const struct secret *secret)
{
	begin_mark(buf, secret->name);
	/* A fingerprint of what people choose would let a key's finder guess it. */
	if (redaction->fingerprint && secret->high_entropy) {
		uint8_t fingerprint[SECRECY_FINGERPRINT_SIZE];

		redaction->fingerprint(redaction->context, secret, fingerprint);
		buf_add_char(buf, '#');
		hex_add(buf, sv_from_bytes(fingerprint, sizeof(fingerprint)));
	}
	buf_add_char(buf, MARK_END);
}

void secrecy_redact(struct buf *buf, const struct redaction *redaction, const struct value *string)
{
	sv text = value_text(string);
	size_t done = 0;

	if (taint_derived_from(string->taint)) {
		add_mark(buf, redaction, string->taint->derived);
		return;
	}
	for (size_t i = 0; string->taint && i < string->taint->count; i++) {
		const struct taint_span *span = &string->taint->spans[i];

		buf_add(buf, sv_slice(text, done, span->start));
		add_mark(buf, redaction, span->secret);
		done = span->end;
	}
	buf_add(buf, sv_from_offset(text, done));
}

/* Returns *text up to its next fingerprint, and sets *text to what follows the fingerprint. */
static sv take_clear(sv *text)
{
	size_t from = 0;

	for (;;) {
		size_t mark = sv_find(sv_from_offset(*text, from), SV(MARK));

		if (mark == SV_NPOS)
			break;
		from += mark + SV(MARK).len;
		size_t end = sv_find_char(sv_from_offset(*text, from), MARK_END);
		if (end == SV_NPOS)
			break;
		size_t hash = from + end - FINGERPRINT_LEN - 1;
		if (end <= FINGERPRINT_LEN || secrecy_fingerprint_at(*text, hash) == 0)
			continue;
		sv clear = sv_slice(*text, 0, hash);
		*text = sv_from_offset(*text, from + end);
		return clear;
	}
	sv clear = *text;
	*text = (sv){0};
	return clear;
}

sv secrecy_without_fingerprints(struct arena *arena, sv text)
{
	struct buf buf = buf_in(arena);

	while (!sv_empty(text))
		buf_add(&buf, take_clear(&text));
	return buf_sv(&buf);
}

bool secrecy_redacted_equal(sv a, sv b)
{
	sv rest_a = a;
	sv rest_b = b;
	sv left = {0};
	sv right = {0};

	/* Pieces may be cut differently: one side's text may have no fingerprint where the other
	 * has one. */
	for (;;) {
		if (sv_empty(left))
			left = take_clear(&rest_a);
		if (sv_empty(right))
			right = take_clear(&rest_b);
		size_t len = left.len < right.len ? left.len : right.len;
		if (len == 0)
			return sv_empty(left) && sv_empty(right) && sv_empty(rest_a) &&
			       sv_empty(rest_b);
		if (!sv_eq(sv_slice(left, 0, len), sv_slice(right, 0, len)))
			return false;
		left = sv_from_offset(left, len);
		right = sv_from_offset(right, len);
	}
}

struct redacting {
	struct arena *arena;
	const struct redaction *redaction;
};

/* Everything but tainted text, which must not reach a plain arena. */
static enum secrecy_step redact_place(void *context, struct secrecy_place *place,
                                      struct value *ret_copy)
{
	const struct redacting *redacting = context;
	const struct value *v = place->value;

	if (value_is_list(v) || value_is_map(v))
		return SECRECY_INTO;
	if (value_is_string(v) && v->taint) {
		struct buf buf = buf_in(redacting->arena);

		secrecy_redact(&buf, redacting->redaction, v);
		ret_copy->type = &type_string;
		ret_copy->string = buf_sv(&buf);
		ret_copy->taint = NULL;
	} else {
		*ret_copy = value_copy(redacting->arena, v);
	}
	return SECRECY_OVER;
}

struct value secrecy_redact_all(struct arena *arena, const struct redaction *redaction,
                                const struct value *tree)
{
	struct redacting redacting = {arena, redaction};

	return secrecy_copy(arena, tree, redact_place, &redacting);
}
