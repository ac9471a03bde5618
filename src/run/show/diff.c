/*
 * Prints `diff`. Clear files are compared line by line. In sealed files each sealed value is one
 * word: a line shows that it differs, instead of forty lines of ciphertext. reveal.c opens them.
 */
#include "run/show/reveal.h"
#include "run/show/show.h"

struct difference {
	const struct run_env *env;
	const struct run_facts *facts;
	const struct report_style *style;
	const struct run_inputs *inputs;
	const struct run_writer *writer;
	const struct run_reveal *reveal; /* null if sealed values are masked */
	struct map replaced;             /* paths (sv *) of ConfigMaps, by those of newer ones */
	struct arena *arena;             /* reset after each file */
};

/* The text of a file before and after the run. */
struct versions {
	sv shown;        /* the path as people see it */
	sv shown_before; /* likewise, of the file before; empty if that has another text */
	sv before;
	sv now;
};

/*
 * Maps each ConfigMap that units share to the one that it takes the place of: names are digests, so
 * a change is a new file.
 */
static struct map find_replaced(struct arena *arena, const struct run_facts *facts)
{
	struct map replaced = map_in(arena);

	for (size_t i = 0; i < facts->plan->unit_count; i++) {
		const struct tree_files *files = &facts->rendered->units[i].files;
		const struct tree_unit *unit = files->count > 0 ? files->items[0].unit : NULL;
		sv now = {0};
		const sv *before = NULL;

		VEC_EACH (file, files) {
			if (!unit || file->role != ARTIFACT_CONFIG_MAP)
				continue;
			if (sv_eq(file->object.name, unit->config_maps.now))
				now = file->path;
			else
				before = &file->path;
		}
		if (before && !map_get(&replaced, now))
			map_put(&replaced, now, (void *)before);
	}
	return replaced;
}

static sv shown_path(const struct difference *d, sv path)
{
	return d->inputs->out_is_outside ? path
	                                 : ARENA_CONCAT(d->arena, d->inputs->out, SV("/"), path);
}

static enum status read_versions(const struct difference *d, const struct git_change *change,
                                 struct versions *ret_versions)
{
	struct arena *arena = d->arena;
	struct versions versions = {.shown = shown_path(d, change->path)};
	const sv *replaced = change->kind == GIT_ADDED ? map_get(&d->replaced, change->path) : NULL;

	if (change->kind != GIT_ADDED || replaced) {
		sv path = replaced ? *replaced : change->path;
		const struct git_file *file = git_output_find(d->writer->output, path);

		if (file)
			versions.shown_before = shown_path(d, path);
		if (file && git_output_read(arena, d->env->sink, d->writer->output, file,
		                            RUN_MAX_OUTPUT_BYTES, &versions.before) != STATUS_OK)
			return STATUS_FAILED;
	}
	if (change->kind != GIT_REMOVED &&
	    run_contents_find(arena, d->env->sink, d->writer->contents, change->path,
	                      &versions.now) != STATUS_OK)
		return STATUS_FAILED;
	*ret_versions = versions;
	return STATUS_OK;
}

/* Sets *ret_hunks to the byte of the output where the lines that differ begin, after the paths. */
static enum status add_file_diff(const struct difference *d, const struct git_change *change,
                                 struct buf *output, size_t *ret_hunks)
{
	struct arena *arena = d->arena;
	struct report_style plain = {0};
	struct versions versions;

	*ret_hunks = output->len;
	if (read_versions(d, change, &versions) != STATUS_OK)
		return STATUS_FAILED;
	sv old_text = versions.before;
	sv new_text = versions.now;
	sv old_path =
	    ARENA_CONCAT(arena, SV("a/"),
	                 sv_empty(versions.shown_before) ? versions.shown : versions.shown_before);
	sv new_path = ARENA_CONCAT(arena, SV("b/"), versions.shown);
	if (d->reveal && run_reveal_is_for(arena, old_text, new_text))
		return run_reveal_file(arena, d->env->sink, d->reveal,
		                       &(struct run_revealed){versions.shown, change->kind,
		                                              old_text, new_text, d->style},
		                       output);
	if (d->facts->without_seed) {
		old_text = secrecy_without_fingerprints(arena, old_text);
		new_text = secrecy_without_fingerprints(arena, new_text);
	}
	sv old_masked = seal_mask(arena, old_text);
	sv new_masked = seal_mask(arena, new_text);
	if (change->kind == GIT_CHANGED && sv_eq(old_masked, new_masked)) {
		*ret_hunks = report_diff_sealed(output, old_path, new_path, false, &plain);
		return STATUS_OK;
	}
	*ret_hunks = report_diff_text(
	    arena, output, sv_empty(versions.shown_before) ? SV("") : old_path, old_masked,
	    change->kind == GIT_REMOVED ? SV("") : new_path, new_masked, d->style);
	return STATUS_OK;
}

static bool is_index(sv path)
{
	sv folder;

	return tree_is_index_path(path, &folder);
}

/* Prints the files that are, or are not, a cluster's index.json. */
static enum status add_file_diffs(const struct difference *d, const struct run_facts *facts,
                                  bool indexes, struct buf *output)
{
	size_t hunks;

	VEC_EACH (change, facts->changes) {
		if (is_index(change->path) != indexes)
			continue;
		if (add_file_diff(d, change, output, &hunks) != STATUS_OK)
			return STATUS_FAILED;
		arena_reset(d->arena);
	}
	return STATUS_OK;
}

/* Prints a line for each index.json, which repeats the changes of other files. */
static enum status add_indexes(const struct difference *d, const struct run_facts *facts,
                               struct buf *output)
{
	VEC_EACH (change, facts->changes) {
		struct versions versions;

		if (!is_index(change->path))
			continue;
		if (read_versions(d, change, &versions) != STATUS_OK)
			return STATUS_FAILED;
		run_diff_index(d->arena, output, versions.shown, versions.before, versions.now);
		arena_reset(d->arena);
	}
	return STATUS_OK;
}

/* ---- groups ------------------------------------------------------------------------------- */

/* Above this number of files, units that change alike are printed as a group. */
enum { FILES_ONE_BY_ONE = 40 };

static bool is_grouped(const struct run_print *print, const struct run_facts *facts,
                       const struct report_summary *summary)
{
	size_t most = 0;

	VEC_EACH (group, &summary->groups)
		most = group->unit_count > most ? group->unit_count : most;
	return !print->verbose && most > 1 && facts->changes->count > FILES_ONE_BY_ONE;
}

/* Returns true for files that only list other files. */
static bool is_list_file(sv path)
{
	sv name = sv_after_last(path, '/');

	return sv_eq(name, SV("index.json")) || sv_eq(name, SV("kustomization.yaml"));
}

/*
 * Prints files that belong to no unit. A file that changes alike in all clusters is printed for the
 * first one only.
 */
static enum status add_shared(const struct difference *d, const struct run_facts *facts,
                              const struct set *of_units, struct buf *output)
{
	struct set known = set_in(d->env->arena);
	size_t alike = 0;

	VEC_EACH (change, facts->changes) {
		struct buf diff = buf_in(output->arena);
		sv folder = fleet_folder_of(change->path);
		size_t hunks;

		if (change->kind == GIT_REMOVED || is_list_file(change->path) ||
		    set_has(of_units, change->path) || sv_empty(folder))
			continue;
		if (add_file_diff(d, change, &diff, &hunks) != STATUS_OK)
			return STATUS_FAILED;
		/* Compare without the paths, which name the cluster. */
		sv key = ARENA_CONCAT(output->arena, sv_from_offset(change->path, folder.len),
		                      SV("\n"), sv_from_offset(buf_sv(&diff), hunks));
		if (!set_add(&known, key))
			alike++;
		else
			buf_add(output, buf_sv(&diff));
		arena_reset(d->arena);
	}
	if (alike > 0)
		buf_printf(output,
		           "%zu more files of other clusters change alike (-v shows them)\n",
		           alike);
	return STATUS_OK;
}

/* Prints the differences of the units' sealed files. Prints equal ones once. */
static enum status add_revealed(const struct difference *d, const struct run_facts *facts,
                                const struct set *of_units, struct buf *output)
{
	struct set known = set_in(output->arena);
	size_t alike = 0;

	VEC_EACH (change, facts->changes) {
		struct versions versions;

		if (!set_has(of_units, change->path))
			continue;
		if (read_versions(d, change, &versions) != STATUS_OK)
			return STATUS_FAILED;
		if (run_reveal_is_for(d->arena, versions.before, versions.now) &&
		    run_reveal_new(d->arena, d->env->sink, d->reveal,
		                   &(struct run_revealed){versions.shown, change->kind,
		                                          versions.before, versions.now, d->style},
		                   &known, &alike, output) != STATUS_OK)
			return STATUS_FAILED;
		arena_reset(d->arena);
	}
	if (alike > 0)
		buf_printf(output, "%zu more parts of sealed files change alike (-v shows them)\n",
		           alike);
	return STATUS_OK;
}

/* Prints the groups of the summary, and below them what they do not show. */
static enum status add_groups(const struct difference *d, const struct run_facts *facts,
                              const struct report_summary *summary, struct buf *output)
{
	struct set of_units = set_in(d->env->arena);

	for (size_t i = 0; i < facts->plan->unit_count; i++)
		VEC_EACH (file, &facts->rendered->units[i].files)
			set_add(&of_units, file->path);
	report_groups_text(output, summary, d->style);
	if (add_shared(d, facts, &of_units, output) != STATUS_OK)
		return STATUS_FAILED;
	return d->reveal ? add_revealed(d, facts, &of_units, output) : STATUS_OK;
}

enum status run_diff(const struct run_env *env, const struct run_print *print,
                     const struct run_facts *facts, const struct run_writer *writer,
                     const struct report_summary *summary, struct buf *output)
{
	static const struct report_style plain = {0};
	/* Diagnostics of a sealed file that does not open point into it. */
	struct arena *scratch = run_new_arena(env, print->reveal ? ARENA_SECRET : ARENA_PLAIN);
	RUN_REVEAL_AUTO reveal = NULL;
	if (print->reveal && run_reveal_open(env, print, &reveal) != STATUS_OK)
		return STATUS_FAILED;
	const struct difference d = {
	    .env = env,
	    .facts = facts,
	    .style = print->diff_style ? print->diff_style : &plain,
	    .inputs = facts->inputs,
	    .writer = writer,
	    .reveal = reveal,
	    .replaced = find_replaced(env->arena, facts),
	    .arena = scratch,
	};

	if (is_grouped(print, facts, summary))
		return add_groups(&d, facts, summary, output);
	if (add_file_diffs(&d, facts, false, output) != STATUS_OK)
		return STATUS_FAILED;
	return print->verbose ? add_file_diffs(&d, facts, true, output)
	                      : add_indexes(&d, facts, output);
}
