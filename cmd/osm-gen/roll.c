/*
 * roll: marks MachineDeployments in the working tree, so that their machines are replaced. People
 * review the change and commit it.
 */
#include "roll/roll.h"
#include "commands.h"
#include "git/git.h"
#include "os/os.h"
#include "request.h"

/* Returns what was done, and what to do next. */
static sv summary_of(struct arena *arena, const struct roll_targets *targets, size_t file_count)
{
	struct buf buf = buf_in(arena);
	struct value list = value_list_new(arena);
	int64_t machines = 0;
	bool is_known = true;

	VEC_EACH (target, targets) {
		is_known &= target->replicas >= 0;
		machines += target->replicas;
		value_list_add(arena, &list,
		               VALUE_MAP(arena, {"cluster", value_string(target->cluster)},
		                         {"namespace", value_string(target->namespace)},
		                         {"name", value_string(target->name)},
		                         {"count", value_size(target->count)},
		                         {"path", value_string(target->path)}));
	}
	struct value root = VALUE_MAP(arena, {"targets", list}, {"files", value_size(file_count)},
	                              {"machines", is_known ? value_int(machines) : VALUE_INVALID},
	                              {"annotation", value_string(SV(ROLL_ANNOTATION))});
	report_form(&buf, "roll", REPORT_TERMINAL, &root);
	return buf_sv(&buf);
}

static enum status find_work_tree(struct context *context, sv *ret_root)
{
	struct git_repo *repo;

	if (git_repo_open(context->arena, context->sink, context->options->read.repo, &repo) !=
	    STATUS_OK)
		return STATUS_FAILED;
	*ret_root = arena_dup(context->arena, git_repo_worktree(repo));
	git_repo_close(repo);
	if (!sv_empty(*ret_root))
		return STATUS_OK;
	diag_set_help(context->sink,
	              diag_report(context->sink, DIAG_GIT_REPOSITORY, NOWHERE,
	                          "the repository has no working tree to mark manifests in"),
	              "run it in a clone");
	return STATUS_FAILED;
}

int command_roll(struct context *context)
{
	const struct options *options = context->options;
	const struct roll_choice choice = {
	    .cluster = options->chosen.cluster,
	    .profile = options->chosen.profile,
	    .names = options->arguments.items,
	    .name_count = options->arguments.count,
	};
	struct run_request request;
	const struct fleet *fleet;
	struct roll_targets targets;
	struct roll_files files;
	sv root;

	if (choice.name_count == 0 && sv_empty(choice.cluster) && sv_empty(choice.profile)) {
		struct diag *diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
		                                "\"roll\" needs --profile, --cluster or names");

		diag_set_help(context->sink, diag,
		              "osm-gen roll --profile osp-ubuntu --cluster prod; "
		              "osm-gen roll prod/kube-system/workers");
		return 64;
	}
	if (find_work_tree(context, &root) != STATUS_OK ||
	    request_reading(context, &request) != STATUS_OK)
		return 3;
	request.reading.worktree = true;
	if (run_survey(context->arena, context->sink, &request, &fleet, &context->result) !=
	        STATUS_OK ||
	    roll_choose(context->arena, context->sink, fleet, &choice, &targets) != STATUS_OK ||
	    roll_mark_files(context->arena, context->sink, root, &targets, &files) != STATUS_OK)
		return 2;
	VEC_EACH (file, &files)
		if (os_write_named(context->sink, root, file->path, file->text) != STATUS_OK)
			return 3;
	if (!options->print.quiet)
		context->last_words = summary_of(context->arena, &targets, files.count);
	return 0;
}
