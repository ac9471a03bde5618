/*
 * The tables that parsing, checking and help read: one of commands, one of options, and one of
 * words that people type and osm-gen does not have. Settings (--cluster-dns and the like) are in
 * osm/.
 */
#ifndef OSM_GEN_CMD_OPTION_TABLE_H
#define OSM_GEN_CMD_OPTION_TABLE_H

#include "options.h"

/* Sets of commands: one bit each. */
#define ON(command) (1u << (command))
#define ON_RUNS                                                                                    \
	(ON(COMMAND_GENERATE) | ON(COMMAND_CHECK) | ON(COMMAND_DIFF) | ON(COMMAND_PLAN) |          \
	 ON(COMMAND_UPGRADE) | ON(COMMAND_MERGE))
/* Commands that make a commit. */
#define ON_MAKING (ON(COMMAND_GENERATE) | ON(COMMAND_MERGE))
#define ON_INPUTS (ON_RUNS | ON(COMMAND_VALIDATE) | ON(COMMAND_RENDER) | ON(COMMAND_COMPARE))
/* Commands that show the inputs. */
#define ON_ASKING                                                                                  \
	(ON(COMMAND_LIST) | ON(COMMAND_INVENTORY) | ON(COMMAND_CONFIG) | ON(COMMAND_PROFILES))
/* Commands that read a commit of a repository. */
#define ON_COMMITS                                                                                 \
	(ON_INPUTS | ON(COMMAND_VERIFY) | ON(COMMAND_OBSERVE) | ON_ASKING | ON(COMMAND_DOCTOR) |   \
	 ON(COMMAND_ROLL))
/* Commands that show, or change, one cluster alone with --cluster. */
#define ON_ONE_CLUSTER                                                                             \
	(ON(COMMAND_PLAN) | ON(COMMAND_CHECK) | ON(COMMAND_DIFF) | ON(COMMAND_LIST) |              \
	 ON(COMMAND_ROLL))
#define ON_SETTINGS (ON_INPUTS | ON(COMMAND_INVENTORY) | ON(COMMAND_CONFIG))
#define ON_ALL      ((1u << COMMAND_COUNT) - 1)

struct command_info {
	const char *name;
	/* For help: "FILE...", or several forms divided by " | "; "" for none. */
	const char *arguments;
	const char *summary;
	const char *details; /* whole lines */
	size_t min_arguments;
	size_t max_arguments;
	const char *shown;    /* placeholder of the argument after "show"; null if it takes none */
	const char *required; /* options that it cannot do without: "--into DIR"; may be null */
};

enum option_kind {
	OPTION_FLAG,
	OPTION_TEXT,
	OPTION_MAYBE, /* a flag with an optional value: --push, --push REMOTE, --push=REMOTE */
	OPTION_TEXTS,
	OPTION_REPORT,
	OPTION_VARIABLES,
	OPTION_AMOUNT
};

/* The help of a command shows the usual options; all of them with --all. */
enum option_rank { OPTION_USUAL, OPTION_RARE };

/* The groups of options in help and manual pages, in their order there. */
enum option_group {
	OPTION_GROUP_JOB,
	OPTION_GROUP_READ,
	OPTION_GROUP_ALLOWED,
	OPTION_GROUP_WHERE,
	OPTION_GROUP_REPORTS,
	OPTION_GROUP_LIMITS,
	OPTION_GROUP_EVERY,
	OPTION_GROUP_COUNT
};

struct option_info {
	const char *name;
	char letter; /* or 0 */
	enum option_rank rank;
	enum option_group group;
	enum option_kind kind;
	size_t offset; /* in struct options, of a bool (OPTION_FLAG), an sv (OPTION_TEXT,
	                  OPTION_MAYBE: a null pointer when off, empty without a value), a
	                  struct option_texts or a uint64_t (OPTION_AMOUNT) */
	unsigned commands;
	const char *placeholder; /* NULL for flags */
	const char *help;
};

/* A line of the help: a variable, an exit status or an example, and its explanation. */
struct option_note {
	const char *name;
	const char *text;
};
const struct option_note *option_environment_notes(size_t *ret_count);
const struct option_note *option_exit_statuses(size_t *ret_count);
/* option_examples.c: command lines, each with its purpose. */
const struct option_note *command_examples(enum command command, size_t *ret_count);

const struct command_info *command_info(enum command command);
/* Returns what may follow the command, without further options: "", "- NAME", "FILE --into DIR". */
struct option_texts command_forms(struct arena *arena, enum command command);

/*
 * option_tree.c: returns all commands, options and settings as a tree of values, for forms. It is
 * about one command, or about the program with COMMAND_COUNT.
 */
struct value option_tree(struct arena *arena, enum command command);

const struct option_info *option_table(size_t *ret_count);
/* Returns "what it reads" and the like. */
const char *option_group_title(enum option_group group);
/*
 * Returns the first row of that name. A name may have several rows, each for other commands; all of
 * them set the same field.
 */
const struct option_info *option_find(sv name);
bool option_applies(const char *name, enum command command);

/*
 * option_variables.c: returns the environment variable of an option or setting: OSM_GEN_CLUSTER_DNS
 * for "cluster-dns". Returns an empty string if the command reads no variable for it.
 */
sv option_variable(struct arena *arena, sv name, enum command command);
/* A word that the environment adds to the command line, "out=DIR", and the variable it is from. */
struct option_word {
	sv variable;
	sv text;
};
VEC_TYPE(option_words, struct option_word);
struct option_names {
	const sv *items;
	size_t count;
};
/* Reports a mistake on the command line. Returns the diagnostic, so that help can be added. */
#define REPORT_USAGE(sink, ...) diag_report((sink), DIAG_USAGE, NOWHERE, __VA_ARGS__)

/*
 * option_checks.c: checks the options as a whole and reports mistakes (DIAG_USAGE). `given` has the
 * options of the command line. Sets the members that are derived from strings: numbers, the short
 * name of a branch.
 */
void options_check(struct arena *arena, struct sink *sink, struct options *options,
                   struct option_names given);
/*
 * Collects the command's options and settings from the environment, except those that the command
 * line gives. Skips variables for other commands, and those about the repository if manifests are
 * read from standard input.
 */
void option_variables_collect(struct arena *arena, const struct options *options,
                              struct option_names given, struct option_words *words);
bool option_is_among(struct option_names names, sv name);
/* option_allow_env.c: adds the bindings of one --allow-env. */
void option_allow_env(struct arena *arena, struct sink *sink, sv text, struct options *options);
/* Returns true for options that choose the repository, its inputs or its output. */
bool option_is_of_repository(sv name);
/* Warns about variables that look like a misspelt one of these (DIAG_USAGE_VARIABLE). */
void option_variables_check(struct arena *arena, struct sink *sink);

/*
 * option_words.c: returns what osm-gen has instead of a word as typed ("apply", "--json", "-V"), or
 * null for words that it does not know. Sets ret_needs_cluster to true for flags of the
 * controller that have no meaning here, else to false.
 */
const char *option_word_instead(sv word, bool *ret_needs_cluster);

#endif
