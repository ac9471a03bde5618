/*
 * One sealed file: it opens, its MAC holds, it is for those whom the index names, and sealing what
 * it holds gives the same bytes again.
 */
#include "audit/internal.h"

struct opening {
	struct arena *arena;        /* plain */
	struct arena *secret_arena; /* of this file */
	const struct audit_request *request;
	const struct audit_file *file;
	struct sealer *sealer; /* null without a seed */
	struct audit_result *result;
};

/* ---- recipients --------------------------------------------------------------------------- */

/* Lists the recipients of a SOPS file in the form of an index, sorted. False for other files. */
static bool list_recipients(struct arena *arena, const struct value *document, sv **ret_items,
                            size_t *ret_count)
{
	const struct value *list = value_path(document, "sops.age");
	size_t count = value_is_list(list) ? value_count(list) : 0;
	const struct value *only = value_path(document, "sops.mac_only_encrypted");
	bool is_mac_only = value_is(only, KIND_BOOL) && only->boolean;
	sv *items = ARENA_ARRAY(arena, sv, count);

	for (size_t i = 0; i < count; i++) {
		items[i] = value_text(value_map_get(value_item(list, i), SV("recipient")));
		if (is_mac_only)
			items[i] = ARENA_CONCAT(arena, items[i], SV(" " SEAL_LISTED_MAC_ONLY));
	}
	sort_stable(items, count, sizeof(*items), sort_compare_sv, NULL);
	*ret_items = items;
	*ret_count = count;
	return count > 0;
}

/* Keys of other kinds would decrypt the file as well. */
static bool has_other_keys(const struct value *document)
{
	static const char *const names[] = {"sops.pgp",       "sops.kms",      "sops.gcp_kms",
	                                    "sops.azure_kv",  "sops.hc_vault", "sops.hckms",
	                                    "sops.key_groups"};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (value_count(value_path(document, names[i])) > 0)
			return true;
	return false;
}

static bool is_in(sv text, const sv *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (sv_eq(text, items[i]))
			return true;
	return false;
}

static void check_recipients(const struct opening *o, const sv *items, size_t count)
{
	const struct audit_file *file = o->file;
	const struct tree_index *index = file->index;

	for (size_t i = 0; i < count; i++)
		if (!is_in(items[i], index->recipients, index->recipient_count))
			audit_find(file->findings, DIAG_AUDIT_RECIPIENTS, file->entry->path,
			           "sealed for %.*s, which the index does not list",
			           SV_ARG(sv_slice(items[i], 0, 128)));
	for (size_t i = 0; i < index->recipient_count; i++)
		if (!is_in(index->recipients[i], items, count))
			audit_find(file->findings, DIAG_AUDIT_RECIPIENTS, file->entry->path,
			           "not sealed for %.*s, which the index lists",
			           SV_ARG(sv_slice(index->recipients[i], 0, 128)));
	if (has_other_keys(file->document))
		audit_find(file->findings, DIAG_AUDIT_RECIPIENTS, file->entry->path,
		           "also sealed with keys that are not age recipients");
}

/* ---- opened ------------------------------------------------------------------------------- */

/*
 * Returns true if the file is damaged, and not only sealed to a key that was not given. A key that
 * opens other files of the cluster and not this one shows that.
 */
static bool is_damaged(const struct opening *o, enum diag_code code)
{
	if (code == DIAG_SEALED_SECRET_KEY)
		return audit_has_key_of(o->secret_arena, o->file, o->sealer,
		                        o->request->identities);
	return code != DIAG_SOPS_KEY;
}

static bool open_file(const struct opening *o, struct value *ret_opened)
{
	struct sink sink = sink_in(o->secret_arena);
	const struct audit_file *file = o->file;

	if (seal_open(o->secret_arena, &sink, file->document, 1, o->request->identities,
	              ret_opened) == STATUS_OK)
		return true;
	const struct diag *first = sink.diags.items[0];
	if (!is_damaged(o, first->code)) {
		audit_note(o->arena, &file->findings->undecided,
		           "%.*s: none of the %s decrypts the file", SV_ARG(file->entry->path),
		           first->code == DIAG_SOPS_KEY ? "identities" : "private keys");
		return false;
	}
	struct diag *diag = audit_find(file->findings, DIAG_AUDIT_SEALING, file->entry->path,
	                               "%.*s", SV_ARG(first->text));
	diag_set_help(&file->findings->sink, diag,
	              "somebody changed a value, or moved one here from another object or file: "
	              "restore the file that osm-gen wrote");
	return false;
}

/* ---- sealed again -------------------------------------------------------------------------- */

/*
 * Seals again, with the present settings and then with those of each vouching run, since settings
 * may have changed after it. These are vouched for, and without the seed nobody can make the same
 * bytes with any settings.
 */
static enum audit_again seal_again(const struct opening *o, const struct value *opened)
{
	struct audit_file file = *o->file;
	enum audit_again again = audit_seal_again(o->secret_arena, &file, o->sealer, opened);

	for (size_t i = 0; i < file.earlier_count && again != AUDIT_AGAIN_SAME; i++) {
		enum audit_again then;

		file.sealing = file.earlier[i];
		then = audit_seal_again(o->secret_arena, &file, o->sealer, opened);
		o->result->stale_count += then == AUDIT_AGAIN_SAME ? 1 : 0;
		if (then == AUDIT_AGAIN_SAME || again == AUDIT_AGAIN_UNKNOWN)
			again = then;
	}
	return again;
}

static void check_sealer(const struct opening *o, const struct value *opened)
{
	const struct audit_file *file = o->file;

	switch (seal_again(o, opened)) {
	case AUDIT_AGAIN_UNKNOWN:
		audit_note(o->arena, &file->findings->undecided,
		           "%.*s: not sealed again, since the inputs do not hold the certificate "
		           "that the index names",
		           SV_ARG(file->entry->path));
		return;
	case AUDIT_AGAIN_SAME:
		o->result->resealed_count++;
		return;
	case AUDIT_AGAIN_OTHER:
		break;
	}
	o->result->resealed_count++;
	struct diag *diag =
	    audit_find(file->findings, DIAG_AUDIT_SEALER, file->entry->path,
	               "resealing the content gives other bytes: the file was sealed by somebody "
	               "else, with another seed, or for another cluster");
	diag_set_help(&file->findings->sink, diag,
	              "anybody who knows a recipient can seal for it: restore the file that "
	              "osm-gen wrote; after a change of .sops.yaml run `osm-gen generate`; after a "
	              "change of the seed or of sealing.fleet run it with --rotate-seed");
}

/* ---- the whole ----------------------------------------------------------------------------- */

/*
 * Checks the scope, and that the index lists a certificate. A SealedSecret does not show which
 * certificate it was sealed to.
 */
static bool check_wrapped_recipients(const struct opening *o)
{
	const struct audit_file *file = o->file;
	const struct tree_index *index = file->index;
	enum seal_scope scope = audit_scope_of(value_path(file->document, "metadata.annotations"));
	const struct seal_recipient none = {SV(""), NULL};
	const struct seal_recipients own = {.items = &none, .count = 1, .scope = scope};
	sv wanted = seal_recipient_listed(o->arena, &own, 0);

	for (size_t i = 0; i < index->recipient_count; i++) {
		sv recipient = index->recipients[i];
		sv shown = sv_slice(recipient, 0, 128);

		if (!sv_starts_with(recipient, SV("x509-")))
			audit_find(
			    file->findings, DIAG_AUDIT_RECIPIENTS, file->entry->path,
			    "sealed for a certificate, but not for %.*s, which the index lists",
			    SV_ARG(shown));
		else if (!sv_eq(sv_from_offset(recipient, sv_find_char(recipient, ' ')), wanted))
			audit_find(file->findings, DIAG_AUDIT_RECIPIENTS, file->entry->path,
			           "the file's scope is %.*s, but the index lists %.*s",
			           SV_ARG(seal_scope_name(scope)), SV_ARG(shown));
	}
	o->result->wrapped_count++;
	return o->request->has_private_keys;
}

static bool check_sops_recipients(const struct opening *o)
{
	const struct audit_file *file = o->file;
	size_t count;
	sv *items;

	if (!list_recipients(o->secret_arena, file->document, &items, &count)) {
		audit_note(o->arena, &file->findings->undecided,
		           "%.*s: not sealed for age recipients, and so not opened",
		           SV_ARG(file->entry->path));
		return false;
	}
	check_recipients(o, items, count);
	return seal_identities_count(o->request->identities) > 0;
}

void audit_check_sealed(struct arena *arena, const struct audit_request *request,
                        const struct audit_file *file, struct sealer *sealer,
                        struct audit_result *result)
{
	ARENA_AUTO secret_arena = arena_new(ARENA_SECRET);
	const struct opening o = {arena, secret_arena, request, file, sealer, result};
	struct value opened;

	result->sealed_count++;
	bool has_keys = audit_is_wrapped(file->document) ? check_wrapped_recipients(&o)
	                                                 : check_sops_recipients(&o);
	if (!has_keys || !open_file(&o, &opened))
		return;
	result->opened_count++;
	if (sealer)
		check_sealer(&o, &opened);
}
