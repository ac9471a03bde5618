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
	struct sealer *sealer; /* null: there is no seed */
	struct audit_result *result;
};

/* ---- recipients --------------------------------------------------------------------------- */

/* The recipients of a SOPS file, sorted; false when it is none. */
static bool list_recipients(struct arena *arena, const struct value *document, sv **ret_items,
                            size_t *ret_count)
{
	const struct value *list = value_path(document, "sops.age");
	size_t count = value_is_list(list) ? value_count(list) : 0;
	sv *items = ARENA_ARRAY(arena, sv, count);

	for (size_t i = 0; i < count; i++)
		items[i] = value_text(value_map_get(value_item(list, i), SV("recipient")));
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
	const struct audit_index *index = file->index;

	for (size_t i = 0; i < count; i++)
		if (!is_in(items[i], index->recipients, index->recipient_count))
			audit_find(file->findings, DIAG_AUDIT_RECIPIENTS, file->entry->path,
			           "sealed for %.*s, whom the index does not name",
			           SV_ARG(sv_slice(items[i], 0, 128)));
	for (size_t i = 0; i < index->recipient_count; i++)
		if (!is_in(index->recipients[i], items, count))
			audit_find(file->findings, DIAG_AUDIT_RECIPIENTS, file->entry->path,
			           "not sealed for %.*s, whom the index names",
			           SV_ARG(sv_slice(index->recipients[i], 0, 128)));
	if (has_other_keys(file->document))
		audit_find(file->findings, DIAG_AUDIT_RECIPIENTS, file->entry->path,
		           "sealed with keys that are no age recipients, too");
}

/* ---- opened ------------------------------------------------------------------------------- */

static bool open_file(const struct opening *o, struct value *ret_opened)
{
	struct sink sink = sink_in(o->secret_arena);
	const struct audit_file *file = o->file;

	if (seal_open(o->secret_arena, &sink, file->document, 1, o->request->identities,
	              ret_opened) == STATUS_OK)
		return true;
	const struct diag *first = sink.diags.items[0];
	if (first->code == DIAG_SOPS_KEY) {
		audit_note(o->arena, &file->findings->undecided,
		           "%.*s: none of the identities opens it", SV_ARG(file->entry->path));
		return false;
	}
	struct diag *diag = audit_find(file->findings, DIAG_AUDIT_SEALING, file->entry->path,
	                               "%.*s", SV_ARG(first->text));
	diag_set_help(&file->findings->sink, diag,
	              "a value was changed, or moved here from another object or file: restore "
	              "the one that osm-gen wrote");
	return false;
}

/* ---- sealed again -------------------------------------------------------------------------- */

/* "^(a|b)$" or "^a$", as sops_write.c writes it, to its keys; a backslash protects a sign. */
static struct seal_rule rule_of(struct arena *arena, const struct value *document)
{
	sv text = value_text(value_path(document, "sops.encrypted_regex"));
	VEC(sv) keys = {0};
	struct buf key = buf_in(arena);

	text = sv_starts_with(text, SV("^")) ? sv_from_offset(text, 1) : text;
	text = sv_ends_with(text, SV("$")) ? sv_slice(text, 0, text.len - 1) : text;
	if (sv_starts_with(text, SV("(")) && sv_ends_with(text, SV(")")))
		text = sv_slice(text, 1, text.len - 1);
	for (size_t i = 0; i <= text.len; i++) {
		if (i == text.len || text.ptr[i] == '|') {
			VEC_PUSH(arena, &keys, buf_sv(&key));
			key = buf_in(arena);
			continue;
		}
		if (text.ptr[i] == '\\' && i + 1 < text.len)
			i++;
		buf_add_char(&key, text.ptr[i]);
	}
	return (struct seal_rule){keys.items, keys.count};
}

static bool seal_again(const struct opening *o, const struct value *opened, const sv *recipients,
                       size_t count, struct buf *out)
{
	struct arena *arena = o->secret_arena;
	struct sink unheard = sink_in(arena);
	const struct audit_file *file = o->file;
	struct seal_recipient_text *texts = ARENA_ARRAY(arena, struct seal_recipient_text, count);
	struct seal_recipients parsed;
	bool is_secret = sv_eq(value_text(value_map_get(opened, SV("kind"))), SV("Secret"));

	for (size_t i = 0; i < count; i++)
		texts[i] = (struct seal_recipient_text){recipients[i], NOWHERE};
	if (seal_recipients_parse(arena, &unheard, sealer_format_of(file->document),
	                          file->index->cluster, texts, count, &parsed) != STATUS_OK)
		return false;
	const struct seal_request request = {
	    .cluster = file->index->cluster,
	    .object = opened,
	    .rule = is_secret ? seal_rule_secret : rule_of(arena, file->document),
	    .recipients = &parsed,
	    .first_line = sv_starts_with(file->text, SV("#"))
	                      ? sv_slice(file->text, 0, sv_find_char(file->text, '\n'))
	                      : SV(""),
	};
	return sealer_seal(&unheard, o->sealer, &request, out) == STATUS_OK;
}

static void check_sealer(const struct opening *o, const struct value *opened, const sv *recipients,
                         size_t count)
{
	const struct audit_file *file = o->file;
	struct buf again = buf_in(o->secret_arena);

	o->result->resealed_count++;
	if (seal_again(o, opened, recipients, count, &again) && sv_eq(buf_sv(&again), file->text))
		return;
	struct diag *diag =
	    audit_find(file->findings, DIAG_AUDIT_SEALER, file->entry->path,
	               "sealing what it holds gives other bytes: sealed by somebody "
	               "else, with another seed, or for another cluster");
	diag_set_help(&file->findings->sink, diag,
	              "whoever knows a recipient can seal for it: restore the file that osm-gen "
	              "wrote, or run osm-gen");
}

/* ---- the whole ----------------------------------------------------------------------------- */

void audit_check_sealed(struct arena *arena, const struct audit_request *request,
                        const struct audit_file *file, struct sealer *sealer,
                        struct audit_result *result)
{
	ARENA_AUTO secret_arena = arena_new(ARENA_SECRET);
	const struct opening o = {arena, secret_arena, request, file, sealer, result};
	struct value opened;
	size_t count;
	sv *items;

	result->sealed_count++;
	if (!list_recipients(secret_arena, file->document, &items, &count)) {
		audit_note(arena, &file->findings->undecided,
		           "%.*s: not sealed for age recipients, and so not opened",
		           SV_ARG(file->entry->path));
		return;
	}
	check_recipients(&o, items, count);
	if (seal_identities_count(request->identities) == 0 || !open_file(&o, &opened))
		return;
	result->opened_count++;
	if (sealer)
		check_sealer(&o, &opened, items, count);
}
