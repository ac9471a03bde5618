/*
 * Private to userdata/: parts that the writers of Ignition 2.3.0 and 3.3.0 are made of.
 */
#ifndef OSM_GEN_USERDATA_IGNITION_H
#define OSM_GEN_USERDATA_IGNITION_H

#include "base/map.h"
#include "diag/diag.h"
#include "value/text.h"

/* The file into which the controller writes the machine's name. */
#define IGNITION_MACHINE_NAME_PATH "/etc/machine-name"

/* ---- ignition_text.c --------------------------------------------------------------------- */

/* The position of a string in the YAML (Container Linux Config) that the controller writes. */
struct ignition_place {
	size_t indent; /* spaces put before each line */
	size_t parent; /* column of the key that has the string as its value */
};

struct ignition_text {
	struct value value; /* the string that arrives, with the taint of the original */
	/* Offset in the original of the first comment that is lost; SV_NPOS if none is. */
	size_t lost_from;
};

/*
 * Determines what YAML reads back if the controller writes `text` as a literal block (`|`)
 * (docs/spec/userdata.md 3.3). Returns false if the result is not valid YAML: *ret_problem is the
 * reason for a message, *ret_at the offset in `text`.
 */
MUST_CHECK bool ignition_text_normalise(struct arena *arena, const struct value *text,
                                        struct ignition_place place, struct ignition_text *ret_text,
                                        const char **ret_problem, size_t *ret_at);

/*
 * Returns the offset of the first byte that YAML cannot contain (a control character, invalid
 * UTF-8), or SV_NPOS if there is none.
 */
size_t ignition_find_forbidden(sv text);
/* Appends the content as a percent-encoded data URL; only its secret bytes are marked as secret. */
void ignition_add_data_url(struct text *out, const struct value *content);

/* ---- ignition_scalar.c ------------------------------------------------------------------- */

enum ignition_scalar {
	IGNITION_SCALAR_TEXT,
	IGNITION_SCALAR_NULL,   /* `~` and the like: an item that disappears */
	IGNITION_SCALAR_BROKEN, /* no longer one string */
};

/*
 * Determines what YAML reads back if a name is written without quotes after "name: ", with that key
 * at `column`. Sets *ret_text if it returns IGNITION_SCALAR_TEXT.
 */
enum ignition_scalar ignition_plain_name(struct arena *arena, const struct value *name,
                                         size_t column, struct value *ret_text);
/* Does the same for a path that is written between single quotes. */
enum ignition_scalar ignition_quoted_path(struct arena *arena, const struct value *path,
                                          struct value *ret_text);
/*
 * Determines what YAML reads back if SSH keys are written without quotes as items of one list. Keys
 * that YAML reads as null are dropped. Returns false if the list is broken: *ret_culprit is the
 * index of the first key that is broken on its own, or 0 if none is.
 */
MUST_CHECK bool ignition_plain_keys(struct arena *arena, const struct value *keys, size_t count,
                                    struct value **ret_texts, size_t *ret_count,
                                    size_t *ret_culprit);

/* ---- ignition_boot.c --------------------------------------------------------------------- */

/*
 * Finds duplicate files, units and drop-ins that Ignition 2.3.0 allows but that stop a Flatcar
 * machine on its first boot (docs/spec/userdata.md 3.5). The caller adds them in the order in which
 * Ignition gets them. `name` is the value from the manifest, for the position of messages; it must
 * live as long as this struct.
 */
struct ignition_boot {
	struct arena *arena;
	struct sink *sink;
	struct map files;      /* path to name */
	struct map units;      /* unit to name */
	struct map unit_files; /* path of a unit or drop-in with content, to name */
	struct map drop_ins;   /* drop-in of the last unit, to name */
	sv unit;               /* the last unit */
	bool failed;
};

struct ignition_boot ignition_boot_in(struct arena *arena, struct sink *sink);
/* Adds a file; reports DIAG_IGNITION_PATH_TWICE if an earlier file has the path. */
void ignition_boot_file(struct ignition_boot *b, sv path, const struct value *name);
/* Adds a unit; warns (DIAG_IGNITION_UNIT_TWICE) if an earlier unit has the name. */
void ignition_boot_unit(struct ignition_boot *b, sv unit, const struct value *name, bool has_text);
/*
 * Adds a drop-in of the last unit; reports DIAG_IGNITION_DROP_IN_TWICE if an earlier drop-in of the
 * unit has the name.
 */
void ignition_boot_drop_in(struct ignition_boot *b, sv drop_in, const struct value *name,
                           bool has_text);
/*
 * To be called last. Reports paths below files (DIAG_IGNITION_BELOW_FILE) and files at the paths of
 * units (DIAG_IGNITION_PATH_TWICE). Returns false if this or an earlier call reported an error.
 */
MUST_CHECK bool ignition_boot_good(struct ignition_boot *b);

/* ---- unit_file.c ------------------------------------------------------------------------- */

struct unit_file {
	bool has_options;
	bool has_install; /* an option in section [Install] */
};

/*
 * Reads a unit file as go-systemd's lexer does, including its limit of a line's length. Returns
 * false if the lexer refuses the file: *ret_problem is the reason, *ret_at the offset in `text`.
 */
MUST_CHECK bool unit_file_read(sv text, struct unit_file *ret_file, const char **ret_problem,
                               size_t *ret_at);

#endif
