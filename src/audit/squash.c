/*
 * Changes of the output that came with a commit that looks like a squash merge: one finding for
 * each such commit, and not one for each file.
 */
#include "audit/internal.h"

/* A commit that changed inputs and output together, whose message names no run. */
struct squash {
	size_t number;
	bool is_one;
	struct audit_texts files; /* the changes of the output that came with it */
};

/* Returns true if the commit changed inputs, too, and its message names no run. */
static bool looks_squashed(const struct audit_past *past, size_t number)
{
	const struct git_commit_info *info = &past->commits.items[number];
	struct sink unused = sink_in(past->arena);
	struct audit_trailers trailers;
	struct audit_state before;
	struct audit_state after;

	audit_read_trailers(past->arena, info->message, &trailers);
	if (trailers.count > 0 || info->parent_count != 1)
		return false;
	const size_t *parent = audit_number_of(past, &info->parents[0]);
	return parent &&
	       audit_read_state(past->arena, &unused, past->repo, past->commits.items[*parent].tree,
	                        past->out, &before) == STATUS_OK &&
	       audit_read_state(past->arena, &unused, past->repo, info->tree, past->out, &after) ==
	           STATUS_OK &&
	       !audit_files_equal(&before.inputs, &after.inputs);
}

struct audit_squashes audit_squashes_of(const struct audit_past *past,
                                        struct audit_findings *findings)
{
	return (struct audit_squashes){past, findings, map_in(past->arena)};
}

bool audit_add_squashed(struct audit_squashes *squashes, const char *change, sv path, size_t author)
{
	const struct audit_past *past = squashes->past;
	sv key = arena_printf(past->arena, "%zu", author);
	struct squash *squash = map_get(&squashes->by_commit, key);

	if (!squash) {
		squash = ARENA_NEW(past->arena, struct squash);
		*squash = (struct squash){.number = author, .is_one = looks_squashed(past, author)};
		map_put(&squashes->by_commit, key, squash);
	}
	if (!squash->is_one)
		return false;
	VEC_PUSH(past->arena, &squash->files,
	         arena_printf(past->arena, "%.*s was %s", SV_ARG(path), change));
	return true;
}

void audit_report_squashes(const struct audit_squashes *squashes, size_t voucher)
{
	enum { SHOWN = 10 };
	const struct git_commit_info *commits = squashes->past->commits.items;
	struct arena *arena = squashes->past->arena;
	struct sink *sink = &squashes->findings->sink;

	for (size_t i = 0; i < squashes->by_commit.count; i++) {
		const struct squash *squash = squashes->by_commit.entries[i].value;

		if (!squash->is_one)
			continue;
		struct diag *diag = audit_find(
		    squashes->findings, DIAG_AUDIT_NOBODY, SV(""),
		    "%zu file%s of the output came with commit %.12s, which changes inputs and "
		    "names no run: nothing vouches for %s since commit %.12s",
		    squash->files.count, squash->files.count == 1 ? "" : "s",
		    git_id_hex(arena, commits[squash->number].id).ptr,
		    squash->files.count == 1 ? "it" : "them",
		    git_id_hex(arena, commits[voucher].id).ptr);
		for (size_t k = 0; k < squash->files.count && k < SHOWN; k++)
			diag_add_note(sink, diag, NOWHERE, "%.*s", SV_ARG(squash->files.items[k]));
		if (squash->files.count > SHOWN)
			diag_add_note(sink, diag, NOWHERE, "and %zu more",
			              squash->files.count - SHOWN);
		diag_set_help(
		    sink, diag,
		    "a squash merge that keeps the title alone looks like this: if `osm-gen check` "
		    "finds nothing to change, `osm-gen generate --vouch` makes a commit that "
		    "vouches for the output; if it does, revert the commit. Keep the message's "
		    "body in squash merges: docs/howto/audit.md");
	}
}
