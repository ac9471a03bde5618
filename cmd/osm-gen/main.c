/*
 * osm-gen: parses argv and environment into a struct, runs one command, returns an exit status.
 */
#include "codec/codec.h"
#include "commands.h"
#include "git/git.h"
#include "os/os.h"
#include "json/json.h"

#include <stdio.h>
#include <unistd.h>

static void print_diagnostics(struct context *context)
{
	struct buf buf = buf_in(context->arena);
	struct report_style style = context->err_style;

	if (!context->options->print.verbose)
		style.diags_per_code = REPORT_DIAGS_PER_CODE;
	report_diags_text(&buf, context->sink, &style);
	print_err(buf_sv(&buf));
}

static struct report_style style_of(const struct options *options, int fd)
{
	enum when when = options_when(options->print.color);
	bool terminal = os_is_terminal(fd);
	bool plain =
	    !terminal || environment("NO_COLOR").ptr || sv_eq(environment("TERM"), SV("dumb"));

	return (struct report_style){
	    .color = when == WHEN_ALWAYS || (when == WHEN_AUTO && !plain),
	    .width = terminal ? os_terminal_width(fd) : 0,
	};
}

static int command_explain(struct context *context)
{
	struct buf buf = buf_in(context->arena);
	bool as_json = sv_eq(context->options->print.format, SV("json"));

	if (context->options->arguments.count == 0) {
		if (as_json)
			report_codes_json(&buf, NULL);
		else
			report_codes_text(&buf, &context->out_style);
	} else {
		sv text = context->options->arguments.items[0];
		const struct diag_code_info *code = report_find_code(text);

		if (!code) {
			struct diag *diag =
			    diag_report(context->sink, DIAG_USAGE, NOWHERE,
			                "no diagnostic has the code \"%.*s\"", SV_ARG(text));
			diag_set_help(context->sink, diag, "`osm-gen explain` lists them all");
			return 64;
		}
		if (as_json)
			report_codes_json(&buf, code);
		else
			report_explain_text(&buf, code, &context->out_style);
	}
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}

static int run_command(struct context *context)
{
	const struct options *options = context->options;

	if (options->version)
		return command_version(context);
	if (options->help)
		return command_help(context);
	switch (options->command) {
	case COMMAND_GENERATE:
	case COMMAND_MERGE:
	case COMMAND_CHECK:
	case COMMAND_DIFF:
	case COMMAND_PLAN:
	case COMMAND_VALIDATE:
	case COMMAND_RENDER:
		return command_run(context);
	case COMMAND_UNSEAL:
		return command_unseal(context);
	case COMMAND_VERIFY:
		return command_verify(context);
	case COMMAND_KEYGEN:
		return command_keygen(context);
	case COMMAND_PROFILES:
		return command_profiles(context);
	case COMMAND_SCHEMA:
		return command_schema(context);
	case COMMAND_EXPLAIN:
		return command_explain(context);
	case COMMAND_HELP:
		return command_help(context);
	case COMMAND_VERSION:
		return command_version(context);
	case COMMAND_COMPLETION:
		return command_completion(context);
	case COMMAND_MAN:
		return command_man(context);
	case COMMAND_ADOPT:
		return command_adopt(context);
	case COMMAND_COMPARE:
		return command_compare(context);
	case COMMAND_OBSERVE:
		return command_observe(context);
	case COMMAND_INIT:
		return command_init(context);
	case COMMAND_UPGRADE:
		return command_upgrade(context);
	case COMMAND_DOCTOR:
		return command_doctor(context);
	case COMMAND_LIST:
		return command_list(context);
	case COMMAND_INVENTORY:
		return command_inventory(context);
	case COMMAND_CONFIG:
		return command_config(context);
	case COMMAND_ROLL:
		return command_roll(context);
	case COMMAND_REVISIONS:
		return command_revisions(context);
	case COMMAND_MERGE_DRIVER:
		return command_merge_driver(context);
	case COMMAND_CONVERT:
		return command_convert(context);
	case COMMAND_COUNT:
		break;
	}
	BUG("command");
}

/* Nothing works without digests: ends before anything else is tried. */
static int refuse_libcrypto(struct context *context)
{
	struct diag *diag =
	    diag_report(context->sink, DIAG_LIBRARY, NOWHERE,
	                "libcrypto %s does not start, or lacks SHA-1, SHA-2, AES-CBC or AES-GCM",
	                codec_crypto_version());

	diag_set_help(context->sink, diag,
	              "its configuration may have them turned off: run osm-gen with "
	              "OPENSSL_CONF=/dev/null");
	return 3;
}

static int print_short_help(struct context *context)
{
	struct buf buf = buf_in(context->arena);

	options_help_short(&buf);
	print_err(buf_sv(&buf));
	return 64;
}

/* Changes to the folder of -C, and finds the repository that the current folder belongs to. */
static enum status enter_folder(struct context *context, struct options *options)
{
	if (options->directory.ptr &&
	    os_change_folder(context->sink, options->directory) != STATUS_OK)
		return STATUS_FAILED;
	if (!options->read.repo.ptr)
		options->read.repo = git_repo_find(context->arena);
	return STATUS_OK;
}

static int run_program(int argc, char **argv, bool *ret_reader_is_gone)
{
	/* Before any other call into these libraries. */
	bool libcrypto_works = codec_start();
	json_start();
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	ARENA_AUTO secret_arena = arena_new(ARENA_SECRET);
	struct sink sink = sink_in(arena);
	struct options options;
	struct context context = {
	    .arena = arena,
	    .secret_arena = secret_arena,
	    .sink = &sink,
	    .options = &options,
	};
	int status;

	enum status parsed = options_parse(arena, &sink, argc, argv, &options);
	context.out_style = style_of(&options, STDOUT_FILENO);
	context.err_style = style_of(&options, STDERR_FILENO);
	if (parsed != STATUS_OK) {
		print_diagnostics(&context);
		return 64;
	}
	if (options.is_bare) {
		print_diagnostics(&context);
		return print_short_help(&context);
	}
	if (!libcrypto_works)
		status = refuse_libcrypto(&context);
	else if (enter_folder(&context, &options) == STATUS_OK)
		status = run_command(&context);
	else
		status = 3;
	print_diagnostics(&context);
	if (sink.diags.count > 0 && !sv_empty(context.last_words))
		print_err(SV("\n"));
	print_err(context.last_words);
	/* Diagnostics point into sources that run_release frees. */
	int asked = sink_exit_status(&sink);
	run_release(&context.result);
	bool makes = options.command == COMMAND_GENERATE || options.command == COMMAND_MERGE;
	bool only_prints = !makes || options.help || options.version;
	*ret_reader_is_gone = context.reader_is_gone && only_prints;
	return asked ? asked : status;
}

/*
 * If the reader of stdout is gone, the program ends as cat and git log do: silently, by SIGPIPE,
 * which shells show as 141. Wrong inputs, a failure and wrong usage keep their exit status, and so
 * do generate and merge, whose exit status other than 0 means that nothing was changed. The signal
 * is ignored until here, so that a run that also writes elsewhere is never stopped half-way.
 */
int main(int argc, char **argv)
{
	bool reader_is_gone = false;

	os_protect_memory();
	os_ignore_signals();
	/* A buffer would keep the secrets that unseal and render --reveal print. */
	(void)setvbuf(stdout, NULL, _IONBF, 0);
	int status = run_program(argc, argv, &reader_is_gone);
	os_wipe_stack();
	os_release_signals();
	if (reader_is_gone && status <= 1)
		os_end_by_closed_pipe();
	return status;
}
