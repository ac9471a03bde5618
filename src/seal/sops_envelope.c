/*
 * Facts that a SOPS file shows without being decrypted: its recipients, and marks by which a copy
 * of it is recognised.
 */
#include "codec/codec.h"
#include "seal/age.h"
#include "seal/gcm.h"
#include "seal/sops.h"

struct envelope {
	struct arena *arena;
	struct seal_texts *texts;
};

/* True for the string value of this key, at any depth. */
static bool is_named(const struct secrecy_place *place, const char *key)
{
	return place->entry && sv_eq_cstr(place->entry->key, key) && value_is_string(place->value);
}

static enum secrecy_step take_recipient(void *context, struct secrecy_place *place)
{
	struct envelope *envelope = context;

	if (is_named(place, "recipient"))
		VEC_PUSH(envelope->arena, envelope->texts, sv_trim_space(place->value->string));
	return SECRECY_INTO;
}

void sops_list_recipients(struct arena *arena, const struct value *document,
                          struct seal_texts *recipients)
{
	struct envelope envelope = {arena, recipients};
	const struct value *metadata = value_map_get(document, SV("sops"));
	struct sops_keys keys = {0};

	secrecy_visit(metadata, take_recipient, &envelope);
	sops_list_keys(arena, metadata, &keys);
	VEC_EACH (key, &keys)
		if (key->type != SOPS_AGE)
			VEC_PUSH(arena, recipients, key->name);
}

/* Returns the decoded base64 between the label and a comma; base64 can be written in several ways.
 */
static sv field_bytes(struct arena *arena, sv text, sv label)
{
	size_t at = sv_find(text, label);
	size_t error_at;
	sv bytes;

	if (at == SV_NPOS)
		return SV("");
	sv field = sv_from_offset(text, at + label.len);
	field = sv_slice(field, 0, sv_find_char(field, ','));
	return base64_decode(arena, BASE64_STD, field, &bytes, &error_at) ? bytes : field;
}

/* IV and tag of a sealed value. */
static enum secrecy_step take_value(void *context, struct secrecy_place *place)
{
	struct envelope *envelope = context;
	struct arena *arena = envelope->arena;
	sv text = value_text(place->value);

	/* A copied MAC without values is worth nothing. */
	if (place->depth == 1 && place->entry && sv_eq_cstr(place->entry->key, "sops"))
		return SECRECY_OVER;
	if (gcm_is_sealed(text))
		VEC_PUSH(arena, envelope->texts,
		         ARENA_CONCAT(arena, field_bytes(arena, text, SV(",iv:")),
		                      field_bytes(arena, text, SV(",tag:"))));
	return SECRECY_INTO;
}

/* The whole of a wrapped data key. */
static enum secrecy_step take_wrapped_key(void *context, struct secrecy_place *place)
{
	struct envelope *envelope = context;
	sv text = value_text(place->value);
	sv file;

	if (is_named(place, "enc"))
		VEC_PUSH(envelope->arena, envelope->texts,
		         age_armor_decode(envelope->arena, text, &file) ? file
		                                                        : sv_trim_space(text));
	return SECRECY_INTO;
}

void sops_list_marks(struct arena *arena, const struct value *document, struct seal_texts *marks)
{
	struct envelope envelope = {arena, marks};

	secrecy_visit(document, take_value, &envelope);
	secrecy_visit(value_map_get(document, SV("sops")), take_wrapped_key, &envelope);
}

bool seal_covers_clear_values(const struct value *document)
{
	const struct value *only = value_path(document, "sops.mac_only_encrypted");

	return value_is_map(value_map_get(document, SV("sops"))) &&
	       !(value_is(only, KIND_BOOL) && only->boolean);
}

sv seal_sealed_type(sv text)
{
	size_t at = sv_find(text, SV(",type:"));

	return at == SV_NPOS ? SV("")
	                     : sv_trim_right(sv_from_offset(text, at + strlen(",type:")), "]");
}
