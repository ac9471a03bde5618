/*
 * Makes the proof that there is nothing to do, and looks for it (see proofs.h).
 */
#include "audit/audit.h"
#include "run/commit/commit.h"
#include "run/output/output.h"
#include "run/proofs/proofs.h"
#include "run/proofs/warnings.h"
#include "run/summary/summary.h"
#include "json/json.h"

#define INPUTS_TRAILER "Osm-Gen-Inputs"
#define COUNTS_TRAILER "Osm-Gen-Counts"

/* ---- inputs as one string ---------------------------------------------------------------- */

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
		buf_add_field(buf, sorted[i]->key);
		buf_add_field(buf, buf_sv(&text));
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
		buf_add_field(buf, sorted[i].cluster);
		buf_add_field(buf, sorted[i].name);
		buf_add_char(buf, value_is_string(&sorted[i].text) ? '=' : '?');
		buf_add_field(buf, value_text(&sorted[i].text));
	}
}

static enum status add_file_outside(struct arena *arena, struct sink *sink, struct buf *buf,
                                    const struct run_inputs *inputs, sv name, sv path)
{
	sv text;

	if (os_read_named(arena, sink, git_repo_worktree(inputs->repo), path, RUN_MAX_INPUT_BYTES,
	                  &text) != STATUS_OK)
		return STATUS_FAILED;
	buf_add_field(buf, name);
	buf_add_field(buf, text);
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

	buf_add_field(buf, request->version);
	buf_add_field(buf, request->build);
	buf_add_field(buf, inputs->out);
	/* Profiles can use the time, which is the source commit's. */
	buf_printf(buf, "now %lld\n", (long long)inputs->source.time);
	/* A changed list may allow fewer recipients. */
	if (request->allowed.recipients.text.ptr) {
		BUF_ADD_LIT(buf, "allowed ");
		buf_add_field(buf, request->allowed.recipients.text);
	}
	add_settings(secret_arena, buf, request->reading.settings);
	add_environment(secret_arena, buf, request->reading.environment);
	if (add_secrets(secret_arena, sink, buf, &request->reading, inputs) != STATUS_OK)
		return STATUS_FAILED;
	for (size_t i = 0; i < request->reading.added_count; i++) {
		const struct run_added *added = &request->reading.added[i];

		BUF_ADD_LIT(buf, "added ");
		buf_add_field(buf, run_added_name(added));
		buf_add_field(buf, added->cluster);
		buf_add_field(buf, added->text);
	}
	/* The program alone decides what it makes of the files. */
	if (request->reading.programs.kustomize) {
		BUF_ADD_LIT(buf, "kustomize ");
		buf_add_field(buf, inputs->kustomize.digest);
	}
	buf_printf(buf, "files %zu\n", inputs->files.count);
	audit_add_files(buf, &inputs->files);
	return STATUS_OK;
}

/* ---- outputs as one string --------------------------------------------------------------- */

static sv outputs_text(struct arena *arena, const struct git_files *files)
{
	struct buf buf = buf_in(arena);

	audit_add_files(&buf, files);
	return buf_sv(&buf);
}

static bool has_stranger(const struct git_files *files, const struct set *written)
{
	VEC_EACH (file, files)
		if (!set_has(written, file->path))
			return true;
	return false;
}

/* ---- the statement ------------------------------------------------------------------------ */

static void add_counts(struct buf *buf, const struct report_summary *summary)
{
	buf_printf(buf, COUNTS_TRAILER ": %zu cluster%s, %zu %.*s, %zu profile%s\n",
	           summary->cluster_count, summary->cluster_count == 1 ? "" : "s",
	           summary->unit_count, SV_ARG(summary->unit_kind), summary->profile_count,
	           summary->profile_count == 1 ? "" : "s");
}

struct run_listed_warnings run_list_warnings(const struct run_env *env,
                                             const struct run_facts *facts)
{
	struct buf trailers = buf_in(env->arena);
	bool are_repeatable = run_add_warnings(env, facts, &trailers);

	return (struct run_listed_warnings){buf_sv(&trailers), are_repeatable};
}

sv run_proof_trailers(const struct run_env *env, const struct run_request *request,
                      const struct run_facts *facts, const struct run_writer *writer,
                      const struct report_summary *summary,
                      const struct run_listed_warnings *warnings)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	ARENA_AUTO secret_scratch = arena_new(ARENA_SECRET);
	const struct seal_root *root = facts->plan->root;
	const struct git_files files =
	    run_files_after(scratch, git_output_previous(writer->output), facts->changes);
	struct sink unused = sink_in(env->arena);
	struct buf inputs = buf_in(secret_scratch);
	struct buf statement = buf_in(env->arena);

	add_counts(&statement, summary);
	buf_add(&statement, warnings->trailers);
	if (has_stranger(&files, &facts->rendered->written) || !warnings->are_repeatable ||
	    add_inputs(&unused, &inputs, env, request, facts->inputs) != STATUS_OK)
		return SV("");
	sv digest =
	    seal_inputs_digest(env->arena, root, buf_sv(&inputs), outputs_text(scratch, &files));
	digest = seal_statement_digest(env->arena, root, digest, buf_sv(&statement));
	return ARENA_CONCAT(env->arena, SV(INPUTS_TRAILER ": "), digest, SV("\n"),
	                    buf_sv(&statement));
}

enum status run_inputs_digest(const struct run_env *env, const struct run_request *request,
                              const struct run_facts *facts, const struct run_writer *writer,
                              sv *ret_digest)
{
	struct buf inputs = buf_in(env->secret_arena);

	if (add_inputs(env->sink, &inputs, env, request, facts->inputs) != STATUS_OK)
		return STATUS_FAILED;
	/* No proof has such an output. */
	sv before = ARENA_CONCAT(env->arena, SV("before a shard\n"),
	                         outputs_text(env->scratch, git_output_previous(writer->output)));
	*ret_digest = seal_inputs_digest(env->arena, facts->plan->root, buf_sv(&inputs), before);
	return STATUS_OK;
}

/* ---- looking for the proof --------------------------------------------------------------- */

/* A digest in some message, with the statement below it. Anybody may have written both. */
struct claim {
	sv digest;
	sv counts;
	struct run_claimed_warnings warnings;
	bool is_malformed;
};
VEC_TYPE(claims, struct claim);

static void add_to_claim(struct arena *arena, struct claim *claim, sv line)
{
	sv text;

	if (audit_read_trailer(line, SV(COUNTS_TRAILER), &text)) {
		claim->is_malformed |= !sv_empty(claim->counts);
		claim->counts = text;
	} else {
		run_claim_warnings(arena, &claim->warnings, line);
	}
}

/*
 * Finds the claims in all lines of all messages: a squashed commit quotes the messages that it was
 * made of, indented. The lines of other trailers between them do not matter.
 */
static struct claims find_claims(struct arena *arena, const struct git_messages *messages)
{
	struct claims claims = {0};

	VEC_EACH (message, messages) {
		struct sv_splitter lines = sv_split(*message, '\n');
		bool has_claim = false;
		sv line;
		sv text;

		while (sv_split_next(&lines, &line)) {
			if (audit_read_trailer(line, SV(INPUTS_TRAILER), &text)) {
				VEC_PUSH(arena, &claims, (struct claim){.digest = text});
				has_claim = true;
			} else if (has_claim) {
				add_to_claim(arena, &claims.items[claims.count - 1], line);
			}
		}
	}
	return claims;
}

/* Returns the statement as run_proof_trailers writes it. */
static sv claimed_statement(struct arena *arena, const struct claim *claim)
{
	struct buf buf = buf_in(arena);

	buf_printf(&buf, COUNTS_TRAILER ": %.*s\n", SV_ARG(claim->counts));
	run_add_claimed_warnings(&buf, &claim->warnings);
	return buf_sv(&buf);
}

/* Returns the claim that is true of inputs and outputs with this digest, or null. */
static const struct claim *find_true_claim(struct arena *arena, const struct seal_root *root,
                                           const struct claims *claims, sv inputs_digest)
{
	VEC_EACH (claim, claims)
		if (!claim->is_malformed && !claim->warnings.is_malformed &&
		    sv_eq(claim->digest, seal_statement_digest(arena, root, inputs_digest,
		                                               claimed_statement(arena, claim))))
			return claim;
	return NULL;
}

/* Returns false if a run would refuse the request: the run itself reports why. */
static bool request_is_sound(struct sink *sink, const struct run_env *env,
                             const struct run_request *request, struct seal_root **ret_root)
{
	struct seal_identities *identities = seal_identities_new();
	bool sound = plan_add_identities(env->secret_arena, sink, &request->reading.identities,
	                                 identities) == STATUS_OK;
	sv name;
	sv mail;

	if (!sv_empty(request->commit.author))
		sound = sound && run_parse_author(request->commit.author, &name, &mail);

	seal_identities_free(identities);
	return sound && plan_parse_seed(env->secret_arena, sink, &request->reading.seed,
	                                ret_root) == STATUS_OK;
}

/* Returns the claim that proves that there is nothing to do, or null. */
static const struct claim *find_proof(const struct run_env *env, const struct run_request *request,
                                      const struct run_inputs *inputs, struct run_tip *tip)
{
	struct sink unused = sink_in(env->secret_arena);
	struct buf text = buf_in(env->secret_arena);
	SEAL_ROOT_AUTO root = NULL;
	struct git_messages messages;

	if (run_list_tip(&unused, env, inputs, request->target.branch, tip) != STATUS_OK)
		return NULL;
	git_list_messages(env->arena, inputs->repo, tip->source.id, PLAN_COMMITS_SEARCHED,
	                  &messages);
	const struct claims claims = find_claims(env->arena, &messages);
	if (claims.count == 0 || !request_is_sound(&unused, env, request, &root) ||
	    add_inputs(&unused, &text, env, request, inputs) != STATUS_OK)
		return NULL;
	sv digest = seal_inputs_digest(env->arena, root, buf_sv(&text),
	                               outputs_text(env->scratch, &tip->relative));
	const struct claim *claim = find_true_claim(env->arena, root, &claims, digest);
	/* Revisions may be wrong after a revert: a whole run looks at them
	 * (DIAG_REVISION_REVERTED). */
	const struct plan_history history = {inputs->repo, tip->source.id, inputs->out};
	return claim && !plan_output_came_back(env->arena, &history) ? claim : NULL;
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

/* Reads "2 clusters, 3 MachineDeployment, 4 profiles", as add_counts writes it. */
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
		if (counts[i] == &summary->unit_count)
			summary->unit_kind = what;
	}
}

/* ---- the whole ---------------------------------------------------------------------------- */

enum status run_find_unchanged(const struct run_env *env, const struct run_request *request,
                               const struct run_inputs *inputs, struct run_writer *writer,
                               struct report_summary *summary, bool *ret_unchanged)
{
	struct run_tip *tip = ARENA_NEW(env->arena, struct run_tip);
	const struct claim *claim;
	bool commits = request->mode == RUN_GENERATE && !request->target.no_commit;
	bool compares = request->mode == RUN_CHECK || request->mode == RUN_DIFF;

	*ret_unchanged = false;
	if ((!commits && !compares) || request->reading.worktree || inputs->out_is_outside ||
	    request->print.whole || !sv_empty(request->print.cluster) || request->commit.vouch ||
	    request->reading.no_proofs)
		return STATUS_OK;
	claim = find_proof(env, request, inputs, tip);
	writer->tip = tip;
	if (!claim)
		return STATUS_OK;
	if (commits && is_in_step(env, inputs, tip, writer, ret_unchanged) != STATUS_OK)
		return STATUS_FAILED;
	*ret_unchanged |= compares;
	if (!*ret_unchanged)
		return STATUS_OK;
	*ret_unchanged = run_repeat_warnings(env, inputs, &claim->warnings);
	if (!*ret_unchanged)
		return STATUS_OK;
	run_describe(env, request, inputs, summary);
	summary->outcome = REPORT_NOTHING;
	summary->unchanged_file_count = tip->relative.count;
	read_counts(claim->counts, summary);
	return STATUS_OK;
}
