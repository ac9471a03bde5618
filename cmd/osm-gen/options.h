/*
 * options: argv to a struct. One table of commands and one of options (option_table.h) serve
 * parsing, the checks and the help; settings (--cluster-dns and the like) come from the dialects.
 */
#ifndef OSM_GEN_CMD_OPTIONS_H
#define OSM_GEN_CMD_OPTIONS_H

#include "base/base.h"
#include "diag/diag.h"
#include "run/run.h"
#include "value/value.h"

enum command {
	COMMAND_GENERATE,
	COMMAND_CHECK,
	COMMAND_DIFF,
	COMMAND_PLAN,
	COMMAND_VALIDATE,
	COMMAND_RENDER,
	COMMAND_LIST,
	COMMAND_INVENTORY,
	COMMAND_CONFIG,
	COMMAND_ROLL,
	COMMAND_REVISIONS,
	COMMAND_CONVERT,
	COMMAND_INIT,
	COMMAND_DOCTOR,
	COMMAND_UPGRADE,
	COMMAND_MERGE,
	COMMAND_MERGE_DRIVER,
	COMMAND_ADOPT,
	COMMAND_COMPARE,
	COMMAND_OBSERVE,
	COMMAND_UNSEAL,
	COMMAND_VERIFY,
	COMMAND_KEYGEN,
	COMMAND_PROFILES,
	COMMAND_SCHEMA,
	COMMAND_EXPLAIN,
	COMMAND_COMPLETION,
	COMMAND_MAN,
	COMMAND_HELP,
	COMMAND_VERSION,
	COMMAND_COUNT,
};

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

enum report_format {
	REPORT_FORMAT_JSON,
	REPORT_FORMAT_SARIF,
	REPORT_FORMAT_JUNIT,
	REPORT_FORMAT_MARKDOWN,
	REPORT_FORMAT_HTML,
	REPORT_FORMAT_GITHUB,
	REPORT_FORMAT_GITLAB,
	REPORT_FORMAT_COUNT,
};
/* Returns its name: "json". */
sv option_report_format(enum report_format format);

struct report_request {
	enum report_format format;
	sv path; /* "-" is stdout */
};

/* An option that may be given many times. */
VEC_TYPE(option_texts, sv);

/* The repository, its inputs and the other files that are read. */
struct option_read {
	sv repo;       /* a null pointer: the repository of the current folder */
	sv rev;        /* the commit */
	bool has_rev;  /* true if --rev was given */
	sv inputs_rev; /* for verify */
	bool require_history;
	bool worktree;
	sv secrets_folder;
	struct option_texts manifests; /* [CLUSTER=]FILE */
	struct option_texts live;      /* exports, for compare and doctor */
	sv revisions_file;
	sv seed_file;
	sv key_file;
};

/* Things that are refused without an option. */
struct option_allowed {
	sv recipients_file;
	struct option_texts programs; /* names of other programs that may run */
	/* --allow-env: names that a dialect knows; the values are not read yet. */
	VEC(struct dialect_binding) variables;
	bool rotate_seed;
	bool rotate_recipients;
	bool removal;
	bool roll;
	struct option_texts clear; /* for adopt */
	bool force;                /* for unseal */
};

/* The output folder, its branch, and the commit. */
struct option_target {
	sv out;
	sv into;                        /* for adopt, revisions and schema */
	struct option_texts recipients; /* for adopt */
	sv artifact;
	sv branch; /* a null pointer for HEAD's */
	sv author; /* a null pointer for the fleet's, else osm-gen's own */
	bool no_commit;
	bool vouch;
	bool skip_ci;
	bool notes;
	sv push; /* the remote; empty for the branch's; a null pointer if nothing is pushed */
	sv push_retries_text;
	unsigned push_retries;
	sv history_text;
	unsigned history; /* commits that the branch keeps; 0: all */
};

/* How the result is printed. */
struct option_print {
	sv format; /* --output: "text", "json", or empty; for keygen a file */
	VEC(struct report_request) reports;
	bool quiet;
	bool verbose;
	sv color;
	sv progress;
};

/* The work: its limits, and the part of it that is done. */
struct option_work {
	struct run_limits limits;
	sv jobs_text;
	unsigned jobs; /* threads; 0: one a core */
	bool no_proofs;
	sv shard_text;
	struct run_sharding sharding;
	sv merged_out; /* with --shard: the output folder, as merge's --out names it */
};

/* The cluster, and the units of it, that the command is about. */
struct option_chosen {
	sv cluster;
	sv profile; /* for roll */
	sv machine_deployment;
	sv operating_system_config;
	sv unit_option;   /* the name of the given one of these two */
	sv unit;          /* its value */
	bool no_machines; /* for observe */
};

/* The parts and forms that render, diff, unseal and profiles show. */
struct option_shown {
	sv print;
	bool reveal;
	bool decode;
	bool textconv;
	bool effective;
	bool no_origins;
	bool comments;
};

struct option_init {
	sv keys_folder;
	bool editor;
	bool example;
};

struct option_upgrade {
	sv to_text;
	unsigned to_contract; /* 0: the newest */
	bool dry_run;
};

struct option_inventory {
	sv check_mirror;
	bool mirror_script;
};

struct options {
	enum command command;
	bool has_command; /* false: no command was given, and `command` is the default */
	bool is_bare;     /* nothing was given: no argument, no option in the environment */
	sv directory;     /* -C: the folder to change to first */
	bool help;
	bool all; /* for help */
	bool version;
	VEC(sv) arguments;
	struct value settings; /* map: setting name to string, or list of strings */
	struct option_read read;
	struct option_allowed allowed;
	struct option_target target;
	struct option_print print;
	struct option_work work;
	struct option_chosen chosen;
	struct option_shown shown;
	struct option_init init;
	struct option_upgrade upgrade;
	struct option_inventory inventory;
};

/* Parses argv and the environment. Reports all mistakes (DIAG_USAGE), and fails if there is one. */
MUST_CHECK enum status options_parse(struct arena *arena, struct sink *sink, int argc, char **argv,
                                     struct options *ret_options);

/* Splits a value of --manifests. A path such as ./a=b.yaml names no cluster. */
void option_manifests_split(sv text, sv *ret_cluster, sv *ret_path);

/* Returns true if validate or render read manifests from standard input ("-"). */
bool options_read_stdin(const struct options *options);

/* Converts "auto", "always", "never" or an empty string, which options_parse has checked. */
enum when options_when(sv text);

/*
 * Adds the help of a command, or the overview for COMMAND_COUNT. The help has the usual options, or
 * with `all` every option, in groups, and the settings.
 */
void options_help(struct buf *buf, enum command command, bool all);
/* Adds the few lines that a call without a command prints. */
void options_help_short(struct buf *buf);
const char *options_command_name(enum command command);
/* Returns COMMAND_COUNT if no command has that name. */
enum command options_command_find(sv name);
/*
 * Adds help for an unknown command: what osm-gen has instead, the nearest command, or where the
 * commands are listed.
 */
void options_command_help(struct sink *sink, struct diag *diag, sv name);

#endif
