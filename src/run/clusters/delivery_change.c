/*
 * Compares the objects of the applier with those of the previous output. They decide from where, to
 * which cluster and with which key everything is applied, and no unit shows a change of them.
 */
#include "run/clusters/completion.h"
#include "yaml/yaml.h"

#include <inttypes.h>

enum { FIELDS_MAX = 8, DEPTH_MAX = 16, VALUE_MAX = 60, OBJECT_MAX_BYTES = 1024 * 1024 };

struct comparison {
	struct run_completion *c;
	sv name; /* "Kustomization beta-worker" */
	size_t count;
};

/* Returns a scalar as people write it, or an empty string for one that is long, or a collection. */
static sv shown(struct arena *arena, const struct value *v)
{
	if (!v || value_is_null(v))
		return SV("none");
	if (value_is_string(v))
		return v->string.len <= VALUE_MAX && sv_find_char(v->string, '\n') == SV_NPOS
		           ? v->string
		           : SV("");
	if (value_is(v, KIND_BOOL))
		return v->boolean ? SV("true") : SV("false");
	return value_is(v, KIND_INT64) ? arena_printf(arena, "%" PRId64, v->integer) : SV("");
}

static bool is_word_at(sv text, size_t at)
{
	return at < text.len && ascii_is_alphanumeric((unsigned char)text.ptr[at]);
}

/* Puts "<cluster>" in place of the cluster's name, so that equal changes of many are one. */
static sv without_name(struct arena *arena, sv text, sv cluster)
{
	struct buf buf = buf_in(arena);

	for (size_t at = 0; at < text.len;) {
		bool is_name = sv_starts_with(sv_from_offset(text, at), cluster) &&
		               (at == 0 || !is_word_at(text, at - 1)) &&
		               !is_word_at(text, at + cluster.len);

		buf_add(&buf, is_name ? SV("<cluster>") : sv_slice(text, at, at + 1));
		at += is_name ? cluster.len : 1;
	}
	return buf_sv(&buf);
}

static void add_changed_field(struct comparison *k, sv path, const struct value *before,
                              const struct value *after)
{
	struct arena *arena = k->c->env->arena;
	sv was = shown(arena, before);
	sv is = shown(arena, after);
	struct run_delivery_change change = {.cluster = k->c->cluster->fleet->name};

	if (k->count++ >= FIELDS_MAX)
		return;
	if (sv_empty(was) || sv_empty(is))
		change.text = ARENA_CONCAT(arena, path, SV(" changed in "), k->name);
	else
		change.text =
		    ARENA_CONCAT(arena, path, SV(" "), was, SV(" -> "), is, SV(" in "), k->name);
	change.text = without_name(arena, change.text, change.cluster);
	VEC_PUSH(arena, &k->c->rendered->delivery, change);
}

/*
 * Without the seed it is not known of every file if it is sealed. A Kustomization decrypts only
 * for sealed files, and waits for them unless a setting decides it. An ApplicationSet never does.
 */
static bool is_left_out(const struct comparison *k, sv path, const struct value *before,
                        const struct value *after)
{
	if (!k->c->without_seed)
		return false;
	if (sv_eq(path, SV("spec.decryption")))
		return !before || !after;
	return sv_eq(path, SV("spec.wait")) && !k->c->cluster->fleet->delivery.wait;
}

static void compare_values(struct comparison *k, sv path, const struct value *before,
                           const struct value *after, unsigned depth)
{
	struct arena *arena = k->c->env->arena;

	if ((before && after && value_equal(before, after)) || is_left_out(k, path, before, after))
		return;
	if (before && after && depth < DEPTH_MAX && value_is_map(before) && value_is_map(after)) {
		for (size_t i = 0; i < value_count(after); i++) {
			const struct value_entry *entry = &after->map->entries[i];

			compare_values(k, ARENA_CONCAT(arena, path, SV("."), entry->key),
			               value_map_get(before, entry->key), &entry->value, depth + 1);
		}
		for (size_t i = 0; i < value_count(before); i++) {
			const struct value_entry *entry = &before->map->entries[i];

			if (!value_map_get(after, entry->key))
				compare_values(k, ARENA_CONCAT(arena, path, SV("."), entry->key),
				               &entry->value, NULL, depth + 1);
		}
	} else if (depth < DEPTH_MAX && value_is_list(before) && value_is_list(after) &&
	           value_count(before) == value_count(after)) {
		for (size_t i = 0; i < value_count(after); i++)
			compare_values(k, arena_printf(arena, "%.*s[%zu]", SV_ARG(path), i),
			               value_item(before, i), value_item(after, i), depth + 1);
	} else {
		add_changed_field(k, path, before, after);
	}
}

/*
 * Returns the object's file in the previous output, or null if it has none. The path may be another
 * one.
 */
static const struct git_file *find_file_before(const struct run_completion *c,
                                               const struct kube_id *id)
{
	const struct tree_index *index =
	    c->previous ? map_get(&c->previous->indexes, c->cluster->fleet->name) : NULL;

	for (size_t i = 0; index && i < index->file_count; i++) {
		const struct tree_file *file = &index->files[i];

		if (file->is_delivery && sv_eq(file->object.kind, id->kind) &&
		    sv_eq(file->object.name, id->name))
			return git_output_find(c->writer->output, file->path);
	}
	return NULL;
}

enum status run_compare_delivery(struct run_completion *c, const struct value *object)
{
	const struct kube_id id = kube_id_of(object);
	const struct git_file *file = find_file_before(c, &id);
	struct comparison k = {.c = c,
	                       .name = ARENA_CONCAT(c->env->arena, id.kind, SV(" "), id.name)};
	sv text;

	if (!file)
		return STATUS_OK;
	if (git_output_read(c->env->scratch, c->env->sink, c->writer->output, file,
	                    OBJECT_MAX_BYTES, &text) != STATUS_OK)
		return STATUS_FAILED;
	const struct value *before = yml_parse_one(c->env->scratch, SV("output"), text, false);
	if (!before)
		return STATUS_OK;
	compare_values(&k, SV("metadata"), value_map_get(before, SV("metadata")),
	               value_map_get(object, SV("metadata")), 0);
	compare_values(&k, SV("spec"), value_map_get(before, SV("spec")),
	               value_map_get(object, SV("spec")), 0);
	if (k.count > FIELDS_MAX)
		VEC_PUSH(c->env->arena, &c->rendered->delivery,
		         ((struct run_delivery_change){
		             c->cluster->fleet->name,
		             arena_printf(c->env->arena, "%zu more fields changed in %.*s",
		                          k.count - FIELDS_MAX, SV_ARG(k.name))}));
	return STATUS_OK;
}
