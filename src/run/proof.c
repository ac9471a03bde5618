/*
 * Makes the proof that there is nothing to do, and looks for it (see proof.h).
 */
#include "run/proof.h"
#include "run/author.h"
#include "run/summary.h"
#include "run/tip.h"
#include "run/vouch.h"

#include "audit/audit.h"
#include "json/json.h"

#define INPUTS_TRAILER "Osm-Gen-Inputs"
#define COUNTS_TRAILER "Osm-Gen-Counts"

/* ---- inputs as one string ---------------------------------------------------------------- */

/* Adds the length first, so that no two lists of fields give the same string. */
static void add_field(struct buf *buf, sv field)
{
	buf_printf(buf, "%zu:", field.len);
	buf_add(buf, field);
}

/* Adds flags sorted by name: their order on the command line does not matter. */
static void add_settings(struct arena *arena, struct buf *buf, const struct value *settings)
{
	size_t count = settings ? value_count(settings) : 0;
	const struct value_entry **sorted = ARENA_ARRAY(arena, const struct value_entry *, count);

	for (size_t i = 0; i < count; i++)
		sorted[i] = &settings->map->entries[i];
	SORT_POINTERS_BY(sorted, count, key);
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
 * Adds the variables' bytes, since JSON might not distinguish all of them. The order of the flags
 * does not matter, nor does the name of a variable in the environment.
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
                               const struct run_reading *reading, const struct run_inputs *inputs)
{
	sv folder = sv_trim_right(reading->secrets_folder, "/");

	buf_printf(buf, "secrets %zu\n", inputs->secret_entries.count);
	VEC_EACH (entry, &inputs->secret_entries) {
		if (add_file_outside(arena, sink, buf, inputs, entry->path,
		                     ARENA_CONCAT(arena, folder, SV("/"), entry->path)) !=
		    STATUS_OK)
			return STATUS_FAILED;
	}
	buf_printf(buf, "revisions %d\n", !sv_empty(reading->revisions_file));
	if (sv_empty(reading->revisions_file))
		return STATUS_OK;
	return add_file_outside(arena, sink, buf, inputs, SV(""), reading->revisions_file);
}

/* Adds all inputs. The result is secret: it holds the files of --secrets. */
static enum status add_inputs(struct sink *sink, struct buf *buf, const struct run_env *env,
                              const struct run_request *request, const struct run_inputs *inputs)
{
	struct arena *secret_arena = env->secret_arena;

	add_field(buf, request->version);
	add_field(buf, request->build);
	add_field(buf, inputs->out);
	/* Profiles can use the time, which is the source commit's. */
	buf_printf(buf, "now %lld\n", (long long)inputs->source.time);
	/* A changed list may allow fewer recipients. */
	if (request->allowed.recipients.text.ptr) {
		BUF_ADD_LIT(buf, "allowed ");
		add_field(buf, request->allowed.recipients.text);
	}
	add_settings(secret_arena, buf, request->reading.settings);
	add_environment(secret_arena, buf, request->reading.environment);
	if (add_secrets(secret_arena, sink, buf, &request->reading, inputs) != STATUS_OK)
		return STATUS_FAILED;
	buf_printf(buf, "files %zu\n", inputs->files.count);
	VEC_EACH (file, &inputs->files)
		add_file(buf, file->path, file->mode, file->id);
	return STATUS_OK;
}

/* ---- outputs as one string --------------------------------------------------------------- */

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
 * Returns true for warnings that do not come from the inputs, so that the commit is the same with
 * and without them: about the work tree and git's folder, and about changes that this run was
 * allowed to make once.
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

sv run_proof(const struct run_env *env, const struct run_request *request,
             const struct run_facts *facts, const struct run_writer *writer)
{
	struct sink unused = sink_in(env->arena);
	struct buf inputs = buf_in(env->secret_arena);

	VEC_EACH (diag, &env->sink->diags) {
		if (!is_of_this_run((*diag)->code))
			return SV("");
	}
	if (add_inputs(&unused, &inputs, env, request, facts->inputs) != STATUS_OK)
		return SV("");
	sv outputs =
	    outputs_text(env->scratch, git_output_previous(writer->output), facts->changes);
	return seal_inputs_digest(env->arena, facts->plan->root, buf_sv(&inputs), outputs);
}

/* ---- looking for the proof --------------------------------------------------------------- */

/*
 * Looks for the proof in all lines of all messages: a squashed commit quotes the messages that it
 * was made of, indented. An empty proof matches any. *ret_counts is the trailer with the counts in
 * the same message; ret_counts may be null.
 */
static bool is_proof_given(const struct git_messages *messages, sv proof, sv *ret_counts)
{
	VEC_EACH (message, messages) {
		struct sv_splitter lines = sv_split(*message, '\n');
		bool given = false;
		sv line;
		sv text;

		while (sv_split_next(&lines, &line)) {
			if (audit_read_trailer(line, SV(INPUTS_TRAILER), &text))
				given = sv_empty(proof) || sv_eq(text, proof);
			else if (given && ret_counts &&
			         audit_read_trailer(line, SV(COUNTS_TRAILER), &text))
				*ret_counts = text;
			if (given && (!ret_counts || !sv_empty(*ret_counts)))
				return true;
		}
		if (given)
			return true;
	}
	return false;
}

/* Returns false if a run would refuse the request: the run itself reports why. */
static bool request_is_sound(struct sink *sink, const struct run_env *env,
                             const struct run_request *request, struct seal_root **ret_root)
{
	struct seal_identities *identities = seal_identities_new();
	bool sound =
	    run_parse_identities(sink, env, &request->reading.identities, identities) == STATUS_OK;
	sv name;
	sv mail;

	if (!sv_empty(request->commit.author))
		sound = sound && run_parse_author(request->commit.author, &name, &mail);

	seal_identities_free(identities);
	return sound && plan_parse_seed(env->secret_arena, sink, &request->reading.seed,
	                                ret_root) == STATUS_OK;
}

static bool is_proven(const struct run_env *env, const struct run_request *request,
                      const struct run_inputs *inputs, struct run_tip *tip, sv *ret_counts)
{
	struct sink unused = sink_in(env->secret_arena);
	struct buf text = buf_in(env->secret_arena);
	SEAL_ROOT_AUTO root = NULL;
	struct git_messages messages;

	if (run_look_at_tip(&unused, env, inputs, request->target.branch, tip) != STATUS_OK)
		return false;
	git_list_messages(env->arena, inputs->repo, tip->source.id, PLAN_COMMITS_SEARCHED,
	                  &messages);
	if (!is_proof_given(&messages, SV(""), NULL) ||
	    !request_is_sound(&unused, env, request, &root) ||
	    add_inputs(&unused, &text, env, request, inputs) != STATUS_OK)
		return false;
	sv outputs = outputs_text(env->scratch, &tip->relative, &(struct git_changes){0});
	sv proof = seal_inputs_digest(env->arena, root, buf_sv(&text), outputs);
	if (!is_proof_given(&messages, proof, ret_counts))
		return false;
	/* Revisions may be wrong after a revert: a whole run looks at them
	 * (DIAG_REVISION_REVERTED). */
	const struct plan_history history = {inputs->repo, tip->source.id, inputs->out};
	return !plan_output_came_back(env->arena, &history);
}

/*
 * Begins the output, which repairs what an interrupted run left and waits for one that is running.
 * After that the branch must still be where it was, and the work tree must show its output.
 */
static enum status is_in_step(const struct run_env *env, const struct run_inputs *inputs,
                              const struct run_tip *tip, struct run_writer *writer,
                              bool *ret_in_step)
{
	struct git_files dirty = {0};
	struct git_source now;

	*ret_in_step = false;
	if (run_begin_output(env, inputs, writer) != STATUS_OK)
		return STATUS_FAILED;
	sv rev = run_branch_rev(env->arena, writer->branch);
	if (git_source_find(env->arena, env->sink, inputs->repo, rev, &now) != STATUS_OK)
		return STATUS_FAILED;
	if (git_output_is_checked_out(writer->output) &&
	    git_list_dirty(env->arena, env->sink, inputs->repo, &tip->files, &dirty) != STATUS_OK)
		return STATUS_FAILED;
	*ret_in_step = git_id_equal(now.id, tip->source.id) && dirty.count == 0;
	return STATUS_OK;
}

/* ---- the trailers ------------------------------------------------------------------------- */

void run_add_proof(struct buf *buf, sv proof, const struct report_summary *summary)
{
	buf_printf(buf,
	           INPUTS_TRAILER ": %.*s\n" COUNTS_TRAILER
	                          ": %zu clusters, %zu %.*s, %zu profiles\n",
	           SV_ARG(proof), summary->cluster_count, summary->unit_count,
	           SV_ARG(summary->unit_kind), summary->profile_count);
}

/* Anybody may write a message that quotes a proof and adds counts with any content. */
static bool is_kind(sv text)
{
	enum { KIND_MAX = 63 };

	for (size_t i = 0; i < text.len; i++)
		if (!ascii_is_alphanumeric((unsigned char)text.ptr[i]))
			return false;
	return text.len > 0 && text.len <= KIND_MAX;
}

/* Reads "2 clusters, 3 MachineDeployment, 4 profiles", as run_add_proof writes it. */
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

/* ---- the whole ---------------------------------------------------------------------------- */

enum status run_find_unchanged(const struct run_env *env, const struct run_request *request,
                               const struct run_inputs *inputs, struct run_writer *writer,
                               struct report_summary *summary, bool *ret_unchanged)
{
	struct run_tip tip = {0};
	bool commits = request->mode == RUN_GENERATE && !request->target.no_commit;
	bool compares = request->mode == RUN_CHECK || request->mode == RUN_DIFF;
	sv counts = {0};

	*ret_unchanged = false;
	if ((!commits && !compares) || request->reading.worktree || inputs->out_is_outside ||
	    request->print.whole || request->commit.vouch ||
	    !is_proven(env, request, inputs, &tip, &counts))
		return STATUS_OK;
	if (commits && is_in_step(env, inputs, &tip, writer, ret_unchanged) != STATUS_OK)
		return STATUS_FAILED;
	*ret_unchanged |= compares;
	if (!*ret_unchanged)
		return STATUS_OK;
	run_describe(request, inputs, summary);
	summary->outcome = REPORT_NOTHING;
	summary->unchanged_file_count = tip.relative.count;
	read_counts(counts, summary);
	return STATUS_OK;
}
