/*
 * Private to osm/extension/: functions and structs that its files share.
 */
#ifndef OSM_GEN_OSM_EXTENSION_INTERNAL_H
#define OSM_GEN_OSM_EXTENSION_INTERNAL_H

#include "osm/extension/extension.h"

/* On a profile with extensions: their names, separated by commas. */
#define OSM_ANNOTATION_EXTENSIONS "osm-gen.dev/extensions"

enum { OSM_EXTENSION_ORDER_DEFAULT = 500, OSM_EXTENSION_ORDER_MAX = 999 };

/* ---- the document ------------------------------------------------------------------------ */

struct shape;
extern const struct shape extension_file_shape;
extern const struct shape extension_unit_shape;

struct extension_file {
	struct value path;
	struct value permissions; /* a number; invalid for the schema's default */
	struct value encoding;    /* invalid to let osm-gen choose */
	struct value data;        /* invalid if the content comes from a Secret */
	/* A reference to the key of a Secret, whose value is not a template. */
	struct value secret_namespace;
	struct value secret_name;
	struct value secret_key;
	bool replaces;
};

struct extension_drop_in {
	struct value name;
	struct value content;
};

struct extension_unit {
	struct value name;
	struct value content; /* invalid if only drop-ins, enable or mask are given */
	const struct value *enable;
	const struct value *mask;
	VEC(struct extension_drop_in) drop_ins;
	bool replaces;
};

struct extension_ssh_keys {
	struct value user; /* invalid for the operating system's default user */
	const struct value *keys;
};

/* When commands run; in the order in which the machine runs them. */
enum extension_moment { MOMENT_BEFORE_SETUP, MOMENT_BEFORE_KUBELET, MOMENT_AFTER_SETUP };
enum { MOMENT_COUNT = 3 };

/*
 * The document. Lists and maps have string items, and are null if not given. An empty list of the
 * selector selects all.
 */
struct osm_extension {
	const struct kube_object *object;
	sv name;
	int order;
	/* selector */
	const struct value *profiles;
	const struct value *machine_deployments;
	const struct value *operating_systems;
	const struct value *cloud_providers;
	const struct value *labels;
	/* additions; [0] is for bootstrapConfig, [1] for provisioningConfig */
	VEC(struct extension_file) files[2];
	const struct value *modules[2];
	VEC(struct extension_unit) units;
	VEC(struct extension_ssh_keys) ssh_keys;
	const struct value *packages;
	const struct value *kernel_modules;
	const struct value *certificates;
	const struct value *commands[MOMENT_COUNT];
	const struct value *sysctls;
	struct value kubelet;
	struct value containerd;
	struct value containerd_v2;
	bool nvidia;

	bool adds_nothing; /* its only effect is to hide a shared extension of the same name */
	bool is_wrong;     /* a mistake was reported; its MachineDeployments are not rendered */
	bool is_used;      /* applies to some MachineDeployment */
};
VEC_TYPE(osm_extensions, struct osm_extension *);

/*
 * Returns true if the extension has machines run something that may download more than its other
 * members show: commands, units, cloud-init modules, and files that are programs or replace those
 * of a profile.
 */
bool osm_extension_runs(const struct osm_extension *extension);
/* Reads a document. Never fails: after a mistake, `is_wrong` is set. */
struct osm_extension *osm_extension_read(struct arena *arena, struct sink *sink,
                                         const struct kube_object *object);
/*
 * parts.c: read bootstrapConfig or provisioningConfig (`config` 0 or 1), units and keys.
 */
void extension_config_read(struct schema *schema, const struct value *spec, const char *key,
                           size_t config, struct osm_extension *extension);
/* modules.c: reads cloud-init modules, checked against the schema of profiles. */
const struct value *extension_modules_read(struct schema *schema, const struct value *config);
void extension_units_read(struct schema *schema, const struct value *spec,
                          struct osm_extension *extension);
void extension_ssh_keys_read(struct schema *schema, const struct value *spec,
                             struct osm_extension *extension);
/*
 * check.c: return a member that has the right type, or null (VALUE_INVALID, false): the reader of
 * shapes reported it.
 */
const struct value *extension_member(const struct value *map, const char *key, enum type_kind kind);
struct value extension_text(const struct value *map, const char *key);
bool extension_is_true(const struct value *map, const char *key);
/* Returns a list of strings, none of them empty, or null. Reports empty ones. */
const struct value *extension_texts(struct schema *schema, const struct value *map,
                                    const char *key);
void extension_report_text(struct schema *schema, const struct value *text, const char *key);
bool extension_is_template(sv text);
/* Returns true if `text` has only letters, digits and `others`, and does not begin with "-". */
bool extension_is_word(sv text, const char *others);
void extension_check_certificates(struct schema *schema, const struct value *list);
/* Checks the syntax of a template. */
void extension_check_template(struct schema *schema, sv name, const struct value *text);
struct diag *extension_report(struct schema *schema, struct position at, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* ---- selection --------------------------------------------------------------------------- */

/* Returns the quota that comparing a MachineDeployment with the extension's selector costs. */
size_t extension_weight(const struct osm_extension *extension);
/* The properties of a MachineDeployment that selectors are compared with. */
struct extension_target {
	sv profile;
	sv name;
	sv whole_name; /* NAMESPACE/NAME */
	sv operating_system;
	sv cloud_provider;
	const struct value *labels;
};
struct extension_target extension_target_of(struct arena *arena, sv profile,
                                            const struct kube_object *machine_deployment);
bool extension_matches(const struct osm_extension *extension,
                       const struct extension_target *target);
/* Sorts by order, then by name. */
void extension_sort(struct osm_extensions *extensions);

/* ---- the resulting profile --------------------------------------------------------------- */

/*
 * Makes an OperatingSystemProfile of `base` and the extensions, added in their order. A digest of
 * its content is part of its name and version. Fails if two extensions, or one and the profile, set
 * the same member to different values.
 */
MUST_CHECK enum status osm_extension_make(struct arena *arena, struct sink *sink,
                                          const struct osm_profile *base,
                                          const struct osm_extensions *extensions,
                                          unsigned contract, struct kube_object **ret_object,
                                          struct osm_additions *ret_additions);
/* The extension that first set a file, sysctl or the like, which no other may set. */
struct extension_claim {
	const struct osm_extension *extension;
	struct position at;
};
/* A profile with extensions while it is made. */
struct extension_maker {
	struct arena *arena;
	struct sink *sink;
	const struct osm_profile *base;
	unsigned contract; /* the output contract, which decides the scripts it gets */
	struct value spec;
	struct map claims; /* struct extension_claim by sort and name: "file /etc/motd" */
	const struct osm_extension *extension; /* the one being added */
	struct osm_additions additions;
	bool uses_hooks;
	bool has_kubelet; /* an extension configured the kubelet */
	bool has_imports; /* containerd's file imports those of extensions */
	bool has_nvidia;  /* containerd's file has the runtime of nvidia */
	bool failed;
};
void extension_add(struct extension_maker *maker, const struct osm_extension *extension);
/* Parts of extension_add: add to the configuration of containerd and of the kubelet. */
void extension_add_containerd(struct extension_maker *maker);
void extension_add_kubelet(struct extension_maker *maker);

/* Reports that the extension cannot be added; the message is `text`, a blank, and `what`. */
struct diag *extension_refuse(struct extension_maker *maker, enum diag_code code,
                              struct position at, const char *text, sv what);
/*
 * Returns true if the profile defines the template `hook`, which the extension's `member` needs.
 * Reports it otherwise.
 */
bool extension_need_hook(struct extension_maker *maker, const char *member, struct position at,
                         sv hook);
/*
 * Claims something ("file", "sysctl") for the extension. Returns false if another extension has
 * it, which is reported with both positions.
 */
bool extension_claim_place(struct extension_maker *maker, const char *sort, sv what,
                           struct position at);
/* Adds or replaces a file. */
void extension_add_file(struct extension_maker *maker, size_t config,
                        const struct extension_file *file);
/* Returns a file of the profile's bootstrapConfig (0) or provisioningConfig (1), or null. */
struct value *extension_find_file(struct extension_maker *maker, size_t config, sv path);
struct value extension_number(int number);
/*
 * Adds a file that osm-gen makes. Its path, which is returned, is `before`, the extension's order
 * and name, and `after`. `given` is the extension's value for which the file is made.
 */
sv extension_add_own(struct extension_maker *maker, const char *before, const char *after,
                     int permissions, const struct value *data, const struct value *given);

/* ---- text.c ------------------------------------------------------------------------------ */

/* The content of a file while it is built, with the origin of each part. */
struct extension_text {
	struct buf buf;
	VEC(struct origin_part) parts;
};
static inline struct extension_text extension_text_in(struct arena *arena)
{
	return (struct extension_text){.buf = buf_in(arena)};
}
/* Adds a string of osm-gen's own. */
void extension_text_add(struct extension_text *text, sv own);
/* The same for a string that is there because of a value, which becomes its origin. */
void extension_text_add_for(struct extension_text *text, sv own, const struct value *given);
void extension_text_add_value(struct extension_text *text, const struct value *value);
void extension_text_add_key(struct extension_text *text, const struct value_entry *entry);
/* Adds a line break unless the content ends with one. */
void extension_text_end_line(struct extension_text *text);
/* Removes line breaks at the end. */
void extension_text_trim(struct extension_text *text);
/* Adds each item of a list of strings, and a line break after each that does not end with one. */
void extension_text_add_lines(struct extension_text *text, const struct value *list);
/* Returns the content. Its origin as a whole is that of `given`, which may be null. */
struct value extension_text_value(const struct extension_text *text, const struct value *given);

#endif
