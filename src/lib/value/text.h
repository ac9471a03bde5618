/*
 * text: a string value under construction. What is added keeps its taint, so that a rendered file
 * knows which of its bytes came from which secret (docs/spec/output.md 6).
 */
#ifndef OSM_GEN_VALUE_TEXT_H
#define OSM_GEN_VALUE_TEXT_H

#include "value/value.h"

struct text {
	struct buf buf;
	VEC(struct taint_span)
	spans; /* in order, not overlapping; neighbours of one secret are merged */
	const struct secret *derived; /* of the first derived part (struct taint); null: none */
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

/* Adds s with its taint (spans relative to s; null: clear). */
void text_add_tainted(struct text *text, sv s, const struct taint *taint);
/* Adds the text of a string value with its taint. */
void text_add_value(struct text *text, const struct value *string);
/*
 * The same, each line behind so many blanks. Those behind a line feed of a secret belong to it: how
 * many lines it has, its place must not tell.
 */
void text_add_indented(struct text *text, const struct value *string, size_t indent);
/* Adds s, all of it secret; clear when secret is null. */
void text_add_secret(struct text *text, sv s, const struct secret *secret);
/* Marks what was added since offset `from` as secret; no-op when secret is null. */
void text_mark_secret(struct text *text, size_t from, const struct secret *secret);
/* The same, as derived from it: the whole text then is. */
void text_mark_derived(struct text *text, size_t from, const struct secret *secret);
/* Marks it with the first secret of a taint (may be null), as derived where that is. */
void text_mark_taint(struct text *text, size_t from, const struct taint *taint);

static inline sv text_sv(const struct text *text)
{
	return buf_sv(&text->buf);
}
/* What was marked so far; null: nothing. Valid until the next add. */
const struct taint *text_taint(struct arena *arena, const struct text *text);
/* The finished string value. */
struct value text_value(struct arena *arena, const struct text *text);

/*
 * The string as Go's encoding/json stores it: each byte that is not UTF-8 is U+FFFD, and as secret
 * as the byte was. A string that is UTF-8 is returned as it is.
 */
struct value text_valid_utf8(struct arena *arena, const struct value *string);

#endif
