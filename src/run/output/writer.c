/*
 * Seals files, scans them for secrets, and puts them into the tree.
 */
#include "run/output/output.h"

bool run_makes_commit(const struct run_writer *writer, const struct run_inputs *inputs)
{
	return writer->mode == GIT_OUTPUT_COMMIT && !inputs->out_is_outside;
}

enum status run_begin_output(const struct run_env *env, const struct run_inputs *inputs,
                             struct run_writer *writer)
{
	struct git_output_options options = {
	    .mode = inputs->out_is_outside ? GIT_OUTPUT_FOLDER : writer->mode,
	    .folder = inputs->out,
	    .branch = writer->branch,
	    .workers = env->threads,
	    .source = inputs->source.hex.len ? &inputs->source : NULL,
	    .blobs = writer->blobs,
	    .listed = writer->tip ? &writer->tip->relative : NULL,
	    .listed_tree = writer->tip ? writer->tip->source.tree : (struct git_id){{0}},
	};

	/* Before the first commit `render` has no previous output. */
	bool has_former = options.source || options.mode == GIT_OUTPUT_FOLDER;
	if (writer->has_no_output || writer->output || !has_former || !inputs->repo)
		return STATUS_OK;
	if (options.mode == GIT_OUTPUT_FOLDER && !inputs->out_is_outside) {
		sv root = git_repo_worktree(inputs->repo);

		if (sv_empty(root)) {
			struct diag *diag = diag_report(
			    env->sink, DIAG_OUTPUT_FOLDER, NOWHERE,
			    "a bare repository has no working tree to write \"%.*s\" in",
			    SV_ARG(inputs->out));
			diag_set_help(env->sink, diag,
			              "let osm-gen commit, or export with an absolute --out");
			return STATUS_FAILED;
		}
		options.folder = ARENA_CONCAT(env->arena, root, SV("/"), inputs->out);
	}
	return git_output_begin(env->arena, env->sink, inputs->repo, &options, &writer->output);
}

enum status run_read_previous(const struct run_env *env, bool rotate_seed,
                              const struct run_inputs *inputs, const struct plan *plan,
                              const struct run_writer *writer, struct previous *ret_previous)
{
	const struct previous_request wanted = {
	    .output = writer->output,
	    .out = inputs->out,
	    .root = plan->root,
	    .rotate_seed = rotate_seed,
	    .is_bound = !sv_empty(plan->fleet->identity),
	    .threads = env->threads,
	    .arenas = writer->results,
	};

	return plan_read_previous(env->arena, env->sink, &wanted, ret_previous);
}

enum status run_check_marks(struct sink *sink, const struct artifact *artifact, bool is_definition,
                            struct position at)
{
	enum secrecy_spelling allowed = SECRECY_SPELLS_NONE;
	struct position where;
	struct diag *diag;

	if (is_definition)
		allowed = SECRECY_SPELLS_PLACEHOLDERS;
	else if (artifact->side == ARTIFACT_STATUS)
		allowed = SECRECY_SPELLS_WHOLE;
	if (artifact->sealing == ARTIFACT_SEAL_DATA ||
	    !secrecy_spells_mark(&artifact->object, allowed, at, &where))
		return STATUS_OK;
	diag = diag_report(sink, DIAG_MARK_SPELLED, where,
	                   "a clear file would have text that looks like the mark of a secret: "
	                   "<sealed:...>");
	diag_set_help(sink, diag,
	              "change the text; only osm-gen writes such marks, in place of secrets");
	return STATUS_FAILED;
}

enum status run_seal(struct sink *sink, const struct seal_root *root,
                     const struct artifact *artifact, const struct tree_seal_request *seal,
                     bool is_patch, struct buf *buf, bool *ret_sealed)
{
	struct arena *scratch = buf->arena;

	if (is_patch)
		return tree_add_sealed_patch(scratch, sink, buf, root, seal, ret_sealed);
	switch (artifact->sealing) {
	case ARTIFACT_SEAL_DATA:
		*ret_sealed = true;
		return tree_add_sealed_secret(scratch, sink, buf, seal);
	case ARTIFACT_SEAL_SECRETS:
		return tree_add_sealed_object(scratch, sink, buf, seal, ret_sealed);
	case ARTIFACT_SEAL_PATCH:
	case ARTIFACT_CLEAR:
		*ret_sealed = false;
		tree_add_clear_object(scratch, buf, root, seal->cluster, seal->source,
		                      &artifact->object);
		return STATUS_OK;
	}
	BUG("sealing of an artifact");
}

enum status run_put_scanned(struct sink *sink, struct run_writer *writer, unsigned worker, sv path,
                            const struct git_content *content)
{
	if (!quota_take(writer->bytes, content->bytes.len)) {
		quota_report(sink, writer->bytes);
		return STATUS_FAILED;
	}
	if (git_output_put(sink, writer->output, worker, path, content) != STATUS_OK)
		return STATUS_FAILED;
	if (writer->contents && git_output_has_changed(writer->output, worker, path))
		run_contents_keep(writer->results[worker], writer->contents, path, content->bytes);
	return STATUS_OK;
}

enum status run_put(struct sink *sink, struct run_writer *writer, unsigned worker,
                    const struct leak_scanner *scanner, sv path, const struct git_content *content,
                    const struct leak_place *place)
{
	/* A file that is too much for the quota is not scanned. */
	if (quota_is_exceeded(writer->bytes) ||
	    leak_scanner_check(sink, scanner, path, content->bytes, place) == STATUS_OK)
		return run_put_scanned(sink, writer, worker, path, content);
	return STATUS_FAILED;
}
