/*
 * New keys from random bytes, and files for them that only their owner can read.
 */
#include "commands.h"
#include "git/git.h"
#include "os/os.h"
#include "seal/seal.h"

#include <errno.h>
#include <sys/random.h>
#include <time.h>

static sv now(struct arena *arena)
{
	time_t seconds = time(NULL);
	struct tm utc;
	char text[32];

	gmtime_r(&seconds, &utc);
	size_t len = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	return arena_dup(arena, (sv){text, len});
}

enum status key_new(struct context *context, enum key_kind kind, sv *ret_text)
{
	struct arena *arena = context->secret_arena;
	uint8_t *random = (uint8_t *)arena_alloc_text(arena, 32);

	if (getrandom(random, 32, 0) != 32) {
		os_report_error(context->sink, errno, "read randomness from", SV("the system"));
		return STATUS_FAILED;
	}
	*ret_text = kind == KEY_SEED
	                ? ARENA_CONCAT(arena, seal_seed_format(arena, random), SV("\n"))
	                : seal_identity_format(arena, random, now(arena));
	return STATUS_OK;
}

enum status key_recipient(struct context *context, sv path, sv identity, sv *ret_recipient)
{
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	const struct source *source = source_new(context->secret_arena, path, identity, true);

	if (seal_identities_add(context->sink, identities, source) != STATUS_OK)
		return STATUS_FAILED;
	*ret_recipient = seal_identities_recipient(context->arena, identities);
	return STATUS_OK;
}

sv folder_of(sv path)
{
	size_t slash = sv_rfind_char(path, '/');

	if (slash == SV_NPOS)
		return SV(".");
	return slash == 0 ? SV("/") : sv_slice(path, 0, slash);
}

/* Returns the nearest existing folder above, links resolved; *ret_rest is the path below it. */
static sv folder_there(struct arena *arena, sv path, sv *ret_rest)
{
	sv folder = folder_of(path);
	sv real;

	while (!os_real_path(arena, folder, &real) && folder.len > 1)
		folder = folder_of(folder);
	*ret_rest = sv_starts_with(path, folder) ? sv_from_offset(path, folder.len) : path;
	while (sv_starts_with(*ret_rest, SV("/")))
		*ret_rest = sv_from_offset(*ret_rest, 1);
	return os_real_path(arena, folder, &real) ? real : folder;
}

sv key_folder(struct arena *arena, sv path)
{
	sv rest;

	return folder_there(arena, path, &rest);
}

sv key_place(struct arena *arena, sv path)
{
	sv rest;
	sv folder = folder_there(arena, path, &rest);

	return ARENA_CONCAT(arena, sv_eq(folder, SV("/")) ? SV("") : folder, SV("/"), rest);
}

enum status key_check_place(struct context *context, sv path)
{
	sv rest;
	sv folder = folder_there(context->arena, path, &rest);
	sv root;

	if (!git_would_add(context->arena, folder, key_place(context->arena, path), &root))
		return STATUS_OK;
	struct diag *diag =
	    diag_report(context->sink, DIAG_KEY_FILE_PLACE, NOWHERE,
	                "%.*s would be added to git by the next `git add`", SV_ARG(path));
	diag_add_note(context->sink, diag, NOWHERE, "it lies in the work tree %.*s", SV_ARG(root));
	diag_set_help(context->sink, diag,
	              "name a file outside of the repository, such as ../%.*s, or list it in "
	              ".gitignore first",
	              SV_ARG(sv_after_last(path, '/')));
	return STATUS_FAILED;
}

enum status key_write(struct context *context, sv path, sv text)
{
	if (key_check_place(context, path) != STATUS_OK)
		return STATUS_FAILED;
	if (os_kind(path) == OS_ABSENT)
		return os_write_new(context->sink, path, text, OS_WRITE_PRIVATE | OS_WRITE_SYNC);
	struct diag *diag = diag_report(context->sink, DIAG_KEY_FILE_EXISTS, NOWHERE,
	                                "%.*s exists already", SV_ARG(path));
	diag_set_help(
	    context->sink, diag,
	    "name another file; remove this one first only if nothing was sealed with it, "
	    "or to it: what was cannot be opened again");
	return STATUS_FAILED;
}
