/*
 * The sealed JSON patch next to a redacted object: Flux decrypts it and puts the true strings back
 * when it builds the side (docs/spec/sealing.md 4.2).
 */
#include "tree/tree.h"

#include "json/json.h"

/* Flux does not know this ending, and so decrypts the file as a binary one of sops. */
#define PATCH_ENDING ".sealed"

sv tree_patch_path(struct arena *arena, sv object_path)
{
	BUG_ON(!sv_ends_with(object_path, SV(".yaml")));
	return ARENA_CONCAT(arena, sv_slice(object_path, 0, object_path.len - SV(".yaml").len),
	                    SV(PATCH_ENDING));
}

bool tree_is_patch_path(sv path)
{
	return sv_ends_with(path, SV(PATCH_ENDING));
}

struct patching {
	struct arena *arena; /* of the secret kind */
	const struct redaction *redaction;
	struct value operations;
};

/* Escapes "~" and "/" of a key (RFC 6901, 3). */
static void add_step(struct buf *pointer, sv key)
{
	buf_add_char(pointer, '/');
	for (size_t i = 0; i < key.len; i++) {
		if (key.ptr[i] == '~')
			BUF_ADD_LIT(pointer, "~0");
		else if (key.ptr[i] == '/')
			BUF_ADD_LIT(pointer, "~1");
		else
			buf_add_char(pointer, key.ptr[i]);
	}
}

static void add_operation(struct patching *p, const char *name, sv path, struct value value)
{
	struct value operation = value_map_new(p->arena);

	value_map_set(p->arena, &operation, SV("op"), value_string(sv_from_cstr(name)));
	value_map_set(p->arena, &operation, SV("path"), value_string(path));
	value_map_set(p->arena, &operation, SV("value"), value);
	value_list_add(p->arena, &p->operations, operation);
}

/* Turns an integer or boolean that was carried as a string back into one. */
static struct value true_value(const struct value *v)
{
	int64_t integer;

	if (v->type == &type_integer_string && sv_parse_int64(v->string, &integer))
		return value_int(integer);
	if (v->type == &type_boolean_string)
		return value_bool(sv_eq(v->string, SV("true")));
	return value_string(v->string);
}

/*
 * The "test" operation has the build fail if somebody changed the redacted string, which is what
 * people review.
 */
static void add_text_operations(struct patching *p, sv path, const struct value *v)
{
	struct buf redacted = buf_in(p->arena);

	secrecy_redact(&redacted, p->redaction, v);
	add_operation(p, "test", path, value_string(buf_sv(&redacted)));
	add_operation(p, "replace", path, true_value(v));
}

static void add_value_operations(struct patching *p, sv path, const struct value *v, unsigned depth)
{
	BUG_ON(depth > SECRECY_MAX_DEPTH);
	for (size_t i = 0; i < value_count(v); i++) {
		struct buf pointer = buf_in(p->arena);

		buf_add(&pointer, path);
		if (value_is_list(v)) {
			buf_printf(&pointer, "/%zu", i);
			add_value_operations(p, buf_sv(&pointer), value_item(v, i), depth + 1);
		} else {
			add_step(&pointer, v->map->entries[i].key);
			add_value_operations(p, buf_sv(&pointer), &v->map->entries[i].value,
			                     depth + 1);
		}
	}
	if (value_is_string(v) && taint_secret(v->taint))
		add_text_operations(p, path, v);
}

enum status tree_add_sealed_patch(struct arena *arena, struct sink *sink, struct buf *buf,
                                  const struct seal_root *root,
                                  const struct tree_seal_request *request, bool *ret_sealed)
{
	struct seal_fingerprint_key key = {root, request->cluster};
	struct redaction redaction = seal_redaction(&key);
	struct patching p = {arena, &redaction, value_list_new(arena)};
	const struct seal_request seal = {
	    .cluster = request->cluster,
	    .object = request->object,
	    .rule = seal_rule_secret,
	    .recipients = request->recipients,
	    .at = request->at,
	    .ret_ciphertexts = request->ret_ciphertexts,
	};
	struct buf text = buf_in(arena);

	add_value_operations(&p, SV(""), request->object, 0);
	*ret_sealed = value_count(&p.operations) > 0;
	if (!*ret_sealed)
		return STATUS_OK;
	/* kustomize compares bytes of JSON as Go's encoder writes it, with HTML's characters
	 * escaped. */
	json_emit(&text, &p.operations, JSON_ESCAPE_HTML);
	buf_add_repeat(&text, '\n',
	               tree_round_up(text.len, request->recipients->round_lengths) - text.len);
	return sealer_seal_bytes(sink, request->sealer, &seal, buf_sv(&text), buf);
}
