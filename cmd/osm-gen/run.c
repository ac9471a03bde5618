/*
 * generate, check, diff, plan, validate, render: runs a request, and writes the result to stdout,
 * stderr and report files.
 */
#include "commands.h"
#include "option_table.h"
#include "os/os.h"
#include "request.h"
#include "secrecy/secrecy.h"
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

/* ---- reports ----------------------------------------------------------------------------- */

/*
 * Checks before the run that reports can be written, as a failure afterwards would fail a run that
 * has already changed things.
 */
static enum status check_reports(struct context *context)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < context->options->print.reports.count; i++) {
		sv path = context->options->print.reports.items[i].path;

		if (!sv_eq(path, SV("-")) &&
		    os_check_writable(context->sink, work_tree(context), path) != STATUS_OK)
			status = STATUS_FAILED;
	}
	return status;
}

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

	VEC_EACH (report, &context->options->print.reports)
		if (write_report(context, report) != STATUS_OK)
			status = STATUS_FAILED;
	return status;
}

/* Adds the plan, which is made from the summary of the run. */
static void add_plan(struct context *context)
{
	struct run_result *result = &context->result;
	struct report_style style = context->out_style;

	if (!command_is_plan(context->options->command))
		return;
	style.mask = context->err_style.mask;
	if (sv_eq(context->options->print.format, SV("json")))
		report_plan_json(&result->output, &result->summary, &style);
	else
		report_plan_text(&result->output, &result->summary, context->options->print.verbose,
		                 &style);
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
	    !sv_eq(context->options->print.format, SV("json")))
		return;
	const struct value root =
	    VALUE_MAP(context->secret_arena, {"formatVersion", value_string(SV("1.0"))},
	              {"unit", value_string(context->options->chosen.unit)},
	              {"print", value_string(context->options->shown.print)},
	              {"text", value_string(buf_sv(output))});
	json_emit(&json, &root, JSON_PRETTY);
	buf_add_char(&json, '\n');
	*output = json;
}

/* Keeps the summary, which is printed after the diagnostics. */
static void keep_summary(struct context *context)
{
	const struct report_summary *summary = &context->result.summary;
	struct buf buf = buf_in(context->arena);

	if (context->options->print.quiet || context->options->command == COMMAND_RENDER ||
	    context->options->command == COMMAND_COMPARE ||
	    (command_is_plan(context->options->command) && summary->outcome != REPORT_FAILED))
		return;
	report_summary_text(&buf, summary, context->options->print.verbose, &context->err_style);
	context->last_words = buf_sv(&buf);
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
	if (!context->options->print.quiet)
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
	enum when when = options_when(options->print.progress);
	enum status status;

	if (check_reports(context) != STATUS_OK)
		return 3;
	const struct dialect_environment environment = request_variables(context);
	if (request_make(context, &environment, &request) != STATUS_OK ||
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
	if (options->read.manifests.count == 0 && (ON_ONE_CLUSTER & ON(options->command)))
		request.print.cluster = options->chosen.cluster;
	progress.always = when == WHEN_ALWAYS;
	if (when == WHEN_ALWAYS ||
	    (when == WHEN_AUTO && !options->print.quiet && os_is_terminal(STDERR_FILENO))) {
		request.progress = (struct run_progress){show_progress, &progress};
	}
	struct remote_surroundings surroundings;
	if (request.mode == RUN_GENERATE) {
		surroundings = request_surroundings(context);
		request.commit.surroundings = &surroundings;
	}
	const struct run_push push = {
	    .remote = options->target.push,
	    .retries = options->target.push_retries,
	    .notes = options->target.notes,
	    .is_fixed = options->read.has_rev,
	};
	status =
	    options->target.push.ptr
	        ? run_and_push(context->arena, context->sink, &request, &push, &context->result)
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
	bool prints_report =
	    options->command == COMMAND_DIFF && sv_eq(options->print.format, SV("json"));
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
