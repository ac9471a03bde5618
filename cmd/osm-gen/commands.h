/*
 * One function a command; the small ones are in main.c. Each returns the exit status and writes
 * what people asked for to stdout; diagnostics go to the sink, which main prints.
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
	struct run_result result;      /* of command_run: diagnostics point into it */
	const struct adopt_live *live; /* of command_compare, for command_run */
	unsigned contract;             /* of command_upgrade, for command_run; 0: the Fleet's */
	sv last_words;                 /* for stderr, after the diagnostics */
	bool reader_is_gone;           /* nobody reads stdout any more: `osm-gen help | head -2` */
};

int command_run(struct context *context); /* generate, check, diff, validate, render */
int command_unseal(struct context *context);
int command_verify(struct context *context);
int command_keygen(struct context *context);
int command_profiles(struct context *context);
/* Those inside the program, of the newest contract. */
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
int command_version(struct context *context);
int command_completion(struct context *context);
int command_man(struct context *context);

/* run.c: a request that reads the inputs alone, without any key; the options' settings included. */
MUST_CHECK enum status asking_request(struct context *context, struct run_request *ret_request);

/*
 * context.c: writes all of it, or reports DIAG_IO. A pipe that its reader closed is no failure:
 * reader_is_gone is set, and the command goes on, since it may have work to finish or a report to
 * write.
 */
MUST_CHECK enum status print_out(struct context *context, sv text);
void print_err(sv text);

/* given_keys.c: --seal-seed-file, else OSM_GEN_SEAL_SEED, else OSM_GEN_SEAL_SEED_FILE. */
MUST_CHECK enum status read_seed(struct context *context, struct plan_key *ret_key);
/*
 * given_keys.c: SOPS_AGE_KEY and SOPS_AGE_KEY_FILE, as sops takes them: both count. A null text
 * when neither is set.
 */
MUST_CHECK enum status read_identities(struct context *context, struct plan_key *ret_key);
/*
 * given_keys.c: all of them: SOPS_AGE_KEY, SOPS_AGE_KEY_FILE, and the private keys of --key. None
 * at all is fine.
 */
MUST_CHECK enum status gather_identities(struct context *context,
                                         struct seal_identities *identities);
/* adopt.c: one export; "-" is standard input. */
struct adopt_live;
MUST_CHECK enum status read_export(struct context *context, sv path, struct adopt_live *live);
/* given_keys.c: the list that --allow-recipients names. A null text when none is. */
MUST_CHECK enum status read_allowed_recipients(struct context *context, struct plan_key *ret_list);

enum key_kind { KEY_SEED, KEY_IDENTITY };
/* key_file.c: a new key as its file holds it, in secret memory. */
MUST_CHECK enum status key_new(struct context *context, enum key_kind kind, sv *ret_text);
/*
 * The recipient of the first identity in the text of a file, whatever its comments say; empty: it
 * holds none.
 */
MUST_CHECK enum status key_recipient(struct context *context, sv path, sv identity,
                                     sv *ret_recipient);
/* Where a file would stand: its path without links, as far as its folders are there. */
sv key_place(struct arena *arena, sv path);
/* The nearest folder above it that is there. */
sv key_folder(struct arena *arena, sv path);
/* Fails where git would take the file: DIAG_KEY_FILE_PLACE. */
MUST_CHECK enum status key_check_place(struct context *context, sv path);
/* A new file of mode 0600. A place that git would take and a file that is there are errors. */
MUST_CHECK enum status key_write(struct context *context, sv path, sv text);

/*
 * context.c: the work tree of --repo, for os_read_named and os_write_named: what stands in it is
 * not trusted.
 */
sv work_tree(const struct context *context);

/* context.c: an environment variable; a null pointer when it is not set or empty. */
sv environment(const char *name);
/*
 * A secret of the environment, which is no place to leave one in: /proc/PID/environ shows it for as
 * long as the process lives. So it is moved: what stays is the empty text. False when it is not
 * set; the empty text counts.
 */
bool environment_take(struct arena *secret_arena, const char *name, sv *ret_text);

#endif
