/*
 * An OperatingSystemExtension as it is read: its texts compiled. Private to system*.c; the document
 * itself is described in docs/gardener.md.
 */
#ifndef OSM_GEN_GARDENER_SYSTEM_H
#define OSM_GEN_GARDENER_SYSTEM_H

#include "gardener/internal.h"

/* A text of the document. One without "{{" stands for itself. */
struct system_text {
	struct value source;        /* as written; invalid: not given */
	const struct tmpl_set *set; /* null: no template */
};

/* What an item says of its own place: left out when `when` gives nothing or "false". */
struct system_item {
	struct position at;
	struct system_text when;
	bool is_after; /* behind the OSC's own */
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
	bool is_reported; /* in status.units */
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
	const struct userdata_format *format; /* null: no user-data */
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
	bool starts_spec_units;
	sv *start_except;
	size_t start_except_count;
	bool start_no_block;
	enum node_enable enable_default;
	struct system_text cloud_init;  /* cloud-config's own members, as lines of YAML */
	struct value reboot_strategy;   /* of coreos-cloud-config */
	struct system_text update_when; /* osUpdate */
	struct system_text update_command;
	struct system_text *update_args;
	size_t update_arg_count;
};

/* How user-data is made: by the document's own members, or by those of cloudConfig. */
struct system_form {
	struct system_text command;
	struct system_stage stages[2]; /* by enum gardener_purpose */
};

enum system_member_type { MEMBER_STRING, MEMBER_BOOL, MEMBER_LIST, MEMBER_MAP };

/* What spec.providerConfig of an OSC of some types must be. */
struct system_config {
	const sv *types;
	size_t type_count;
	sv api_version;
	sv kind;
	struct system_config_member {
		sv name;
		enum system_member_type type;
	} * members;
	size_t member_count;
};

struct gardener_system {
	const struct kube_object *object;
	struct value version;
	enum gardener_contract contract;
	const sv *types;
	size_t type_count;
	struct system_form own;
	const struct system_form *cloud_config; /* null: the document has none */
	struct system_config *configs;
	size_t config_count;
};

/* ---- system_text.c ----------------------------------------------------------------------- */

struct system_reader {
	struct schema schema;
	enum gardener_contract contract;
	const struct value *templates; /* named ones, a map of texts; or null */
};

/* Reports a mistake of the document; the caller adds help. */
struct diag *system_report(struct system_reader *r, struct position at, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* name: what templates call it in their errors. */
struct system_text system_text_read(struct system_reader *r, const struct value *map,
                                    const char *key, bool required, const char *name);

/* ---- system_read.c ----------------------------------------------------------------------- */

/* format: what the members must be written in, or empty for any. */
void system_stage_read(struct system_reader *r, const struct value *map,
                       enum gardener_purpose purpose, sv format, struct system_stage *ret_stage);

/* ---- system_item.c ----------------------------------------------------------------------- */

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
 * What is wrong with a path, a unit's or a drop-in's name, as words that follow it: "must begin
 * with /". Null: nothing.
 */
const char *system_path_mistake(sv path);
const char *system_unit_mistake(sv name);
const char *system_drop_in_mistake(sv name);

/* ---- system_data.c ----------------------------------------------------------------------- */

/* What templates see as dot. */
struct value system_data(struct arena *arena, const struct gardener_osc *osc,
                         const struct gardener_settings *settings);

/* ---- system_config.c --------------------------------------------------------------------- */

void system_configs_read(struct system_reader *r, const struct value *list,
                         struct gardener_system *system);
/* Reports an OSC whose providerConfig is none that its type takes. */
MUST_CHECK enum status system_config_check(struct arena *arena, struct sink *sink,
                                           const struct gardener_system *system,
                                           const struct gardener_osc *osc);

#endif
