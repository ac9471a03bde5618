/* Compares sealed files in the clear, for people who may read them. */
#include "run/show/reveal.h"
#include "seal/seal.h"
#include "unpack/unpack.h"
#include "yaml/yaml.h"

struct run_reveal {
	struct seal_identities *identities;
};

enum status run_reveal_open(const struct run_env *env, const struct run_print *print,
                            struct run_reveal **ret_reveal)
{
	struct run_reveal *reveal = ARENA_NEW(env->secret_arena, struct run_reveal);

	reveal->identities = seal_identities_new();
	*ret_reveal = reveal; /* the caller frees it in any case */
	return plan_add_keys(env->secret_arena, env->sink, &print->identities, &print->private_keys,
	                     reveal->identities);
}

void run_reveal_close(struct run_reveal *reveal)
{
	if (reveal)
		seal_identities_free(reveal->identities);
}

/* seal_mask leaves clear files as they are. */
bool run_reveal_is_for(struct arena *arena, sv before, sv now)
{
	return !sv_eq(seal_mask(arena, before), before) || !sv_eq(seal_mask(arena, now), now);
}

/* Takes a version of the file apart. A clear one, and a missing one, has no parts. */
static enum status take_apart(struct arena *arena, struct sink *sink,
                              const struct run_reveal *reveal, sv path, sv text,
                              struct unpack_parts *parts)
{
	const struct source *source = source_new(arena, path, text, false);
	struct yml_documents documents = {0};
	struct value opened;

	if (sv_empty(text))
		return STATUS_OK;
	if (yml_parse(arena, sink, source, &documents) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (document, &documents) {
		if (seal_open(arena, sink, &document->root, 1, reveal->identities, &opened) !=
		    STATUS_OK)
			return STATUS_FAILED;
		unpack_object(arena, &opened, parts);
	}
	return STATUS_OK;
}

static const struct unpack_part *find_part(const struct unpack_parts *parts, sv name)
{
	VEC_EACH (part, parts)
		if (sv_eq(part->name, name))
			return part;
	return NULL;
}

static sv part_path(struct arena *arena, const char *side, sv path, sv part)
{
	return ARENA_CONCAT(arena, sv_from_cstr(side), path, sv_empty(part) ? SV("") : SV(": "),
	                    part);
}

/* Appends the difference of the part, of which one version may be null; returns its first hunk. */
static size_t add_part(struct arena *arena, const struct run_revealed *file, sv name,
                       const struct unpack_part *before, const struct unpack_part *now,
                       struct buf *output)
{
	return report_diff_text(
	    arena, output, before ? part_path(arena, "a/", file->path, name) : SV(""),
	    before ? before->text : SV(""), now ? part_path(arena, "b/", file->path, name) : SV(""),
	    now ? now->text : SV(""), file->style);
}

/* The differences that were printed, or no map if all are printed. */
struct printed {
	struct set *known;
	size_t *alike; /* number of those that were left out */
};

/* Appends the difference of the part unless one with the same lines was printed. */
static void add_new_part(struct arena *arena, const struct run_revealed *file,
                         const struct unpack_part *before, const struct unpack_part *now,
                         const struct printed *printed, struct buf *output)
{
	struct buf diff = buf_in(arena);
	sv name = now ? now->name : before ? before->name : SV("");

	/* The lines with the paths differ from file to file. */
	size_t hunks = add_part(arena, file, name, before, now, &diff);
	sv lines = sv_from_offset(buf_sv(&diff), hunks);
	sv key = ARENA_CONCAT(output->arena, name, SV("\n"), lines);

	if (printed->known && diff.len > 0 && !set_add(printed->known, key))
		++*printed->alike;
	else
		buf_add(output, buf_sv(&diff));
}

enum status run_reveal_new(struct arena *arena, struct sink *sink, const struct run_reveal *reveal,
                           const struct run_revealed *file, struct set *known, size_t *alike,
                           struct buf *output)
{
	struct unpack_parts before = {0};
	struct unpack_parts now = {0};
	struct report_style plain = {0};
	const struct printed printed = {known, alike};
	size_t len = output->len;
	size_t more = *alike;

	if (take_apart(arena, sink, reveal, file->path, file->before, &before) != STATUS_OK ||
	    take_apart(arena, sink, reveal, file->path, file->now, &now) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (part, &now)
		add_new_part(arena, file, find_part(&before, part->name), part, &printed, output);
	VEC_EACH (part, &before)
		if (!find_part(&now, part->name))
			add_new_part(arena, file, part, NULL, &printed, output);
	if (output->len == len && *alike == more && file->kind == GIT_CHANGED)
		report_diff_sealed(output, part_path(arena, "a/", file->path, SV("")),
		                   part_path(arena, "b/", file->path, SV("")), true, &plain);
	return STATUS_OK;
}

enum status run_reveal_file(struct arena *arena, struct sink *sink, const struct run_reveal *reveal,
                            const struct run_revealed *file, struct buf *output)
{
	size_t unused = 0;

	return run_reveal_new(arena, sink, reveal, file, NULL, &unused, output);
}
