/*
 * Private to gardener/: what its files share. One block a file.
 *
 *   schema.c osc.c                  an OperatingSystemConfig read
 *   validate.c containerd.c         ... judged
 *   content.c                       ... its files' bytes found
 *   system.c                        an operating system as a document; those inside the program
 *   system_text.c system_item.c     its templates compiled; its files, units, links, parts
 *   system_place.c                  paths and names
 *   system_read.c system_config.c   its stages; what it takes as providerConfig
 *   system_data.c system_stage.c    what its templates see; what it says to one OSC
 *   choose.c                        which document serves a cluster's type
 *   machine.c                       both as a node configuration, and as user-data
 *   status.c node_agent.c result.c  what is written of it
 *   fetches.c                       what its machines fetch, as far as it says so
 *   settings.c dialect.c            the table that the rest of the program knows gardener/ by
 */
#ifndef OSM_GEN_GARDENER_INTERNAL_H
#define OSM_GEN_GARDENER_INTERNAL_H

#include "dialect/dialect.h"
#include "node/node.h"
#include "tmpl/tmpl.h"
#include "userdata/userdata.h"

#define GARDENER_API_GROUP   "extensions.gardener.cloud"
#define GARDENER_API_VERSION GARDENER_API_GROUP "/v1alpha1"
#define GARDENER_KIND        "OperatingSystemConfig"
#define GARDENER_SYSTEM_KIND "OperatingSystemExtension"

/* ---- settings.c -------------------------------------------------------------------------- */

enum gardener_contract {
	GARDENER_CURRENT, /* Gardener v1.145 and newer */
	GARDENER_2021,    /* v1.24: both purposes have user-data; status has command and units */
};
/* "current", "2021" */
sv gardener_contract_name(enum gardener_contract contract);

enum gardener_format { GARDENER_FORMAT_AUTO, GARDENER_FORMAT_CLOUD_CONFIG };

struct gardener_settings {
	enum gardener_contract contract;
	enum gardener_format format;
	bool node_agent_secrets;
	bool machine_secret;
	sv kubernetes_version; /* "1.35.1"; empty: not said */
	bool has_user_data_limit;
	size_t user_data_limit; /* bytes; 0: any amount */
};

/* The name of its limit in the setting userDataLimits. */
#define GARDENER_BUDGET "gardener"

#define GARDENER_SETTING_COUNT 6
extern const struct setting gardener_settings_table[GARDENER_SETTING_COUNT];
/* Members of struct dialect; settings are of struct gardener_settings. */
void *gardener_settings_new(struct arena *arena, const void *from);
MUST_CHECK enum status gardener_settings_set(struct arena *arena, struct sink *sink, void *settings,
                                             const struct setting *setting,
                                             const struct value *value);

/* ---- schema.c ---------------------------------------------------------------------------- */

/*
 * Types, fields that must be there or must not be empty: errors. Unknown fields, and those that
 * only the other contract has: warnings.
 */
MUST_CHECK enum status gardener_schema_check(struct arena *arena, struct sink *sink,
                                             const struct value *root,
                                             enum gardener_contract contract);

/* ---- osc.c ------------------------------------------------------------------------------- */

enum gardener_purpose { GARDENER_PROVISION, GARDENER_RECONCILE };
/* "provision", "reconcile" */
sv gardener_purpose_name(enum gardener_purpose purpose);

/* Texts keep their positions; those that are not given are invalid values. */
struct gardener_file {
	const struct value *root; /* the item of spec.files */
	struct value path;
	int mode; /* 0 to 07777, or NODE_MODE_ABSENT */
	struct value host_name;
	bool is_transparent;         /* transmitUnencoded: true */
	const struct value *inline_; /* content.inline, a map; or null */
	const struct value *secret;  /* content.secretRef, a map; or null */
	const struct value *image;   /* content.imageRef, a map; or null */
	struct value encoding;       /* of inline: as given, or "" */
	/*
	 * The bytes that shall stand on the node (content.c): of inline, decoded; of the Secret,
	 * tainted. Invalid before gardener_osc_contents, and for an image.
	 */
	struct value content;
};

struct gardener_drop_in {
	struct value name;
	struct value content;
};

struct gardener_unit {
	const struct value *root; /* the item of spec.units */
	struct value name;
	struct value command; /* a string */
	enum node_enable enable;
	struct value content; /* invalid: none; "" is one */
	struct gardener_drop_in *drop_ins;
	size_t drop_in_count;
	struct value *file_paths;
	size_t file_path_count;
};

struct gardener_osc {
	const struct kube_object *object;
	struct value type;
	enum gardener_purpose purpose;
	struct value reload_path; /* reloadConfigFilePath */
	/* criConfig (or cri, which counts as it); provider's; in-place updates: maps, or null. */
	const struct value *cri;
	const struct value *provider_config;
	const struct value *in_place_updates;
	sv cri_name; /* "containerd", "docker", or empty */
	struct gardener_file *files;
	size_t file_count;
	struct gardener_unit *units;
	size_t unit_count;
};

/*
 * Reads a manifest and checks its structure. Fields that only the other contract has are left out.
 * *ret_osc is set in any case, with what could be read: validate and contents look at it too, so
 * that all mistakes of a run are reported together, each once.
 */
MUST_CHECK enum status gardener_osc_read(struct arena *arena, struct sink *sink,
                                         const struct kube_object *object,
                                         enum gardener_contract contract,
                                         struct gardener_osc *ret_osc);

/* ---- validate.c, containerd.c ------------------------------------------------------------ */

/*
 * Gardener's own rules (ValidateOperatingSystemConfig of its pkg/apis/extensions/validation), and
 * osm-gen's: docs/spec/gardener.md 1.4.
 */
MUST_CHECK enum status gardener_osc_validate(struct arena *arena, struct sink *sink,
                                             const struct gardener_osc *osc,
                                             enum gardener_contract contract);
/* A part of it: criConfig of contract current. */
MUST_CHECK enum status gardener_containerd_validate(struct arena *arena, struct sink *sink,
                                                    const struct gardener_osc *osc);

/* ---- content.c --------------------------------------------------------------------------- */

/* Calls dialect_want for the Secrets that an OSC refers to; the manifest may be wrong. */
void gardener_osc_want(const struct kube_object *object, struct dialect_wants *wants);

/*
 * Sets content of every file that has inline or secretRef. secrets_may_be_absent: a missing Secret
 * gives a stand-in (secrecy's, as everywhere) instead of an error.
 */
MUST_CHECK enum status gardener_osc_contents(struct arena *arena, struct sink *sink,
                                             const struct kube_objects *objects,
                                             bool secrets_may_be_absent, struct gardener_osc *osc);

/* ---- fetches.c --------------------------------------------------------------------------- */

/* DIAG_NOT_INVENTORIED, once a cluster. */
void gardener_report_not_inventoried(struct sink *sink, const struct kube_object *osc);
/* Of an OSC that is valid. */
void gardener_fetches(struct arena *arena, const struct gardener_osc *osc,
                      struct dialect_fetches *fetches);

/* ---- system.c ---------------------------------------------------------------------------- */

/* An OperatingSystemExtension: read and compiled once, however many OSCs it serves. */
struct gardener_system;

MUST_CHECK enum status gardener_system_read(struct arena *arena, struct sink *sink,
                                            const struct kube_object *object,
                                            const struct gardener_system **ret_system);
sv gardener_system_name(const struct gardener_system *system);
struct value gardener_system_version(const struct gardener_system *system);
enum gardener_contract gardener_system_contract(const struct gardener_system *system);
const sv *gardener_system_types(const struct gardener_system *system, size_t *ret_count);
/* Those inside the program under an output contract (dialect.h), sorted by name. */
VEC_TYPE(gardener_systems, const struct gardener_system *);
MUST_CHECK enum status gardener_system_embedded(struct arena *arena, struct sink *sink,
                                                unsigned contract,
                                                struct gardener_systems *ret_systems);
/* The manifest of an embedded one, and of any the object. */
const struct kube_object *gardener_system_object(const struct gardener_system *system);

/* ---- system_stage.c ---------------------------------------------------------------------- */

/* What a system's document says to one OSC: rendered. */
struct gardener_stage {
	const struct userdata_format *format; /* null: no user-data (current, reconcile) */
	/* Around the OSC's own: files and units before it, then those behind it. */
	struct node_file *files;
	size_t file_count;
	size_t files_before; /* how many of them stand before the OSC's */
	struct node_unit *units;
	size_t unit_count;
	size_t units_before;
	struct node_link *links;
	size_t link_count;
	/* filePaths of units[i], for the status; count 0: none */
	struct gardener_paths {
		struct value *items;
		size_t count;
	} * unit_file_paths;
	struct value before; /* struct node_script */
	struct value after;
	bool once;
	/* Which units start: the spec's (then but for those in except), or none of them. */
	bool starts_spec_units;
	const sv *start_except;
	size_t start_except_count;
	bool start_no_block;
	enum node_enable enable_default; /* of a spec's unit that does not say */
	struct value cloud_init;         /* struct node_config, cloud_config */
	struct value reboot_strategy;
	struct userdata_part *parts; /* MIME parts before the user-data; count 0: no MIME */
	size_t part_count;
	sv part_type;         /* of the user-data's own part: "text/x-shellscript" */
	struct value command; /* status.command; invalid: none */
	/* status.units: names that the system adds to the spec's */
	struct value *status_units;
	size_t status_unit_count;
	/* status.inPlaceUpdates.osUpdate; invalid: none */
	struct value update_command;
	struct value *update_args;
	size_t update_arg_count;
};

MUST_CHECK enum status
gardener_system_stage(struct arena *arena, struct sink *sink, const struct gardener_system *system,
                      const struct gardener_osc *osc, const struct gardener_settings *settings,
                      const struct dialect_job *job, struct gardener_stage *ret_stage);

/* ---- choose.c ---------------------------------------------------------------------------- */

/* Documents in three layers, and which of them serves a type: see struct dialect, begin, resolve.
 */
struct gardener_choice;
struct gardener_choice *gardener_choice_new(struct arena *arena, struct sink *sink,
                                            const struct dialect_input *input);
void gardener_choose(struct arena *arena, struct sink *sink, const struct gardener_choice *choice,
                     size_t cluster, struct dialect_unit *unit);

/* ---- machine.c --------------------------------------------------------------------------- */

struct gardener_machine {
	const struct node_config *node;
	struct value user_data; /* invalid: there is none */
	size_t user_data_bytes;
	size_t user_data_limit;
};

MUST_CHECK enum status
gardener_machine_make(struct arena *arena, struct sink *sink, const struct gardener_osc *osc,
                      const struct gardener_stage *stage, const struct gardener_settings *settings,
                      const struct dialect_job *job, struct gardener_machine *ret_machine);

/* ---- status.c ---------------------------------------------------------------------------- */

/* {inline: {data, encoding}} */
struct value gardener_inline(struct arena *arena, struct value data, sv encoding);
/* extensionFiles, extensionUnits and inPlaceUpdates, where the system has any. */
void gardener_set_extension(struct arena *arena, const struct gardener_stage *stage,
                            struct value *status);
/* The object whose only part is its status. */
MUST_CHECK enum status
gardener_status_make(struct arena *arena, struct sink *sink, const struct gardener_osc *osc,
                     const struct gardener_stage *stage, const struct gardener_settings *settings,
                     const struct dialect_job *job, struct value *ret_object);

/* ---- result.c ---------------------------------------------------------------------------- */

sv gardener_result_name(struct arena *arena, const struct gardener_osc *osc);
/* What every object carries: ${...} in scripts is theirs, not the applier's. */
struct value gardener_applier_annotations(struct arena *arena);
struct artifact gardener_result_make(struct arena *arena, const struct gardener_osc *osc,
                                     const struct gardener_settings *settings,
                                     const struct gardener_machine *machine,
                                     const struct value *status);

/* ---- node_agent.c ------------------------------------------------------------------------ */

/* The Secret's name: that of the OperatingSystemConfig without -original. */
sv gardener_node_agent_key(const struct kube_object *osc);
struct artifact gardener_node_agent_make(struct arena *arena, const struct gardener_osc *osc,
                                         const struct gardener_stage *stage);

#endif
