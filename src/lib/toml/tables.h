/*
 * The tables of a TOML text while it is read (private to toml/). A table is defined by its header,
 * implied by the names of others, or both in turn; which it was decides what is a mistake.
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

/* What is known of a key beside its value. */
struct toml_key_info {
	bool is_implicit; /* a table that only others' names imply so far */
	bool is_array;
};

struct toml_tables {
	struct arena *arena;
	struct toml_lexer *lx; /* has the first mistake */
	struct value root;
	struct map infos;         /* dotted key to struct toml_key_info */
	struct toml_path context; /* of the table at hand */
	int line;                 /* of the last key or table name */
};

/* Never null. */
struct toml_key_info *toml_tables_info(struct toml_tables *t, struct toml_path path);
/* Sets key in the table at hand. */
bool toml_tables_set(struct toml_tables *t, sv key, struct value value);
/*
 * Makes path the table at hand; the tables on the way there are made when missing. is_array: a new
 * last one of an array of tables.
 */
bool toml_tables_open(struct toml_tables *t, struct toml_path path, bool is_array);

#endif
