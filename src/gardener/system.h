/*
 * An OperatingSystemExtension as it is read, with its templates compiled. Private to system*.c. The
 * document itself is described in docs/gardener.md.
 */
#ifndef OSM_GEN_GARDENER_SYSTEM_H
#define OSM_GEN_GARDENER_SYSTEM_H

#include "gardener/internal.h"

/* A string of the document. It is a template if it contains "{{". */
struct system_text {
	struct value source;        /* as written; invalid if not given */
	const struct tmpl_set *set; /* null if it is not a template */
};

/* Members that items of all lists have. */
struct system_item {
	struct position at;
	struct system_text when; /* the item is left out if this renders to nothing or "false" */
	bool is_after;           /* put after the OSC's own items, not before */
};

struct system_file {
	struct system_item item;
	struct system_text path;
	int mode;
	struct system_text content;
};

struct system_drop_in {
	struct system_text name;
	struct system_text content;
};

struct system_unit {
	struct system_item item;
	struct system_text name;
	sv command;
	enum node_enable enable;
	bool mask;
	bool is_reported; /* true if status.units names it */
	struct system_text content;
	struct system_drop_in *drop_ins;
	size_t drop_in_count;
	struct system_text *file_paths;
	size_t file_path_count;
};

struct system_link {
	struct system_item item;
	struct system_text path;
	struct system_text target;
};

struct system_part {
	struct system_item item;
	sv content_type;
	struct system_text text;
};

/* provision or reconcile, of the document or of its cloudConfig. */
struct system_stage {
	const struct userdata_format *format; /* null if the stage has no user-data */
	bool once;
	struct system_file *files;
	size_t file_count;
	struct system_unit *units;
	size_t unit_count;
	struct system_link *links;
	size_t link_count;
	struct system_part *parts;
	size_t part_count;
	struct system_text before;
	struct system_text after;
	bool is_script; /* the format runs commands */
	bool starts_spec_units;
	sv *start_except;
	size_t start_except_count;
	bool start_no_block;
	enum node_enable enable_default;
	struct system_text cloud_init;  /* members of a cloud-config, as lines of YAML */
	struct value reboot_strategy;   /* only of coreos-cloud-config */
	struct system_text update_when; /* osUpdate */
	struct system_text update_command;
	struct system_text *update_args;
	size_t update_arg_count;
	struct value cgroup_driver; /* of reconcile under contract current */
};

/* The way to make user-data: by the document's own members, or by those of its cloudConfig. */
struct system_form {
	struct system_text command;
	struct system_stage stages[2]; /* by enum gardener_purpose */
};

/* The form that spec.providerConfig must have in OSCs of some types. */
struct system_config {
	const sv *types;
	size_t type_count;
	sv api_version;
	sv kind;
	struct shape shape;
};

struct gardener_system {
	const struct kube_object *object; /* null if is_of_status */
	bool is_of_status;
	struct value version;
	enum gardener_contract contract;
	const sv *types;
	size_t type_count;
	struct system_form own;
	const struct system_form *cloud_config; /* null if the document has none */
	struct system_config *configs;
	size_t config_count;
	struct value *read_only; /* paths of folders to which nodes cannot write */
	size_t read_only_count;
};

/* ---- system_shape.c ---------------------------------------------------------------------- */

struct system_reader {
	struct schema schema;
	enum gardener_contract contract;
	const struct value *templates; /* named templates, a map of strings; may be null */
};

/* The shapes of cloudConfig and of reconcile. */
extern const struct shape system_form_shape;
extern const struct shape system_reconcile_shape;

/*
 * Checks a document by its shape under the reader's contract, and returns what is right in it.
 * Mistakes are reported.
 */
struct value system_take(struct system_reader *r, const struct value *root);

/* ---- system_text.c ----------------------------------------------------------------------- */

/* Reports a mistake of the document. The caller adds a help. */
struct diag *system_report(struct system_reader *r, struct position at, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* Reports a member that cannot be here, unless it is null or not given. */
void system_refuse(struct system_reader *r, const struct value *v, const char *key,
                   const char *reason);
/* Returns true if the member is given, and true. */
bool system_is_true(const struct value *map, const char *key);
/*
 * Reads a string and compiles it if it is a template; mistakes are reported. `given` may be null.
 * `name` is the template's name in errors.
 */
struct system_text system_text_read(struct system_reader *r, const struct value *given,
                                    const char *name);

/* ---- system_read.c ----------------------------------------------------------------------- */

/* Reads a stage, which may be null. Its format must be `format`, unless that is empty. */
void system_stage_read(struct system_reader *r, const struct value *map, sv format,
                       struct system_stage *ret_stage);

/* ---- system_item.c ----------------------------------------------------------------------- */

/* Reports permissions that are not a mode. */
void system_report_mode(struct system_reader *r, const struct value *v);

void system_files_read(struct system_reader *r, const struct value *list,
                       struct system_stage *stage);
void system_units_read(struct system_reader *r, const struct value *list,
                       struct system_stage *stage);
void system_links_read(struct system_reader *r, const struct value *list,
                       struct system_stage *stage);
void system_parts_read(struct system_reader *r, const struct value *list,
                       struct system_stage *stage);

/* ---- system_place.c ---------------------------------------------------------------------- */

/*
 * Return a mistake in a path, or in the name of a unit or drop-in, in words that follow it: "must
 * begin with /". Return null if it is valid.
 */
const char *system_path_mistake(sv path);
const char *system_unit_mistake(sv name);
const char *system_drop_in_mistake(sv name);

/* ---- system_data.c ----------------------------------------------------------------------- */

/* Returns the data of templates (their dot). */
struct value system_data(struct arena *arena, const struct gardener_osc *osc,
                         const struct gardener_settings *settings);

/* ---- system_status.c --------------------------------------------------------------------- */

/* Makes the stage of gardener_system_of_status. */
MUST_CHECK enum status system_status_stage(struct arena *arena, struct sink *sink,
                                           const struct gardener_osc *osc,
                                           struct gardener_stage *ret_stage);

/* ---- system_advice.c --------------------------------------------------------------------- */

/* Warns of what an OSC has that its operating system does not take. */
void system_advise(struct sink *sink, const struct gardener_system *system,
                   const struct gardener_osc *osc, const struct gardener_stage *stage);

/* ---- system_config.c --------------------------------------------------------------------- */

void system_configs_read(struct system_reader *r, const struct value *list,
                         struct gardener_system *system);
/* Fails, with an error, if the OSC's type does not take its providerConfig. */
MUST_CHECK enum status system_config_check(struct arena *arena, struct sink *sink,
                                           const struct gardener_system *system,
                                           const struct gardener_osc *osc);

#endif
