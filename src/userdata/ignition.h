/*
 * Private to userdata/: the parts of the way to Ignition.
 */
#ifndef OSM_GEN_USERDATA_IGNITION_H
#define OSM_GEN_USERDATA_IGNITION_H

#include "base/map.h"
#include "diag/diag.h"
#include "value/text.h"

/* Where the controller writes the machine's name. */
#define IGNITION_MACHINE_NAME_PATH "/etc/machine-name"

/* ---- ignition_text.c --------------------------------------------------------------------- */

/* Where a text stands in the YAML that the controller makes of a node. */
struct ignition_place {
	size_t indent; /* spaces put before each line */
	size_t parent; /* column of the key whose value it is */
};

struct ignition_text {
	struct value value; /* what arrives, tainted as the text was */
	/* The first byte of lines that vanish; SV_NPOS: none do. */
	size_t lost_from;
};

/*
 * A text as a YAML literal block (`|`) carries it (docs/spec/userdata.md 3.3). False: it cannot;
 * *ret_problem says why and *ret_at is the offset in the text.
 */
MUST_CHECK bool ignition_text_normalise(struct arena *arena, const struct value *text,
                                        struct ignition_place place, struct ignition_text *ret_text,
                                        const char **ret_problem, size_t *ret_at);

/*
 * The first byte that no YAML may hold: control characters, invalid UTF-8. SV_NPOS: none.
 */
size_t ignition_find_forbidden(sv text);
/* Appends the content as a data URL, percent-encoded; only what is secret is marked as secret. */
void ignition_add_data_url(struct text *out, const struct value *content);

/* ---- ignition_scalar.c ------------------------------------------------------------------- */

enum ignition_scalar {
	IGNITION_SCALAR_TEXT,
	IGNITION_SCALAR_NULL,   /* `~` and the like: an item that disappears */
	IGNITION_SCALAR_BROKEN, /* not one text any more */
};

/* A name as an unquoted YAML scalar after "name: ", its key at `column`. */
enum ignition_scalar ignition_plain_name(struct arena *arena, const struct value *name,
                                         size_t column, struct value *ret_text);
/* A path between single quotes. */
enum ignition_scalar ignition_quoted_path(struct arena *arena, const struct value *path,
                                          struct value *ret_text);
/*
 * The SSH keys as unquoted items of one YAML list; nulls are dropped. False: *ret_culprit is the
 * first that breaks it.
 */
MUST_CHECK bool ignition_plain_keys(struct arena *arena, const struct value *keys, size_t count,
                                    struct value **ret_texts, size_t *ret_count,
                                    size_t *ret_culprit);

/* ---- ignition_boot.c --------------------------------------------------------------------- */

/*
 * Files, units and drop-ins as they arrive, in their order: what a Flatcar machine stops at on its
 * first boot though version 2.3.0 allows it (docs/spec/userdata.md 3.5). `name` is where the
 * manifest says it, for messages, and lives as long.
 */
struct ignition_boot {
	struct arena *arena;
	struct sink *sink;
	struct map files;      /* path to name */
	struct map units;      /* unit to name */
	struct map unit_files; /* path of a unit or drop-in with content to name */
	struct map drop_ins;   /* of the last unit, to name */
	sv unit;               /* the last one */
	bool failed;
};

struct ignition_boot ignition_boot_in(struct arena *arena, struct sink *sink);
/* DIAG_IGNITION_PATH_TWICE when an earlier one has the path. */
void ignition_boot_file(struct ignition_boot *b, sv path, const struct value *name);
/* DIAG_IGNITION_UNIT_TWICE, a warning, when an earlier one has the name. */
void ignition_boot_unit(struct ignition_boot *b, sv unit, const struct value *name, bool has_text);
/* Of the last unit. DIAG_IGNITION_DROP_IN_TWICE when an earlier one has the name. */
void ignition_boot_drop_in(struct ignition_boot *b, sv drop_in, const struct value *name,
                           bool has_text);
/*
 * After all of them: whether the machine boots. Reports paths below files
 * (DIAG_IGNITION_BELOW_FILE), and files at the paths of units (DIAG_IGNITION_PATH_TWICE).
 */
MUST_CHECK bool ignition_boot_good(struct ignition_boot *b);

/* ---- unit_file.c ------------------------------------------------------------------------- */

struct unit_file {
	bool has_options;
	bool has_install; /* an option in section [Install] */
};

/*
 * Reads a unit file as go-systemd's lexer does, its limit of a line's length included. False:
 * *ret_problem says why, *ret_at is the offset in the text.
 */
MUST_CHECK bool unit_file_read(sv text, struct unit_file *ret_file, const char **ret_problem,
                               size_t *ret_at);

#endif
