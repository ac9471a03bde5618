/*
 * Makes files for reviewers, in which secrets are marks, comparable with the output, without a
 * seed: the fingerprints of marks need it.
 */
#include "run/output/output.h"

bool run_needs_no_seed(const struct artifact *artifact)
{
	/* Some of the others on that side are named after derived tokens. */
	if (artifact->side == ARTIFACT_WORKER && artifact->role != ARTIFACT_MACHINES)
		return false;
	switch (artifact->sealing) {
	case ARTIFACT_CLEAR:
	case ARTIFACT_SEAL_PATCH:
		return true;
	case ARTIFACT_SEAL_SECRETS:
		return !secrecy_find(&artifact->object);
	case ARTIFACT_SEAL_DATA:
		return false;
	}
	BUG("sealing of an artifact");
}

/* Maps lines without fingerprints, and without names of marks, to the lines themselves. */
static struct map marked_lines(struct arena *arena, sv text)
{
	struct sv_splitter lines = sv_split(text, '\n');
	struct map marked = map_in(arena);
	sv line;

	while (sv_split_next(&lines, &line)) {
		if (!secrecy_has_mark(line))
			continue;
		sv *kept = ARENA_NEW(arena, sv);
		*kept = line;
		sv keys[] = {secrecy_without_fingerprints(arena, line),
		             secrecy_without_names(arena, line)};
		for (size_t i = 0; i < COUNT_OF(keys); i++)
			if (!map_get(&marked, keys[i]))
				map_put(&marked, keys[i], kept);
	}
	return marked;
}

/*
 * The mark of a derived token equals any mark: which token is used depends on Secrets that may be
 * out of reach.
 */
enum status run_take_fingerprints(struct arena *arena, struct sink *sink,
                                  const struct run_writer *writer, sv path, sv *text)
{
	const struct git_file *file = git_output_find(writer->output, path);
	struct sv_splitter lines = sv_split(*text, '\n');
	struct buf taken = buf_in(arena);
	bool first = true;
	sv before;
	sv line;

	if (!file)
		return STATUS_OK;
	if (git_output_read(arena, sink, writer->output, file, RUN_MAX_OUTPUT_BYTES, &before) !=
	    STATUS_OK)
		return STATUS_FAILED;
	if (secrecy_redacted_equal(before, *text)) {
		*text = before;
		return STATUS_OK;
	}
	struct map marked = marked_lines(arena, before);
	while (sv_split_next(&lines, &line)) {
		const sv *there = NULL;

		if (secrecy_has_mark(line))
			there = map_get(&marked, line);
		if (!there && secrecy_has_derived_mark(line))
			there = map_get(&marked, secrecy_without_names(arena, line));
		buf_add(&taken, first ? SV("") : SV("\n"));
		buf_add(&taken, there ? *there : line);
		first = false;
	}
	*text = buf_sv(&taken);
	return STATUS_OK;
}
