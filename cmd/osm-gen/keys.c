/*
 * keygen makes keys.
 */
#include "commands.h"

int command_keygen(struct context *context)
{
	sv what = context->options->arguments.items[0];
	sv path = context->options->print.format;
	bool is_seed = sv_eq(what, SV("seed"));
	sv recipient;
	sv text;

	if (!is_seed && !sv_eq(what, SV("identity"))) {
		struct diag *diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
		                                "keygen does not make \"%.*s\"", SV_ARG(what));
		diag_set_help(context->sink, diag,
		              "osm-gen keygen seed -o FILE; osm-gen keygen identity -o FILE");
		return 64;
	}
	if (key_new(context, is_seed ? KEY_SEED : KEY_IDENTITY, &text) != STATUS_OK)
		return 3;
	if (sv_empty(path))
		return print_out(context, text) == STATUS_OK ? 0 : 3;
	if (key_write(context, path, text) != STATUS_OK)
		return 3;
	if (!is_seed && key_recipient(context, path, text, &recipient) != STATUS_OK)
		return 3;
	if (!is_seed && !context->options->print.quiet)
		context->last_words =
		    ARENA_CONCAT(context->arena, SV("public key: "), recipient, SV("\n"));
	return 0;
}
