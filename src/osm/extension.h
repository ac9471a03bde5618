/*
 * OperatingSystemProfileExtensions (docs/extensions.md): what is added to profiles, for whom.
 * Private to extension*.c and choose.c.
 *
 *   extension.c        the document: members, and whether each is what it must be
 *   extension_parts.c  its files, units and SSH keys
 *   extension_modules.c  its cloud-init modules
 *   extension_check.c  what both share
 *   extension_members.c  what editors are told of all members
 *   extension_match.c  whom it is for
 *   extension_make.c   the profile that comes of one and its extensions
 *   extension_add.c    each member put into it: extension_file.c, extension_containerd.c,
 *                      extension_kubelet.c
 *   extension_text.c   the texts that are put together for it
 */
#ifndef OSM_GEN_OSM_EXTENSION_H
#define OSM_GEN_OSM_EXTENSION_H

#include "osm/internal.h"

/* Of a profile that was made: the names of its extensions, with commas between them. */
#define OSM_ANNOTATION_EXTENSIONS "osm-gen.dev/extensions"

enum { OSM_EXTENSION_ORDER_DEFAULT = 500, OSM_EXTENSION_ORDER_MAX = 999 };

/* ---- the document ------------------------------------------------------------------------ */

struct extension_file {
	struct value path;
	struct value permissions; /* a number; invalid: the schema's default */
	struct value encoding;    /* invalid: as osm-gen finds best */
	struct value data;        /* invalid: comes from a Secret */
	/* The key of a Secret; its content is no template. */
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
	struct value content; /* invalid: only drop-ins, or what is done with it */
	const struct value *enable;
	const struct value *mask;
	VEC(struct extension_drop_in) drop_ins;
	bool replaces;
};

struct extension_ssh_keys {
	struct value user; /* invalid: the operating system's own */
	const struct value *keys;
};

/* In the order in which the machine runs them. */
enum extension_moment { MOMENT_BEFORE_SETUP, MOMENT_BEFORE_KUBELET, MOMENT_AFTER_SETUP };
enum { MOMENT_COUNT = 3 };

/* Lists and maps of texts; null: not given. Empty lists of a selector select all. */
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
	/* what it adds: bootstrap first, then provisioning */
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

	bool adds_nothing; /* as whoever turns a shared one of the name off writes it */
	bool is_wrong;     /* reported; what it is for is not rendered */
	bool is_used;
};
VEC_TYPE(osm_extensions, struct osm_extension *);

/*
 * Whether machines run something of it that may fetch what no other member says: commands, units,
 * cloud-init modules, and files that are programs or take the place of a profile's.
 */
bool osm_extension_runs(const struct osm_extension *extension);
/* Reads a document; never fails, but is_wrong. */
struct osm_extension *osm_extension_read(struct arena *arena, struct sink *sink,
                                         const struct kube_object *object);
/* extension_parts.c: bootstrapConfig and provisioningConfig, and all that machines run. */
void extension_config_read(struct schema *schema, const struct value *spec, const char *key,
                           size_t config, struct osm_extension *extension);
/* extension_modules.c: cloud-init's modules, as the API server's schema of profiles has them. */
const struct value *extension_modules_read(struct schema *schema, const struct value *config);
void extension_units_read(struct schema *schema, const struct value *spec,
                          struct osm_extension *extension);
void extension_ssh_keys_read(struct schema *schema, const struct value *spec,
                             struct osm_extension *extension);
/* extension_check.c: a list of texts that are not empty, or null. */
const struct value *extension_texts(struct schema *schema, const struct value *map,
                                    const char *key);
bool extension_is_template(sv text);
/* Whether there are letters, digits and `others` alone, and no - before them. */
bool extension_is_word(sv text, const char *others);
void extension_check_certificates(struct schema *schema, const struct value *list);
/* The text as a template: syntax alone. */
void extension_check_template(struct schema *schema, sv name, const struct value *text);
struct diag *extension_report(struct schema *schema, struct position at, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* ---- whom it is for ---------------------------------------------------------------------- */

size_t extension_weight(const struct osm_extension *extension);
/* What selectors are compared with, of one MachineDeployment; looked up once for all of them. */
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
/* By order, then by name. */
void extension_sort(struct osm_extensions *extensions);

/* ---- the profile that comes of it -------------------------------------------------------- */

/* A file whose content is a Secret's: known only in a cluster, when it is rendered. */
struct osm_secret_file {
	size_t config; /* 0: bootstrap, 1: provisioning */
	sv path;
	sv namespace;
	sv name;
	sv key;
	struct position at;
};
VEC_TYPE(osm_secret_files, struct osm_secret_file);

/* A file of the provisioning configuration that its reader must understand once it is rendered. */
struct osm_extension_file {
	sv path;
	const struct kube_object *extension; /* which has written to it */
	struct position at;
};
VEC_TYPE(osm_extension_files, struct osm_extension_file);

/* What a profile with extensions has beside its object, private to osm/. */
struct osm_additions {
	struct osm_secret_files secrets;
	struct osm_extension_files tomls;   /* containerd's */
	struct osm_extension_files kubelet; /* the kubelet's, YAML */
};

/*
 * The profile `base` with all extensions, in their order, as an object named and versioned by its
 * content. Fails where two of them, or one and the profile, want different things of one place.
 */
MUST_CHECK enum status osm_extension_make(struct arena *arena, struct sink *sink,
                                          const struct osm_profile *base,
                                          const struct osm_extensions *extensions,
                                          unsigned contract, struct kube_object **ret_object,
                                          struct osm_additions *ret_additions);
/* Containerd's files, and the kubelet's, as they are rendered. */
MUST_CHECK enum status osm_extension_check_tomls(struct arena *arena, struct sink *sink,
                                                 const struct osm_extension_files *tomls,
                                                 const struct osm_rendered_config *config);
MUST_CHECK enum status osm_extension_check_kubelet(struct sink *sink,
                                                   const struct osm_extension_files *files,
                                                   const struct osm_rendered_config *config);

/* Being made. */
struct extension_claim {
	const struct osm_extension *extension;
	struct position at;
};
struct extension_maker {
	struct arena *arena;
	struct sink *sink;
	const struct osm_profile *base;
	unsigned contract; /* whose scripts it gets */
	struct value spec;
	struct map claims; /* struct extension_claim by what is claimed: "path /etc/motd" */
	const struct osm_extension *extension; /* the one that is being added */
	struct osm_additions additions;
	bool uses_hooks;
	bool failed;
};
void extension_add(struct extension_maker *maker, const struct osm_extension *extension);
/* The parts of extension_add that are containerd's and the kubelet's. */
void extension_add_containerd(struct extension_maker *maker);
void extension_add_kubelet(struct extension_maker *maker);

/* Reports "TEXT WHAT": the extension cannot be added. */
struct diag *extension_refuse(struct extension_maker *maker, enum diag_code code,
                              struct position at, const char *text, sv what);
/* Whether the profile has a template of that name, as what `member` asks for needs. */
bool extension_need_hook(struct extension_maker *maker, const char *member, struct position at,
                         sv hook);
/* False: another extension has it, which is reported at both places. sort: "file", "sysctl". */
bool extension_claim_place(struct extension_maker *maker, const char *sort, sv what,
                           struct position at);
/* Adds or replaces a file. */
void extension_add_file(struct extension_maker *maker, size_t config,
                        const struct extension_file *file);
/* A file of the profile; config: 0 bootstrap, 1 provisioning. Null: it has none at that path. */
struct value *extension_find_file(struct extension_maker *maker, size_t config, sv path);
struct value extension_number(int number);
/*
 * A file of osm-gen's own making, at BEFORE ORDER-NAME AFTER, which it returns; `given` is what the
 * extension says that it is made for.
 */
sv extension_add_own(struct extension_maker *maker, const char *before, const char *after,
                     int permissions, const struct value *data, const struct value *given);

/* ---- texts ------------------------------------------------------------------------------- */

/* extension_text.c: a text that is being put together. */
struct extension_text {
	struct buf buf;
	VEC(struct origin_part) parts;
};
static inline struct extension_text extension_text_in(struct arena *arena)
{
	return (struct extension_text){.buf = buf_in(arena)};
}
/* What is osm-gen's own. */
void extension_text_add(struct extension_text *text, sv own);
/* The same, which is there because of what is given. */
void extension_text_add_for(struct extension_text *text, sv own, const struct value *given);
void extension_text_add_value(struct extension_text *text, const struct value *value);
void extension_text_add_key(struct extension_text *text, const struct value_entry *entry);
/* A line break, unless there is one. */
void extension_text_end_line(struct extension_text *text);
/* Takes the line breaks at the end away. */
void extension_text_trim(struct extension_text *text);
/* Each item of a list of texts, and a line break behind those that end in none. */
void extension_text_add_lines(struct extension_text *text, const struct value *list);
/* As a whole it stands for what is given (null: for nothing in particular). */
struct value extension_text_value(const struct extension_text *text, const struct value *given);

#endif
