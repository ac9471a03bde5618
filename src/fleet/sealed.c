/*
 * Encrypted inputs: which of them are decrypted, and for which cluster (docs/security.md, "Confused
 * deputies"). CI holds the keys of all clusters. Somebody who may write to one cluster's folder
 * could copy another cluster's encrypted file into it, and have CI decrypt it there.
 */
#include "fleet/internal.h"
#include "secrecy/secrecy.h"

/* ---- placeholders --------------------------------------------------------------------------- */

struct value fleet_placeholder(struct arena *arena, const struct value *sealed, sv name, sv member)
{
	sv type = seal_sealed_type(sealed->string);
	struct value v =
	    secrecy_absent(arena, name, (struct secret_owner){SECRET_OWNER_MEMBER, .name = member});
	const struct secret *secret = taint_secret(v.taint);

	/* 0 also stands for a number with a fraction: members that take one take whole numbers,
	 * too. */
	if (sv_eq(type, SV("int")) || sv_eq(type, SV("float"))) {
		v = value_int(0);
		v.type = &type_int64;
		v.taint = taint_whole(arena, 1, secret);
	} else if (sv_eq(type, SV("bool"))) {
		v = value_bool(false);
		v.taint = taint_whole(arena, 1, secret);
	}
	v.origin = sealed->origin;
	return v;
}

/* ---- copies ------------------------------------------------------------------------------ */

/* An encrypted value that was found in a scope. */
struct sealed_copy {
	const struct fleet_file *file;
	size_t scope;
	bool wanted;
};

static void report_copy(struct sink *sink, const struct fleet_file *file,
                        const struct fleet_file *other)
{
	struct diag *diag =
	    diag_report(sink, DIAG_FLEET_SEALED_COPY, position_of_source(file->source),
	                "this file has the encrypted values of %.*s, which is in another scope",
	                SV_ARG(other->source->path));

	diag_add_note(sink, diag, position_of_source(other->source), "here");
	diag_set_help(
	    sink, diag,
	    "encrypt the clear text anew for each cluster, or keep one file outside of all "
	    "clusters' folders; if nobody meant to copy the file, treat the commit as an attack");
}

/* Returns false if it is a copy of a value in another scope, and one of the two is wanted. */
static bool add_copy(struct arena *arena, struct sink *sink, struct map *seen, sv mark,
                     const struct sealed_copy *now)
{
	struct sealed_copy *before = map_get(seen, mark);

	if (!before) {
		before = ARENA_NEW(arena, struct sealed_copy);
		*before = *now;
		map_put(seen, mark, before);
	} else if (before->scope == now->scope) {
		before->wanted |= now->wanted;
	} else if (before->wanted || now->wanted) {
		report_copy(sink, now->file, before->file);
		return false;
	}
	return true;
}

bool fleet_check_copies(struct arena *arena, struct sink *sink, const struct fleet_files *files,
                        const struct fleet_scopes *scopes, const bool *wanted)
{
	struct map seen = map_in(arena);
	bool all_fine = true;

	/* Wanted files first, so that the order of files does not matter. */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < files->count; i++) {
			const struct fleet_file *file = files->items[i];
			const struct sealed_copy now = {file, fleet_sealed_scope(scopes, file),
			                                wanted[i]};
			struct seal_texts marks = {0};
			bool fine = true;

			if ((pass == 0) != wanted[i])
				continue;
			for (size_t j = 0; j < file->sealed_count; j++)
				seal_list_marks(arena, &file->sealed[j], &marks);
			for (size_t j = 0; fine && j < marks.count; j++)
				fine = add_copy(arena, sink, &seen, marks.items[j], &now);
			all_fine &= fine;
		}
	return all_fine;
}

/* ---- sealing.inputs ---------------------------------------------------------------------- */

struct fleet_inputs {
	const struct fleet_draft *draft;
	struct seal_texts *lists; /* for each cluster; with an empty one nothing is decrypted */
};

static void report_setting(struct sink *sink, struct position at, const char *what, sv name)
{
	struct diag *diag =
	    diag_report(sink, DIAG_FLEET_SEALING, at, "%s \"%.*s\"", what, SV_ARG(name));

	diag_set_help(
	    sink, diag,
	    "write sealing.inputs as {CLUSTER: [age1..., ...]}, with the clusters of this "
	    "repository");
}

static void read_list(struct arena *arena, struct sink *sink, const struct value_entry *entry,
                      struct seal_texts *list)
{
	for (size_t i = 0; value_is_list(&entry->value) && i < value_count(&entry->value); i++) {
		const struct value *item = value_item(&entry->value, i);

		if (sv_empty(value_text(item)))
			report_setting(sink, value_position(item),
			               "a recipient must be a string in sealing.inputs of",
			               entry->key);
		else
			VEC_PUSH(arena, list, item->string);
	}
	if (!value_is_list(&entry->value))
		report_setting(sink, value_position(&entry->value),
		               "a list of recipients is missing in sealing.inputs of", entry->key);
}

const struct fleet_inputs *fleet_inputs_new(struct arena *arena, struct sink *sink,
                                            const struct fleet_draft *draft)
{
	const struct value *given = draft->sealing.inputs;
	struct fleet_inputs *inputs = ARENA_NEW(arena, struct fleet_inputs);
	struct map numbers = map_in(arena);

	if (!given)
		return NULL;
	*inputs = (struct fleet_inputs){
	    draft, ARENA_ARRAY(arena, struct seal_texts, draft->clusters.count)};
	for (size_t i = draft->clusters.count; i-- > 0;)
		map_put(&numbers, draft->clusters.items[i].name, (void *)(uintptr_t)(i + 1));
	for (size_t i = 0; i < value_count(given); i++) {
		const struct value_entry *entry = &given->map->entries[i];
		size_t cluster = (size_t)(uintptr_t)map_get(&numbers, entry->key);

		if (cluster-- == 0)
			report_setting(sink, origin_position(entry->key_origin),
			               "sealing.inputs names a cluster that does not exist,",
			               entry->key);
		else
			read_list(arena, sink, entry, &inputs->lists[cluster]);
	}
	return inputs;
}

static bool is_listed(const struct seal_texts *list, const struct seal_texts *recipients)
{
	VEC_EACH (recipient, recipients)
		VEC_EACH (allowed, list)
			if (sv_eq(*recipient, *allowed))
				return true;
	return false;
}

static void refuse_sealed(struct sink *sink, const struct fleet_inputs *inputs,
                          const struct fleet_file *file, size_t cluster, const char *why)
{
	sv name = inputs->draft->clusters.items[cluster].name;
	struct diag *diag =
	    diag_report(sink, DIAG_FLEET_SEALED_INPUT, position_of_source(file->source),
	                "this file may not be decrypted for cluster %.*s: %s", SV_ARG(name), why);

	diag_set_help(
	    sink, diag,
	    "encrypt it to a recipient that sealing.inputs lists for %.*s, and give CI that "
	    "recipient's identity; a file outside of all clusters' folders is opened for "
	    "every cluster",
	    SV_ARG(name));
}

/* Returns the clusters that a file is decrypted for: [*ret_first, *ret_end). */
static void clusters_of(const struct fleet_inputs *inputs, size_t scope, size_t *ret_first,
                        size_t *ret_end)
{
	bool is_shared = scope == FLEET_NO_CLUSTER;

	*ret_first = is_shared ? 0 : scope;
	*ret_end = is_shared ? inputs->draft->clusters.count : scope + 1;
}

bool fleet_input_is_allowed(struct arena *arena, struct sink *sink,
                            const struct fleet_inputs *inputs, const struct fleet_file *file,
                            size_t scope)
{
	bool allowed = true;
	size_t cluster;
	size_t end;

	if (!inputs)
		return true;
	for (clusters_of(inputs, scope, &cluster, &end); cluster < end; cluster++)
		for (size_t i = 0; i < file->sealed_count; i++) {
			struct seal_texts recipients = {0};

			seal_list_recipients(arena, &file->sealed[i], &recipients);
			if (is_listed(&inputs->lists[cluster], &recipients))
				continue;
			refuse_sealed(sink, inputs, file, cluster,
			              "it is not encrypted to any of the cluster's recipients in "
			              "sealing.inputs");
			allowed = false;
		}
	return allowed;
}

/* Decrypts with the allowed keys only, since the list of recipients in a file may be forged. */
enum status fleet_input_open(struct arena *secret_arena, struct sink *sink,
                             const struct fleet_input *input, fleet_opener *opener, void *context)
{
	const struct fleet_inputs *inputs = input->inputs;
	const struct fleet_file *file = input->file;
	size_t cluster;
	size_t end;

	if (!inputs)
		return opener(secret_arena, sink, input->identities, file, context);
	for (clusters_of(inputs, input->scope, &cluster, &end); cluster < end; cluster++) {
		SEAL_IDENTITIES_AUTO some =
		    seal_identities_of(secret_arena, input->identities, &inputs->lists[cluster]);
		struct sink own = sink_in(secret_arena);
		bool is_key = false;

		if (opener(secret_arena, &own, some, file, context) == STATUS_OK)
			continue;
		VEC_EACH (diag, &own.diags)
			is_key |= (*diag)->code == DIAG_SOPS_KEY;
		if (is_key)
			refuse_sealed(
			    sink, inputs, file, cluster,
			    "none of the given identities that belong to its recipients in "
			    "sealing.inputs decrypts the file");
		else
			sink_merge(sink, &own);
		return STATUS_FAILED;
	}
	return STATUS_OK;
}
