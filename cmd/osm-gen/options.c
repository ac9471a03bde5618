#include "options.h"

#include "osm/osm.h"

#include <stddef.h>

/* ---- the tables -------------------------------------------------------------------------- */

struct command_info {
	const char *name;
	const char *arguments;
	const char *summary;
	const char *details;
	size_t min_arguments;
	size_t max_arguments;
};

static const struct command_info commands[COMMAND_COUNT] = {
    [COMMAND_GENERATE] =
        {"generate", "", "render, seal, write, commit (the default command)",
         "Reads the inputs of a commit, renders every MachineDeployment, seals what is\n"
         "secret, writes the output tree and commits it. A run that fails changes nothing;\n"
         "a run with nothing new makes no commit.\n",
         0, 0},
    [COMMAND_CHECK] =
        {"check", "", "render and compare with what is committed; writes nothing",
         "Exit status 1 when the output tree is not what the inputs make: the gate for pull\n"
         "requests.\n",
         0, 0},
    [COMMAND_DIFF] =
        {"diff", "", "as check, printing the difference, secrets masked",
         "Prints a unified diff of the output tree. Sealed values show only that they differ.\n", 0,
         0},
    [COMMAND_VALIDATE] =
        {"validate", "", "check the inputs only; needs no seed and no secrets",
         "Reads and renders everything with stand-ins for secrets, and reports all errors.\n"
         "Safe for pull requests of strangers: no key is read, nothing is written.\n",
         0, 0},
    [COMMAND_RENDER] =
        {"render", "", "print one MachineDeployment's rendering",
         "Needs --machine-deployment and --print. Secrets are masked unless --reveal.\n", 0, 0},
    [COMMAND_UNSEAL] =
        {"unseal", "FILE...", "print sealed output decrypted with an age identity",
         "The identity comes from SOPS_AGE_KEY or SOPS_AGE_KEY_FILE, as for sops. The MAC is\n"
         "verified.\n",
         1, SIZE_MAX},
    [COMMAND_KEYGEN] =
        {"keygen", "seed|identity", "make a sealing seed or an age identity, on stdout",
         "A seed is held by CI alone (OSM_GEN_SEAL_SEED). An identity is what a cluster\n"
         "decrypts with; its public key is the recipient to name in osm-gen.yaml.\n",
         1, 1},
    [COMMAND_PROFILES] =
        {"profiles", "[list | show NAME]", "list or print the embedded default profiles",
         "The embedded OperatingSystemProfiles stand behind those of the repository, unless\n"
         "disableDefaultOSPs is set.\n",
         0, 2},
    [COMMAND_EXPLAIN] = {"explain", "[CODE]", "what a diagnostic means and how to mend it",
                         "CODE as printed: OSG3001. Without one, all codes are listed.\n", 0, 1},
    [COMMAND_HELP] = {"help", "[COMMAND]", "this help, or a command's", "", 0, 1},
    [COMMAND_VERSION] = {"version", "", "the program's version", "", 0, 0},
};

#define ON(command) (1u << (command))
#define ON_RUNS     (ON(COMMAND_GENERATE) | ON(COMMAND_CHECK) | ON(COMMAND_DIFF))
#define ON_INPUTS   (ON_RUNS | ON(COMMAND_VALIDATE) | ON(COMMAND_RENDER))
#define ON_ALL      ((1u << COMMAND_COUNT) - 1)

enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_REPORT, OPTION_VARIABLES };

struct option_info {
	const char *name;
	char letter; /* or 0 */
	enum option_kind kind;
	size_t offset; /* in struct options, of a bool or an sv */
	unsigned commands;
	const char *placeholder;
	const char *help;
};

#define FIELD(member) offsetof(struct options, member)

static const struct option_info option_table[] = {
    {"repo", 0, OPTION_TEXT, FIELD(repo), ON_INPUTS, "DIR",
     "the repository: work tree or bare (default .)"},
    {"out", 0, OPTION_TEXT, FIELD(out), ON_INPUTS, "DIR",
     "the output folder, relative to the repository's root (default out); an absolute path outside "
     "exports without a commit"},
    {"rev", 0, OPTION_TEXT, FIELD(rev), ON_INPUTS, "REV", "the commit to read (default HEAD)"},
    {"worktree", 0, OPTION_FLAG, FIELD(worktree), ON_INPUTS, NULL,
     "read the working tree instead of a commit; never commits"},
    {"branch", 0, OPTION_TEXT, FIELD(branch), ON_RUNS, "NAME",
     "the branch to commit on (default: HEAD's)"},
    {"author", 0, OPTION_TEXT, FIELD(author), ON(COMMAND_GENERATE), "\"NAME <MAIL>\"",
     "author and committer (default: the fleet's commit.author)"},
    {"no-commit", 0, OPTION_FLAG, FIELD(no_commit), ON(COMMAND_GENERATE), NULL,
     "only write the folder"},
    {"seal-seed-file", 0, OPTION_TEXT, FIELD(seed_file), ON_RUNS | ON(COMMAND_RENDER), "FILE",
     "the sealing seed (else OSM_GEN_SEAL_SEED or OSM_GEN_SEAL_SEED_FILE)"},
    {"rotate-seed", 0, OPTION_FLAG, FIELD(rotate_seed), ON_RUNS, NULL,
     "seal everything anew with a seed that is not the one before"},
    {"secrets", 0, OPTION_TEXT, FIELD(secrets_folder), ON_INPUTS, "DIR",
     "a folder of Secret manifests outside git; wins over the repository's"},
    {"allow-env", 0, OPTION_VARIABLES, 0, ON_INPUTS, "NAME,...",
     "environment variables that cloud-configs may take values from, as the controller does, where "
     "cloudProviderSpec lacks them; may be given many times"},
    {"revisions", 0, OPTION_TEXT, FIELD(revisions_file), ON_RUNS | ON(COMMAND_RENDER), "FILE",
     "live revisions: what `kubectl get machinedeployments -A -o json` prints"},
    {"machine-deployment", 0, OPTION_TEXT, FIELD(machine_deployment), ON(COMMAND_RENDER),
     "[CLUSTER/]NAMESPACE/NAME", "which MachineDeployment to render"},
    {"print", 0, OPTION_TEXT, FIELD(print), ON(COMMAND_RENDER), "osc|bootstrap|provisioning",
     "what to print of it"},
    {"reveal", 0, OPTION_FLAG, FIELD(reveal), ON(COMMAND_RENDER), NULL,
     "show secrets in the clear"},
    {"report", 0, OPTION_REPORT, 0, ON_RUNS | ON(COMMAND_VALIDATE), "FORMAT=FILE",
     "also write a report: json, sarif, junit or markdown; may be given many times, and FILE may "
     "be - "
     "for standard output"},
    {"jobs", 'j', OPTION_TEXT, FIELD(jobs_text), ON_INPUTS, "N",
     "threads (default: one a core); never changes a byte"},
    {"quiet", 'q', OPTION_FLAG, FIELD(quiet), ON_ALL, NULL, "say nothing but warnings and errors"},
    {"verbose", 'v', OPTION_FLAG, FIELD(verbose), ON_ALL, NULL, "list every file that changes"},
    {"color", 0, OPTION_TEXT, FIELD(color), ON_ALL, "auto|always|never",
     "colour (default auto; NO_COLOR is honoured)"},
    {"progress", 0, OPTION_TEXT, FIELD(progress), ON_ALL, "auto|always|never",
     "a progress line on a terminal when a run takes long (default auto)"},
    {"help", 'h', OPTION_FLAG, FIELD(help), ON_ALL, NULL, "help on the command"},
    {"version", 0, OPTION_FLAG, FIELD(version), ON_ALL, NULL, "the program's version"},
};

/* Flags of the controller that mean nothing where there is no cluster, and what takes their place.
 */
static const struct {
	const char *name;
	const char *instead;
} refused[] = {
    {"kubeconfig", "objects are read from the repository; the CA comes from cluster-info or "
                   "--kubernetes-ca-bundle"},
    {"worker-cluster-kubeconfig", "commit the worker cluster's kube-public/cluster-info ConfigMap"},
    {"worker-count", "use -j N for threads"},
    {"leader-elect", "one run a commit: the branch moves by compare-and-swap"},
    {"health-probe-address", "osm-gen runs once and ends: use its exit status"},
    {"metrics-address", "osm-gen runs once and ends: use --report json=FILE"},
    {"worker-health-probe-address", "osm-gen runs once and ends: use its exit status"},
    {"worker-metrics-address", "osm-gen runs once and ends: use --report json=FILE"},
    {"log-debug", "use -v"},
    {"log-format", "use --report json=FILE"},
    {"ca-bundle", "the controller ignores it; use --host-ca-bundle or --kubernetes-ca-bundle"},
};

const char *options_command_name(enum command command)
{
	return commands[command].name;
}

enum command options_command_find(sv name)
{
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (sv_eq_cstr(name, commands[i].name))
			return (enum command)i;
	return COMMAND_COUNT;
}

enum when options_when(sv text)
{
	if (sv_eq(text, SV("always")))
		return WHEN_ALWAYS;
	return sv_eq(text, SV("never")) ? WHEN_NEVER : WHEN_AUTO;
}

/* ---- parsing ----------------------------------------------------------------------------- */

struct parser {
	struct arena *arena;
	struct sink *sink;
	struct options *options;
	int argc;
	char **argv;
	int at;
	bool command_given;
	bool no_more_options;
};

static struct diag *usage(struct parser *p, const char *format, ...) PRINTF_LIKE(2, 3);
static struct diag *usage(struct parser *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sv text = arena_vprintf(p->arena, format, args);
	va_end(args);
	return diag_report(p->sink, DIAG_USAGE, NOWHERE, "%.*s", SV_ARG(text));
}

static const struct option_info *find_option(sv name)
{
	for (size_t i = 0; i < COUNT_OF(option_table); i++)
		if (sv_eq_cstr(name, option_table[i].name))
			return &option_table[i];
	return NULL;
}

static sv nearest_option(struct parser *p, sv name)
{
	size_t setting_count;
	const struct osm_setting *settings = osm_setting_table(&setting_count);
	VEC(sv) names = {0};

	for (size_t i = 0; i < COUNT_OF(option_table); i++)
		VEC_PUSH(p->arena, &names, sv_from_cstr(option_table[i].name));
	for (size_t i = 0; i < setting_count; i++)
		VEC_PUSH(p->arena, &names, settings[i].flag);
	return diag_nearest(name, names.items, names.count);
}

static const sv report_formats[REPORT_FORMAT_COUNT] = {
    [REPORT_FORMAT_JSON] = SV_INIT("json"),
    [REPORT_FORMAT_SARIF] = SV_INIT("sarif"),
    [REPORT_FORMAT_JUNIT] = SV_INIT("junit"),
    [REPORT_FORMAT_MARKDOWN] = SV_INIT("markdown"),
};

static void add_report(struct parser *p, sv text)
{
	struct report_wish wish = {0};
	sv format;

	if (!sv_cut(text, SV("="), &format, &wish.path) || sv_empty(wish.path)) {
		usage(p, "--report takes FORMAT=FILE, such as json=report.json");
		return;
	}
	while (wish.format < REPORT_FORMAT_COUNT && !sv_eq(format, report_formats[wish.format]))
		wish.format++;
	if (wish.format == REPORT_FORMAT_COUNT) {
		struct diag *diag = usage(p, "unknown report format \"%.*s\"", SV_ARG(format));
		diag_set_help(p->sink, diag, "the formats are json, sarif, junit and markdown");
		return;
	}
	VEC_PUSH(p->arena, &p->options->reports, wish);
}

/* Only names that mean something: what is not among them is misspelt. */
static void add_variables(struct parser *p, sv text)
{
	struct sv_splitter it = sv_split(text, ',');
	size_t count;
	const sv *names = osm_environment_names(p->arena, &count);
	sv name;

	while (sv_split_next(&it, &name)) {
		size_t i = 0;

		name = sv_trim_space(name);
		while (i < count && !sv_eq(names[i], name))
			i++;
		if (i < count) {
			VEC_PUSH(p->arena, &p->options->variables, names[i]);
			continue;
		}
		sv nearest = diag_nearest(name, names, count);
		struct diag *diag =
		    usage(p, "no cloud-config takes a value from the environment variable \"%.*s\"",
		          SV_ARG(name));
		if (sv_empty(nearest))
			diag_set_help(p->sink, diag,
			              "`osm-gen explain OSG4030` tells what --allow-env is for");
		else
			diag_set_help(p->sink, diag, "did you mean %.*s?", SV_ARG(nearest));
	}
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

/* A value given after "=", or the next word; false (with a diagnostic) when there is none. */
static bool take_value(struct parser *p, sv name, bool has_value, sv *value)
{
	if (has_value)
		return true;
	if (p->at + 1 >= p->argc) {
		usage(p, "--%.*s needs a value", SV_ARG(name));
		return false;
	}
	*value = sv_from_cstr(p->argv[++p->at]);
	return true;
}

static void set_option(struct parser *p, const struct option_info *info, bool has_value, sv value)
{
	char *field = (char *)p->options + info->offset;
	sv name = sv_from_cstr(info->name);

	switch (info->kind) {
	case OPTION_FLAG:
		*(bool *)field = true;
		if (has_value && !parse_bool(value, (bool *)field))
			usage(p, "--%s is true or false, not \"%.*s\"", info->name, SV_ARG(value));
		break;
	case OPTION_TEXT:
		if (take_value(p, name, has_value, &value))
			*(sv *)field = value;
		break;
	case OPTION_REPORT:
		if (take_value(p, name, has_value, &value))
			add_report(p, value);
		break;
	case OPTION_VARIABLES:
		if (take_value(p, name, has_value, &value))
			add_variables(p, value);
		break;
	}
}

/*
 * The value is the text after "=", with a source of its own, so that a wrong address in it is shown
 * as people typed it.
 */
static void set_setting(struct parser *p, const struct osm_setting *setting, bool has_value,
                        sv text)
{
	struct value value;

	if (setting->kind == OSM_SETTING_BOOL && !has_value)
		text = SV("true");
	else if (!take_value(p, setting->flag, has_value, &text))
		return;
	sv path = arena_printf(p->arena, "--%.*s", SV_ARG(setting->flag));
	value = value_string(text);
	value.origin = (struct origin){
	    .source = source_new(p->arena, path, text, false),
	    .length = (uint32_t)text.len,
	    .style = ORIGIN_EXACT,
	};
	struct value *known = value_map_get(&p->options->settings, setting->name);
	if (setting->kind == OSM_SETTING_REPEAT) {
		if (!known) {
			value_map_set(p->arena, &p->options->settings, setting->name,
			              value_list_new(p->arena));
			known = value_map_get(&p->options->settings, setting->name);
		}
		value_list_add(p->arena, known, value);
	} else {
		value_map_set(p->arena, &p->options->settings, setting->name, value);
	}
}

static void parse_long(struct parser *p, sv word)
{
	sv name;
	sv value;
	bool has_value = sv_cut(word, SV("="), &name, &value);
	const struct option_info *info = find_option(name);
	const struct osm_setting *setting = osm_setting_by_flag(name);

	if (info) {
		set_option(p, info, has_value, value);
		return;
	}
	if (setting) {
		set_setting(p, setting, has_value, value);
		return;
	}
	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		if (sv_eq_cstr(name, refused[i].name)) {
			struct diag *diag =
			    usage(p, "--%s has no meaning without a cluster", refused[i].name);
			diag_set_help(p->sink, diag, "%s", refused[i].instead);
			/* Most of them take a value; a word that looks like one goes with it. */
			if (!has_value && p->at + 1 < p->argc && p->argv[p->at + 1][0] != '-')
				p->at++;
			return;
		}
	}
	struct diag *diag = usage(p, "unknown option --%.*s", SV_ARG(name));
	sv nearest = nearest_option(p, name);
	if (!sv_empty(nearest))
		diag_set_help(p->sink, diag, "did you mean --%.*s?", SV_ARG(nearest));
	else
		diag_set_help(p->sink, diag, "`osm-gen help` lists the options");
}

static void parse_short(struct parser *p, sv word)
{
	for (size_t i = 0; i < COUNT_OF(option_table); i++) {
		const struct option_info *info = &option_table[i];

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
	usage(p, "unknown option -%.*s", SV_ARG(word));
}

static void parse_word(struct parser *p, sv word)
{
	if (p->no_more_options || word.len < 2 || word.ptr[0] != '-') {
		if (!p->command_given && p->options->arguments.count == 0) {
			enum command command = options_command_find(word);

			p->command_given = true;
			if (command != COMMAND_COUNT) {
				p->options->command = command;
				return;
			}
			struct diag *diag = usage(p, "unknown command \"%.*s\"", SV_ARG(word));
			diag_set_help(p->sink, diag, "`osm-gen help` lists the commands");
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
		if (name.len > 1 && (osm_setting_by_flag(name) || find_option(name)))
			parse_long(p, sv_from_offset(word, 1));
		else
			parse_short(p, sv_from_offset(word, 1));
	}
}

static void check_when(struct parser *p, const char *name, sv text)
{
	if (!sv_empty(text) && !sv_eq(text, SV("auto")) && options_when(text) == WHEN_AUTO)
		usage(p, "--%s is auto, always or never, not \"%.*s\"", name, SV_ARG(text));
}

static bool is_given(const struct options *given, const struct option_info *info)
{
	const char *field = (const char *)given + info->offset;

	switch (info->kind) {
	case OPTION_FLAG:
		return *(const bool *)field;
	case OPTION_TEXT:
		return ((const sv *)field)->ptr != NULL;
	case OPTION_REPORT:
		return given->reports.count > 0;
	case OPTION_VARIABLES:
		return given->variables.count > 0;
	}
	BUG("kind of option");
}

static void check_applies(struct parser *p)
{
	const struct options *given = p->options;
	const struct command_info *command = &commands[given->command];

	for (size_t i = 0; i < COUNT_OF(option_table); i++) {
		const struct option_info *info = &option_table[i];

		if (is_given(given, info) && !(info->commands & ON(given->command)))
			usage(p, "--%s does not apply to \"%s\"", info->name, command->name);
	}
	if (given->settings.map->count > 0 && !(ON_INPUTS & ON(given->command)))
		usage(p, "settings do not apply to \"%s\"", command->name);
	if (given->arguments.count < command->min_arguments)
		usage(p, "\"%s\" needs %s", command->name, command->arguments);
	else if (given->arguments.count > command->max_arguments)
		usage(p, "\"%s\" takes no argument \"%.*s\"", command->name,
		      SV_ARG(given->arguments.items[command->max_arguments]));
}

/* The rules of git check-ref-format that a mistyped branch most likely breaks; git knows the rest.
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
static void check_branch(struct parser *p)
{
	struct options *options = p->options;

	if (!options->branch.ptr)
		return;
	if (sv_starts_with(options->branch, SV("refs/heads/")))
		options->branch = sv_from_offset(options->branch, strlen("refs/heads/"));
	if (!is_branch_name(options->branch))
		usage(p, "\"%.*s\" cannot name a branch", SV_ARG(options->branch));
}

static void check_worktree(struct parser *p)
{
	struct diag *diag;

	if (!p->options->worktree || (!p->options->rev.ptr && !p->options->branch.ptr))
		return;
	diag = usage(p, "--worktree does not go with --%s", p->options->rev.ptr ? "rev" : "branch");
	diag_set_help(p->sink, diag, "--worktree reads no commit and makes none");
}

static void check(struct parser *p)
{
	struct options *options = p->options;
	int64_t jobs = 0;

	check_when(p, "color", options->color);
	check_when(p, "progress", options->progress);
	if (options->jobs_text.ptr &&
	    (!sv_parse_int64(options->jobs_text, &jobs) || jobs < 1 || jobs > 1024))
		usage(p, "-j takes a number from 1 to 1024, not \"%.*s\"",
		      SV_ARG(options->jobs_text));
	options->jobs = (unsigned)jobs;
	if (options->help || options->version)
		return;
	check_applies(p);
	check_branch(p);
	check_worktree(p);
	if (options->command == COMMAND_RENDER) {
		if (sv_empty(options->machine_deployment))
			usage(p, "\"render\" needs --machine-deployment [CLUSTER/]NAMESPACE/NAME");
		if (!sv_eq(options->print, SV("osc")) && !sv_eq(options->print, SV("bootstrap")) &&
		    !sv_eq(options->print, SV("provisioning")))
			usage(p, "\"render\" needs --print osc, bootstrap or provisioning");
	}
}

static void set_defaults(struct options *options)
{
	if (!options->repo.ptr)
		options->repo = SV(".");
	if (!options->out.ptr)
		options->out = SV("out");
	if (!options->rev.ptr)
		options->rev = SV("HEAD");
}

enum status options_parse(struct arena *arena, struct sink *sink, int argc, char **argv,
                          struct options *ret_options)
{
	struct options options = {.command = COMMAND_GENERATE, .settings = value_map_new(arena)};
	struct parser p = {
	    .arena = arena, .sink = sink, .options = &options, .argc = argc, .argv = argv};

	for (p.at = 1; p.at < argc; p.at++)
		parse_word(&p, sv_from_cstr(argv[p.at]));
	if (sink->error_count == 0)
		check(&p);
	set_defaults(&options);
	*ret_options = options;
	return sink->error_count ? STATUS_FAILED : STATUS_OK;
}

/* ---- help -------------------------------------------------------------------------------- */

/* "  --name TEXT" and its help, wrapped beside it. */
static void help_line(struct buf *buf, sv left, const char *text)
{
	enum { LEFT = 34, WIDTH = 100 };
	size_t column = left.len + 2;
	sv rest = sv_from_cstr(text);

	buf_printf(buf, "  %.*s", SV_ARG(left));
	if (column >= LEFT) {
		buf_add_char(buf, '\n');
		column = 0;
	}
	buf_add_repeat(buf, ' ', LEFT - column);
	column = LEFT;
	while (!sv_empty(rest)) {
		size_t space = sv_find_char(rest, ' ');
		sv word = sv_slice(rest, 0, space);

		if (column > LEFT && column + 1 + word.len > WIDTH) {
			buf_add_char(buf, '\n');
			buf_add_repeat(buf, ' ', LEFT);
			column = LEFT;
		} else if (column > LEFT) {
			buf_add_char(buf, ' ');
			column++;
		}
		buf_add(buf, word);
		column += word.len;
		rest = space == SV_NPOS ? SV("") : sv_from_offset(rest, space + 1);
	}
	buf_add_char(buf, '\n');
}

static void help_options(struct buf *buf, unsigned mask)
{
	for (size_t i = 0; i < COUNT_OF(option_table); i++) {
		const struct option_info *info = &option_table[i];
		char letter[8] = "";

		if (!(info->commands & mask))
			continue;
		if (info->letter) {
			memcpy(letter, "-x, ", 5);
			letter[1] = info->letter;
		}
		help_line(buf,
		          arena_printf(buf->arena, "%s--%s%s%s", letter, info->name,
		                       info->placeholder ? " " : "",
		                       info->placeholder ? info->placeholder : ""),
		          info->help);
	}
}

static void help_settings(struct buf *buf)
{
	size_t count;
	const struct osm_setting *settings = osm_setting_table(&count);

	for (size_t i = 0; i < count; i++) {
		const struct osm_setting *s = &settings[i];
		sv left =
		    arena_printf(buf->arena, "--%.*s%s%s", SV_ARG(s->flag),
		                 s->placeholder ? " " : "", s->placeholder ? s->placeholder : "");
		sv text =
		    arena_printf(buf->arena, "%s (%.*s%s%s)", s->help, SV_ARG(s->name),
		                 s->initial ? "; default " : "", s->initial ? s->initial : "");

		help_line(buf, left, arena_cstr(buf->arena, text));
	}
}

static void help_overview(struct buf *buf)
{
	BUF_ADD_LIT(
	    buf,
	    "osm-gen: machine bootstrap data for Kubernetes worker nodes, rendered, sealed and\n"
	    "committed from a git repository.\n\n"
	    "  osm-gen [COMMAND] [OPTION...]\n\nCommands\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command_info *info = &commands[i];

		help_line(buf,
		          arena_printf(buf->arena, "%s%s%s", info->name,
		                       info->arguments[0] ? " " : "", info->arguments),
		          info->summary);
	}
	BUF_ADD_LIT(buf, "\nOptions\n");
	help_options(buf, ON_ALL);
	BUF_ADD_LIT(buf,
	            "\nSettings, over those of osm-gen.yaml (whose names stand in parentheses)\n");
	help_settings(buf);
	BUF_ADD_LIT(buf, "\nEnvironment\n"
	                 "  OSM_GEN_SEAL_SEED, OSM_GEN_SEAL_SEED_FILE   the sealing seed, or the "
	                 "file that holds it\n"
	                 "  SOPS_AGE_KEY, SOPS_AGE_KEY_FILE             age identities, for "
	                 "encrypted inputs and unseal\n"
	                 "  those that --allow-env names                values of cloud-configs\n"
	                 "  NO_COLOR                                    no colour\n"
	                 "\nExit status\n"
	                 "  0 done, or no difference   1 difference found (check, diff)   2 the "
	                 "inputs are wrong\n"
	                 "  3 the surroundings failed (git, I/O, keys)   64 wrong usage\n");
}

void options_help(struct buf *buf, enum command command)
{
	if (command == COMMAND_COUNT) {
		help_overview(buf);
		return;
	}
	const struct command_info *info = &commands[command];
	buf_printf(buf, "osm-gen %s%s%s [OPTION...]: %s\n\n%s", info->name,
	           info->arguments[0] ? " " : "", info->arguments, info->summary, info->details);
	BUF_ADD_LIT(buf, "\nOptions\n");
	help_options(buf, ON((unsigned)command));
	if (ON_INPUTS & ON((unsigned)command)) {
		BUF_ADD_LIT(
		    buf,
		    "\nSettings, over those of osm-gen.yaml (whose names stand in parentheses)\n");
		help_settings(buf);
	}
}
