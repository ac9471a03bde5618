/*
 * Private to gardener/. In comments OSC is an OperatingSystemConfig, and a system is an
 * OperatingSystemExtension: the document that describes an operating system (docs/gardener.md).
 *
 *   osc_shape.c osc.c               the members of an OSC; reads one
 *   validate.c containerd.c         validates it
 *   content.c                       resolves the contents of its files
 *   system.c                        reads a system; embedded systems
 *   system_text.c system_item.c     its templates; its files, units, links, parts
 *   system_place.c                  checks of paths and names
 *   system_read.c system_config.c   its stages; the providerConfig that it accepts
 *   system_data.c system_stage.c    data for its templates; a stage rendered for one OSC
 *   system_advice.c                 warnings of what an OSC's system does not take
 *   system_status.c                 the system of a dumped OSC whose type has no document
 *   choose.c                        chooses the system for an OSC's type
 *   machine.c                       node configuration and user-data of an OSC and its system
 *   data_volume.c                   warns of a volume that nothing formats
 *   status.c node_agent.c result.c  the objects that are written for an OSC
 *   effect.c effect_read.c          the object that shows its effect on a node
 *   effect_flow.c effect_kept.c     its part of the flow of 2021; what stays on running nodes
 *   machine_class.c                 objects of machine-controller-manager
 *   flow/                           the flow of Gardener v1.24 without gardenlet
 *   agent/                          nodes with gardener-node-agent, without its servers
 *   fetches.c                       lists images and registries that an OSC names
 *   adoption.c adoption_unit.c      objects of live clusters: Secrets; OSCs
 *   derive.c                        makes OSCs of purpose provision that a flow needs
 *   cluster.c                       the objects that the OSCs of a cluster share
 *   render.c                        all of this for one OSC, in order
 *   settings.c dialect.c            the interface to the rest of the program (struct dialect)
 */
#ifndef OSM_GEN_GARDENER_INTERNAL_H
#define OSM_GEN_GARDENER_INTERNAL_H

#include "dialect/dialect.h"
#include "gardener/gardener.h"
#include "node/node.h"
#include "tmpl/tmpl.h"
#include "userdata/userdata.h"

/*
 * The OperatingSystemExtensions that the program carries (profiles/gardener/ of this repository),
 * and the scripts of profiles/gardener/flow/, as ci/embed lays them out at build time.
 */
extern const struct dialect_text gardener_embedded_files[];
extern const size_t gardener_embedded_file_count;
extern const struct dialect_text gardener_flow_files[];
extern const size_t gardener_flow_file_count;

#define GARDENER_API_GROUP   "extensions.gardener.cloud"
#define GARDENER_API_VERSION GARDENER_API_GROUP "/v1alpha1"
#define GARDENER_KIND        "OperatingSystemConfig"
#define GARDENER_SYSTEM_KIND "OperatingSystemExtension"
/* The annotation of Secrets whose changes nodes apply one after the other. */
#define GARDENER_SERIAL "reconciliation.osc.node-agent.gardener.cloud/serial"
/* An annotation and a label of Secrets that nodes read: a digest, and the pool's name. */
#define GARDENER_DOWNLOADED "checksum/data-script"
#define GARDENER_POOL       "worker.gardener.cloud/pool"

/* ---- settings.c -------------------------------------------------------------------------- */

enum gardener_contract {
	GARDENER_CURRENT, /* Gardener v1.145 and newer */
	GARDENER_2021,    /* v1.24: both purposes have user-data; status has command and units */
};
/* Returns "current" or "2021". */
sv gardener_contract_name(enum gardener_contract contract);

enum gardener_flow { GARDENER_FLOW_NONE, GARDENER_FLOW_DOWNLOADER, GARDENER_FLOW_NODE_AGENT };

enum gardener_format { GARDENER_FORMAT_AUTO, GARDENER_FORMAT_CLOUD_CONFIG };

#define GARDENER_AGENT_VERSION "v1.145.0"
#define GARDENER_AGENT_IMAGE   "europe-docker.pkg.dev/gardener-project/releases/gardener/node-agent"

/* agent/version.c: the versions whose configuration was compared. */
extern const struct setting_known gardener_agent_known;

/* The program gardener-node-agent, and where nodes get it. */
struct gardener_agent_program {
	sv version; /* "v1.145.0", as the program prints it */
	struct setting_given version_given;
	sv image; /* with a tag or a digest, or without for the version's tag */
	struct setting_given image_given;
	struct value url;         /* a file in the place of an image; empty for none */
	struct value registry_ca; /* PEM, of the image's registry; empty for none */
	/* SHA-256 of the files for each architecture; empty if its nodes cannot get the program. */
	struct gardener_agent_sums {
		sv amd64;
		sv arm64;
	} sums;
};

struct gardener_settings {
	enum gardener_contract contract;
	enum gardener_format format;
	bool ignition2; /* Ignition is 2.3.0, not 3.3.0 */
	bool node_agent_secrets;
	enum gardener_flow flow; /* who brings user-data to nodes */
	struct setting_given flow_given;
	struct gardener_agent_program agent;
	struct value server;  /* the API server's URL; empty for the one of cluster-info */
	struct value ca;      /* PEM; empty for the one of cluster-info */
	int64_t apply_spread; /* seconds over which nodes apply a change */
	bool machine_tokens;  /* machine-controller-manager fills in a token for each machine */
	bool removes;         /* nodes remove what an OSC no longer has */
	bool restarts_all;    /* a change restarts all units */
	sv token_rotation;    /* goes into the derivation of tokens */
	struct setting_given node_agent_secrets_given;
	bool machine_secret;
	sv kubernetes_version; /* "1.35.1"; empty if unset */
	struct value
	    user_data_limits; /* map of GARDENER_BUDGET and others to bytes; 0: any amount */
	/* For documents of systems. */
	sv ntp;                   /* "systemd-timesyncd", "ntpd" or "none" */
	struct value ntp_servers; /* list of strings */
	struct value apt_mirror;
	struct value apt_security_mirror;
	bool unattended_upgrades;
	bool splits_provisioning; /* refused: see gardener_cluster_load */
	struct setting_given provisioning_given;
};

/* The name of Gardener's limit in the setting userDataLimits. */
#define GARDENER_BUDGET "gardener"

extern const struct setting_table gardener_settings_table;

/* ---- osc_shape.c ------------------------------------------------------------------------- */

/* The shapes of spec.criConfig, spec.inPlaceUpdates, and the items of spec.units. */
extern const struct shape gardener_cri_shape;
extern const struct shape gardener_update_shape;
extern const struct shape gardener_unit_shape;
/* The shape of metadata, of an OSC and of a system. */
extern const struct shape gardener_metadata_shape;

/*
 * Fails if a field of an OSC has the wrong type, or if a required field is missing or empty. Warns
 * about unknown fields, and about fields that only the other contract has.
 */
MUST_CHECK enum status gardener_osc_check(struct arena *arena, struct sink *sink,
                                          const struct value *root,
                                          enum gardener_contract contract);

/* ---- osc.c ------------------------------------------------------------------------------- */

enum gardener_purpose { GARDENER_PROVISION, GARDENER_RECONCILE };
/* Returns "provision" or "reconcile". */
sv gardener_purpose_name(enum gardener_purpose purpose);

/* Returns what `enable` of a unit asks for. `v` may be null. */
enum node_enable gardener_enable(const struct value *v);

/* A file of an OSC. Strings keep their positions; strings that are not given are invalid values. */
struct gardener_file {
	const struct value *root; /* the item of spec.files */
	struct value path;
	int mode; /* 0 to 07777, or NODE_MODE_ABSENT */
	struct value host_name;
	bool is_transparent;         /* transmitUnencoded: true */
	const struct value *inline_; /* content.inline, a map; may be null */
	const struct value *secret;  /* content.secretRef, a map; may be null */
	const struct value *image;   /* content.imageRef, a map; may be null */
	struct value encoding;       /* of `inline_`; "" if not given */
	/*
	 * The bytes of the file on the node: those of `inline_`, decoded, or those of the Secret,
	 * tainted. gardener_osc_contents sets it; it is invalid before, and for an image.
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
	struct value content; /* invalid if the unit has none; "" is a content */
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
	/* Maps; may be null. criConfig is also read from `cri`. */
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
 * Reads an OSC and checks its structure (gardener_osc_check). Leaves out fields that only the
 * other contract has. Sets *ret_osc in any case, to whatever could be read, so that
 * gardener_osc_validate and gardener_osc_contents can report their mistakes in the same run.
 */
MUST_CHECK enum status gardener_osc_read(struct arena *arena, struct sink *sink,
                                         const struct kube_object *object,
                                         enum gardener_contract contract,
                                         struct gardener_osc *ret_osc);

/*
 * Reads the units and files that an extension of a cluster added to a dumped OSC: those of its
 * status, and inPlaceUpdates. Leaves out members of a wrong type.
 */
void gardener_osc_read_extension(struct arena *arena, struct sink *sink,
                                 const struct kube_object *object, struct gardener_osc *ret_osc);

/* ---- validate.c, containerd.c ------------------------------------------------------------ */

/*
 * Checks the rules of Gardener (ValidateOperatingSystemConfig of its
 * pkg/apis/extensions/validation) and those of osm-gen (docs/spec/gardener.md 1.4). Fails if an OSC
 * breaks one.
 */
MUST_CHECK enum status gardener_osc_validate(struct arena *arena, struct sink *sink,
                                             const struct gardener_osc *osc,
                                             enum gardener_contract contract);
/* A part of gardener_osc_validate: checks criConfig under contract current. */
MUST_CHECK enum status gardener_containerd_validate(struct arena *arena, struct sink *sink,
                                                    const struct gardener_osc *osc);

/* ---- content.c --------------------------------------------------------------------------- */

/* Calls dialect_want for each Secret that an OSC refers to. The OSC need not be valid. */
void gardener_osc_want(const struct kube_object *object, struct dialect_wants *wants);

/*
 * Sets `content` of each file that has inline or secretRef. Fails if a Secret is missing or data
 * cannot be decoded. If `secrets_may_be_absent` is set, a stand-in (secrecy_absent)
 * takes the place of a missing Secret.
 */
MUST_CHECK enum status gardener_osc_contents(struct arena *arena, struct sink *sink,
                                             const struct kube_objects *objects,
                                             bool secrets_may_be_absent, struct gardener_osc *osc);

/* ---- fetches.c --------------------------------------------------------------------------- */

/* Reports DIAG_NOT_INVENTORIED; to be called once for each cluster. */
void gardener_report_not_inventoried(struct sink *sink, const struct kube_object *osc);
/* Adds the images and registries that a valid OSC names. */
void gardener_fetches(struct arena *arena, const struct gardener_osc *osc,
                      struct dialect_fetches *fetches);

/* ---- system.c, system_status.c ------------------------------------------------------------- */

/* An OperatingSystemExtension, read and compiled once for all OSCs that it serves. */
struct gardener_system;

MUST_CHECK enum status gardener_system_read(struct arena *arena, struct sink *sink,
                                            const struct kube_object *object,
                                            const struct gardener_system **ret_system);
sv gardener_system_name(const struct gardener_system *system);
struct value gardener_system_version(const struct gardener_system *system);
enum gardener_contract gardener_system_contract(const struct gardener_system *system);
const sv *gardener_system_types(const struct gardener_system *system, size_t *ret_count);
VEC_TYPE(gardener_systems, const struct gardener_system *);
/* Reads the systems embedded in the program for an output contract (dialect.h), sorted by name. */
MUST_CHECK enum status gardener_system_embedded(struct arena *arena, struct sink *sink,
                                                unsigned contract,
                                                struct gardener_systems *ret_systems);
/*
 * Returns the system of an OSC whose type has no document: what status.extensionFiles and
 * extensionUnits of a dumped OSC have, and nothing if it has neither.
 */
const struct gardener_system *gardener_system_of_status(void);
/* Returns the object that the system was read from. */
const struct kube_object *gardener_system_object(const struct gardener_system *system);

/* ---- system_data.c ----------------------------------------------------------------------- */

/* Returns the string as one word of a shell command, quoted if necessary. */
struct value gardener_shell_word(struct arena *arena, const struct value *text);

/* ---- system_stage.c, system_advice.c ------------------------------------------------------- */

/* A stage of a system, rendered for one OSC. */
struct gardener_stage {
	/* Null if the stage has no user-data (contract current, purpose reconcile). */
	const struct userdata_format *format;
	/* The system's files and units: first those before the OSC's own, then those after. */
	struct node_file *files;
	size_t file_count;
	size_t files_before; /* the number of files before the OSC's own */
	struct node_unit *units;
	size_t unit_count;
	size_t units_before;
	struct node_link *links;
	size_t link_count;
	/* filePaths of units[i], for the status */
	struct gardener_paths {
		struct value *items;
		size_t count;
	} * unit_file_paths;
	struct value before; /* struct node_script */
	struct value after;
	bool once;
	bool is_script; /* the format runs commands: bash or cloud-config */
	/* True if the user-data starts the OSC's units, except those in start_except. */
	bool starts_spec_units;
	const sv *start_except;
	size_t start_except_count;
	bool start_no_block;
	enum node_enable enable_default; /* of an OSC's unit without `enable` */
	struct value cloud_init;         /* struct node_config, cloud_config */
	struct value reboot_strategy;
	struct userdata_part *parts; /* MIME parts before the user-data; without any, no MIME */
	size_t part_count;
	sv part_type;         /* of the user-data's own part: "text/x-shellscript" */
	struct value command; /* status.command; invalid if there is none */
	/* status.units: names that the system adds to the OSC's own */
	struct value *status_units;
	size_t status_unit_count;
	/* status.inPlaceUpdates.osUpdate; the command is invalid if there is none */
	struct value update_command;
	struct value *update_args;
	size_t update_arg_count;
	struct value
	    cgroup_driver; /* of containerd, instead of the OSC's; invalid if there is none */
};

/*
 * Returns the OSC's criConfig with the cgroup driver of its system. Null if the OSC has no
 * criConfig.
 */
const struct value *gardener_cri(struct arena *arena, const struct gardener_osc *osc,
                                 const struct gardener_stage *stage);

MUST_CHECK enum status
gardener_system_stage(struct arena *arena, struct sink *sink, const struct gardener_system *system,
                      const struct gardener_osc *osc, const struct gardener_settings *settings,
                      const struct dialect_job *job, struct gardener_stage *ret_stage);

/* ---- choose.c ---------------------------------------------------------------------------- */

/*
 * The systems of a fleet in three layers: those of the cluster, those that clusters share, those
 * embedded in the program.
 */
struct gardener_choice;
/* Reads the systems; mistakes in them are reported (struct dialect, begin). */
struct gardener_choice *gardener_choice_new(struct arena *arena, struct sink *sink,
                                            const struct dialect_input *input);
/* Sets the system of a unit by its type and contract (struct dialect, resolve). */
void gardener_choose(struct arena *arena, struct sink *sink, const struct gardener_choice *choice,
                     size_t cluster, struct dialect_unit *unit);

/* ---- machine.c --------------------------------------------------------------------------- */

struct gardener_machine {
	const struct node_config *node;
	struct value user_data; /* invalid if there is none */
	size_t user_data_bytes;
	size_t user_data_limit;
	/*
	 * The digest of user-data, or, if it holds secrets, a mark with its keyed fingerprint;
	 * without a seed the mark has none. Empty without user-data.
	 */
	sv user_data_mark;
};

MUST_CHECK enum status
gardener_machine_make(struct arena *arena, struct sink *sink, const struct gardener_osc *osc,
                      const struct gardener_stage *stage, const struct gardener_settings *settings,
                      const struct dialect_job *job, struct gardener_machine *ret_machine);

/* ---- data_volume.c ----------------------------------------------------------------------- */

/* Warns of a unit that mounts a data volume, unless the system names the label of the volume. */
void gardener_data_volume_check(struct sink *sink, const struct gardener_system *system,
                                const struct gardener_osc *osc);

/* ---- status.c ---------------------------------------------------------------------------- */

/* Returns {inline: {data, encoding}}. */
struct value gardener_inline(struct arena *arena, struct value data, sv encoding);
/* Sets extensionFiles, extensionUnits and inPlaceUpdates, if the system has any. */
void gardener_set_extension(struct arena *arena, const struct gardener_stage *stage,
                            struct value *status);
/* Makes an OSC that has a status and no spec. */
MUST_CHECK enum status
gardener_status_make(struct arena *arena, struct sink *sink, const struct gardener_osc *osc,
                     const struct gardener_stage *stage, const struct gardener_machine *machine,
                     const struct dialect_job *job, struct value *ret_object);

/* ---- result.c ---------------------------------------------------------------------------- */

/* Returns a Secret of the management side that holds the user-data of a machine. */
struct artifact gardener_machine_secret(struct arena *arena,
                                        const struct kube_secret_request *request, sv print,
                                        enum artifact_role role,
                                        const struct gardener_machine *machine);
/* Returns the name of the Secret with user-data. */
sv gardener_result_name(struct arena *arena, const struct gardener_osc *osc);
/* Sets a member of a map that is being made. */
void gardener_set(struct arena *arena, struct value *map, const char *key, struct value v);
/* Returns annotations of every object: the applier must not substitute ${...} in scripts. */
struct value gardener_applier_annotations(struct arena *arena);
struct artifact gardener_result_make(struct arena *arena, const struct gardener_osc *osc,
                                     const struct gardener_settings *settings,
                                     const struct gardener_machine *machine,
                                     const struct value *status);

/* ---- machine_class.c --------------------------------------------------------------------- */

/* Returns true for templates of MachineClasses, and for MachineDeployments of their group. */
bool gardener_is_machine_object(const struct kube_object *object);

/* The objects of a cluster for which gardener_is_machine_object is true. */
struct gardener_machines {
	struct kube_object_list templates;
	struct map by_osc;   /* templates: lists of them, by namespace and name of their OSC */
	struct map by_class; /* MachineDeployments: likewise, by their class */
};

/* Finds them once, since a search for each unit or template would look at all objects again. */
struct gardener_machines gardener_find_machines(struct arena *arena,
                                                const struct dialect_cluster *cluster);
/* Fails if a template names an OSC that there is not, or if it or its MachineDeployment is
 * encrypted.
 */
MUST_CHECK enum status gardener_machine_classes_check(struct arena *arena, struct sink *sink,
                                                      const struct dialect_cluster *cluster,
                                                      const struct gardener_machines *machines);
struct gardener_machine_request {
	const struct dialect_job *job;
	const struct kube_object *osc;
	const struct gardener_machine *machine;
	/* The user_data_mark of the part that only new machines read: machines are replaced when it
	 * changes, since the name of the class does. */
	sv only_new_mark;
};
/*
 * Adds the classes of an OSC of purpose provision, their Secrets, and the MachineDeployments that
 * use them. Sets replacement and reason by the MachineDeployments of the previous output. Fails if
 * these cannot be read.
 */
MUST_CHECK enum status gardener_machine_classes_add(struct arena *arena, struct sink *sink,
                                                    const struct gardener_machines *machines,
                                                    const struct gardener_machine_request *request,
                                                    struct dialect_rendered *rendered);
/*
 * Returns the number of machines that the classes of an OSC of purpose provision start, or a
 * negative number if their MachineDeployments do not determine it.
 */
int64_t gardener_machine_replicas(struct arena *arena, const struct gardener_machines *machines,
                                  sv namespace, sv osc);

/* ---- node_agent.c ------------------------------------------------------------------------ */

/* Returns a Secret of the worker side that a node reads; `print` is its name for --print. */
struct artifact gardener_node_secret(struct arena *arena, const struct kube_secret_request *request,
                                     sv print, const struct value *user_data);
/*
 * Returns the Secret's name: the OSC's name without the suffix -original, and, if it has the old
 * hash of five digits, without the machine's image.
 */
sv gardener_node_agent_key(const struct kube_object *osc);
/* Sets Gardener's label of the OSC's worker pool, unless the name is too long for a label. */
void gardener_set_pool(struct arena *arena, const struct kube_object *osc, struct value *labels);
/* The role of a Secret with osc.yaml. */
#define GARDENER_AGENT_ROLE "operating-system-config"
/* Returns the role of a live Secret that nodes read, or "" for other objects. */
sv gardener_node_role(const struct kube_object *object);
struct artifact gardener_node_agent_make(struct arena *arena, const struct gardener_osc *osc,
                                         const struct gardener_stage *stage);

/* ---- adoption.c -------------------------------------------------------------------------- */

extern const struct dialect_adoption gardener_adoption;

/* ---- adoption_unit.c --------------------------------------------------------------------- */

#define GARDENER_LIVE_KIND_COUNT 2
extern const struct dialect_live_kind gardener_live_kinds[GARDENER_LIVE_KIND_COUNT];

/* Members of struct dialect_adoption. */
void gardener_adopt_settings(struct arena *arena, const struct kube_object_list *live,
                             struct value *settings, struct dialect_notes *notes);
enum status gardener_adopt_begin(struct arena *arena, struct sink *sink,
                                 const struct dialect_cluster *cluster, const void **ret_state);
void gardener_adopt_unit(struct arena *arena, const void *state, struct value *manifest,
                         struct dialect_decision *ret_decision);
struct value gardener_move_files(struct arena *arena, const struct value *manifest,
                                 struct dialect_file_mover *mover);
enum dialect_likeness gardener_likeness(struct arena *arena, const struct kube_objects *objects,
                                        sv namespace, const struct value *ours,
                                        const struct value *live);

/* ---- effect.c ---------------------------------------------------------------------------- */

/* A member of its spec, true if only those of `restarts` restart that changed. */
#define GARDENER_RESTARTS_CHANGED "restartsChanged"

/* Members of its spec beside that one: all of them restart; nodes remove what is gone. */
#define GARDENER_RESTARTS_ALL "restartsAll"
#define GARDENER_REMOVES      "removes"

/* Members, too: where nodes download from, and the digest of the CA that they trust. */
#define GARDENER_SERVER    "server"
#define GARDENER_SERVER_CA "serverCA"

/* Returns the id of an OSC's NodeEffect. */
struct kube_id gardener_effect_id(const struct gardener_osc *osc);

/*
 * Makes the NodeEffect of an OSC (docs/spec/gardener.md 6). `status` is that of the object which
 * gardener_status_make makes.
 */
struct artifact gardener_effect_make(struct arena *arena, const struct gardener_osc *osc,
                                     const struct gardener_stage *stage,
                                     const struct gardener_machine *machine,
                                     const struct value *status);

/* ---- effect_kept.c ----------------------------------------------------------------------- */

/* A member of its spec: {path, digest} of unit files that the OSC has lost and nodes keep. */
#define GARDENER_KEPT "kept"

/*
 * Returns that member for an effect that follows `before`. `removes` is true if nodes remove what
 * the OSC has lost.
 */
struct value gardener_kept_make(struct arena *arena, const struct value *before,
                                const struct value *now, bool removes);
/*
 * Returns true if nodes kept all files of a unit {name, enable, command, content, dropIns} as they
 * are in it.
 */
bool gardener_kept_has(struct arena *arena, const struct value *effect, const struct value *unit);

/* ---- effect_flow.c ----------------------------------------------------------------------- */

/* Compares two NodeEffects as the execution script does (docs/spec/gardener.md 7.1). */
void gardener_flow_applied(struct arena *arena, const struct value *before, const struct value *now,
                           struct dialect_applied *applied);
/*
 * Sets what a description has of nodes that apply user-data again: what stays there, and which of
 * its files, already described, no unit names. The others come after them.
 */
void gardener_flow_describe(struct arena *arena, const struct value *effect,
                            struct dialect_description *description);

/* ---- effect_difference.c ------------------------------------------------------------------- */

/* Returns a list of a NodeEffect's spec, or null. */
const struct value *gardener_effect_list(const struct value *effect, const char *name);
/* Returns a string of a map, or "". */
sv gardener_effect_text(const struct value *map, const char *name);
/* Returns true if a member of a map is this bool. */
bool gardener_effect_is(const struct value *map, const char *name, bool wanted);

/* The units and files of two NodeEffects by their names: lists of the items of one name. */
struct gardener_difference {
	struct map units_before;
	struct map units;
	struct map files_before;
	struct map files;
	struct map changed; /* items of files that differ, or that only one side has, by path */
};
struct gardener_difference gardener_difference_of(struct arena *arena, const struct value *before,
                                                  const struct value *now);
/* Returns true if the items of that name are the same, and hide no change in content. */
bool gardener_difference_is_same(struct arena *arena, const struct map *before,
                                 const struct map *now, sv name);
/* Returns true if the content of a file or unit, or of one of its drop-ins, hides a change. */
bool gardener_difference_hides(struct arena *arena, const struct value *item);
/* Returns true if what two effects have at a path differs. */
bool gardener_difference_at(const struct value *before, const struct value *now, const char *path);
/*
 * Returns true if nodes wrote the unit, so that they stop it when it is removed. A unit of the
 * image loses its drop-ins only.
 */
bool gardener_difference_has_content(const struct value *items);

/* ---- effect_read.c ----------------------------------------------------------------------- */

/* Members of struct dialect; `effect`, `before` and `now` are NodeEffects of the output. */
void gardener_describe(struct arena *arena, const struct value *effect,
                       struct dialect_description *description);
void gardener_applied(struct arena *arena, const struct value *before, const struct value *now,
                      struct dialect_applied *applied);

/* schemas.c: adds the JSON Schemas of all documents that this dialect reads. */
void gardener_list_schemas(struct arena *arena, struct dialect_schemas *schemas);

#endif
