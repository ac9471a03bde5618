/*
 * Parses the keys that a run is given.
 */
#include "plan/keys.h"

sv plan_seed_line(struct arena *secret_arena, sv text)
{
	struct sv_splitter it = sv_split(text, '\n');
	struct buf lines = buf_in(secret_arena);
	sv line;

	while (sv_split_next(&it, &line)) {
		line = sv_trim_space(line);
		if (sv_empty(line) || line.ptr[0] == '#')
			continue;
		buf_add(&lines, line);
		buf_add_char(&lines, '\n');
	}
	return sv_trim_space(buf_sv(&lines));
}

enum status plan_parse_seed(struct arena *secret_arena, struct sink *sink,
                            const struct plan_key *seed, struct seal_root **ret_root)
{
	if (!seed->text.ptr) {
		seal_report_seed_missing(sink, seed->named_by);
		return STATUS_FAILED;
	}
	struct source *source = source_new(secret_arena, seed->name, seed->text, true);
	return seal_root_parse(sink, position_of_source(source),
	                       plan_seed_line(secret_arena, seed->text), ret_root);
}

enum status plan_add_identities(struct arena *secret_arena, struct sink *sink,
                                const struct plan_key *given, struct seal_identities *identities)
{
	size_t reported = sink->diags.count;

	seal_identities_name_command(identities, given->command);
	if (!given->text.ptr)
		return STATUS_OK;
	enum status status = seal_identities_add(
	    sink, identities, source_new(secret_arena, given->name, given->text, true));
	for (size_t i = reported; i < sink->diags.count; i++)
		if (!sv_empty(given->named_by))
			diag_add_note(sink, sink->diags.items[i], NOWHERE, "%.*s names the file",
			              SV_ARG(given->named_by));
	return status;
}

enum status plan_add_keys(struct arena *secret_arena, struct sink *sink,
                          const struct plan_key *given, const struct plan_key *private_keys,
                          struct seal_identities *identities)
{
	if (plan_add_identities(secret_arena, sink, given, identities) != STATUS_OK)
		return STATUS_FAILED;
	if (!private_keys->text.ptr)
		return STATUS_OK;
	return seal_private_keys_add(
	    secret_arena, sink, identities,
	    source_new(secret_arena, private_keys->name, private_keys->text, true));
}
