/*
 * Names what the run was given that is not in git, and compares it with the last run's.
 */
#include "audit/audit.h"
#include "run/commit/commit.h"
#include "run/output/output.h"

/* Adds "CLUSTER NAME", by which a file is found again; a cluster that is not named is "-". */
static void add_manifest(struct buf *buf, const struct run_added *added)
{
	if (sv_empty(added->cluster))
		buf_add_char(buf, '-');
	else
		run_add_name(buf, added->cluster);
	buf_add_char(buf, ' ');
	run_add_name(buf, run_added_name(added));
}

sv run_describe_kustomize(struct arena *arena, const struct kustomize_program *program)
{
	return ARENA_CONCAT(arena, SV("kustomize "), program->version, SV(" sha256:"),
	                    program->digest);
}

sv run_outside_trailers(const struct run_env *env, const struct run_request *request,
                        const struct run_facts *facts)
{
	struct buf buf = buf_in(env->arena);

	for (size_t i = 0; i < request->reading.added_count; i++) {
		const struct run_added *added = &request->reading.added[i];
		sv digest = seal_inputs_digest(env->arena, facts->plan->root, added->text,
		                               SV("manifests\n"));

		BUF_ADD_LIT(&buf, AUDIT_MANIFESTS_TRAILER ": ");
		add_manifest(&buf, added);
		buf_printf(&buf, " %.*s\n", SV_ARG(digest));
	}
	if (facts->inputs->uses_kustomize)
		buf_printf(&buf, AUDIT_PROGRAM_TRAILER ": %.*s\n",
		           SV_ARG(run_describe_kustomize(env->arena, &facts->inputs->kustomize)));
	return buf_sv(&buf);
}

/* Returns true if the run was given a file of that name for that cluster. */
static bool has_manifest(const struct run_env *env, const struct run_reading *reading, sv named)
{
	for (size_t i = 0; i < reading->added_count; i++) {
		struct buf buf = buf_in(env->scratch);

		add_manifest(&buf, &reading->added[i]);
		if (sv_eq(buf_sv(&buf), named))
			return true;
	}
	return false;
}

/* Returns the message of the newest commit of osm-gen, or an empty string. */
static sv last_message(const struct run_env *env, const struct run_request *request,
                       const struct run_inputs *inputs)
{
	struct sink unused = sink_in(env->arena);
	struct git_messages messages;
	struct git_source tip;
	sv rev = run_branch_rev(env->arena, request->target.branch);

	if (git_source_find(env->arena, &unused, inputs->repo, rev, &tip) != STATUS_OK)
		return SV("");
	git_list_messages(env->arena, inputs->repo, tip.id, PLAN_COMMITS_SEARCHED, &messages);
	VEC_EACH (message, &messages)
		if (audit_names_source(*message))
			return *message;
	return SV("");
}

/* Warns of a program of which the last run used another version, or another build. */
static void compare_program(const struct run_env *env, const struct run_inputs *inputs, sv before)
{
	const struct kustomize_program *program = &inputs->kustomize;
	sv now = run_describe_kustomize(env->arena, program);
	sv name;
	sv rest;
	sv version;
	sv digest;

	if (sv_eq(before, now) || !sv_cut(before, SV(" "), &name, &rest) ||
	    !sv_eq(name, SV("kustomize")) || !sv_cut(rest, SV(" "), &version, &digest))
		return;
	bool is_same_version = sv_eq(version, program->version);
	struct diag *diag =
	    is_same_version
	        ? diag_report(
	              env->sink, DIAG_PROGRAM_CHANGED, NOWHERE,
	              "kustomize %.*s is not the build that made the last commit of osm-gen",
	              SV_ARG(program->version))
	        : diag_report(env->sink, DIAG_PROGRAM_CHANGED, NOWHERE,
	                      "kustomize is %.*s, and the last commit of osm-gen was made with "
	                      "%.*s",
	                      SV_ARG(program->version), SV_ARG(version));
	diag_add_note(env->sink, diag, NOWHERE, "now: %.*s sha256:%.*s", SV_ARG(program->path),
	              SV_ARG(program->digest));
	diag_add_note(env->sink, diag, NOWHERE, "then: %.*s", SV_ARG(digest));
	diag_set_help(env->sink, diag,
	              "look at the difference (osm-gen diff), or install the version that made "
	              "the last commit");
}

static void compare_manifest(const struct run_env *env, const struct run_reading *reading, sv value)
{
	sv named = sv_slice(value, 0, sv_rfind_char(value, ' '));
	sv cluster;
	sv name;

	if (!sv_cut(named, SV(" "), &cluster, &name) || has_manifest(env, reading, named))
		return;
	struct diag *diag = diag_report(
	    env->sink, DIAG_MANIFESTS_LACKING, NOWHERE,
	    "the last commit of osm-gen was made with manifests that this run does not have: %.*s",
	    SV_ARG(name));
	if (!sv_eq(cluster, SV("-")))
		diag_add_note(env->sink, diag, NOWHERE, "they belong to cluster %.*s",
		              SV_ARG(cluster));
	diag_set_help(env->sink, diag,
	              "give the file with --manifests, as the last run did, or commit its content");
}

void run_compare_outside(const struct run_env *env, const struct run_request *request,
                         const struct run_inputs *inputs)
{
	struct audit_outside outside;

	if (!inputs->repo || inputs->out_is_outside || request->reading.worktree ||
	    git_repo_is_unborn(inputs->repo))
		return;
	audit_read_outside(env->arena, last_message(env, request, inputs), &outside);
	VEC_EACH (value, &outside.manifests)
		compare_manifest(env, &request->reading, *value);
	VEC_EACH (value, &outside.programs)
		if (inputs->uses_kustomize)
			compare_program(env, inputs, *value);
}
