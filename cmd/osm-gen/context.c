/*
 * Shared by all commands: environment, standard output and standard error.
 */
#include "commands.h"
#include "os/os.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sv environment(const char *name)
{
	const char *text = getenv(name);

	return text && *text ? sv_from_cstr(text) : (sv){0};
}

bool environment_is_empty(const char *name)
{
	const char *text = getenv(name);

	return text && !*text;
}

bool environment_take(struct arena *secret_arena, const char *name, sv *ret_text)
{
	char *text = getenv(name);

	if (!text)
		return false;
	*ret_text = arena_dup(secret_arena, sv_from_cstr(text));
	explicit_bzero(text, ret_text->len);
	return true;
}

sv work_tree(const struct context *context)
{
	sv repo = sv_trim_right(context->options->read.repo, "/");

	if (sv_eq(sv_after_last(repo, '/'), SV(".git")))
		return ARENA_CONCAT(context->arena, repo, SV("/.."));
	return context->options->read.repo;
}

enum status print_out(struct context *context, sv text)
{
	if (sv_empty(text) ||
	    (fwrite(text.ptr, 1, text.len, stdout) == text.len && fflush(stdout) == 0))
		return STATUS_OK;
	if (errno == EPIPE) {
		context->reader_is_gone = true;
		return STATUS_OK;
	}
	os_report_error(context->sink, errno, "write to", SV("standard output"));
	return STATUS_FAILED;
}

void print_err(sv text)
{
	if (sv_empty(text))
		return;
	/* A failure to write to stderr cannot be reported anywhere. */
	(void)!fwrite(text.ptr, 1, text.len, stderr);
	(void)fflush(stderr);
}
