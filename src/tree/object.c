/*
 * One object's file: its path, its content (clear, redacted, sealed).
 */
#include "tree/tree.h"

#include "codec/codec.h"
#include "golang/golang.h"
#include "yaml/yaml.h"

sv tree_side_name(enum artifact_side side)
{
	switch (side) {
	case ARTIFACT_MANAGEMENT:
		return SV("management");
	case ARTIFACT_WORKER:
		return SV("worker");
	case ARTIFACT_STATUS:
		return SV("status");
	}
	BUG("side of an artifact");
}

bool tree_is_file_of_kind(sv name, sv kind)
{
	if (name.len <= kind.len || name.ptr[kind.len] != '-')
		return false;
	for (size_t i = 0; i < kind.len; i++)
		if (ascii_lower(name.ptr[i]) != ascii_lower(kind.ptr[i]))
			return false;
	return true;
}

bool tree_side_of(sv folder, sv path, enum artifact_side *ret_side)
{
	static const enum artifact_side sides[] = {ARTIFACT_MANAGEMENT, ARTIFACT_WORKER,
	                                           ARTIFACT_STATUS};
	sv rest = sv_from_offset(path, folder.len + 1);

	for (size_t i = 0; i < COUNT_OF(sides); i++) {
		sv name = tree_side_name(sides[i]);

		if (!sv_starts_with(rest, name) || rest.len == name.len ||
		    rest.ptr[name.len] != '/')
			continue;
		*ret_side = sides[i];
		return true;
	}
	return false;
}

sv tree_side_path(struct arena *arena, sv folder, enum artifact_side side)
{
	return ARENA_CONCAT(arena, folder, SV("/"), tree_side_name(side));
}

const struct kube_id *tree_patch_of(struct arena *arena, const struct kube_id *id)
{
	struct kube_id *copy;

	if (sv_empty(id->kind))
		return NULL;
	copy = ARENA_NEW(arena, struct kube_id);
	*copy = *id;
	return copy;
}

struct kube_id tree_patched(const struct tree_file *file)
{
	return file->patch_of ? *file->patch_of : (struct kube_id){0};
}

sv tree_object_path(struct arena *arena, sv folder, enum artifact_side side,
                    const struct kube_id *id)
{
	return tree_object_path_in(arena, tree_side_path(arena, folder, side), id);
}

sv tree_object_path_in(struct arena *arena, sv folder, const struct kube_id *id)
{
	struct buf path = buf_with_room(arena, folder.len + id->namespace.len + id->kind.len +
	                                           id->name.len + strlen("//-.yaml"));

	buf_add(&path, folder);
	buf_add_char(&path, '/');
	buf_add(&path, id->namespace);
	if (!sv_empty(id->namespace))
		buf_add_char(&path, '/');
	for (size_t i = 0; i < id->kind.len; i++)
		buf_add_char(&path, ascii_lower(id->kind.ptr[i]));
	buf_add_char(&path, '-');
	/* RBAC names such as "system:bootstrap..." hold colons, which not every file system takes.
	 */
	for (size_t i = 0; i < id->name.len; i++)
		buf_add_char(&path, id->name.ptr[i] == ':' || id->name.ptr[i] == '/'
		                        ? '-'
		                        : id->name.ptr[i]);
	BUF_ADD_LIT(&path, ".yaml");
	return buf_sv(&path);
}

/* Quotes a path that holds line breaks or bytes that are not UTF-8; returns others unchanged. */
static sv source_in_comment(struct arena *arena, sv source)
{
	sv quoted = go_strconv_quote(arena, source);
	bool is_plain = quoted.len == source.len + 2;

	return is_plain ? source : quoted;
}

sv tree_first_line(struct arena *arena, sv source)
{
	return ARENA_CONCAT(arena, SV(TREE_HEADER " from "), source_in_comment(arena, source),
	                    SV("; do not edit."));
}

static void add_header(struct buf *buf, sv source)
{
	buf_add(buf, tree_first_line(buf->arena, source));
	buf_add_char(buf, '\n');
}

void tree_add_clear_object(struct arena *arena, struct buf *buf, const struct seal_root *root,
                           sv cluster, sv source, const struct value *object)
{
	struct seal_fingerprint_key key = {root, cluster};
	struct redaction redaction = seal_redaction(&key);
	struct value redacted = secrecy_redact_all(arena, &redaction, object);

	add_header(buf, source);
	yml_emit(buf, &redacted, (struct yml_format){0});
}

sv tree_object_spec(sv text)
{
	size_t at = yml_member_offset(text, SV("spec"));

	return at == SV_NPOS ? text : sv_from_offset(text, at);
}

static enum status add_sealed(struct arena *arena, struct sink *sink, struct buf *buf,
                              const struct tree_seal_request *request, struct seal_rule rule)
{
	struct seal_request seal = {
	    .cluster = request->cluster,
	    .object = request->object,
	    .rule = rule,
	    .recipients = request->recipients,
	    .first_line = tree_first_line(arena, request->source),
	    .at = request->at,
	    .ret_ciphertexts = request->ret_ciphertexts,
	};

	return sealer_seal(sink, request->sealer, &seal, buf);
}

size_t tree_round_up(size_t size, size_t multiple)
{
	return multiple > 1 ? (size + multiple - 1) / multiple * multiple : size;
}

static void add_rounded(struct arena *arena, struct value *data, const struct value *values,
                        bool is_base64, size_t multiple)
{
	for (size_t i = 0; value_is_map(values) && i < value_count(values); i++) {
		const struct value_entry *entry = &values->map->entries[i];
		struct buf text = buf_in(arena);
		struct value v = entry->value;

		if (is_base64)
			buf_add(&text, value_text(&v));
		else
			base64_add(&text, BASE64_STD, value_text(&v));
		buf_add_repeat(&text, '\n', tree_round_up(text.len, multiple) - text.len);
		v.string = buf_sv(&text);
		const struct secret *secret = secrecy_find(&entry->value);
		v.taint = secret ? taint_whole(arena, text.len, secret) : NULL;
		value_map_set(arena, data, entry->key, v);
	}
}

/* Returns the Secret with all values in `data`, each padded to a multiple in length. */
static struct value rounded_secret(struct arena *arena, const struct value *object, size_t multiple)
{
	struct value rounded = value_map_new(arena);
	struct value data = value_map_new(arena);

	for (size_t i = 0; i < value_count(object); i++) {
		const struct value_entry *entry = &object->map->entries[i];
		bool is_text = sv_eq(entry->key, SV("stringData"));

		if (!is_text && !sv_eq(entry->key, SV("data"))) {
			value_map_set(arena, &rounded, entry->key, entry->value);
			continue;
		}
		add_rounded(arena, &data, &entry->value, !is_text, multiple);
		value_map_set(arena, &rounded, SV("data"), data);
	}
	return rounded;
}

/* ---- text as stringData ------------------------------------------------------------------- */

/* Moves the text among the base64 values of `data` to `texts`, and other values to `rest`. */
static void divide(struct arena *arena, const struct value *data, struct value *texts,
                   struct value *rest)
{
	for (size_t i = 0; value_is_map(data) && i < value_count(data); i++) {
		const struct value_entry *entry = &data->map->entries[i];
		size_t error_at;
		sv decoded;

		if (!base64_decode(arena, BASE64_STD, value_text(&entry->value), &decoded,
		                   &error_at) ||
		    !seal_takes_text(decoded)) {
			value_map_set(arena, rest, entry->key, entry->value);
			continue;
		}
		struct value text = value_string(decoded);
		const struct secret *secret = secrecy_find(&entry->value);
		text.taint = secret ? taint_whole(arena, decoded.len, secret) : NULL;
		value_map_set(arena, texts, entry->key, text);
	}
}

/* Returns the Secret with its text in `stringData`, which comes after `data`. */
static struct value readable_secret(struct arena *arena, const struct value *object)
{
	struct value readable = value_map_new(arena);
	struct value texts = value_map_new(arena);
	struct value rest = value_map_new(arena);

	BUG_ON(value_map_get(object, SV("stringData")));
	divide(arena, value_map_get(object, SV("data")), &texts, &rest);
	for (size_t i = 0; i < value_count(object); i++) {
		const struct value_entry *entry = &object->map->entries[i];

		if (!sv_eq(entry->key, SV("data"))) {
			value_map_set(arena, &readable, entry->key, entry->value);
			continue;
		}
		if (value_count(&rest) > 0 || value_count(&texts) == 0)
			value_map_set(arena, &readable, entry->key, rest);
		if (value_count(&texts) > 0)
			value_map_set(arena, &readable, SV("stringData"), texts);
	}
	return readable;
}

bool tree_has_string_data(sv text)
{
	return yml_member_offset(text, SV("stringData")) != SV_NPOS;
}

enum status tree_add_sealed_secret(struct arena *arena, struct sink *sink, struct buf *buf,
                                   const struct tree_seal_request *request)
{
	size_t multiple = request->recipients->round_lengths;
	struct tree_seal_request changed = *request;
	struct value object;

	if (multiple > 1) {
		object = rounded_secret(arena, request->object, multiple);
		changed.object = &object;
	} else if (request->uses_string_data) {
		object = readable_secret(arena, request->object);
		changed.object = &object;
	}
	return add_sealed(arena, sink, buf, &changed, seal_rule_secret);
}

/* Collects the nearest map key above each secret string. */
static bool add_key(void *context, const struct secrecy_place *place,
                    const struct secret *secret UNUSED)
{
	struct set *keys = context;

	if (value_is_string(place->value))
		set_add(keys, secrecy_key(place));
	return true;
}

enum status tree_add_sealed_object(struct arena *arena, struct sink *sink, struct buf *buf,
                                   const struct tree_seal_request *request, bool *ret_sealed)
{
	struct set keys = set_in(arena);

	secrecy_each(request->object, add_key, &keys);
	if (set_count(&keys) == 0) {
		add_header(buf, request->source);
		yml_emit(buf, request->object, (struct yml_format){0});
		*ret_sealed = false;
		return STATUS_OK;
	}
	sv *sorted = ARENA_ARRAY(arena, sv, set_count(&keys));
	for (size_t i = 0; i < set_count(&keys); i++)
		sorted[i] = set_item(&keys, i);
	sort_stable(sorted, set_count(&keys), sizeof(*sorted), sort_compare_sv, NULL);
	*ret_sealed = true;
	return add_sealed(arena, sink, buf, request, (struct seal_rule){sorted, set_count(&keys)});
}
