/*
 * The seed and the identities that people give: in the environment, or in files.
 */
#include "commands.h"
#include "os/os.h"
#include "secrecy/secrecy.h"

enum { KEY_FILE_MAX_BYTES = 64 * 1024 };

static enum status read_key_file(struct context *context, sv path, struct plan_key *ret_key)
{
	struct plan_key key = {.name = path};

	/* Their files are asked for, and the keys themselves are given: nobody else shall see them.
	 */
	if (sv_starts_with(path, SV("OSMGEN-SEED-")) || secrecy_holds_private_key(path)) {
		struct diag *diag =
		    diag_report(context->sink, DIAG_USAGE, NOWHERE,
		                "a key is given where the file that holds it belongs");

		diag_set_help(
		    context->sink, diag,
		    "give the path of a file, or set OSM_GEN_SEAL_SEED or SOPS_AGE_KEY to "
		    "the key; one that was typed here stands in the shell's history");
		return STATUS_FAILED;
	}
	if (os_read_named(context->secret_arena, context->sink, work_tree(context), path,
	                  KEY_FILE_MAX_BYTES, &key.text) != STATUS_OK)
		return STATUS_FAILED;
	if (!key.text.ptr)
		key.text = SV("");
	*ret_key = key;
	return STATUS_OK;
}

enum status read_seed(struct context *context, struct plan_key *ret_key)
{
	sv text = environment("OSM_GEN_SEAL_SEED");
	sv file = environment("OSM_GEN_SEAL_SEED_FILE");

	if (context->options->seed_file.ptr)
		return read_key_file(context, context->options->seed_file, ret_key);
	if (text.ptr)
		*ret_key = (struct plan_key){text, SV("OSM_GEN_SEAL_SEED")};
	else if (file.ptr)
		return read_key_file(context, file, ret_key);
	return STATUS_OK;
}

enum status read_identities(struct context *context, struct plan_key *ret_key)
{
	sv text = environment("SOPS_AGE_KEY");
	sv file = environment("SOPS_AGE_KEY_FILE");
	struct plan_key from_file = {0};

	if (file.ptr && read_key_file(context, file, &from_file) != STATUS_OK)
		return STATUS_FAILED;
	if (text.ptr && file.ptr)
		*ret_key = (struct plan_key){
		    ARENA_CONCAT(context->secret_arena, text, SV("\n"), from_file.text),
		    SV("SOPS_AGE_KEY and SOPS_AGE_KEY_FILE")};
	else if (text.ptr)
		*ret_key = (struct plan_key){text, SV("SOPS_AGE_KEY")};
	else
		*ret_key = from_file;
	return STATUS_OK;
}
