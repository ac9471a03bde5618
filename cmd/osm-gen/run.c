/*
 * generate, check, diff, plan, validate, render: makes a request of options and environment, runs
 * it, and writes the result to stdout, stderr and report files.
 */
#include "commands.h"
#include "fleet/fleet.h"
#include "option_table.h"
#include "os/os.h"
#include "secrecy/secrecy.h"
#include "source_digest.h"
#include "version.h"
#include "json/json.h"

#include <stdio.h>
#include <unistd.h>

/* ---- progress ---------------------------------------------------------------------------- */

struct progress {
	struct context *context;
	uint64_t started_ns;
	uint64_t shown_ns;
	bool shown;
	bool always;
};

/* Rewrites one line, once the run has taken longer than a second. */
static void show_progress(void *context, const char *stage, size_t done, size_t total)
{
	enum { WAIT_NS = 1000000000, STEP_NS = 100000000 };
	struct progress *progress = context;
	uint64_t now = os_monotonic_ns();
	char line[160];
	int len;

	if ((!progress->always && now - progress->started_ns < WAIT_NS) ||
	    (progress->shown && now - progress->shown_ns < STEP_NS))
		return;
	progress->shown = true;
	progress->shown_ns = now;
	if (total > 0)
		len = snprintf(line, sizeof(line), "\r\033[K%s: %zu of %zu (%zu %%)", stage, done,
		               total, done * 100 / total);
	else
		len = snprintf(line, sizeof(line), "\r\033[K%s", stage);
	if (len > 0)
		print_err((sv){line, (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1});
}

static void clear_progress(const struct progress *progress)
{
	if (progress->shown)
		print_err(SV("\r\033[K"));
}

/* ---- the request ------------------------------------------------------------------------- */

enum { SETTING_FILE_MAX_BYTES = 4 * 1024 * 1024 };

/* upgrade begins with a plan. */
static bool is_plan(enum command command)
{
	return command == COMMAND_PLAN || command == COMMAND_UPGRADE;
}

static enum run_mode mode_of(enum command command)
{
	if (command == COMMAND_CHECK)
		return RUN_CHECK;
	if (command == COMMAND_DIFF)
		return RUN_DIFF;
	if (is_plan(command))
		return RUN_PLAN;
	if (command == COMMAND_COMPARE)
		return RUN_COMPARE;
	if (command == COMMAND_VALIDATE || command == COMMAND_LIST || command == COMMAND_CONFIG ||
	    command == COMMAND_PROFILES || command == COMMAND_INVENTORY ||
	    command == COMMAND_DOCTOR || command == COMMAND_ROLL)
		return RUN_VALIDATE;
	return command == COMMAND_RENDER ? RUN_RENDER : RUN_GENERATE;
}

/*
 * Reads the variables that --allow-env names. An unset one has a null value, and so have all of
 * them in validate, which reads no secrets.
 */
static struct dialect_environment read_variables(struct context *context)
{
	struct arena *arena = context->secret_arena;
	const struct options *options = context->options;
	struct value taken = value_map_new(arena); /* two bindings may name one variable */
	VEC(struct dialect_binding) bindings = {0};

	VEC_EACH (given, &options->variables) {
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
	    ARENA_ARRAY(context->arena, struct run_added, options->manifests.count);

	for (size_t i = 0; i < options->manifests.count; i++) {
		struct run_added *one = &added[i];
		enum status status;

		option_manifests_split(options->manifests.items[i], &one->cluster, &one->path);
		if (sv_empty(one->cluster) && options->cluster.ptr)
			one->cluster = options->cluster;
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
	reading->added_count = options->manifests.count;
	return STATUS_OK;
}

/* Returns true for commands that show a change to people and forks without the seed, too. */
static bool may_be_without_seed(const struct context *context)
{
	enum command command = context->options->command;

	return is_plan(command) || ((command == COMMAND_DIFF || command == COMMAND_RENDER) &&
	                            !context->options->reveal);
}

/* Returns true if a report shows units and files that do not change. */
static bool wants_rows(const struct options *options)
{
	VEC_EACH (report, &options->reports) {
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
	VEC_EACH (name, &context->options->allow_programs) {
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
	    .rotate_seed = options->rotate_seed,
	    .rotate_recipients = options->rotate_recipients,
	    .removal = options->allow_removal,
	    .roll = options->allow_roll,
	};
}

static enum status make_request(struct context *context,
                                const struct dialect_environment *environment,
                                struct run_request *ret_request)
{
	const struct options *options = context->options;
	struct value *settings = ARENA_NEW(context->arena, struct value);

	*settings = value_copy(context->arena, &options->settings);
	struct run_request request = {
	    .mode = mode_of(options->command),
	    .limits = options->limits,
	    .threads = options->jobs,
	    .version = SV(OSM_GEN_VERSION),
	    .build = SV(OSM_GEN_SOURCE_DIGEST),
	    .reading = {.repo = options->repo,
	                .rev = options->rev,
	                .worktree = options->worktree,
	                .no_proofs = options->no_proofs,
	                .secrets_folder = options->secrets_folder,
	                .revisions_file = options->revisions_file,
	                .environment = environment,
	                .settings = settings,
	                .contract = context->contract},
	    .allowed = allowed_of(options),
	    .target = {.out = options->out,
	               .branch = options->branch,
	               .no_commit = options->no_commit,
	               .history = options->history,
	               .artifact = options->artifact},
	    .sharding = options->sharding,
	    .commit = {.author = options->author,
	               .skip_ci = options->skip_ci,
	               .vouch = options->vouch},
	    .print = {.diff_style = &context->out_style,
	              .verbose = options->verbose,
	              .reveal = options->command == COMMAND_DIFF && options->reveal,
	              .whole = wants_rows(options)},
	    .inspected = {.unit_option = options->unit_option,
	                  .unit = options->unit,
	                  .print = options->print,
	                  .reveal = options->reveal},
	    .compared = {.live = context->live,
	                 .cluster = options->cluster,
	                 .json = sv_eq(options->format, SV("json")),
	                 .verbose = options->verbose},
	};
	struct run_reading *reading = &request.reading;

	/* Such a URL may hold a password, which libgit2 would quote. */
	if (sv_contains(options->repo, SV("://"))) {
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

enum status asking_request(struct context *context, struct run_request *ret_request)
{
	struct dialect_environment *variables =
	    ARENA_NEW(context->arena, struct dialect_environment);

	*variables = read_variables(context);
	return make_request(context, variables, ret_request);
}

/*
 * Checks before the run that reports can be written, as a failure afterwards would fail a run that
 * has already changed things.
 */
static enum status check_reports(struct context *context)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < context->options->reports.count; i++) {
		sv path = context->options->reports.items[i].path;

		if (!sv_eq(path, SV("-")) &&
		    os_check_writable(context->sink, work_tree(context), path) != STATUS_OK)
			status = STATUS_FAILED;
	}
	return status;
}

/* ---- the result -------------------------------------------------------------------------- */

static enum status write_report(struct context *context, const struct report_request *report)
{
	struct report_style plain = context->err_style;
	struct buf buf = buf_in(context->arena);

	plain.color = false;
	switch (report->format) {
	case REPORT_FORMAT_JSON:
		report_json(&buf, &context->result.summary, context->sink, &plain);
		break;
	case REPORT_FORMAT_SARIF:
		report_sarif(&buf, &context->result.summary, context->sink, &plain);
		break;
	case REPORT_FORMAT_JUNIT:
		report_junit(&buf, &context->result.summary, context->sink, &plain);
		break;
	case REPORT_FORMAT_MARKDOWN:
		report_markdown(&buf, &context->result.summary, context->sink, &plain);
		break;
	case REPORT_FORMAT_HTML:
		report_html(&buf, &context->result.summary, context->sink, &plain);
		break;
	case REPORT_FORMAT_GITHUB:
		report_github(&buf, &context->result.summary, context->sink, &plain);
		break;
	case REPORT_FORMAT_GITLAB:
		report_gitlab(&buf, &context->result.summary, context->sink, &plain);
		break;
	case REPORT_FORMAT_COUNT:
		BUG("report format");
	}
	if (sv_eq(report->path, SV("-")))
		return print_out(context, buf_sv(&buf));
	return os_write_named(context->sink, work_tree(context), report->path, buf_sv(&buf));
}

static enum status write_reports(struct context *context)
{
	enum status status = STATUS_OK;

	VEC_EACH (report, &context->options->reports)
		if (write_report(context, report) != STATUS_OK)
			status = STATUS_FAILED;
	return status;
}

/* Adds the plan, which is made from the summary of the run. */
static void add_plan(struct context *context)
{
	struct run_result *result = &context->result;
	struct report_style plain = context->err_style;

	if (!is_plan(context->options->command))
		return;
	plain.color = false;
	if (sv_eq(context->options->format, SV("json")))
		report_plan_json(&result->output, &result->summary, &plain);
	else
		report_plan_text(&result->output, &result->summary, context->options->verbose,
		                 &plain);
}

/*
 * Makes an object of strings of what render prints. Terraform's external data source reads no other
 * values. The rendering may hold secrets, and so does the object.
 */
static void render_as_json(struct context *context)
{
	struct buf *output = &context->result.output;
	struct buf json = buf_in(context->secret_arena);

	if (context->options->command != COMMAND_RENDER ||
	    !sv_eq(context->options->format, SV("json")))
		return;
	BUF_ADD_LIT(&json, "{\n  \"formatVersion\": \"1.0\",\n  \"unit\": ");
	json_emit_string(&json, context->options->unit, 0);
	BUF_ADD_LIT(&json, ",\n  \"print\": ");
	json_emit_string(&json, context->options->print, 0);
	BUF_ADD_LIT(&json, ",\n  \"text\": ");
	json_emit_string(&json, buf_sv(output), 0);
	BUF_ADD_LIT(&json, "\n}\n");
	*output = json;
}

/* Keeps the summary, which is printed after the diagnostics. */
static void keep_summary(struct context *context)
{
	const struct report_summary *summary = &context->result.summary;
	struct buf buf = buf_in(context->arena);

	if (context->options->quiet || context->options->command == COMMAND_RENDER ||
	    context->options->command == COMMAND_COMPARE ||
	    (is_plan(context->options->command) && summary->outcome != REPORT_FAILED))
		return;
	report_summary_text(&buf, summary, context->options->verbose, &context->err_style);
	context->last_words = buf_sv(&buf);
}

/*
 * Returns the environment for other programs: without variables of osm-gen and keys of SOPS. Those
 * that --allow-env names were moved out of it before (environment_take).
 */
static struct remote_surroundings surroundings_of(struct context *context)
{
	const struct option_texts texts = environment_without(context, SV("SOPS_"));

	return (struct remote_surroundings){
	    .environment = texts.items,
	    .environment_count = texts.count,
	    .is_interactive = os_is_terminal(STDIN_FILENO) && os_is_terminal(STDERR_FILENO),
	};
}

static enum status check_artifacts(struct context *context, const struct run_request *request)
{
	return sv_empty(request->target.artifact)
	           ? STATUS_OK
	           : run_check_artifacts(context->arena, context->sink, request);
}

/* Writes the images that --artifact asks for, after a run that succeeded. */
static enum status write_artifacts(struct context *context, const struct run_request *request)
{
	size_t count;

	if (sv_empty(request->target.artifact))
		return STATUS_OK;
	if (run_write_artifacts(context->arena, context->sink, request, &count) != STATUS_OK)
		return STATUS_FAILED;
	if (!context->options->quiet)
		context->last_words =
		    arena_printf(context->arena, "%.*swrote %zu OCI image%s to %.*s\n",
		                 SV_ARG(context->last_words), count, count == 1 ? "" : "s",
		                 SV_ARG(request->target.artifact));
	return STATUS_OK;
}

int command_run(struct context *context)
{
	const struct options *options = context->options;
	struct run_request request;
	struct progress progress = {.context = context, .started_ns = os_monotonic_ns()};
	enum when when = options_when(options->progress);
	enum status status;

	if (check_reports(context) != STATUS_OK)
		return 3;
	const struct dialect_environment environment = read_variables(context);
	if (make_request(context, &environment, &request) != STATUS_OK ||
	    check_artifacts(context, &request) != STATUS_OK) {
		context->result.summary = (struct report_summary){
		    .command = sv_from_cstr(options_command_name(options->command)),
		    .version = SV(OSM_GEN_VERSION),
		    .outcome = REPORT_FAILED,
		    .unit_kind = dialect_unit_kind(),
		};
		(void)!write_reports(context);
		keep_summary(context);
		return 3;
	}
	if (options->manifests.count == 0 && (ON_ONE_CLUSTER & ON(options->command)))
		request.print.cluster = options->cluster;
	progress.always = when == WHEN_ALWAYS;
	if (when == WHEN_ALWAYS ||
	    (when == WHEN_AUTO && !options->quiet && os_is_terminal(STDERR_FILENO))) {
		request.progress = (struct run_progress){show_progress, &progress};
	}
	struct remote_surroundings surroundings;
	if (request.mode == RUN_GENERATE) {
		surroundings = surroundings_of(context);
		request.commit.surroundings = &surroundings;
	}
	const struct run_push push = {
	    .remote = options->push,
	    .retries = options->push_retries,
	    .notes = options->notes,
	    .is_fixed = options->has_rev,
	};
	status = options->push.ptr ? run_and_push(context->arena, context->sink, &request, &push,
	                                          &context->result)
	                           : run(context->arena, context->sink, &request, &context->result);
	clear_progress(&progress);
	context->err_style.mask = secret_mask_new(context->secret_arena, context->result.secrets,
	                                          context->result.secret_count);
	if (write_reports(context) != STATUS_OK)
		status = STATUS_FAILED;
	if (status == STATUS_OK) {
		add_plan(context);
		render_as_json(context);
	}
	bool prints_report = options->command == COMMAND_DIFF && sv_eq(options->format, SV("json"));
	if (status == STATUS_OK && context->result.output.len > 0 && !prints_report &&
	    print_out(context, buf_sv(&context->result.output)) != STATUS_OK)
		status = STATUS_FAILED;
	keep_summary(context);
	if (status == STATUS_OK)
		status = write_artifacts(context, &request);
	if (status != STATUS_OK)
		return 2;
	return context->result.differs ? 1 : 0;
}
