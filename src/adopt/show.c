/*
 * Masks secrets in a line that is shown to people. Live values are not tainted, so a word is masked
 * if it is a known secret, if the other side is secret at that place, or if it looks like a secret.
 * In doubt it is masked.
 */
#include "adopt/internal.h"

#define LONGEST_LINE 160
#define MASK         SV("***")

enum { BASE64_WORD = 24 };

/* Replaces tainted parts by a mark. */
static sv masked_by_taint(struct arena *arena, const struct value *line)
{
	struct buf buf = buf_in(arena);
	size_t at = 0;

	if (!line->taint)
		return line->string;
	if (taint_derived_from(line->taint))
		return MASK;
	for (size_t i = 0; i < line->taint->count; i++) {
		const struct taint_span *span = &line->taint->spans[i];

		buf_add(&buf, sv_slice(line->string, at, span->start));
		buf_add(&buf, MASK);
		at = span->end;
	}
	buf_add(&buf, sv_from_offset(line->string, at));
	return buf_sv(&buf);
}

/* Hides the line from the first byte on that is secret in the other side's line. */
static sv hidden_like(struct arena *arena, sv line, const struct value *other)
{
	if (!other->taint)
		return line;
	if (taint_derived_from(other->taint))
		return MASK;
	size_t from = other->taint->spans[0].start;
	sv head = sv_slice(other->string, 0, from);
	return sv_starts_with(line, head) ? ARENA_CONCAT(arena, head, MASK) : MASK;
}

static bool is_base64(char c)
{
	return ascii_is_alphanumeric((uint8_t)c) || c == '+' || c == '/' || c == '=' || c == '-' ||
	       c == '_';
}

static bool has_digit_and_letters(sv word)
{
	bool digit = false;
	bool upper = false;
	bool lower = false;

	for (size_t i = 0; i < word.len; i++) {
		digit |= ascii_is_digit((uint8_t)word.ptr[i]);
		upper |= ascii_is_upper((uint8_t)word.ptr[i]);
		lower |= ascii_is_lower((uint8_t)word.ptr[i]);
	}
	return digit + upper + lower > 1;
}

/* Hides long random words: keys, tokens, whole files in base64. */
static sv without_random(struct arena *arena, sv line)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < line.len;) {
		size_t end = i;

		while (end < line.len && is_base64(line.ptr[end]))
			end++;
		sv word = sv_slice(line, i, end > i ? end : i + 1);
		bool is_random = word.len >= BASE64_WORD && has_digit_and_letters(word) &&
		                 sv_find_char(word, '/') == SV_NPOS;
		buf_add(&buf, is_random || secrecy_is_random(word) ? MASK : word);
		i += word.len;
	}
	return buf_sv(&buf);
}

sv adopt_show_line(const struct adopt_masks *masks, const struct value *line,
                   const struct value *other)
{
	struct arena *arena = masks->arena;
	sv text = masked_by_taint(arena, line);

	if (other)
		text = hidden_like(arena, text, other);
	text = secret_mask_apply(arena, masks->mask, text);
	if (!line->taint && (secrecy_manifest_mentions_credential(text) ||
	                     secrecy_may_hold_userinfo(text) || secrecy_holds_private_key(text)))
		text = MASK;
	text = without_random(arena, text);
	if (text.len <= LONGEST_LINE)
		return text;
	size_t end = LONGEST_LINE;
	while (end > 0 && ((uint8_t)text.ptr[end] & 0xc0) == 0x80)
		end--;
	return ARENA_CONCAT(arena, sv_slice(text, 0, end), SV("..."));
}

/* ---- masks ------------------------------------------------------------------------------- */

static void add_secret_texts(struct arena *arena, struct known_secrets *known,
                             const struct kube_object *secret)
{
	struct kube_keys keys = kube_secret_keys(arena, secret);
	struct sink ignored = sink_in(arena);
	struct value text;

	for (size_t i = 0; i < keys.count; i++)
		if (kube_secret_value(arena, &ignored, secret, keys.items[i], NOWHERE, &text) ==
		    STATUS_OK)
			known_secrets_add_data(known,
			                       kube_secret_name(arena, secret->id.namespace,
			                                        secret->id.name, keys.items[i]),
			                       keys.items[i], text.string);
}

const struct secret_mask *adopt_mask_new(struct arena *arena, const struct adopt_live *live,
                                         const struct known_secrets *known)
{
	struct known_secrets *all = known_secrets_new(arena, dialect_public_texts(arena));
	size_t count = 0;
	const struct secret *const *secrets = known ? known_secrets_items(known, &count) : NULL;

	for (size_t i = 0; i < count; i++)
		known_secrets_add(all, secrets[i]);
	VEC_EACH (object, &live->objects) {
		if (adopt_is_kind(*object, "Secret") &&
		    adopt_secret_role(*object) != DIALECT_SECRET_GENERATED)
			add_secret_texts(arena, all, *object);
		const struct dialect *dialect = adopt_kind_of(&(*object)->id).dialect;
		if (adopt_is_part(*object, DIALECT_LIVE_UNIT) && dialect->credentials) {
			struct value tainted = dialect->credentials(arena, *object);

			known_secrets_add_value(all, &tainted);
		}
	}
	secrets = known_secrets_items(all, &count);
	return secret_mask_new(arena, secrets, count);
}
