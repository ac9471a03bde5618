/*
 * An osm-gen.yaml that SOPS has encrypted. Strings of settings that may be sealed (struct setting)
 * can be encrypted, and nothing else: everything that decides for whom a file is decrypted, and to
 * whom the output is sealed, must be readable before a key is used. The files of
 * sealed_expandable.c are opened with it.
 *
 * A document is read twice. First each sealed value is a stand-in, which is enough for all checks,
 * and for runs without an identity. Then the file is decrypted, if the guard of the recipients
 * allows it, and the documents are replaced.
 */
#include "fleet/internal.h"
#include "secrecy/secrecy.h"

/* ---- the document with stand-ins ----------------------------------------------------------- */

struct closing {
	struct arena *arena;
	struct sink *sink;
	sv settings;       /* the member of spec with the settings: "settings" or "defaults" */
	sv prefix;         /* "CLUSTER:", or empty in a Fleet: names of secrets begin with it */
	struct diag *diag; /* lists members that must not be encrypted; may be null */
	bool is_nameless;
};

static bool may_be_sealed(sv name)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	/* A name that no setting has is reported when it is applied. */
	bool is_known = fleet_own_setting(name) != NULL;
	for (size_t i = 0; i < count; i++) {
		const struct setting *setting = fleet_setting_of(all[i], name);

		is_known |= setting != NULL;
		if (setting && setting->may_be_sealed)
			return true;
	}
	return !is_known;
}

/* Returns the name of the setting that the place is in and that may be sealed, or "". */
static sv setting_of(const struct closing *c, const struct secrecy_place *place)
{
	sv keys[4] = {{0}};

	for (const struct secrecy_place *at = place; at; at = at->parent)
		if (at->depth < COUNT_OF(keys) && at->entry)
			keys[at->depth] = at->entry->key;
	bool is_setting = sv_eq(keys[1], SV("spec")) && sv_eq(keys[2], c->settings) &&
	                  !sv_empty(keys[3]) && may_be_sealed(keys[3]);

	return is_setting ? keys[3] : SV("");
}

/* Returns "nodeHTTPProxy, nodeNoProxy, ...". */
static sv sealable_names(struct arena *arena, const char *separator)
{
	size_t count;
	const struct setting *const *settings = fleet_settings(arena, &count);
	struct buf names = buf_in(arena);

	for (size_t i = 0; i < count; i++)
		if (settings[i]->may_be_sealed)
			buf_printf(&names, "%s%.*s", names.len ? separator : "",
			           SV_ARG(settings[i]->name));
	return buf_sv(&names);
}

/* Reports a member; `sealed` is the encrypted value in it. */
static void refuse_member(struct closing *c, const struct secrecy_place *place,
                          const struct value *sealed)
{
	sv path = secrecy_path(c->arena, place);
	struct position at = value_position(sealed);

	c->is_nameless |= sv_eq(path, SV("metadata.name"));
	if (c->diag) {
		diag_add_note(c->sink, c->diag, at, "nor can %.*s", SV_ARG(path));
		return;
	}
	c->diag = diag_report(c->sink, DIAG_FLEET_SETTINGS_ENCRYPTED, at,
	                      "%.*s cannot be encrypted", SV_ARG(path));
	diag_set_help(c->sink, c->diag,
	              "only these settings can: %.*s; encrypt the file again, with "
	              "encrypted_regex: ^(%.*s)$",
	              SV_ARG(sealable_names(c->arena, ", ")),
	              SV_ARG(sealable_names(c->arena, "|")));
}

/* Returns the first sealed string of a list, or a sealed string itself, or null. */
static const struct value *sealed_in(const struct value *v)
{
	for (size_t i = 0; value_is_list(v) && i < value_count(v); i++)
		if (seal_is_sealed_text(value_text(value_item(v, i))))
			return value_item(v, i);
	return seal_is_sealed_text(value_text(v)) ? v : NULL;
}

static enum secrecy_step close_place(void *context, struct secrecy_place *place,
                                     struct value *ret_copy)
{
	struct closing *c = context;
	const struct value *v = place->value;

	if (place->depth == 1 && place->entry && sv_eq_cstr(place->entry->key, "sops"))
		return SECRECY_OMIT;
	const struct value *sealed = sealed_in(v);
	/* Remove a list as a whole: an empty list would be another mistake. */
	sv setting = setting_of(c, place);
	if (sealed && sv_empty(setting)) {
		refuse_member(c, place, sealed);
		return SECRECY_OMIT;
	}
	if (value_is_map(v) || value_is_list(v))
		return SECRECY_INTO;
	if (!sealed)
		return SECRECY_OVER;
	*ret_copy = fleet_placeholder(
	    c->arena, v, ARENA_CONCAT(c->arena, c->prefix, secrecy_path(c->arena, place)), setting);
	return SECRECY_OVER;
}

bool fleet_close_settings(struct arena *arena, struct sink *sink, const struct value *root,
                          struct value *ret_closed)
{
	bool is_fleet = sv_eq(value_text(value_map_get(root, SV("kind"))), SV("Fleet"));
	sv name = value_text(value_path(root, "metadata.name"));
	struct closing c = {
	    .arena = arena,
	    .sink = sink,
	    .settings = is_fleet ? SV("defaults") : SV("settings"),
	    .prefix = sv_empty(name) ? SV("") : ARENA_CONCAT(arena, name, SV(":")),
	};

	*ret_closed = secrecy_copy(arena, root, close_place, &c);
	return !c.is_nameless;
}

void fleet_report_hidden_settings(struct sink *sink, const struct value *at)
{
	struct diag *diag =
	    diag_report(sink, DIAG_FLEET_SETTINGS_ENCRYPTED, value_position(at),
	                "this document of " FLEET_SETTINGS_FILE " is encrypted as a whole");

	diag_set_help(sink, diag,
	              "encrypt only the values that are secret, with encrypted_regex: ^(%.*s)$",
	              SV_ARG(sealable_names(sink->arena, "|")));
}

void fleet_report_sealed_list(struct sink *sink, const struct value *at)
{
	struct diag *diag = diag_report(sink, DIAG_FLEET_SETTINGS_ENCRYPTED, value_position(at),
	                                "settings in a List cannot be encrypted");

	diag_set_help(sink, diag, "write them as documents of their own, between lines of ---");
}

/* ---- opening ------------------------------------------------------------------------------- */

struct opening {
	const struct fleet_opening *request;
	const struct fleet_inputs *inputs;
	VEC(struct fleet_file *) files; /* those that are decrypted */
};

static bool holds_sealed(const struct fleet_file *file)
{
	VEC_EACH (document, &file->documents)
		if (document->is_sealed)
			return true;
	VEC_EACH (found, &file->expandables)
		if (found->is_sealed)
			return true;
	return false;
}

bool fleet_has_sealed_settings(const struct fleet_files *files, const struct fleet_draft *draft)
{
	for (size_t i = 0; i < files->count; i++)
		if (holds_sealed(files->items[i]))
			return true;
	for (size_t i = 0; i < draft->clusters.count; i++)
		if (files->terraform[i].file)
			return true;
	return false;
}

/* Finds the files that are decrypted: first those of the fleet, then Terraform's, each once. */
static void find_files(struct opening *o)
{
	const struct fleet_opening *request = o->request;
	const struct fleet_files *files = request->files;
	struct set known = set_in(request->arena);

	for (size_t i = 0; i < files->count; i++)
		if (holds_sealed(files->items[i]))
			VEC_PUSH(request->arena, &o->files, files->items[i]);
	for (size_t i = 0; i < request->scopes->draft->clusters.count; i++) {
		struct fleet_file *file = files->terraform[i].file;

		if (file && set_add(&known, file->path))
			VEC_PUSH(request->arena, &o->files, file);
	}
}

/* Looks for copies of encrypted values in all files of the fleet, and in Terraform's output. */
static bool has_no_copies(const struct opening *o)
{
	const struct fleet_opening *request = o->request;
	const struct fleet_files *files = request->files;
	size_t most = files->count + o->files.count;
	struct fleet_file **all = ARENA_ARRAY(request->arena, struct fleet_file *, most);
	bool *wanted = ARENA_ARRAY(request->arena, bool, most);
	size_t count = 0;

	for (size_t i = 0; i < files->count; i++) {
		all[count] = files->items[i];
		wanted[count++] = holds_sealed(files->items[i]);
	}
	VEC_EACH (file, &o->files)
		if (!holds_sealed(*file)) {
			all[count] = *file;
			wanted[count++] = true;
		}
	return fleet_check_copies(request->arena, request->sink,
	                          &(const struct fleet_files){all, count, NULL}, request->scopes,
	                          wanted);
}

/* Checks what can be checked without a key. Returns false if a file may not be opened. */
static bool is_allowed(struct opening *o)
{
	const struct fleet_opening *request = o->request;
	bool allowed = has_no_copies(o);

	allowed &=
	    fleet_check_terraform_place(request->sink, request->scopes, request->files->terraform);
	VEC_EACH (file, &o->files)
		allowed &= (*file)->sink.error_count == 0 &&
		           fleet_input_is_allowed(request->arena, request->sink, o->inputs, *file,
		                                  fleet_sealed_scope(request->scopes, *file));
	return allowed;
}

static struct position sops_position(const struct fleet_file *file)
{
	const struct value_entry *sops = value_map_find(&file->sealed[0], SV("sops"));

	return origin_position(sops->key_origin);
}

static const char *what_is_sealed(const struct fleet_file *file)
{
	return fleet_is_settings_file(file->path) ? "settings" : "inputs";
}

/* Warns once of all files that stay closed. */
static void warn_closed(const struct opening *o)
{
	struct sink *sink = o->request->sink;

	BUG_ON(o->files.count == 0);
	struct diag *diag =
	    diag_report(sink, DIAG_FLEET_SETTINGS_CLOSED, sops_position(o->files.items[0]),
	                "encrypted %s are not decrypted here: their values are placeholders, "
	                "and the MAC of the file is not checked",
	                what_is_sealed(o->files.items[0]));

	for (size_t i = 1; i < o->files.count; i++)
		diag_add_note(sink, diag, sops_position(o->files.items[i]),
		              "this file is not decrypted either");
	diag_set_help(sink, diag,
	              "without the keys, as in a fork, nothing needs to be done: `generate` and "
	              "`check` have an identity and the seed, and check the rest");
}

static void note_recipients(const struct fleet_opening *request, struct diag *diag,
                            const struct fleet_file *file)
{
	struct seal_texts recipients = {0};

	seal_list_recipients(request->arena, &file->sealed[0], &recipients);
	VEC_EACH (recipient, &recipients)
		diag_add_note(request->sink, diag, NOWHERE, "encrypted to %.*s",
		              SV_ARG(*recipient));
}

/* Reports the files that no key of this run opens. Returns true if the keys open all files. */
static bool has_keys(const struct opening *o)
{
	const struct fleet_opening *request = o->request;
	const struct seal_identities *identities = request->options->identities;
	struct diag *needs_program = NULL;
	struct diag *no_identity = NULL;
	sv kinds;

	if (seal_has_program(identities))
		return true;
	VEC_EACH (file, &o->files) {
		struct position at = sops_position(*file);

		if (seal_needs_program(request->arena, &(*file)->sealed[0], &kinds)) {
			needs_program = diag_report(request->sink, DIAG_FLEET_NEEDS_PROGRAM, at,
			                            "these %s are encrypted for keys that only "
			                            "the program sops uses (%.*s)",
			                            what_is_sealed(*file), SV_ARG(kinds));
			diag_set_help(
			    request->sink, needs_program,
			    "let it run, with --allow-program sops and the credentials of "
			    "the key in the environment; or add an age recipient with "
			    "`sops updatekeys`");
		} else if (seal_identities_count(identities) > 0) {
			continue;
		} else if (no_identity) {
			diag_add_note(request->sink, no_identity, at, "so are these");
		} else {
			no_identity = diag_report(request->sink, DIAG_FLEET_NO_IDENTITY, at,
			                          "%s are encrypted, and no age identity is "
			                          "given",
			                          what_is_sealed(*file));
			note_recipients(request, no_identity, *file);
			diag_set_help(request->sink, no_identity, "%s",
			              sealer_format_of(&(*file)->sealed[0])->identity_help);
		}
	}
	return !needs_program && !no_identity;
}

static enum status open_documents(struct arena *secret_arena, struct sink *sink,
                                  const struct seal_identities *identities,
                                  const struct fleet_file *file, void *context)
{
	struct value *opened = context;

	return seal_open(secret_arena, sink, file->sealed, file->sealed_count, identities, opened);
}

/* Reports ciphertext that is left, outside of what the file's rule encrypts. */
static bool is_decrypted(const struct fleet_opening *request, const struct value *root)
{
	return !fleet_report_encrypted(request->sink, root);
}

/* Replaces the sealed documents of a file by what they decrypt to. */
static bool open_file(const struct opening *o, struct fleet_file *file)
{
	const struct fleet_opening *request = o->request;
	struct value *opened = ARENA_ARRAY(request->secret_arena, struct value, file->sealed_count);
	bool fine = true;
	const struct fleet_input input = {
	    .inputs = o->inputs,
	    .identities = request->options->identities,
	    .file = file,
	    .scope = fleet_sealed_scope(request->scopes, file),
	};

	if (fleet_input_open(request->secret_arena, request->sink, &input, open_documents,
	                     opened) != STATUS_OK)
		return false;
	VEC_EACH (document, &file->documents)
		if (document->is_sealed)
			document->root = &opened[document->sealed_number];
	VEC_EACH (found, &file->expandables)
		if (found->is_sealed) {
			found->root = &opened[found->sealed_number];
			fine &= is_decrypted(request, found->root);
		}
	for (size_t i = 0; i < request->scopes->draft->clusters.count; i++)
		if (request->files->terraform[i].file == file) {
			request->files->terraform[i].root = &opened[0];
			fine &= is_decrypted(request, &opened[0]);
		}
	return fine;
}

bool fleet_open_settings(const struct fleet_opening *request)
{
	const struct fleet_options *options = request->options;
	struct opening o = {.request = request};
	bool opened = true;

	find_files(&o);
	o.inputs = fleet_inputs_new(request->arena, request->sink, request->scopes->draft);
	bool allowed = is_allowed(&o);
	if (options->skip_secrets || !options->may_open) {
		if (allowed)
			warn_closed(&o);
		return false;
	}
	if (!allowed || !has_keys(&o) || request->sink->error_count > 0 ||
	    !options->may_open(options->may_open_context, request->fleet))
		return false;
	VEC_EACH (file, &o.files)
		opened &= open_file(&o, *file);
	return opened;
}
