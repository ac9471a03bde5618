/*
 * Keys and lists from the environment or from files: the seed, identities, allowed recipients.
 */
#include "commands.h"
#include "os/os.h"
#include "secrecy/secrecy.h"

/* Large enough for the Secrets of a controller that made keys for years: a hundred keys. */
enum { KEY_FILE_MAX_BYTES = 4 * 1024 * 1024 };

/* `by` is the variable or option that names the file. */
static enum status read_key_file(struct context *context, sv path, const char *by,
                                 struct plan_key *ret_key)
{
	struct plan_key key = {.name = path, .named_by = sv_from_cstr(by)};

	/* People give a key where its file is asked for: do not print it. */
	if (sv_starts_with(path, SV("OSMGEN-SEED-")) || secrecy_holds_private_key(path)) {
		struct diag *diag =
		    diag_report(context->sink, DIAG_USAGE, NOWHERE,
		                "this is a key, but the name of its file is expected");

		diag_set_help(
		    context->sink, diag,
		    "give the path of a file, or set OSM_GEN_SEAL_SEED or SOPS_AGE_KEY to "
		    "the key; one that was typed here is in the shell's history");
		return STATUS_FAILED;
	}
	if (os_read_named(context->secret_arena, context->sink, work_tree(context), path,
	                  KEY_FILE_MAX_BYTES, &key.text) != STATUS_OK) {
		const struct sink *sink = context->sink;
		struct diag *diag = sink->diags.items[sink->diags.count - 1];

		diag_add_note(context->sink, diag, NOWHERE, "%s names the file", by);
		if (sv_empty(diag->help))
			diag_set_help(context->sink, diag,
			              "correct the path in %s, or the file's owner: this user "
			              "must be able to read it",
			              by);
		return STATUS_FAILED;
	}
	if (!key.text.ptr)
		key.text = SV("");
	*ret_key = key;
	return STATUS_OK;
}

/* Returns a null pointer if the variable is unset or empty. */
static sv take_key(struct context *context, const char *name)
{
	sv key;

	if (!environment_take(context->secret_arena, name, &key) || sv_empty(key))
		return (sv){0};
	return key;
}

enum status read_seed(struct context *context, struct plan_key *ret_key)
{
	sv text = take_key(context, "OSM_GEN_SEAL_SEED");
	sv file = environment("OSM_GEN_SEAL_SEED_FILE");

	if (context->options->read.seed_file.ptr)
		return read_key_file(context, context->options->read.seed_file, "--seal-seed-file",
		                     ret_key);
	if (text.ptr)
		*ret_key = (struct plan_key){.text = text, .name = SV("OSM_GEN_SEAL_SEED")};
	else if (file.ptr)
		return read_key_file(context, file, "OSM_GEN_SEAL_SEED_FILE", ret_key);
	else if (environment_is_empty("OSM_GEN_SEAL_SEED"))
		*ret_key = (struct plan_key){.named_by = SV("OSM_GEN_SEAL_SEED")};
	else if (environment_is_empty("OSM_GEN_SEAL_SEED_FILE"))
		*ret_key = (struct plan_key){.named_by = SV("OSM_GEN_SEAL_SEED_FILE")};
	return STATUS_OK;
}

enum status read_identities(struct context *context, struct plan_key *ret_key)
{
	static const char *const files[] = {"SOPS_AGE_KEY_FILE", "SOPS_AGE_SSH_PRIVATE_KEY_FILE"};
	static const char command[] = "SOPS_AGE_KEY_CMD";
	struct arena *arena = context->secret_arena;
	sv text = take_key(context, "SOPS_AGE_KEY");
	struct plan_key all = {0};

	if (text.ptr)
		all = (struct plan_key){.text = text, .name = SV("SOPS_AGE_KEY")};
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		sv path = environment(files[i]);
		struct plan_key key;

		if (!path.ptr)
			continue;
		if (read_key_file(context, path, files[i], &key) != STATUS_OK)
			return STATUS_FAILED;
		if (!all.text.ptr)
			all = key;
		else
			all = (struct plan_key){
			    .text = ARENA_CONCAT(arena, all.text, SV("\n"), key.text),
			    .name =
			        ARENA_CONCAT(arena, all.name, SV(" and "), sv_from_cstr(files[i])),
			};
	}
	if (environment(command).ptr)
		all.command = command;
	*ret_key = all;
	return STATUS_OK;
}

enum status read_allowed_recipients(struct context *context, struct plan_key *ret_list)
{
	enum { LIST_MAX_BYTES = 16 * 1024 * 1024 };
	sv path = context->options->allowed.recipients_file;
	struct plan_key list = {.name = path};

	if (!path.ptr)
		return STATUS_OK;
	if (os_read_file(context->arena, context->sink, path, LIST_MAX_BYTES, &list.text) !=
	    STATUS_OK)
		return STATUS_FAILED;
	/* An empty list allows nobody, unlike a missing one. */
	if (!list.text.ptr)
		list.text = SV("");
	*ret_list = list;
	return STATUS_OK;
}

enum status read_private_keys(struct context *context, struct plan_key *ret_key)
{
	*ret_key = (struct plan_key){0};
	if (!context->options->read.key_file.ptr)
		return STATUS_OK;
	return read_key_file(context, context->options->read.key_file, "--key", ret_key);
}

enum status gather_identities(struct context *context, struct seal_identities *identities)
{
	struct plan_key age = {0};
	struct plan_key rsa;

	if (read_identities(context, &age) != STATUS_OK ||
	    read_private_keys(context, &rsa) != STATUS_OK)
		return STATUS_FAILED;
	return plan_add_keys(context->secret_arena, context->sink, &age, &rsa, identities);
}
