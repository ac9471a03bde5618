/*
 * text: a string value under construction. Everything that is added keeps its taint, so that each
 * byte of a rendered file leads to the secret it came from (docs/spec/output.md 4).
 */
#ifndef OSM_GEN_VALUE_TEXT_H
#define OSM_GEN_VALUE_TEXT_H

#include "value/value.h"

struct text {
	struct buf buf;
	VEC(struct taint_span)
	spans; /* in order, not overlapping; neighbours of one secret are merged */
	const struct secret *derived; /* secret of the first derived part (struct taint), or null */
};

static inline struct text text_in(struct arena *arena)
{
	return (struct text){.buf = buf_in(arena)};
}

static inline void text_add(struct text *text, sv s)
{
	buf_add(&text->buf, s);
}
#define TEXT_ADD_LIT(text, literal) text_add((text), SV(literal))

/* Adds s with its taint (spans are relative to s; null if s is clear). */
void text_add_tainted(struct text *text, sv s, const struct taint *taint);
/* Adds a string value with its taint. */
void text_add_value(struct text *text, const struct value *string);
/*
 * Adds a string value with its taint, and `indent` blanks before each line. Blanks after a line
 * feed of a secret are part of the secret, so that they do not reveal how many lines it has.
 */
void text_add_indented(struct text *text, const struct value *string, size_t indent);
/* Adds s as a secret, or as clear text if `secret` is null. */
void text_add_secret(struct text *text, sv s, const struct secret *secret);
/* Marks everything from offset `from` on as secret. Does nothing if `secret` is null. */
void text_mark_secret(struct text *text, size_t from, const struct secret *secret);
/* The same, as derived from the secret, which makes the whole string derived. */
void text_mark_derived(struct text *text, size_t from, const struct secret *secret);
/* Marks it with the first secret of a taint, as derived if that is. `taint` may be null. */
void text_mark_taint(struct text *text, size_t from, const struct taint *taint);

static inline sv text_sv(const struct text *text)
{
	return buf_sv(&text->buf);
}
/* Returns the taint so far, or null if all is clear. Valid until the next addition. */
const struct taint *text_taint(struct arena *arena, const struct text *text);
/* Returns the finished string value. */
struct value text_value(struct arena *arena, const struct text *text);

/*
 * Returns the string as Go's encoding/json stores it: each byte that is not UTF-8 becomes U+FFFD,
 * with the taint of that byte. A string that is UTF-8 is returned unchanged.
 */
struct value text_valid_utf8(struct arena *arena, const struct value *string);

#endif
