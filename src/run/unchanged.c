#include "codec/codec.h"
#include "run/stages.h"
#include "json/json.h"

/*
 * Is there nothing to do? See "the proof" in stages.h.
 */

#define TRAILER RUN_INPUTS_TRAILER ": "

enum { COMMITS_SEARCHED = 50 };

/* ---- inputs as one text ------------------------------------------------------------------ */

/* Length first, so that no two lists of fields give the same text. */
static void add_field(struct buf *buf, sv field)
{
	buf_printf(buf, "%zu:", field.len);
	buf_add(buf, field);
}

static int compare_entries(const void *a, const void *b, void *context)
{
	const struct value_entry *left = *(const struct value_entry *const *)a;
	const struct value_entry *right = *(const struct value_entry *const *)b;

	(void)context;
	return sv_cmp(left->key, right->key);
}

/* Flags by name: their order on the command line does not count. */
static void add_settings(struct buf *buf, struct arena *arena, const struct value *settings)
{
	size_t count = settings ? value_count(settings) : 0;
	const struct value_entry **sorted = ARENA_ARRAY(arena, const struct value_entry *, count);

	for (size_t i = 0; i < count; i++)
		sorted[i] = &settings->map->entries[i];
	sort_stable(sorted, count, sizeof(*sorted), compare_entries, NULL);
	buf_printf(buf, "settings %zu\n", count);
	for (size_t i = 0; i < count; i++) {
		struct buf text = buf_in(arena);

		json_emit(&text, &sorted[i]->value, 0);
		add_field(buf, sorted[i]->key);
		add_field(buf, buf_sv(&text));
	}
}

/* Bytes, which JSON might not tell apart. In the order of the table, not of the flags. */
static void add_environment(struct buf *buf, struct arena *arena, const struct value *environment)
{
	size_t count;
	const sv *names = osm_environment_names(arena, &count);

	buf_printf(buf, "environment %zu\n", value_count(environment));
	for (size_t i = 0; i < count; i++) {
		const struct value *text = value_map_get(environment, names[i]);

		if (!text)
			continue;
		add_field(buf, names[i]);
		buf_add_char(buf, value_is_string(text) ? '=' : '?');
		add_field(buf, value_text(text));
	}
}

static void add_file(struct buf *buf, sv path, enum git_mode mode, struct git_id id)
{
	add_field(buf, path);
	buf_printf(buf, "%o ", (unsigned)mode);
	buf_add(buf, sv_from((const char *)id.bytes, sizeof(id.bytes)));
}

static enum status add_file_outside(struct buf *buf, struct arena *arena, sv name, sv path,
                                    struct sink *sink)
{
	sv text;

	if (os_read_file(arena, sink, path, RUN_MAX_INPUT_BYTES, &text) != STATUS_OK)
		return STATUS_FAILED;
	add_field(buf, name);
	add_field(buf, text);
	return STATUS_OK;
}

static enum status add_secrets(struct buf *buf, struct arena *arena, const struct run *run,
                               struct sink *sink)
{
	sv folder = sv_trim_right(run->request->secrets_folder, "/");

	buf_printf(buf, "secrets %zu\n", run->secret_entries.count);
	VEC_EACH (entry, &run->secret_entries) {
		if (add_file_outside(buf, arena, entry->path,
		                     ARENA_CONCAT(arena, folder, SV("/"), entry->path),
		                     sink) != STATUS_OK)
			return STATUS_FAILED;
	}
	buf_printf(buf, "revisions %d\n", !sv_empty(run->request->revisions_file));
	if (sv_empty(run->request->revisions_file))
		return STATUS_OK;
	return add_file_outside(buf, arena, SV(""), run->request->revisions_file, sink);
}

/* The text is secret: it holds what --secrets holds. */
static enum status add_inputs(struct buf *buf, struct arena *secret_arena, const struct run *run,
                              struct sink *sink)
{
	const struct run_request *request = run->request;

	add_field(buf, request->version);
	add_field(buf, request->build);
	add_field(buf, run->out);
	/* A profile may ask what time it is: that of the source commit. */
	buf_printf(buf, "now %lld\n", (long long)run->source.time);
	add_settings(buf, secret_arena, request->settings);
	add_environment(buf, secret_arena, request->environment);
	if (add_secrets(buf, secret_arena, run, sink) != STATUS_OK)
		return STATUS_FAILED;
	buf_printf(buf, "files %zu\n", run->files.count);
	VEC_EACH (file, &run->files)
		add_file(buf, file->path, file->mode, file->id);
	return STATUS_OK;
}

/* ---- outputs as one text ----------------------------------------------------------------- */

/* What stands in the folder once `changes` are made to `previous`; both sorted by path. */
static sv outputs_text(struct arena *arena, const struct git_files *previous,
                       const struct git_changes *changes)
{
	struct buf buf = buf_in(arena);
	size_t next = 0;

	for (size_t i = 0; i < previous->count || next < changes->count;) {
		const struct git_file *file = i < previous->count ? &previous->items[i] : NULL;
		const struct git_change *change =
		    next < changes->count ? &changes->items[next] : NULL;
		BUG_ON(!file && !change);
		int order = !file ? 1 : !change ? -1 : sv_cmp(file->path, change->path);

		if (order < 0)
			add_file(&buf, file->path, file->mode, file->id);
		else if (change->kind != GIT_REMOVED)
			add_file(&buf, change->path, GIT_MODE_FILE, change->new_id);
		i += order <= 0;
		next += order >= 0;
	}
	return buf_sv(&buf);
}

sv run_proof(struct run *run, const struct git_changes *changes)
{
	struct sink unused = sink_in(run->arena);
	struct buf inputs = buf_in(run->secret_arena);

	VEC_EACH (diag, &run->sink->diags) {
		if ((*diag)->code != DIAG_INPUT_DIRTY)
			return SV("");
	}
	if (add_inputs(&inputs, run->secret_arena, run, &unused) != STATUS_OK)
		return SV("");
	return seal_inputs_digest(
	    run->arena, run->root, buf_sv(&inputs),
	    outputs_text(run->scratch, git_output_previous(run->output), changes));
}

/* ---- looking for the proof --------------------------------------------------------------- */

/* Some line of some message: a squashed commit quotes those it was made of, indented. */
static bool is_told(const struct git_messages *messages, sv proof)
{
	VEC_EACH (message, messages) {
		struct sv_splitter lines = sv_split(*message, '\n');
		sv line;

		while (sv_split_next(&lines, &line)) {
			line = sv_trim_space(line);
			if (sv_starts_with(line, SV(TRAILER)) &&
			    (sv_empty(proof) ||
			     sv_eq(sv_from_offset(line, SV(TRAILER).len), proof)))
				return true;
		}
	}
	return false;
}

enum status run_look_at_tip(struct run *run, struct run_tip *tip, struct sink *sink)
{
	sv branch = run->request->branch;
	sv rev =
	    sv_empty(branch) ? SV("HEAD") : ARENA_CONCAT(run->arena, SV("refs/heads/"), branch);
	sv folder = ARENA_CONCAT(run->arena, run->out, SV("/"));
	struct git_files all = {0};

	if (git_source_find(run->arena, sink, run->repo, rev, &tip->source) != STATUS_OK ||
	    git_list(run->arena, sink, run->repo, &tip->source, SV(""), &all) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (file, &all) {
		if (!sv_starts_with(file->path, folder))
			continue;
		struct git_file relative = *file;

		relative.path = sv_from_offset(file->path, folder.len);
		VEC_PUSH(run->arena, &tip->files, *file);
		VEC_PUSH(run->arena, &tip->relative, relative);
	}
	return STATUS_OK;
}

/* What a run would refuse is left for it to refuse. */
static bool request_is_sound(struct run *run, struct sink *sink, struct seal_root **ret_root)
{
	struct seal_identities *identities = seal_identities_new();
	bool sound = run_parse_identities(run, identities, sink) == STATUS_OK;
	sv name;
	sv mail;

	if (!sv_empty(run->request->author))
		sound = sound && run_parse_author(run->request->author, &name, &mail);

	seal_identities_free(identities);
	return sound && run_parse_seed(run, sink, ret_root) == STATUS_OK;
}

static bool is_proven(struct run *run, struct run_tip *tip)
{
	struct arena *arena = run->secret_arena;
	struct sink unused = sink_in(arena);
	struct buf inputs = buf_in(arena);
	SEAL_ROOT_AUTO root = NULL;
	struct git_messages messages;

	if (run_look_at_tip(run, tip, &unused) != STATUS_OK)
		return false;
	git_list_messages(run->arena, run->repo, tip->source.id, COMMITS_SEARCHED, &messages);
	if (!is_told(&messages, SV("")) || !request_is_sound(run, &unused, &root) ||
	    add_inputs(&inputs, arena, run, &unused) != STATUS_OK)
		return false;
	sv outputs = outputs_text(run->scratch, &tip->relative, &(struct git_changes){0});
	return is_told(&messages, seal_inputs_digest(run->arena, root, buf_sv(&inputs), outputs));
}

/*
 * The output's beginning mends what an interrupted run left, and waits for one at work. Then the
 * branch must still be where it was, and the work tree must show it.
 */
static enum status is_in_step(struct run *run, const struct run_tip *tip, bool *ret_in_step)
{
	struct git_files dirty = {0};
	struct git_source now;

	*ret_in_step = false;
	if (run_begin_output(run) != STATUS_OK)
		return STATUS_FAILED;
	sv rev = sv_empty(run->request->branch)
	             ? SV("HEAD")
	             : ARENA_CONCAT(run->arena, SV("refs/heads/"), run->request->branch);
	if (git_source_find(run->arena, run->sink, run->repo, rev, &now) != STATUS_OK)
		return STATUS_FAILED;
	if (git_output_is_checked_out(run->output) &&
	    git_list_dirty(run->arena, run->sink, run->repo, &tip->files, &dirty) != STATUS_OK)
		return STATUS_FAILED;
	*ret_in_step = git_id_equal(now.id, tip->source.id) && dirty.count == 0;
	return STATUS_OK;
}

/* What the paths alone tell. */
static void fill_summary(struct run *run, const struct run_tip *tip, struct report_summary *summary)
{
	run_describe(run, summary);
	summary->outcome = REPORT_NOTHING;
	summary->unchanged_file_count = tip->relative.count;
	VEC_EACH (file, &tip->relative) {
		struct report_machine_deployment row;

		summary->cluster_count += run_is_index(file->path);
		summary->profile_count += sv_contains(file->path, SV("/operatingsystemprofile-"));
		if (run_row_of_osc(run->arena, file->path, &row))
			VEC_PUSH(run->arena, &summary->machine_deployments, row);
	}
}

enum status run_find_unchanged(struct run *run, struct run_result *result, bool *ret_unchanged)
{
	const struct run_request *request = run->request;
	struct run_tip tip = {0};
	bool commits = request->mode == RUN_GENERATE && !request->no_commit;
	bool compares = request->mode == RUN_CHECK || request->mode == RUN_DIFF;

	*ret_unchanged = false;
	if ((!commits && !compares) || request->worktree || run->out_is_outside || request->whole ||
	    !is_proven(run, &tip))
		return STATUS_OK;
	if (commits && is_in_step(run, &tip, ret_unchanged) != STATUS_OK)
		return STATUS_FAILED;
	*ret_unchanged |= compares;
	if (*ret_unchanged)
		fill_summary(run, &tip, &result->summary);
	return STATUS_OK;
}
