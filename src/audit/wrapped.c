/*
 * Checks a SealedSecret as far as this is possible without its controller's key: its members, its
 * scope, and that all its values are sealed. It does not show which key it was sealed to.
 */
#include "audit/internal.h"
#include "codec/codec.h"

/* Two bytes of length, a session key under RSA of 2048 bits at least, the tag of AES-GCM. */
enum { LEAST_BYTES = 2 + 256 + 16 };

#define SCOPE_PREFIX   "sealedsecrets.bitnami.com/"
#define NAMESPACE_WIDE SCOPE_PREFIX "namespace-wide"
#define CLUSTER_WIDE   SCOPE_PREFIX "cluster-wide"

static void find_help(const struct audit_file *file, struct diag *diag)
{
	diag_set_help(&file->findings->sink, diag, "restore the file that osm-gen wrote");
}

/* ---- members ----------------------------------------------------------------------------- */

/* The keys that maps of a SealedSecret may have. A template with data would be executed. */
static const struct {
	const char *path; /* empty for the document itself */
	const char *keys[5];
} known[] = {
    {"", {"apiVersion", "kind", "metadata", "spec"}},
    {"metadata", {"name", "namespace", "annotations"}},
    {"spec", {"encryptedData", "template"}},
    {"spec.template", {"metadata", "type"}},
    {"spec.template.metadata", {"name", "namespace", "labels", "annotations"}},
};

static bool is_known_member(size_t at, sv key)
{
	for (size_t i = 0; i < COUNT_OF(known[at].keys); i++)
		if (known[at].keys[i] && sv_eq_cstr(key, known[at].keys[i]))
			return true;
	return false;
}

static void check_members(const struct audit_file *file)
{
	for (size_t i = 0; i < COUNT_OF(known); i++) {
		const struct value *map =
		    *known[i].path ? value_path(file->document, known[i].path) : file->document;

		for (size_t j = 0; value_is_map(map) && j < value_count(map); j++) {
			sv key = map->map->entries[j].key;

			if (is_known_member(i, key))
				continue;
			find_help(
			    file,
			    audit_find(
			        file->findings, DIAG_AUDIT_SEALING, file->entry->path,
			        "%s%s%.*s does not belong into a SealedSecret that osm-gen writes",
			        known[i].path, *known[i].path ? "." : "",
			        SV_ARG(sv_slice(key, 0, 128))));
		}
	}
}

/* ---- values ------------------------------------------------------------------------------ */

static bool is_sealed_value(struct arena *arena, const struct value *v)
{
	size_t error_at;
	sv bytes;

	return value_is_string(v) &&
	       base64_decode(arena, BASE64_STD, v->string, &bytes, &error_at) &&
	       bytes.len >= LEAST_BYTES;
}

static void check_values(struct arena *arena, const struct audit_file *file)
{
	const struct value *sealed = value_path(file->document, "spec.encryptedData");

	for (size_t i = 0; value_is_map(sealed) && i < value_count(sealed); i++) {
		const struct value_entry *entry = &sealed->map->entries[i];

		if (!is_sealed_value(arena, &entry->value))
			find_help(file,
			          audit_find(file->findings, DIAG_AUDIT_SEALING, file->entry->path,
			                     "spec.encryptedData.%.*s should be sealed and is not",
			                     SV_ARG(sv_slice(entry->key, 0, 128))));
	}
	if (!value_is_map(sealed))
		find_help(file, audit_find(file->findings, DIAG_AUDIT_SEALING, file->entry->path,
		                           "the map spec.encryptedData is missing"));
}

/* ---- name and scope ---------------------------------------------------------------------- */

static void check_names(const struct audit_file *file)
{
	static const char *const names[] = {"name", "namespace"};
	const struct value *own = value_map_get(file->document, SV("metadata"));
	const struct value *made = value_path(file->document, "spec.template.metadata");

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		sv name = sv_from_cstr(names[i]);

		if (!sv_eq(value_text(value_map_get(own, name)),
		           value_text(value_map_get(made, name))))
			find_help(
			    file,
			    audit_find(file->findings, DIAG_AUDIT_OBJECT, file->entry->path,
			               "the Secret made of this SealedSecret would have another %s",
			               names[i]));
	}
}

enum seal_scope audit_scope_of(const struct value *annotations)
{
	if (!value_is_null(value_map_get(annotations, SV(CLUSTER_WIDE))))
		return SEAL_SCOPE_CLUSTER;
	return value_is_null(value_map_get(annotations, SV(NAMESPACE_WIDE))) ? SEAL_SCOPE_STRICT
	                                                                     : SEAL_SCOPE_NAMESPACE;
}

/* Checks that both places have the same scope, and that it is the one of the inputs. */
static void check_scope(const struct audit_file *file)
{
	const struct fleet_sealing *sealing = file->sealing;
	enum seal_scope own = audit_scope_of(value_path(file->document, "metadata.annotations"));
	enum seal_scope made =
	    audit_scope_of(value_path(file->document, "spec.template.metadata.annotations"));

	if (own != made)
		find_help(file,
		          audit_find(file->findings, DIAG_AUDIT_SEALING, file->entry->path,
		                     "the annotations mean %.*s, but those of the Secret mean %.*s",
		                     SV_ARG(seal_scope_name(own)), SV_ARG(seal_scope_name(made))));
	else if (sealing && sealing->format == sealer_format_of(file->document) &&
	         sealing->scope != own)
		find_help(file, audit_find(file->findings, DIAG_AUDIT_SEALING, file->entry->path,
		                           "the file's scope is %.*s, but the cluster's is %.*s",
		                           SV_ARG(seal_scope_name(own)),
		                           SV_ARG(seal_scope_name(sealing->scope))));
}

void audit_check_wrapped(struct arena *arena, const struct audit_file *file)
{
	check_members(file);
	check_values(arena, file);
	check_names(file);
	check_scope(file);
}
