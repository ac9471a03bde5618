/*
 * Checks options that were parsed: their values, and which of them exclude each other.
 */
#include "option_table.h"

#include "dialect/dialect.h"

enum when options_when(sv text)
{
	if (sv_eq(text, SV("always")))
		return WHEN_ALWAYS;
	return sv_eq(text, SV("never")) ? WHEN_NEVER : WHEN_AUTO;
}

struct checks {
	struct arena *arena;
	struct sink *sink;
	struct options *options;
	struct option_names given;
};

static void check_when(struct checks *p, const char *name, sv text)
{
	if (!sv_empty(text) && !sv_eq(text, SV("auto")) && options_when(text) == WHEN_AUTO)
		REPORT_USAGE(p->sink, "--%s is auto, always or never, not \"%.*s\"", name,
		             SV_ARG(text));
}

static bool is_given(const struct options *given, const struct option_info *info)
{
	const void *field = (const char *)given + info->offset;

	switch (info->kind) {
	case OPTION_FLAG:
		return *(const bool *)field;
	case OPTION_TEXT:
	case OPTION_MAYBE:
		return ((const sv *)field)->ptr != NULL;
	case OPTION_TEXTS:
		return ((const struct option_texts *)field)->count > 0;
	case OPTION_AMOUNT: {
		const struct options defaults = {.work.limits = run_limits_default()};

		return *(const uint64_t *)field !=
		       *(const uint64_t *)((const char *)&defaults + info->offset);
	}
	case OPTION_REPORT:
		return given->print.reports.count > 0;
	case OPTION_VARIABLES:
		return given->allowed.variables.count > 0;
	}
	BUG("kind of option");
}

static void check_applies(struct checks *p)
{
	const struct options *given = p->options;
	const struct command_info *command = command_info(given->command);
	size_t count;
	const struct option_info *options = option_table(&count);

	for (size_t i = 0; i < count; i++) {
		const struct option_info *info = &options[i];

		if (!is_given(given, info) || option_find(sv_from_cstr(info->name)) != info ||
		    option_applies(info->name, given->command))
			continue;
		struct diag *diag = REPORT_USAGE(p->sink, "--%s does not apply to \"%s\"",
		                                 info->name, command->name);
		bool needs_cluster;
		const char *instead =
		    option_word_instead(arena_printf(p->arena, "--%s", info->name), &needs_cluster);
		if (instead)
			diag_set_help(p->sink, diag, "%s", instead);
		else
			diag_set_help(p->sink, diag, "`osm-gen help --all %s` lists its options",
			              command->name);
	}
	if (given->settings.map->count > 0 && !(ON_SETTINGS & ON(given->command)))
		REPORT_USAGE(p->sink, "settings do not apply to \"%s\"", command->name);
	if (given->arguments.count < command->min_arguments)
		REPORT_USAGE(p->sink, "\"%s\" needs %s", command->name, command->arguments);
	else if (given->arguments.count > command->max_arguments)
		REPORT_USAGE(p->sink, "\"%s\" takes no argument \"%.*s\"", command->name,
		             SV_ARG(given->arguments.items[command->max_arguments]));
}

/* The rules of git check-ref-format that are most likely broken by mistyping; git knows the rest.
 */
static bool is_branch_name(sv name)
{
	for (size_t i = 0; i < name.len; i++)
		if ((unsigned char)name.ptr[i] <= ' ' || strchr("~^:?*[\\\x7f", name.ptr[i]))
			return false;
	return !sv_empty(name) && name.ptr[0] != '-' && !sv_contains(name, SV("..")) &&
	       !sv_contains(name, SV("//")) && !sv_starts_with(name, SV("/")) &&
	       !sv_ends_with(name, SV("/")) && !sv_ends_with(name, SV(".")) &&
	       !sv_ends_with(name, SV(".lock"));
}

/* CI systems name branches in full: GITHUB_REF is refs/heads/main. */
static void check_branch(struct checks *p)
{
	struct options *options = p->options;

	if (!options->target.branch.ptr)
		return;
	if (sv_starts_with(options->target.branch, SV("refs/heads/")))
		options->target.branch =
		    sv_from_offset(options->target.branch, strlen("refs/heads/"));
	if (!is_branch_name(options->target.branch))
		REPORT_USAGE(p->sink, "\"%.*s\" cannot name a branch",
		             SV_ARG(options->target.branch));
}

/* Without a commit there is nothing to vouch with. */
static void check_vouch(struct checks *p)
{
	const struct options *options = p->options;

	if (!options->target.vouch || (!options->target.no_commit && !options->read.worktree))
		return;
	struct diag *diag = REPORT_USAGE(p->sink, "--vouch does not go with --%s",
	                                 options->target.no_commit ? "no-commit" : "worktree");
	diag_set_help(p->sink, diag, "--vouch makes a commit");
}

/* The programs that --allow-program can name. */
static const sv programs[] = {SV_INIT("sops"), SV_INIT("kustomize")};

static bool is_program(sv name)
{
	for (size_t i = 0; i < COUNT_OF(programs); i++)
		if (sv_eq(name, programs[i]))
			return true;
	return false;
}

static void check_programs(struct checks *p)
{
	VEC_EACH (name, &p->options->allowed.programs) {
		if (is_program(*name))
			continue;
		struct diag *diag =
		    REPORT_USAGE(p->sink, "osm-gen does not run a program \"%.*s\"", SV_ARG(*name));
		diag_set_help(p->sink, diag, "--allow-program takes %.*s",
		              SV_ARG(buf_listed(p->arena, programs, COUNT_OF(programs))));
	}
}

static void check_worktree(struct checks *p)
{
	struct diag *diag;

	if (!p->options->read.worktree ||
	    (!p->options->read.rev.ptr && !p->options->target.branch.ptr))
		return;
	diag = REPORT_USAGE(p->sink, "--worktree does not go with --%s",
	                    p->options->read.rev.ptr ? "rev" : "branch");
	diag_set_help(p->sink, diag, "--worktree reads no commit and makes none");
}

/* An image names the commit that it is made from. */
static void check_artifact(struct checks *p)
{
	const struct options *options = p->options;

	if (options->target.artifact.ptr && sv_empty(options->target.artifact))
		REPORT_USAGE(p->sink, "--artifact needs a folder");
	if (!options->target.artifact.ptr ||
	    (!options->read.worktree && !options->work.shard_text.ptr))
		return;
	struct diag *diag = REPORT_USAGE(p->sink, "--artifact does not go with --%s",
	                                 options->read.worktree ? "worktree" : "shard");
	diag_set_help(p->sink, diag,
	              "an image has all files of a cluster, and names the commit they are from");
}

/* Only a commit of a branch can be pushed. */
static void check_push(struct checks *p)
{
	struct options *options = p->options;
	bool pushes = options->target.push.ptr != NULL;
	int64_t retries = 5;

	if (options->target.push_retries_text.ptr &&
	    (!sv_parse_int64(options->target.push_retries_text, &retries) || retries < 0 ||
	     retries > 1000))
		REPORT_USAGE(p->sink, "--push-retries takes a number from 0 to 1000, not \"%.*s\"",
		             SV_ARG(options->target.push_retries_text));
	options->target.push_retries = (unsigned)retries;
	if (pushes && (options->target.no_commit || options->read.worktree)) {
		struct diag *diag =
		    REPORT_USAGE(p->sink, "--push does not go with --%s",
		                 options->target.no_commit ? "no-commit" : "worktree");
		diag_set_help(p->sink, diag, "--push pushes a commit");
	}
	if (!pushes && options->target.notes)
		diag_set_help(p->sink, REPORT_USAGE(p->sink, "--notes does not go without --push"),
		              "give --push, too: notes are for those who see the remote");
	options->read.has_rev = options->read.rev.ptr != NULL;
}

/* Reads "I/N". */
static bool parse_shard(sv text, struct run_sharding *ret_sharding)
{
	enum { SHARDS_MAX = 1000 };
	int64_t index;
	int64_t count;
	sv head;
	sv tail;

	if (!sv_cut(text, SV("/"), &head, &tail) || !sv_parse_int64(head, &index) ||
	    !sv_parse_int64(tail, &count) || index < 1 || count < index || count > SHARDS_MAX)
		return false;
	*ret_sharding = (struct run_sharding){.index = (unsigned)index, .count = (unsigned)count};
	return true;
}

/* With --shard, --out is the folder of the part, and the output folder is merge's. */
static void check_shard(struct checks *p)
{
	struct options *options = p->options;
	const char *other = options->target.push.ptr    ? "push"
	                    : options->target.no_commit ? "no-commit"
	                    : options->read.worktree    ? "worktree"
	                                                : NULL;

	if (options->command == COMMAND_MERGE) {
		options->work.sharding.folders = options->arguments.items;
		options->work.sharding.folder_count = options->arguments.count;
	}
	if (!options->work.shard_text.ptr) {
		if (options->work.merged_out.ptr)
			REPORT_USAGE(p->sink, "--merged-out does not go without --shard");
		return;
	}
	if (!parse_shard(options->work.shard_text, &options->work.sharding))
		REPORT_USAGE(p->sink, "--shard takes I/N, such as 2/7, not \"%.*s\"",
		             SV_ARG(options->work.shard_text));
	if (other)
		diag_set_help(p->sink,
		              REPORT_USAGE(p->sink, "--shard does not go with --%s", other),
		              "a shard makes no commit: give it to merge");
	if (!options->target.out.ptr)
		diag_set_help(p->sink,
		              REPORT_USAGE(p->sink, "--shard needs --out, a folder outside of the "
		                                    "repository"),
		              "the output folder in the repository is named with --merged-out");
	options->work.sharding.folder = options->target.out;
	options->target.out = options->work.merged_out.ptr ? options->work.merged_out : SV("out");
}

/* Only a branch that does not have the inputs can lose commits. */
static void check_history(struct checks *p)
{
	struct options *options = p->options;
	int64_t history = 0;

	if (!options->target.history_text.ptr)
		return;
	if (!sv_parse_int64(options->target.history_text, &history) || history < 1 ||
	    history > 1000000)
		REPORT_USAGE(p->sink, "--history takes a number from 1 to 1000000, not \"%.*s\"",
		             SV_ARG(options->target.history_text));
	options->target.history = (unsigned)history;
	if (!options->target.branch.ptr)
		diag_set_help(p->sink, REPORT_USAGE(p->sink, "--history needs --branch"),
		              "the branch of HEAD has the inputs, whose commits stay: name another "
		              "one for the output, --branch rendered");
	if (options->target.no_commit || options->read.worktree || options->work.shard_text.ptr)
		diag_set_help(p->sink,
		              REPORT_USAGE(p->sink, "--history does not go with --%s",
		                           options->target.no_commit ? "no-commit"
		                           : options->read.worktree  ? "worktree"
		                                                     : "shard"),
		              "--history is for commits");
	if (options->target.push.ptr && !options->read.rev.ptr)
		diag_set_help(
		    p->sink,
		    REPORT_USAGE(p->sink, "--history does not go with --push without --rev"),
		    "--push reads the inputs from the branch that it pushes, unless --rev "
		    "names them: --rev HEAD");
}

/* Chooses the unit that is rendered: by the argument, or by a dialect's option. */
static void choose_unit(struct checks *p)
{
	struct options *options = p->options;
	const size_t at = options_read_stdin(options) ? 1 : 0; /* after "-" */
	bool is_argument = options->arguments.count > at;
	const struct {
		bool is_given;
		sv option;
		sv unit;
	} ways[] = {
	    {is_argument, SV(""), is_argument ? options->arguments.items[at] : SV("")},
	    {options->chosen.machine_deployment.ptr != NULL, SV("machine-deployment"),
	     options->chosen.machine_deployment},
	    {options->chosen.operating_system_config.ptr != NULL, SV("operating-system-config"),
	     options->chosen.operating_system_config},
	};
	unsigned given = 0;

	for (size_t i = 0; i < COUNT_OF(ways); i++) {
		if (!ways[i].is_given)
			continue;
		given++;
		options->chosen.unit_option = ways[i].option;
		options->chosen.unit = ways[i].unit;
	}
	if (options->arguments.count > at + 1)
		REPORT_USAGE(p->sink, "\"render\" takes no argument \"%.*s\"",
		             SV_ARG(options->arguments.items[at + 1]));
	else if (given > 1)
		REPORT_USAGE(p->sink, "\"render\" takes one name: as an argument, with "
		                      "--machine-deployment or with --operating-system-config");
	else if (sv_empty(options->chosen.unit))
		REPORT_USAGE(p->sink,
		             "\"render\" needs [CLUSTER/]NAMESPACE/NAME, of a "
		             "MachineDeployment or of an OperatingSystemConfig of Gardener's");
}

static void check_render(struct checks *p)
{
	const struct options *options = p->options;
	struct buf words = buf_in(p->arena);
	struct dialect_prints prints = {0};

	choose_unit(p);
	if (!options->shown.print.ptr)
		return;
	dialect_add_prints(p->arena, options->chosen.unit_option, &prints);
	for (size_t i = 0; i < prints.count; i++) {
		if (sv_eq(options->shown.print, prints.items[i]))
			return;
		buf_printf(&words, "%s%.*s",
		           i == 0                  ? ""
		           : i + 1 == prints.count ? " or "
		                                   : ", ",
		           SV_ARG(prints.items[i]));
	}
	REPORT_USAGE(p->sink, "--print is %.*s", SV_ARG(buf_sv(&words)));
}

static void check_stdin(struct checks *p)
{
	const struct options *options = p->options;

	if (!options_read_stdin(options) || options->arguments.count == 0)
		return;
	if (!sv_eq(options->arguments.items[0], SV("-"))) {
		struct diag *diag = REPORT_USAGE(p->sink, "\"%s\" takes no argument \"%.*s\"",
		                                 command_info(options->command)->name,
		                                 SV_ARG(options->arguments.items[0]));
		diag_set_help(p->sink, diag,
		              "--worktree reads the repository's files as they are now, - reads "
		              "manifests from standard input");
	}
	for (size_t i = 0; i < p->given.count; i++)
		if (option_is_of_repository(p->given.items[i]))
			REPORT_USAGE(
			    p->sink,
			    "--%.*s does not go with -: standard input is all that is read",
			    SV_ARG(p->given.items[i]));
}

/* Standard input can be read once. */
static void check_manifests(struct checks *p)
{
	const struct options *options = p->options;
	bool is_of_live = options->command == COMMAND_ADOPT ||
	                  options->command == COMMAND_COMPARE ||
	                  options->command == COMMAND_OBSERVE || options->read.live.count > 0;
	size_t from_stdin = 0;

	VEC_EACH (text, &options->read.manifests) {
		sv cluster;
		sv path;

		option_manifests_split(*text, &cluster, &path);
		if (sv_empty(path))
			REPORT_USAGE(p->sink, "--manifests needs a file");
		from_stdin += sv_eq(path, SV("-"));
	}
	VEC_EACH (text, &options->read.live)
		from_stdin += options->read.manifests.count > 0 && sv_eq(*text, SV("-"));
	if (from_stdin > 1)
		REPORT_USAGE(p->sink, "standard input can be read only once");
	if (options->chosen.cluster.ptr && options->read.manifests.count == 0 && !is_of_live &&
	    !(ON_ONE_CLUSTER & ON(options->command)) && option_is_among(p->given, SV("cluster")) &&
	    option_applies("cluster", options->command))
		diag_set_help(p->sink,
		              REPORT_USAGE(p->sink, "--cluster does not go without --manifests"),
		              "it names the cluster of those files");
}

/* Reads --to, which must be a contract that this program has. */
static void check_to(struct checks *p)
{
	struct options *options = p->options;
	unsigned oldest = dialect_contract_oldest();
	unsigned newest = dialect_contract_newest();
	int64_t to = 0;

	if (!options->upgrade.to_text.ptr)
		return;
	if (sv_parse_int64(options->upgrade.to_text, &to) && to >= oldest && to <= newest)
		options->upgrade.to_contract = (unsigned)to;
	else
		diag_set_help(p->sink,
		              REPORT_USAGE(p->sink, "--to takes a contract, not \"%.*s\"",
		                           SV_ARG(options->upgrade.to_text)),
		              "this osm-gen supports %u to %u", oldest, newest);
}

/* With -o json the commands that reports are about print the report. A plan has its own form. */
static void check_json(struct checks *p)
{
	const struct report_request report = {REPORT_FORMAT_JSON, SV("-")};
	enum command command = p->options->command;

	if (p->options->print.format.ptr && sv_eq(p->options->print.format, SV("json")) &&
	    option_applies("report", command) && command != COMMAND_PLAN &&
	    command != COMMAND_UPGRADE)
		VEC_PUSH(p->arena, &p->options->print.reports, report);
}

static void check_reveal(struct checks *p)
{
	const struct options *options = p->options;

	if (options->command == COMMAND_DIFF && options->shown.reveal &&
	    sv_eq(options->print.format, SV("json")))
		diag_set_help(p->sink, REPORT_USAGE(p->sink, "--reveal does not go with -o json"),
		              "reports hold no secrets; the revealed difference is text");
	else if (options->command == COMMAND_DIFF && options->read.key_file.ptr &&
	         !options->shown.reveal)
		diag_set_help(p->sink, REPORT_USAGE(p->sink, "--key does not go without --reveal"),
		              "diff opens sealed files with --reveal only");
}

/* Reports a comment that was pasted with a command, after which no other argument means anything.
 */
static bool has_comment(struct checks *p)
{
	VEC_EACH (argument, &p->options->arguments)
		if (sv_eq(*argument, SV("#"))) {
			diag_set_help(p->sink, REPORT_USAGE(p->sink, "\"#\" is not an argument"),
			              "leave out # and what follows it, or let zsh take comments: "
			              "setopt interactive_comments");
			return true;
		}
	return false;
}

void options_check(struct arena *arena, struct sink *sink, struct options *options,
                   struct option_names given)
{
	struct checks checks = {arena, sink, options, given};
	struct checks *p = &checks;
	int64_t jobs = 0;

	check_when(p, "color", options->print.color);
	check_when(p, "progress", options->print.progress);
	check_to(p);
	if (options->work.jobs_text.ptr &&
	    (!sv_parse_int64(options->work.jobs_text, &jobs) || jobs < 1 || jobs > 1024))
		REPORT_USAGE(p->sink, "-j takes a number from 1 to 1024, not \"%.*s\"",
		             SV_ARG(options->work.jobs_text));
	options->work.jobs = (unsigned)jobs;
	if (options->help || options->version || has_comment(p))
		return;
	check_applies(p);
	check_stdin(p);
	check_manifests(p);
	check_branch(p);
	check_programs(p);
	check_worktree(p);
	check_vouch(p);
	check_push(p);
	check_shard(p);
	check_history(p);
	check_artifact(p);
	if (options->command == COMMAND_KEYGEN) {
		if (options->print.format.ptr && sv_empty(options->print.format))
			REPORT_USAGE(p->sink, "--output of keygen is a file's name");
	} else if (!sv_empty(options->print.format) && !sv_eq(options->print.format, SV("text")) &&
	           !sv_eq(options->print.format, SV("json")) &&
	           !(options->command == COMMAND_INVENTORY &&
	             sv_eq(options->print.format, SV("cyclonedx"))) &&
	           !(options->command == COMMAND_LIST && sv_eq(options->print.format, SV("names"))))
		REPORT_USAGE(p->sink, "--output is text or json, not \"%.*s\"",
		             SV_ARG(options->print.format));
	check_json(p);
	check_reveal(p);
	if (options->command == COMMAND_ADOPT &&
	    (sv_empty(options->chosen.cluster) || sv_empty(options->target.into)))
		REPORT_USAGE(p->sink, "\"adopt\" needs --cluster NAME and --into DIR");
	if (options->command == COMMAND_COMPARE && options->read.live.count == 0)
		REPORT_USAGE(p->sink, "\"compare\" needs --live EXPORT");
	if (options->command == COMMAND_RENDER)
		check_render(p);
}
