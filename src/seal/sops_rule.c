/*
 * Which values of a document SOPS seals: encrypted_regex and its siblings.
 */
#include "seal/sops_rule.h"

#include "codec/codec.h"
#include "golang/golang.h"
#include "seal/gcm.h"
#include "secrecy/secrecy.h"

/* "^(a|b)$" or "^a$" to "a|b"; false for any other expression. */
static bool names_of_expression(sv expression, sv *ret_names)
{
	sv names;

	if (!sv_starts_with(expression, SV("^")) || !sv_ends_with(expression, SV("$")) ||
	    expression.len < 3)
		return false;
	names = sv_slice(expression, 1, expression.len - 1);
	bool grouped = sv_starts_with(names, SV("(")) && sv_ends_with(names, SV(")"));

	if (grouped)
		names = sv_slice(names, 1, names.len - 1);
	for (size_t i = 0; i < names.len; i++) {
		char c = names.ptr[i];
		bool word = ascii_is_alphanumeric(c) || c == '_' || c == '-';

		/* Without the parentheses, ^a|b$ means something else. */
		if (!word && !(c == '|' && grouped))
			return false;
	}
	*ret_names = names;
	return names.len > 0;
}

static struct rule rule_of(sv name, sv text)
{
	sv names;

	if (sv_eq(name, SV("encrypted_suffix")))
		return (struct rule){RULE_ENCRYPTED_SUFFIX, text};
	if (sv_eq(name, SV("unencrypted_suffix")))
		return (struct rule){RULE_UNENCRYPTED_SUFFIX, text};
	if (sv_eq(name, SV("encrypted_regex")) && names_of_expression(text, &names))
		return (struct rule){RULE_ENCRYPTED_NAMES, names};
	if (sv_eq(name, SV("unencrypted_regex")) && names_of_expression(text, &names))
		return (struct rule){RULE_UNENCRYPTED_NAMES, names};
	return (struct rule){RULE_BY_LOOKS, text};
}

bool rule_read(const struct value *metadata, struct rule *ret_rule)
{
	static const sv names[] = {
	    SV_INIT("encrypted_suffix"),        SV_INIT("unencrypted_suffix"),
	    SV_INIT("encrypted_regex"),         SV_INIT("unencrypted_regex"),
	    SV_INIT("encrypted_comment_regex"), SV_INIT("unencrypted_comment_regex"),
	};
	struct rule rule = {RULE_UNENCRYPTED_SUFFIX, SV("_unencrypted")};
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		sv text = value_text(value_map_get(metadata, names[i]));

		if (text.len > 0) {
			rule = rule_of(names[i], text);
			count++;
		}
	}
	*ret_rule = rule;
	return count <= 1;
}

static bool rule_key_matches(const struct rule *rule, sv key)
{
	struct sv_splitter it = sv_split(rule->text, '|');
	sv name;

	switch (rule->kind) {
	case RULE_ENCRYPTED_SUFFIX:
	case RULE_UNENCRYPTED_SUFFIX:
		return sv_ends_with(key, rule->text);
	case RULE_ENCRYPTED_NAMES:
	case RULE_UNENCRYPTED_NAMES:
		while (sv_split_next(&it, &name))
			if (sv_eq(name, key))
				return true;
		return false;
	case RULE_BY_LOOKS:
		return false;
	}
	BUG("unknown rule");
}

bool rule_enter(const struct rule *rule, struct secrecy_place *place)
{
	if (!place->entry)
		return true;
	if (place->depth == 1 && sv_eq(place->entry->key, SV("sops")))
		return false;
	place->marked |= rule_key_matches(rule, place->entry->key);
	return true;
}

bool rule_seals(const struct rule *rule, bool key_matched, const struct value *leaf)
{
	switch (rule->kind) {
	case RULE_ENCRYPTED_SUFFIX:
	case RULE_ENCRYPTED_NAMES:
		return key_matched;
	case RULE_UNENCRYPTED_SUFFIX:
	case RULE_UNENCRYPTED_NAMES:
		return !key_matched;
	case RULE_BY_LOOKS:
		return gcm_is_sealed(value_text(leaf));
	}
	BUG("unknown rule");
}

/* The scalar as written, when it was plain on one line; else empty. */
static sv plain_text(const struct value *leaf)
{
	const struct origin *origin = &leaf->origin;

	if (!origin->source || origin->style != ORIGIN_EXACT)
		return (sv){0};
	return sv_slice(origin->source->text, origin->offset,
	                (size_t)origin->offset + origin->length);
}

/* YYYY-MM-DD, which yaml.v3 takes for a time. */
static bool is_date(sv text)
{
	if (text.len != 10)
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (i == 4 || i == 7 ? text.ptr[i] != '-' : !ascii_is_digit(text.ptr[i]))
			return false;
	return true;
}

sv mac_bytes(struct arena *arena, const struct value *leaf)
{
	struct buf real = buf_in(arena);
	sv plain = plain_text(leaf);

	if (value_is_null(leaf))
		return (sv){0};
	if (value_is_string(leaf))
		return is_date(plain) ? ARENA_CONCAT(arena, plain, SV("T00:00:00Z")) : leaf->string;
	if (value_is(leaf, KIND_BOOL)) {
		sv word = leaf->boolean ? SV("true") : SV("false");

		/* yes, on and y are text in YAML 1.2. */
		if (plain.len > 0 && !sv_eq_fold_ascii(plain, word))
			return plain;
		return leaf->boolean ? SV("True") : SV("False");
	}
	if (type_is_signed(leaf->type))
		return arena_printf(arena, "%lld", (long long)leaf->integer);
	if (type_is_unsigned(leaf->type))
		return arena_printf(arena, "%llu", (unsigned long long)leaf->unsigned_integer);
	go_format_float(&real, leaf->real, 'f', -1, 64);
	return buf_sv(&real);
}

void sops_digest_start(struct digest *digest, bool sealed_only)
{
	/* SHA-256 of "sops", put first so that the two ways of hashing never meet. */
	static const char mark[] =
	    "\x8a\x3f\xd2\xad\x54\xce\x66\x52\x7b\x10\x34\xf3\xd1\x47\xbe\x0b"
	    "\x0b\x97\x5b\x3b\xf4\x4f\x72\xc6\xfd\xad\xec\x81\x76\xf2\x7d\x69";

	digest_restart(digest);
	if (sealed_only)
		digest_add(digest, sv_from(mark, 32));
}
