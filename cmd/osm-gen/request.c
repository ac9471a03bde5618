/*
 * Makes the request of a run from options, environment, keys and files that options name.
 */
#include "request.h"
#include "fleet/fleet.h"
#include "option_table.h"
#include "os/os.h"
#include "secrecy/secrecy.h"
#include "source_digest.h"
#include "version.h"

#include <unistd.h>

enum { SETTING_FILE_MAX_BYTES = 4 * 1024 * 1024 };

bool command_is_plan(enum command command)
{
	return command == COMMAND_PLAN || command == COMMAND_UPGRADE;
}

static enum run_mode mode_of(enum command command)
{
	if (command == COMMAND_CHECK)
		return RUN_CHECK;
	if (command == COMMAND_DIFF)
		return RUN_DIFF;
	if (command_is_plan(command))
		return RUN_PLAN;
	if (command == COMMAND_COMPARE)
		return RUN_COMPARE;
	if (command == COMMAND_VALIDATE || command == COMMAND_LIST || command == COMMAND_CONFIG ||
	    command == COMMAND_PROFILES || command == COMMAND_INVENTORY ||
	    command == COMMAND_DOCTOR || command == COMMAND_ROLL)
		return RUN_VALIDATE;
	return command == COMMAND_RENDER ? RUN_RENDER : RUN_GENERATE;
}

struct dialect_environment request_variables(struct context *context)
{
	struct arena *arena = context->secret_arena;
	const struct options *options = context->options;
	struct value taken = value_map_new(arena); /* two bindings may name one variable */
	VEC(struct dialect_binding) bindings = {0};

	VEC_EACH (given, &options->allowed.variables) {
		struct dialect_binding binding = *given;
		sv text;

		const struct value_entry *found = value_map_find(&taken, binding.variable);
		if (!found) {
			bool is_set =
			    mode_of(options->command) != RUN_VALIDATE &&
			    environment_take(arena, arena_cstr(arena, binding.variable), &text);
			binding.text = is_set ? value_string(text) : value_null();
			value_map_set(arena, &taken, binding.variable, binding.text);
		} else {
			binding.text = found->value;
		}
		VEC_PUSH(arena, &bindings, binding);
	}
	return (struct dialect_environment){bindings.items, bindings.count};
}

/* Replaces the path in a flag that names a file by the content of the file. */
static enum status read_setting_files(struct context *context, struct value *settings)
{
	size_t count;
	const struct setting *const *table = fleet_settings(context->arena, &count);

	for (size_t i = 0; i < count; i++) {
		struct value *given = value_map_get_mutable(settings, table[i]->name);
		sv text;

		if (!given || !setting_names_file(table[i], given) || sv_empty(given->string))
			continue;
		if (os_read_named(context->arena, context->sink, work_tree(context), given->string,
		                  SETTING_FILE_MAX_BYTES, &text) != STATUS_OK)
			return STATUS_FAILED;
		/* A file that is not a certificate may be the key that belongs to it. */
		bool holds_key = secrecy_holds_private_key(text);
		bool is_unclear = !sv_contains(text, SV("-----BEGIN CERTIFICATE-----"));
		struct source *source =
		    source_new(context->arena, given->string, text, holds_key || is_unclear);
		source->suspected = !holds_key;
		*given = value_string(text);
		given->origin = (struct origin){
		    .source = source, .length = (uint32_t)text.len, .style = ORIGIN_EXACT};
	}
	return STATUS_OK;
}

/* Reads the files of --manifests, which may hold Secrets. */
static enum status read_added(struct context *context, struct run_reading *reading)
{
	const struct options *options = context->options;
	struct run_added *added =
	    ARENA_ARRAY(context->arena, struct run_added, options->read.manifests.count);

	for (size_t i = 0; i < options->read.manifests.count; i++) {
		struct run_added *one = &added[i];
		enum status status;

		option_manifests_split(options->read.manifests.items[i], &one->cluster, &one->path);
		if (sv_empty(one->cluster) && options->chosen.cluster.ptr)
			one->cluster = options->chosen.cluster;
		if (sv_eq(one->path, SV("-"))) {
			one->path = SV(OS_STDIN);
			status = os_read_stdin(context->secret_arena, context->sink,
			                       RUN_MAX_INPUT_BYTES, &one->text);
		} else {
			status =
			    os_read_named(context->secret_arena, context->sink, work_tree(context),
			                  one->path, RUN_MAX_INPUT_BYTES, &one->text);
		}
		if (status != STATUS_OK)
			return STATUS_FAILED;
	}
	reading->added = added;
	reading->added_count = options->read.manifests.count;
	return STATUS_OK;
}

/* Returns true for commands that show a change to people and forks without the seed, too. */
static bool may_be_without_seed(const struct context *context)
{
	enum command command = context->options->command;

	return command_is_plan(command) ||
	       ((command == COMMAND_DIFF || command == COMMAND_RENDER) &&
	        !context->options->shown.reveal);
}

/* Returns true if a report shows units and files that do not change. */
static bool wants_rows(const struct options *options)
{
	VEC_EACH (report, &options->print.reports) {
		switch (report->format) {
		case REPORT_FORMAT_JSON:
		case REPORT_FORMAT_JUNIT:
		case REPORT_FORMAT_MARKDOWN:
		case REPORT_FORMAT_HTML:
			return true;
		case REPORT_FORMAT_SARIF:
		case REPORT_FORMAT_GITHUB:
		case REPORT_FORMAT_GITLAB:
			break;
		case REPORT_FORMAT_COUNT:
			BUG("report format");
		}
	}
	return false;
}

/* Returns the environment without variables of osm-gen, and without those that begin so. */
static struct option_texts environment_without(struct context *context, sv prefix)
{
	struct option_texts texts = {0};

	for (char **at = environ; *at; at++) {
		sv text = sv_from_cstr(*at);

		if (!sv_starts_with(text, SV("OSM_GEN_")) && !sv_starts_with(text, prefix))
			VEC_PUSH(context->arena, &texts, text);
	}
	return texts;
}

/* Adds the other programs that may run, and the environment that they may see of this process. */
static void allow_programs(struct context *context, struct run_programs *programs)
{
	const struct option_texts texts = environment_without(context, SV("SOPS_AGE_KEY="));

	programs->path = environment("PATH");
	programs->folder = environment("TMPDIR");
	VEC_EACH (name, &context->options->allowed.programs) {
		programs->sops |= sv_eq(*name, SV("sops"));
		programs->kustomize |= sv_eq(*name, SV("kustomize"));
	}
	programs->environment = texts.items;
	programs->environment_count = texts.count;
}

/* Sets the keys of `diff --reveal`. Fails if the caller gives no key. */
static enum status read_reveal_keys(struct context *context, struct run_request *request)
{
	struct run_print *print = &request->print;

	print->identities = request->reading.identities;
	if (read_private_keys(context, &print->private_keys) != STATUS_OK)
		return STATUS_FAILED;
	if (print->identities.text.ptr || print->private_keys.text.ptr)
		return STATUS_OK;
	struct diag *diag = diag_report(context->sink, DIAG_SOPS_KEY, NOWHERE,
	                                "--reveal opens sealed files, and no key is given");
	diag_set_help(
	    context->sink, diag,
	    "set SOPS_AGE_KEY_FILE to a file with an age identity, or SOPS_AGE_KEY to the "
	    "identity; give the keys of SealedSecrets with --key FILE");
	return STATUS_FAILED;
}

/* validate reads no keys, so that it can run on the changes of strangers. */
static enum status read_keys(struct context *context, struct run_request *request)
{
	if (request->mode == RUN_VALIDATE)
		return STATUS_OK;
	if (read_seed(context, &request->reading.seed) != STATUS_OK ||
	    read_identities(context, &request->reading.identities) != STATUS_OK)
		return STATUS_FAILED;
	return request->print.reveal ? read_reveal_keys(context, request) : STATUS_OK;
}

static struct run_allowed allowed_of(const struct options *options)
{
	return (struct run_allowed){
	    .rotate_seed = options->allowed.rotate_seed,
	    .rotate_recipients = options->allowed.rotate_recipients,
	    .removal = options->allowed.removal,
	    .roll = options->allowed.roll,
	};
}

enum status request_make(struct context *context, const struct dialect_environment *environment,
                         struct run_request *ret_request)
{
	const struct options *options = context->options;
	struct value *settings = ARENA_NEW(context->arena, struct value);

	*settings = value_copy(context->arena, &options->settings);
	struct run_request request = {
	    .mode = mode_of(options->command),
	    .limits = options->work.limits,
	    .threads = options->work.jobs,
	    .version = SV(OSM_GEN_VERSION),
	    .build = SV(OSM_GEN_SOURCE_DIGEST),
	    .reading = {.repo = options->read.repo,
	                .rev = options->read.rev,
	                .worktree = options->read.worktree,
	                .no_proofs = options->work.no_proofs,
	                .secrets_folder = options->read.secrets_folder,
	                .revisions_file = options->read.revisions_file,
	                .environment = environment,
	                .settings = settings,
	                .contract = context->contract},
	    .allowed = allowed_of(options),
	    .target = {.out = options->target.out,
	               .branch = options->target.branch,
	               .no_commit = options->target.no_commit,
	               .history = options->target.history,
	               .artifact = options->target.artifact},
	    .sharding = options->work.sharding,
	    .commit = {.author = options->target.author,
	               .skip_ci = options->target.skip_ci,
	               .vouch = options->target.vouch},
	    .print = {.diff_style = &context->out_style,
	              .verbose = options->print.verbose,
	              .reveal = options->command == COMMAND_DIFF && options->shown.reveal,
	              .whole = wants_rows(options)},
	    .inspected = {.unit_option = options->chosen.unit_option,
	                  .unit = options->chosen.unit,
	                  .print = options->shown.print,
	                  .reveal = options->shown.reveal},
	    .compared = {.live = context->live,
	                 .cluster = options->chosen.cluster,
	                 .json = sv_eq(options->print.format, SV("json")),
	                 .verbose = options->print.verbose},
	};
	struct run_reading *reading = &request.reading;

	/* Such a URL may hold a password, which libgit2 would quote. */
	if (sv_contains(options->read.repo, SV("://"))) {
		struct diag *diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
		                                "--repo takes a folder, not a URL");

		diag_set_help(context->sink, diag, "clone it first");
		return STATUS_FAILED;
	}
	if (options_read_stdin(options)) {
		/* "-", the only argument there is. */
		reading->repo = SV(OS_STDIN);
		if (os_read_stdin(context->secret_arena, context->sink, RUN_MAX_INPUT_BYTES,
		                  &reading->manifests) != STATUS_OK)
			return STATUS_FAILED;
	}
	if (read_setting_files(context, settings) != STATUS_OK ||
	    read_added(context, reading) != STATUS_OK ||
	    read_allowed_recipients(context, &request.allowed.recipients) != STATUS_OK)
		return STATUS_FAILED;
	if (read_keys(context, &request) != STATUS_OK)
		return STATUS_FAILED;
	allow_programs(context, &reading->programs);
	reading->without_seed = may_be_without_seed(context) && !reading->seed.text.ptr;
	if (reading->without_seed)
		reading->identities = (struct plan_key){0};
	*ret_request = request;
	return STATUS_OK;
}

enum status request_reading(struct context *context, struct run_request *ret_request)
{
	struct dialect_environment *variables =
	    ARENA_NEW(context->arena, struct dialect_environment);

	*variables = request_variables(context);
	return request_make(context, variables, ret_request);
}

struct remote_surroundings request_surroundings(struct context *context)
{
	const struct option_texts texts = environment_without(context, SV("SOPS_"));

	return (struct remote_surroundings){
	    .environment = texts.items,
	    .environment_count = texts.count,
	    .is_interactive = os_is_terminal(STDIN_FILENO) && os_is_terminal(STDERR_FILENO),
	};
}
