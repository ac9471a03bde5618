/*
 * The tables of a TOML document while it is read (private to toml/). A table is defined by its
 * header, implied by the names of other tables, or first implied and then defined; some
 * redefinitions are mistakes.
 */
#ifndef OSM_GEN_TOML_TABLES_H
#define OSM_GEN_TOML_TABLES_H

#include "base/base.h"
#include "toml/lex.h"
#include "value/value.h"

/* A dotted key. */
struct toml_path {
	const sv *parts;
	size_t count;
};

struct toml_path toml_path_add(struct arena *arena, struct toml_path path, sv part);
sv toml_path_text(struct arena *arena, struct toml_path path);

/* Properties of a key beside its value. */
struct toml_key_info {
	bool is_implicit; /* a table that only names of other tables imply so far */
	bool is_array;
};

struct toml_tables {
	struct arena *arena;
	struct toml_lexer *lx; /* has the first mistake */
	struct value root;
	struct map infos;         /* dotted key to struct toml_key_info */
	struct toml_path context; /* of the current table */
	int line;                 /* of the last key or table name */
};

/* Returns the properties of a key, which are made if they are missing. Never returns null. */
struct toml_key_info *toml_tables_info(struct toml_tables *t, struct toml_path path);
/* Sets a key in the current table. */
bool toml_tables_set(struct toml_tables *t, sv key, struct value value);
/*
 * Makes `path` the current table; missing tables above it are made. With `is_array` it is a new
 * last item of an array of tables.
 */
bool toml_tables_open(struct toml_tables *t, struct toml_path path, bool is_array);

/* ---- encode.c ------------------------------------------------------------------------------ */

/* One part of a key, quoted unless it is bare: letters, digits, _ and -. */
void toml_add_key(struct buf *buf, sv key);

#endif
