/*
 * Parses argv into struct options: the command, its options and its settings.
 */
#include "option_table.h"

#include "fleet/fleet.h"
#include "secrecy/secrecy.h"

struct parser {
	struct arena *arena;
	struct sink *sink;
	struct sink *ignored;
	struct options *options;
	int argc;
	char **argv;
	int at;
	bool command_given;
	bool no_more_options;
	VEC(sv) given; /* names of options and settings on the command line, which wins */
	sv variable;   /* the variable being parsed, or empty while argv is */
	struct option_words words; /* of the environment */
};

/* Searches the options of the command; that is the default one until a command is given. */
static sv nearest_option(struct parser *p, sv name)
{
	enum command command = p->options->command;
	size_t count;
	size_t setting_count;
	const struct option_info *options = option_table(&count);
	const struct setting *const *settings = fleet_settings(p->arena, &setting_count);
	VEC(sv) names = {0};

	for (size_t i = 0; i < count; i++)
		if (options[i].commands & ON(command))
			VEC_PUSH(p->arena, &names, sv_from_cstr(options[i].name));
	for (size_t i = 0; i < setting_count && (ON_INPUTS & ON(command)); i++)
		VEC_PUSH(p->arena, &names, settings[i]->flag);
	return diag_nearest(name, names.items, names.count);
}

static const sv report_formats[REPORT_FORMAT_COUNT] = {
    [REPORT_FORMAT_JSON] = SV_INIT("json"),     [REPORT_FORMAT_SARIF] = SV_INIT("sarif"),
    [REPORT_FORMAT_JUNIT] = SV_INIT("junit"),   [REPORT_FORMAT_MARKDOWN] = SV_INIT("markdown"),
    [REPORT_FORMAT_HTML] = SV_INIT("html"),     [REPORT_FORMAT_GITHUB] = SV_INIT("github"),
    [REPORT_FORMAT_GITLAB] = SV_INIT("gitlab"),
};

sv option_report_format(enum report_format format)
{
	return report_formats[format];
}

static void add_report(struct parser *p, sv text)
{
	struct report_request report = {0};
	sv format;

	if (!sv_cut(text, SV("="), &format, &report.path) || sv_empty(report.path)) {
		REPORT_USAGE(p->sink, "--report takes FORMAT=FILE, such as json=report.json");
		return;
	}
	while (report.format < REPORT_FORMAT_COUNT && !sv_eq(format, report_formats[report.format]))
		report.format++;
	if (report.format == REPORT_FORMAT_COUNT) {
		struct diag *diag =
		    REPORT_USAGE(p->sink, "unknown report format \"%.*s\"", SV_ARG(format));
		diag_set_help(
		    p->sink, diag,
		    "the formats are json, sarif, junit, markdown, html, github and gitlab");
		return;
	}
	VEC_PUSH(p->arena, &p->options->print.reports, report);
}

static bool parse_bool(sv text, bool *ret_bool)
{
	if (sv_eq(text, SV("true")) || sv_eq(text, SV("1")) || sv_eq(text, SV("t"))) {
		*ret_bool = true;
		return true;
	}
	if (sv_eq(text, SV("false")) || sv_eq(text, SV("0")) || sv_eq(text, SV("f"))) {
		*ret_bool = false;
		return true;
	}
	return false;
}

/* "1000", "64K", "256M", "4G" */
static bool parse_amount(sv text, uint64_t *ret_amount)
{
	static const char units[] = "KMG";
	const char *unit = text.len > 1 ? strchr(units, text.ptr[text.len - 1]) : NULL;
	unsigned shift = unit && *unit ? 10 * (unsigned)(unit - units + 1) : 0;
	int64_t number;

	if (shift > 0)
		text.len--;
	if (!sv_parse_int64(text, &number) || number < 0 || number > INT64_MAX >> shift)
		return false;
	*ret_amount = (uint64_t)number << shift;
	return true;
}

/* Takes the value after "=", or the next word. Reports an option without one: returns false. */
static bool take_value(struct parser *p, sv name, bool has_value, sv *value)
{
	if (has_value)
		return true;
	if (p->at + 1 >= p->argc) {
		REPORT_USAGE(p->sink, "--%.*s needs a value", SV_ARG(name));
		return false;
	}
	*value = sv_from_cstr(p->argv[++p->at]);
	return true;
}

/*
 * Returns the optional value: the one after "=", or the next word unless that is an option or a
 * command. After "=" and in the environment, true and false switch the option. Returns a null
 * pointer if it is off.
 */
static sv maybe_value(struct parser *p, bool has_value, sv value)
{
	const char *next = p->at + 1 < p->argc ? p->argv[p->at + 1] : "-";
	bool on = true;

	if (has_value && parse_bool(value, &on))
		return on ? SV("") : (sv){0};
	if (has_value)
		return value;
	if (next[0] == '-' || next[0] == '\0' ||
	    options_command_find(sv_from_cstr(next)) != COMMAND_COUNT)
		return SV("");
	p->at++;
	return sv_from_cstr(next);
}

static void set_option(struct parser *p, const struct option_info *info, bool has_value, sv value)
{
	void *field = (char *)p->options + info->offset;
	sv name = sv_from_cstr(info->name);

	VEC_PUSH(p->arena, &p->given, name);
	switch (info->kind) {
	case OPTION_FLAG:
		*(bool *)field = true;
		if (has_value && !parse_bool(value, (bool *)field))
			REPORT_USAGE(p->sink, "--%s is true or false, not \"%.*s\"", info->name,
			             SV_ARG(value));
		break;
	case OPTION_TEXT:
		if (take_value(p, name, has_value, &value))
			*(sv *)field = value;
		break;
	case OPTION_MAYBE:
		*(sv *)field = maybe_value(p, has_value, value);
		break;
	case OPTION_TEXTS:
		if (take_value(p, name, has_value, &value))
			VEC_PUSH(p->arena, (struct option_texts *)field, value);
		break;
	case OPTION_AMOUNT:
		if (take_value(p, name, has_value, &value) &&
		    !parse_amount(value, (uint64_t *)field))
			REPORT_USAGE(p->sink,
			             "--%s takes a number, such as 1000 or 64M, not \"%.*s\"",
			             info->name, SV_ARG(value));
		break;
	case OPTION_REPORT:
		if (take_value(p, name, has_value, &value))
			add_report(p, value);
		break;
	case OPTION_VARIABLES:
		if (take_value(p, name, has_value, &value))
			option_allow_env(p->arena, p->sink, value, p->options);
		break;
	}
}

/* Sets a setting. Its value has a source of its own, so that errors show it as people typed it. */
static void set_setting(struct parser *p, const struct setting *setting, bool has_value, sv text)
{
	struct value value;

	VEC_PUSH(p->arena, &p->given, setting->flag);
	if (setting->kind == SETTING_BOOL && !has_value)
		text = SV("true");
	else if (!take_value(p, setting->flag, has_value, &text))
		return;
	sv path = sv_empty(p->variable) ? arena_printf(p->arena, "--%.*s", SV_ARG(setting->flag))
	                                : p->variable;
	bool may_be_secret = secrecy_holds_userinfo(text) || secrecy_userinfo_is_unclear(text);
	value = value_string(text);
	value.origin = (struct origin){
	    .source = source_new(p->arena, path, text, may_be_secret),
	    .length = (uint32_t)text.len,
	    .style = ORIGIN_EXACT,
	};
	struct value *known = value_map_get_mutable(&p->options->settings, setting->name);
	if (setting->kind == SETTING_REPEAT) {
		if (!known) {
			value_map_set(p->arena, &p->options->settings, setting->name,
			              value_list_new(p->arena));
			known = value_map_get_mutable(&p->options->settings, setting->name);
		}
		value_list_add(p->arena, known, value);
	} else {
		value_map_set(p->arena, &p->options->settings, setting->name, value);
	}
}

/* Skips the word after an unknown option, as most options take a value, unless it is a command. */
static void skip_value(struct parser *p)
{
	const char *next = p->at + 1 < p->argc ? p->argv[p->at + 1] : "-";

	if (next[0] != '-' && options_command_find(sv_from_cstr(next)) == COMMAND_COUNT)
		p->at++;
}

/* Adds help for an unknown option: what osm-gen has instead, the nearest one, or their list. */
static void help_unknown(struct parser *p, struct diag *diag, const char *instead, sv nearest)
{
	if (instead)
		diag_set_help(p->sink, diag, "%s", instead);
	else if (!sv_empty(nearest))
		diag_set_help(p->sink, diag, "did you mean --%.*s?", SV_ARG(nearest));
	else if (p->options->has_command)
		diag_set_help(p->sink, diag, "`osm-gen help --all %s` lists its options",
		              options_command_name(p->options->command));
	else
		diag_set_help(p->sink, diag,
		              "`osm-gen help` lists the commands, `osm-gen help "
		              "--all COMMAND` the options of one");
}

static void parse_long(struct parser *p, sv word)
{
	sv name;
	sv value;
	bool has_value = sv_cut(word, SV("="), &name, &value);
	const struct option_info *info = option_find(name);
	const struct setting *setting = fleet_setting_by_flag(name);

	if (info) {
		set_option(p, info, has_value, value);
		return;
	}
	if (setting) {
		set_setting(p, setting, has_value, value);
		return;
	}
	bool needs_cluster = false;
	const char *instead =
	    option_word_instead(ARENA_CONCAT(p->arena, SV("--"), name), &needs_cluster);
	struct diag *diag =
	    needs_cluster
	        ? REPORT_USAGE(p->sink, "--%.*s has no meaning without a cluster", SV_ARG(name))
	        : REPORT_USAGE(p->sink, "unknown option --%.*s", SV_ARG(name));
	help_unknown(p, diag, instead, nearest_option(p, name));
	if (!has_value)
		skip_value(p);
}

static void parse_short(struct parser *p, sv word)
{
	size_t count;
	const struct option_info *options = option_table(&count);

	for (size_t i = 0; i < count; i++) {
		const struct option_info *info = &options[i];

		if (info->letter == 0 || info->letter != word.ptr[0])
			continue;
		if (info->kind == OPTION_FLAG && word.len > 1) {
			set_option(p, info, false, (sv){0});
			parse_short(p, sv_from_offset(word, 1));
		} else {
			set_option(p, info, word.len > 1, sv_from_offset(word, 1));
		}
		return;
	}
	bool needs_cluster;
	struct diag *diag = REPORT_USAGE(p->sink, "unknown option -%.*s", SV_ARG(word));
	const char *instead = option_word_instead(
	    ARENA_CONCAT(p->arena, SV("-"), sv_slice(word, 0, 1)), &needs_cluster);
	help_unknown(p, diag, instead, SV(""));
	if (word.len == 1)
		skip_value(p);
}

/*
 * Returns true for words that look like a misspelt command. Anything else may be the value of an
 * option, and secret: it is not quoted.
 */
static bool is_word(sv text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!(text.ptr[i] >= 'a' && text.ptr[i] <= 'z') && text.ptr[i] != '-')
			return false;
	return text.len <= 16;
}

static void parse_word(struct parser *p, sv word)
{
	if (p->no_more_options || word.len < 2 || word.ptr[0] != '-') {
		if (!p->command_given && p->options->arguments.count == 0) {
			enum command command = options_command_find(word);

			p->command_given = true;
			if (command != COMMAND_COUNT) {
				p->options->command = command;
				p->options->has_command = true;
				return;
			}
			struct diag *diag =
			    is_word(word)
			        ? REPORT_USAGE(p->sink, "unknown command \"%.*s\"", SV_ARG(word))
			        : REPORT_USAGE(p->sink, "unknown command");
			options_command_help(p->sink, diag, word);
			/* The options of an unknown command are unknown, too. */
			p->sink = p->ignored;
			return;
		}
		VEC_PUSH(p->arena, &p->options->arguments, word);
	} else if (sv_eq(word, SV("--"))) {
		p->no_more_options = true;
	} else if (word.ptr[1] == '-') {
		parse_long(p, sv_from_offset(word, 2));
	} else {
		sv name;
		sv value;

		/* The controller's flags may have one dash: -cluster-dns=10.0.0.10 */
		sv_cut(sv_from_offset(word, 1), SV("="), &name, &value);
		if (name.len > 1 && (fleet_setting_by_flag(name) || option_find(name)))
			parse_long(p, sv_from_offset(word, 1));
		else
			parse_short(p, sv_from_offset(word, 1));
	}
}

/* ---- the environment ---------------------------------------------------------------------- */

static void parse_environment(struct parser *p)
{
	const size_t given = p->given.count;
	struct option_words words = {0};

	option_variables_collect(p->arena, p->options, (struct option_names){p->given.items, given},
	                         &words);
	VEC_EACH (word, &words) {
		p->variable = word->variable;
		parse_long(p, word->text);
	}
	p->variable = SV("");
	p->words = words;
	p->given.count = given;
}

/* Names the variables that were read, as a mistake may be in one that nobody typed just now. */
static void name_variables(struct parser *p)
{
	struct buf names = buf_in(p->arena);

	if (p->sink->error_count == 0 || p->words.count == 0)
		return;
	for (size_t i = 0; i < p->words.count; i++)
		if (i == 0 || !sv_eq(p->words.items[i].variable, p->words.items[i - 1].variable))
			buf_printf(&names, "%s%.*s", names.len > 0 ? ", " : "",
			           SV_ARG(p->words.items[i].variable));
	diag_add_note(p->sink, p->sink->diags.items[p->sink->diags.count - 1], NOWHERE,
	              "options are set by the environment, too: %.*s", SV_ARG(buf_sv(&names)));
}

/* ------------------------------------------------------------------------------------------- */

static void set_defaults(struct options *options)
{
	if (!options->target.out.ptr)
		options->target.out = SV("out");
	if (!options->read.rev.ptr)
		options->read.rev = SV("HEAD");
}

/*
 * Decides what a call without arguments does: nothing, or what the environment asks for. An image
 * whose entry point is osm-gen alone is configured by variables.
 */
static void check_bare(struct parser *p)
{
	struct diag *diag;

	if (p->argc > 1)
		return;
	p->options->is_bare = p->words.count == 0;
	if (p->options->is_bare)
		return;
	diag = diag_report(p->sink, DIAG_USAGE_BARE, NOWHERE,
	                   "osm-gen without a command will print a help in the next version");
	diag_set_help(p->sink, diag, "write `osm-gen generate`");
}

enum status options_parse(struct arena *arena, struct sink *sink, int argc, char **argv,
                          struct options *ret_options)
{
	struct options options = {.command = COMMAND_GENERATE,
	                          .work.limits = run_limits_default(),
	                          .settings = value_map_new(arena)};
	struct sink ignored = sink_in(arena);
	struct parser p = {.arena = arena,
	                   .sink = sink,
	                   .ignored = &ignored,
	                   .options = &options,
	                   .argc = argc,
	                   .argv = argv};

	for (p.at = 1; p.at < argc; p.at++)
		parse_word(&p, sv_from_cstr(argv[p.at]));
	bool is_asked = options.help || options.version;
	if (sink->error_count == 0 && !is_asked)
		parse_environment(&p);
	if (sink->error_count == 0)
		options_check(arena, sink, &options,
		              (struct option_names){p.given.items, p.given.count});
	name_variables(&p);
	check_bare(&p);
	if (!is_asked)
		option_variables_check(arena, sink);
	set_defaults(&options);
	*ret_options = options;
	return sink->error_count ? STATUS_FAILED : STATUS_OK;
}
