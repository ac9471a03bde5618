/*
 * Is there nothing to do? See "the proof" in stages.h.
 */
#include "run/stages.h"
#include "json/json.h"

#define TRAILER        RUN_INPUTS_TRAILER ": "
#define COUNTS_TRAILER RUN_COUNTS_TRAILER ": "

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
static void add_settings(struct arena *arena, struct buf *buf, const struct value *settings)
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

static int compare_bindings(const void *left, const void *right, void *context UNUSED)
{
	const struct dialect_binding *a = left;
	const struct dialect_binding *b = right;
	int order = sv_cmp(a->cluster, b->cluster);

	return order != 0 ? order : sv_cmp(a->name, b->name);
}

/*
 * Bytes, which JSON might not distinguish. Neither the order of the flags counts nor what the
 * variables are called in the environment.
 */
static void add_environment(struct arena *arena, struct buf *buf,
                            const struct dialect_environment *environment)
{
	size_t count = environment->count;
	struct dialect_binding *sorted = ARENA_ARRAY(arena, struct dialect_binding, count);

	for (size_t i = 0; i < count; i++)
		sorted[i] = environment->items[i];
	sort_stable(sorted, count, sizeof(*sorted), compare_bindings, NULL);
	buf_printf(buf, "environment %zu\n", count);
	for (size_t i = 0; i < count; i++) {
		add_field(buf, sorted[i].cluster);
		add_field(buf, sorted[i].name);
		buf_add_char(buf, value_is_string(&sorted[i].text) ? '=' : '?');
		add_field(buf, value_text(&sorted[i].text));
	}
}

static void add_file(struct buf *buf, sv path, enum git_mode mode, struct git_id id)
{
	add_field(buf, path);
	buf_printf(buf, "%o ", (unsigned)mode);
	buf_add(buf, sv_from((const char *)id.bytes, sizeof(id.bytes)));
}

static enum status add_file_outside(struct arena *arena, struct sink *sink, struct buf *buf,
                                    const struct run_inputs *inputs, sv name, sv path)
{
	sv text;

	if (os_read_named(arena, sink, git_repo_worktree(inputs->repo), path, RUN_MAX_INPUT_BYTES,
	                  &text) != STATUS_OK)
		return STATUS_FAILED;
	add_field(buf, name);
	add_field(buf, text);
	return STATUS_OK;
}

static enum status add_secrets(struct arena *arena, struct sink *sink, struct buf *buf,
                               const struct run_env *env, const struct run_inputs *inputs)
{
	sv folder = sv_trim_right(env->request->secrets_folder, "/");

	buf_printf(buf, "secrets %zu\n", inputs->secret_entries.count);
	VEC_EACH (entry, &inputs->secret_entries) {
		if (add_file_outside(arena, sink, buf, inputs, entry->path,
		                     ARENA_CONCAT(arena, folder, SV("/"), entry->path)) !=
		    STATUS_OK)
			return STATUS_FAILED;
	}
	buf_printf(buf, "revisions %d\n", !sv_empty(env->request->revisions_file));
	if (sv_empty(env->request->revisions_file))
		return STATUS_OK;
	return add_file_outside(arena, sink, buf, inputs, SV(""), env->request->revisions_file);
}

/* The text is secret: it holds what --secrets holds. */
static enum status add_inputs(struct sink *sink, struct buf *buf, const struct run_env *env,
                              const struct run_inputs *inputs)
{
	struct arena *secret_arena = env->secret_arena;
	const struct run_request *request = env->request;

	add_field(buf, request->version);
	add_field(buf, request->build);
	add_field(buf, inputs->out);
	/* A profile may ask what time it is: that of the source commit. */
	buf_printf(buf, "now %lld\n", (long long)inputs->source.time);
	/* A list that was changed may allow less. */
	if (request->allow_recipients.text.ptr) {
		BUF_ADD_LIT(buf, "allowed ");
		add_field(buf, request->allow_recipients.text);
	}
	add_settings(secret_arena, buf, request->settings);
	add_environment(secret_arena, buf, request->environment);
	if (add_secrets(secret_arena, sink, buf, env, inputs) != STATUS_OK)
		return STATUS_FAILED;
	buf_printf(buf, "files %zu\n", inputs->files.count);
	VEC_EACH (file, &inputs->files)
		add_file(buf, file->path, file->mode, file->id);
	return STATUS_OK;
}

/* ---- outputs as one text ----------------------------------------------------------------- */

static sv outputs_text(struct arena *arena, const struct git_files *previous,
                       const struct git_changes *changes)
{
	const struct git_files files = run_files_after(arena, previous, changes);
	struct buf buf = buf_in(arena);

	VEC_EACH (file, &files)
		add_file(&buf, file->path, file->mode, file->id);
	return buf_sv(&buf);
}

/*
 * Warnings after which the commit is the same as without them: of what was found in the work tree
 * and in git's folder, not in the inputs, and of what was allowed once and holds from then on.
 */
static bool is_of_this_run(enum diag_code code)
{
	static const enum diag_code codes[] = {DIAG_INPUT_DIRTY,        DIAG_GIT_REPAIRED,
	                                       DIAG_GIT_CLEARED,        DIAG_GIT_JOURNAL,
	                                       DIAG_RECIPIENTS_FIRST,   DIAG_RECIPIENTS_ROTATED,
	                                       DIAG_CERTIFICATE_CHANGED};

	for (size_t i = 0; i < COUNT_OF(codes); i++)
		if (code == codes[i])
			return true;
	return false;
}

sv run_proof(const struct run_env *env, const struct run_facts *facts,
             const struct run_writer *writer)
{
	struct sink unused = sink_in(env->arena);
	struct buf inputs = buf_in(env->secret_arena);

	VEC_EACH (diag, &env->sink->diags) {
		if (!is_of_this_run((*diag)->code))
			return SV("");
	}
	if (add_inputs(&unused, &inputs, env, facts->inputs) != STATUS_OK)
		return SV("");
	sv outputs =
	    outputs_text(env->scratch, git_output_previous(writer->output), facts->changes);
	return seal_inputs_digest(env->arena, facts->plan->root, buf_sv(&inputs), outputs);
}

/* ---- looking for the proof --------------------------------------------------------------- */

/* What stands behind `trailer` in a line; false when that is no such line. */
static bool read_trailer(sv line, sv trailer, sv *ret_text)
{
	line = sv_trim_space(line);
	if (!sv_starts_with(line, trailer))
		return false;
	*ret_text = sv_from_offset(line, trailer.len);
	return true;
}

/*
 * Some line of some message: a squashed commit quotes those it was made of, indented. An empty
 * proof: any. ret_counts (may be null) is what the same message says of the numbers.
 */
static bool is_proof_given(const struct git_messages *messages, sv proof, sv *ret_counts)
{
	VEC_EACH (message, messages) {
		struct sv_splitter lines = sv_split(*message, '\n');
		bool given = false;
		sv line;
		sv text;

		while (sv_split_next(&lines, &line)) {
			if (read_trailer(line, SV(TRAILER), &text))
				given = sv_empty(proof) || sv_eq(text, proof);
			else if (given && ret_counts &&
			         read_trailer(line, SV(COUNTS_TRAILER), &text))
				*ret_counts = text;
			if (given && (!ret_counts || !sv_empty(*ret_counts)))
				return true;
		}
		if (given)
			return true;
	}
	return false;
}

/* What a run would refuse is left for it to refuse. */
static bool request_is_sound(struct sink *sink, const struct run_env *env,
                             struct seal_root **ret_root)
{
	struct seal_identities *identities = seal_identities_new();
	bool sound = run_parse_identities(sink, env, identities) == STATUS_OK;
	sv name;
	sv mail;

	if (!sv_empty(env->request->author))
		sound = sound && run_parse_author(env->request->author, &name, &mail);

	seal_identities_free(identities);
	return sound &&
	       plan_parse_seed(env->secret_arena, sink, &env->request->seed, ret_root) == STATUS_OK;
}

static bool is_proven(const struct run_env *env, const struct run_inputs *inputs,
                      struct run_tip *tip, sv *ret_counts)
{
	struct sink unused = sink_in(env->secret_arena);
	struct buf text = buf_in(env->secret_arena);
	SEAL_ROOT_AUTO root = NULL;
	struct git_messages messages;

	if (run_look_at_tip(&unused, env, inputs, tip) != STATUS_OK)
		return false;
	git_list_messages(env->arena, inputs->repo, tip->source.id, COMMITS_SEARCHED, &messages);
	if (!is_proof_given(&messages, SV(""), NULL) || !request_is_sound(&unused, env, &root) ||
	    add_inputs(&unused, &text, env, inputs) != STATUS_OK)
		return false;
	sv outputs = outputs_text(env->scratch, &tip->relative, &(struct git_changes){0});
	sv proof = seal_inputs_digest(env->arena, root, buf_sv(&text), outputs);
	if (!is_proof_given(&messages, proof, ret_counts))
		return false;
	/* Then its revisions may be wrong, which a whole run looks at (DIAG_REVISION_REVERTED). */
	const struct plan_history history = {inputs->repo, tip->source.id, inputs->out};
	return !plan_output_came_back(env->arena, &history);
}

/*
 * The output's beginning mends what an interrupted run left, and waits for one at work. Then the
 * branch must still be where it was, and the work tree must show it.
 */
static enum status is_in_step(const struct run_env *env, const struct run_inputs *inputs,
                              const struct run_tip *tip, struct run_writer *writer,
                              bool *ret_in_step)
{
	sv branch = env->request->branch;
	struct git_files dirty = {0};
	struct git_source now;

	*ret_in_step = false;
	if (run_begin_output(env, inputs, writer) != STATUS_OK)
		return STATUS_FAILED;
	sv rev =
	    sv_empty(branch) ? SV("HEAD") : ARENA_CONCAT(env->arena, SV("refs/heads/"), branch);
	if (git_source_find(env->arena, env->sink, inputs->repo, rev, &now) != STATUS_OK)
		return STATUS_FAILED;
	if (git_output_is_checked_out(writer->output) &&
	    git_list_dirty(env->arena, env->sink, inputs->repo, &tip->files, &dirty) != STATUS_OK)
		return STATUS_FAILED;
	*ret_in_step = git_id_equal(now.id, tip->source.id) && dirty.count == 0;
	return STATUS_OK;
}

/* Anybody may write a message that quotes a proof, and say there what they like. */
static bool is_kind(sv text)
{
	enum { KIND_MAX = 63 };

	for (size_t i = 0; i < text.len; i++)
		if (!ascii_is_alphanumeric((unsigned char)text.ptr[i]))
			return false;
	return text.len > 0 && text.len <= KIND_MAX;
}

/* "2 clusters, 3 MachineDeployment, 4 profiles": as run_commit_message writes it. */
static void read_counts(sv text, struct report_summary *summary)
{
	size_t *const counts[] = {&summary->cluster_count, &summary->unit_count,
	                          &summary->profile_count};
	struct sv_splitter it = sv_split(text, ',');
	sv part;

	for (size_t i = 0; i < COUNT_OF(counts) && sv_split_next(&it, &part); i++) {
		int64_t number;
		sv digits;
		sv what;

		if (!sv_cut(sv_trim_space(part), SV(" "), &digits, &what) ||
		    !sv_parse_int64(digits, &number) || number < 0)
			return;
		*counts[i] = (size_t)number;
		if (counts[i] == &summary->unit_count && is_kind(what))
			summary->unit_kind = what;
	}
}

enum status run_find_unchanged(const struct run_env *env, const struct run_inputs *inputs,
                               struct run_writer *writer, struct report_summary *summary,
                               bool *ret_unchanged)
{
	const struct run_request *request = env->request;
	struct run_tip tip = {0};
	bool commits = request->mode == RUN_GENERATE && !request->no_commit;
	bool compares = request->mode == RUN_CHECK || request->mode == RUN_DIFF;
	sv counts = {0};

	*ret_unchanged = false;
	if ((!commits && !compares) || request->worktree || inputs->out_is_outside ||
	    request->whole || request->vouch || !is_proven(env, inputs, &tip, &counts))
		return STATUS_OK;
	if (commits && is_in_step(env, inputs, &tip, writer, ret_unchanged) != STATUS_OK)
		return STATUS_FAILED;
	*ret_unchanged |= compares;
	if (!*ret_unchanged)
		return STATUS_OK;
	run_describe(env, inputs, summary);
	summary->outcome = REPORT_NOTHING;
	summary->unchanged_file_count = tip.relative.count;
	read_counts(counts, summary);
	return STATUS_OK;
}
