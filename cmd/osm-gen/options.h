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

struct options {
	enum command command;
	bool has_command; /* false: no command was given, and `command` is the default */
	sv directory;     /* -C: the folder to change to first */
	sv repo;          /* a null pointer: the repository of the current folder */
	sv out;
	sv rev;
	sv branch; /* a null pointer for HEAD's */
	sv author; /* a null pointer for the fleet's, else osm-gen's own */
	sv push;   /* the remote; empty for the branch's; a null pointer if nothing is pushed */
	sv push_retries_text;
	sv history_text;
	sv artifact;
	sv seed_file;
	sv allow_recipients_file;
	sv key_file;
	sv secrets_folder;
	sv revisions_file;
	sv machine_deployment;
	sv operating_system_config;
	sv unit_option; /* the name of the given one of these two */
	sv unit;        /* its value */
	sv print;
	sv color;
	sv progress;
	sv jobs_text;
	sv to_text;
	sv format; /* --output: "text", "json", or empty; for keygen a file */
	sv inputs_rev;
	sv keys_folder;  /* for init */
	sv check_mirror; /* for inventory */
	sv shard_text;
	sv merged_out; /* with --shard: the output folder, as merge's --out names it */
	struct run_sharding sharding;
	bool editor;
	bool example; /* for init */
	bool mirror_script;
	bool worktree;
	bool no_commit;
	bool no_machines;
	bool vouch;
	bool no_proofs;
	bool notes;
	bool skip_ci;
	bool reveal;
	bool decode;
	bool textconv;
	bool effective;
	bool no_origins;
	bool rotate_seed;
	bool rotate_recipients;
	bool allow_removal;
	bool allow_roll;
	bool require_history;
	bool force;
	bool dry_run; /* for upgrade */
	bool quiet;
	bool verbose;
	bool help;
	bool all; /* for help */
	bool version;
	struct run_limits limits;
	unsigned jobs; /* threads; 0: one a core */
	unsigned push_retries;
	unsigned history;     /* commits that the branch keeps; 0: all */
	unsigned to_contract; /* for upgrade; 0: the newest */
	bool has_rev;         /* true if --rev was given */
	bool is_bare;         /* nothing was given: no argument, no option in the environment */
	VEC(struct report_request) reports;
	/* --allow-env: names that a dialect knows; the values are not read yet. */
	VEC(struct dialect_binding) variables;
	VEC(sv) arguments;
	sv cluster;                     /* for adopt, compare, observe, roll and --manifests */
	sv profile;                     /* for roll */
	struct option_texts manifests;  /* [CLUSTER=]FILE */
	sv into;                        /* for adopt */
	struct option_texts live;       /* for compare */
	struct option_texts recipients; /* for adopt */
	struct option_texts allow_clear;
	struct option_texts allow_programs; /* names of other programs that may run */
	struct value settings;              /* map: setting name to string, or list of strings */
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
