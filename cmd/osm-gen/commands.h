/*
 * One function for each command; the small ones are in main.c. Each writes its result to stdout and
 * returns the exit status; diagnostics go to the sink, which main prints.
 */
#ifndef OSM_GEN_CMD_COMMANDS_H
#define OSM_GEN_CMD_COMMANDS_H

#include "options.h"
#include "report/report.h"
#include "run/run.h"

struct context {
	struct arena *arena;
	struct arena *secret_arena;
	struct sink *sink;
	const struct options *options;
	struct report_style out_style; /* of stdout */
	struct report_style err_style; /* of stderr */
	struct run_result result;      /* of a run: diagnostics point into it */
	const struct adopt_live *live; /* from command_compare for command_run */
	unsigned contract;             /* from command_upgrade for command_run; 0: the Fleet's */
	sv last_words;                 /* for stderr, after the diagnostics */
	bool reader_is_gone; /* stdout is a pipe that was closed: `osm-gen help | head -2` */
};

int command_run(struct context *context); /* generate, check, diff, validate, render */
int command_unseal(struct context *context);
int command_verify(struct context *context);
int command_keygen(struct context *context);
int command_profiles(struct context *context);
/* profiles.c: reads the profiles inside the program, as the newest contract has them. */
MUST_CHECK enum status profiles_read_embedded(struct arena *arena, struct sink *sink,
                                              struct dialect_embedded_list *ret_list);
int command_adopt(struct context *context);
int command_compare(struct context *context);
int command_observe(struct context *context);
int command_init(struct context *context);
int command_upgrade(struct context *context);
int command_doctor(struct context *context);
int command_list(struct context *context);
int command_inventory(struct context *context);
int command_config(struct context *context);
int command_revisions(struct context *context);
int command_roll(struct context *context);
int command_convert(struct context *context);
int command_merge_driver(struct context *context);
int command_version(struct context *context);
int command_schema(struct context *context);
int command_help(struct context *context);
int command_man(struct context *context);
int command_completion(struct context *context);

/*
 * context.c: writes all of it to stdout, or reports DIAG_IO. If stdout is a pipe that its reader
 * closed, it sets reader_is_gone and succeeds, since the command may have work to finish or a
 * report to write.
 */
MUST_CHECK enum status print_out(struct context *context, sv text);
void print_err(sv text);

/*
 * given_keys.c: reads the seed from --seal-seed-file, else OSM_GEN_SEAL_SEED, else
 * OSM_GEN_SEAL_SEED_FILE. Leaves *ret_key as it is if none of them is given.
 */
MUST_CHECK enum status read_seed(struct context *context, struct plan_key *ret_key);
/*
 * given_keys.c: reads the identities of SOPS_AGE_KEY, SOPS_AGE_KEY_FILE and
 * SOPS_AGE_SSH_PRIVATE_KEY_FILE; as for sops, all count. The text is a null pointer if none is set.
 * SOPS_AGE_KEY_CMD is not run, but messages about files that no key opens name it.
 */
MUST_CHECK enum status read_identities(struct context *context, struct plan_key *ret_key);
/* Reads the file of --key. The text is a null pointer if the option is not given. */
MUST_CHECK enum status read_private_keys(struct context *context, struct plan_key *ret_key);
/*
 * given_keys.c: adds the identities of read_identities and the private keys of --key. Succeeds if
 * none is given.
 */
MUST_CHECK enum status gather_identities(struct context *context,
                                         struct seal_identities *identities);
/* adopt.c: reads an export; "-" is standard input. */
struct adopt_live;
MUST_CHECK enum status read_export(struct context *context, sv path, struct adopt_live *live);
/* given_keys.c: reads the list of --allow-recipients. The text is a null pointer without it. */
MUST_CHECK enum status read_allowed_recipients(struct context *context, struct plan_key *ret_list);

enum key_kind { KEY_SEED, KEY_IDENTITY };
/* key_file.c: makes a new key, as the content of its file, in secret memory. */
MUST_CHECK enum status key_new(struct context *context, enum key_kind kind, sv *ret_text);
/*
 * Returns the recipient of the first identity in the content of a file, or an empty string if it
 * has no identity. Computes it: the comment beside an identity may be wrong.
 */
MUST_CHECK enum status key_recipient(struct context *context, sv path, sv identity,
                                     sv *ret_recipient);
/* key_file.c: returns the folder of a path, "." if it has none. */
sv folder_of(sv path);
/* Returns the path of a new file with the symbolic links of its existing folders resolved. */
sv key_place(struct arena *arena, sv path);
/* Returns the nearest folder above a path that exists. */
sv key_folder(struct arena *arena, sv path);
/* Fails (DIAG_KEY_FILE_PLACE) if `git add` would add the file. */
MUST_CHECK enum status key_check_place(struct context *context, sv path);
/* Writes a new file of mode 0600. Fails if `git add` would add it, or if it exists. */
MUST_CHECK enum status key_write(struct context *context, sv path, sv text);

/*
 * context.c: returns the work tree of --repo, for os_read_named and os_write_named, which do not
 * trust the links in it.
 */
sv work_tree(const struct context *context);

/* context.c: returns an environment variable, or a null pointer if it is unset or empty. */
sv environment(const char *name);
/* Returns true if the variable is set to an empty string. */
bool environment_is_empty(const char *name);
/*
 * Moves a secret out of the environment, as /proc/PID/environ would show it for as long as the
 * process lives: the variable is empty afterwards. Returns false if it is unset, true if it is
 * empty.
 */
bool environment_take(struct arena *secret_arena, const char *name, sv *ret_text);

#endif
