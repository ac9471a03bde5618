/*
 * The tables that parsing, checking and help read: one of commands, one of options, and one of the
 * controller's flags that have no meaning here. Settings (--cluster-dns and the like) are in osm/.
 */
#ifndef OSM_GEN_CMD_OPTION_TABLE_H
#define OSM_GEN_CMD_OPTION_TABLE_H

#include "options.h"

/* Sets of commands: one bit each. */
#define ON(command) (1u << (command))
#define ON_RUNS                                                                                    \
	(ON(COMMAND_GENERATE) | ON(COMMAND_CHECK) | ON(COMMAND_DIFF) | ON(COMMAND_PLAN) |          \
	 ON(COMMAND_UPGRADE))
#define ON_INPUTS (ON_RUNS | ON(COMMAND_VALIDATE) | ON(COMMAND_RENDER) | ON(COMMAND_COMPARE))
/* They show what the inputs say. */
#define ON_ASKING                                                                                  \
	(ON(COMMAND_LIST) | ON(COMMAND_INVENTORY) | ON(COMMAND_CONFIG) | ON(COMMAND_PROFILES))
/* They read a repository's commit. */
#define ON_COMMITS                                                                                 \
	(ON_INPUTS | ON(COMMAND_VERIFY) | ON(COMMAND_OBSERVE) | ON_ASKING | ON(COMMAND_DOCTOR))
#define ON_SETTINGS (ON_INPUTS | ON(COMMAND_INVENTORY) | ON(COMMAND_CONFIG))
#define ON_ALL      ((1u << COMMAND_COUNT) - 1)

struct command_info {
	const char *name;
	const char *arguments; /* for help: "FILE..."; "" for none */
	const char *summary;
	const char *details; /* whole lines */
	size_t min_arguments;
	size_t max_arguments;
};

enum option_kind {
	OPTION_FLAG,
	OPTION_TEXT,
	OPTION_MAYBE, /* a flag that may take a text: --push, --push REMOTE, --push=REMOTE */
	OPTION_TEXTS,
	OPTION_REPORT,
	OPTION_VARIABLES,
	OPTION_AMOUNT
};

struct option_info {
	const char *name;
	char letter; /* or 0 */
	enum option_kind kind;
	size_t offset; /* in struct options, of a bool (OPTION_FLAG), an sv (OPTION_TEXT,
	                  OPTION_MAYBE: null when off, empty without a text), a
	                  struct option_texts or a uint64_t (OPTION_AMOUNT) */
	unsigned commands;
	const char *placeholder; /* NULL for flags */
	const char *help;
};

/* Lines of help texts: what the program reads of the environment besides options, what it ends
 * with. */
struct option_note {
	const char *name;
	const char *text;
};
const struct option_note *option_environment_notes(size_t *ret_count);
const struct option_note *option_exit_statuses(size_t *ret_count);
/* option_examples.c: command lines, and what each is for. */
const struct option_note *command_examples(enum command command, size_t *ret_count);

const struct command_info *command_info(enum command command);

const struct option_info *option_table(size_t *ret_count);
/* The first row of that name. One name may have several, each for other commands: all set one
 * field. */
const struct option_info *option_find(sv name);
bool option_applies(const char *name, enum command command);

/*
 * option_variables.c: the environment variable that stands for an option or a setting of that name:
 * OSM_GEN_CLUSTER_DNS for "cluster-dns". Empty where the command takes none for it.
 */
sv option_variable(struct arena *arena, sv name, enum command command);
/* What the environment adds to the command line: "out=DIR", and by which variable. */
struct option_word {
	sv variable;
	sv text;
};
VEC_TYPE(option_words, struct option_word);
struct option_names {
	const sv *items;
	size_t count;
};
/* A mistake on the command line; the diagnostic, for its help. */
#define REPORT_USAGE(sink, ...) diag_report((sink), DIAG_USAGE, NOWHERE, __VA_ARGS__)

/*
 * option_checks.c: what is wrong with the options as a whole (DIAG_USAGE); given: those that stand
 * on the command line. Fills in what follows from a text: numbers, the short name of a branch.
 */
void options_check(struct arena *arena, struct sink *sink, struct options *options,
                   struct option_names given);
/*
 * The options and settings of the command that are not among the given ones; what is meant for
 * other commands is passed over, and so is a repository where standard input is read.
 */
void option_variables_collect(struct arena *arena, const struct options *options,
                              struct option_names given, struct option_words *words);
/* option_allow_env.c: adds the bindings of one --allow-env. */
void option_allow_env(struct arena *arena, struct sink *sink, sv text, struct options *options);
/* Those that say what is read of a repository, or where its output is. */
bool option_is_of_repository(sv name);
/* Variables of the environment that nearly are one of those: DIAG_USAGE_VARIABLE. */
void option_variables_check(struct arena *arena, struct sink *sink);

/* What to use instead of a flag of the controller that needs a cluster; NULL for other words. */
const char *option_refused(sv name);

#endif
