/*
 * shape: tables of the members that documents have.
 *
 * A `struct shape` lists the members of a map: names, types, what is required, what each is for.
 * One reader checks a document by it, however strict its owner is (an API server, a webhook,
 * osm-gen); JSON Schemas for editors are made of the same table (schema.c).
 *
 * Tables are constant data. A value of the input that is null counts as absent, as in Kubernetes.
 */
#ifndef OSM_GEN_SHAPE_SHAPE_H
#define OSM_GEN_SHAPE_SHAPE_H

#include "base/base.h"
#include "diag/diag.h"
#include "value/value.h"

/* ---- tables -------------------------------------------------------------------------------- */

enum shape_type {
	SHAPE_TEXT,
	SHAPE_SCALAR, /* a string; a number, true or false count as if they were in quotes */
	SHAPE_BOOL,
	SHAPE_INT, /* of 64 bits */
	SHAPE_INT32,
	SHAPE_UINT, /* of 64 bits, not negative */
	SHAPE_FLOAT,
	SHAPE_TIME,     /* a string, RFC 3339 */
	SHAPE_DURATION, /* a string, "1h30m" as Go has it */
	SHAPE_BASE64,   /* a string, standard base64 */
	/* A number of 32 bits, or a string such as "25%". A choice of digits may be a number, too.
	 */
	SHAPE_INT_OR_TEXT,
	SHAPE_INT64_OR_TEXT, /* a number of 64 bits, or a string */
	SHAPE_MAP,           /* a map with the members `of`; with any members if that is null */
	SHAPE_ANY,
};
enum { SHAPE_TYPES = SHAPE_ANY + 1 };

/* How many values of its type a member has. */
enum shape_form {
	SHAPE_ONE,
	SHAPE_LIST,
	SHAPE_DICT,       /* a map with any keys, whose values have the type */
	SHAPE_LISTS,      /* a list of lists */
	SHAPE_DICTS,      /* a map with any keys, whose values are such maps */
	SHAPE_DICT_LISTS, /* a map with any keys, whose values are lists */
};

enum shape_flags {
	SHAPE_REQUIRED = 1 << 0,  /* must be there */
	SHAPE_FILLED = 1 << 1,    /* must be there, and not empty */
	SHAPE_SECRET = 1 << 2,    /* its value is a credential */
	SHAPE_NULLABLE = 1 << 3,  /* of what a program wrote: it may be null */
	SHAPE_NOT_EMPTY = 1 << 4, /* may be absent, but not empty */
	/* This bit and those above it belong to the table: which versions have the member. */
	SHAPE_OWN = 1 << 8,
};

struct shape_member {
	const char *name;
	enum shape_type type;
	enum shape_form form;
	/*
	 * The members of a SHAPE_MAP, or of the items. For another type: the members of a map that
	 * may be there instead of the value. May be null.
	 */
	const struct shape *of;
	unsigned flags;
	const char *choices; /* the strings that it may be, "a|b"; null for any */
	/* Returns the same where another table has them. May be null. */
	sv (*choices_of)(struct arena *arena);
	const char *help;    /* a line for people; null where the name is enough */
	const char *initial; /* the default in words; may be null */
	const char *pattern; /* a regular expression that a string matches; may be null */
	int64_t least;       /* bounds of a number; both 0 for none */
	int64_t most;        /* INT64_MAX for no upper one */
};

/*
 * A member in a table: its name, its type and form without SHAPE_, its help (or NULL), then other
 * members of struct shape_member.
 */
#define SHAPE_ROW(key, kind, how, ...)                                                             \
	{                                                                                          \
		.name = (key), .type = SHAPE_##kind, .form = SHAPE_##how, .help = __VA_ARGS__      \
	}
/* The usual ones: a name, of a map its shape, help, then other members of struct shape_member. */
#define ROW_TEXT(key, ...)            SHAPE_ROW(key, TEXT, ONE, __VA_ARGS__)
#define ROW_TEXTS(key, ...)           SHAPE_ROW(key, TEXT, LIST, __VA_ARGS__)
#define ROW_TEXT_DICT(key, ...)       SHAPE_ROW(key, TEXT, DICT, __VA_ARGS__)
#define ROW_BOOL(key, ...)            SHAPE_ROW(key, BOOL, ONE, __VA_ARGS__)
#define ROW_INT(key, ...)             SHAPE_ROW(key, INT, ONE, __VA_ARGS__)
#define ROW_INT32(key, ...)           SHAPE_ROW(key, INT32, ONE, __VA_ARGS__)
#define ROW_MAP(key, shape, ...)      SHAPE_ROW(key, MAP, ONE, __VA_ARGS__, .of = &(shape))
#define ROW_MAPS(key, shape, ...)     SHAPE_ROW(key, MAP, LIST, __VA_ARGS__, .of = &(shape))
#define ROW_MAP_DICT(key, shape, ...) SHAPE_ROW(key, MAP, DICT, __VA_ARGS__, .of = &(shape))

struct shape {
	const char *name; /* as JSON Schemas call it; unique among the shapes of a document */
	const struct shape_member *members;
	size_t count;
	bool is_open;                      /* other members are ignored */
	const struct shape_member *others; /* what members with other names are; may be null */
	const char *one; /* "a file": the map in messages; null for the name of its member */
};
#define SHAPE(text, list)                                                                          \
	{                                                                                          \
		.name = (text), .members = (list), .count = COUNT_OF(list)                         \
	}

/* Defines a shape of one file and its members. */
#define SHAPE_TABLE(id, text, ...)                                                                 \
	static const struct shape_member id##_members[] = {__VA_ARGS__};                           \
	static const struct shape id = SHAPE(text, id##_members)

/* ---- places -------------------------------------------------------------------------------- */

/* The path of a value, as a chain from its end. */
struct shape_place {
	const struct shape_place *outer; /* null for the outermost one */
	sv name;                         /* of a member; unused for an item */
	size_t index;                    /* of a list's item */
	bool is_item;
};
/* Returns "spec.template.spec.taints[0].effect"; empty for null. */
sv shape_place_text(struct arena *arena, const struct shape_place *place);

/* ---- reading ------------------------------------------------------------------------------- */

enum shape_problem_kind {
	SHAPE_UNKNOWN,    /* no member has this name */
	SHAPE_ELSEWHERE,  /* a member of another version has it */
	SHAPE_WRONG_TYPE, /* the value does not have the type, or its text not the form */
	SHAPE_NEGATIVE,   /* a SHAPE_UINT below 0 */
	SHAPE_TOO_LARGE,  /* a number that the type cannot hold */
	SHAPE_NO_CHOICE,  /* the string is not among `choices` */
	SHAPE_NO_MATCH,   /* a number out of bounds */
	SHAPE_EMPTY,      /* SHAPE_FILLED or SHAPE_NOT_EMPTY, and there is nothing in it */
	SHAPE_MISSING,    /* SHAPE_REQUIRED or SHAPE_FILLED, and not there */
};

struct shape_problem {
	enum shape_problem_kind kind;
	const struct shape_place *place;   /* of the value, or of the member that is not there */
	const struct shape *shape;         /* of the map around it */
	const struct shape_member *member; /* null for SHAPE_UNKNOWN */
	bool is_item;                      /* the value is an item of the member's list or map */
	enum shape_form form;              /* of the value: of an item's, if it is one */
	/* The value; the map for SHAPE_MISSING. */
	const struct value *value;
	const struct value_entry *entry; /* for SHAPE_UNKNOWN and SHAPE_ELSEWHERE; else null */
};

enum shape_options {
	SHAPE_FOLDS_CASE = 1 << 0,   /* names match as encoding/json has it: case does not matter */
	SHAPE_WHOLE_FLOATS = 1 << 1, /* 3.0 is a whole number, as after conversion to JSON */
	/* Problems come in the order of the table, after the unknown members of the map. */
	SHAPE_TABLE_ORDER = 1 << 2,
	/* A null in a map is left out, one in a list is wrong, as in custom resources. */
	SHAPE_PRUNES_NULLS = 1 << 3,
	SHAPE_REFUSES_NULLS = 1 << 4, /* a null in a list or in a map with any keys is wrong */
	SHAPE_TYPES_ALONE = 1 << 5,   /* the owner checks what is required, choices and bounds */
	/* The owner checks choices, and what is in lists and in maps with any keys. */
	SHAPE_OUTLINE = 1 << 6,
};

/* One reading of a document. */
struct shape_reader {
	struct arena *arena;
	unsigned options; /* of enum shape_options */
	unsigned absent;  /* members with one of these flags are of another version */
	/* Gets every problem. May be null. */
	void (*report)(struct shape_reader *reader, const struct shape_problem *problem);
	/*
	 * Returns true for a value that the reader must not look into, such as one that is checked
	 * by other code. May be null.
	 */
	bool (*skips)(struct shape_reader *reader, const struct shape_place *place,
	              const struct value *value);
	/*
	 * Returns true for a string whose text is not known, such as one that is not decrypted: its
	 * form and choices are not checked. May be null.
	 */
	bool (*is_unknown)(const struct value *string);
	void *context; /* the owner's */
	size_t problems;
};

/*
 * Checks that a value is a map with the members of the shape. `place` is that of the map, null for
 * the document. Returns STATUS_FAILED after any problem, of the unknown members, too. Problems come
 * in the order of the document.
 */
enum status shape_check(struct shape_reader *reader, const struct shape *shape,
                        const struct shape_place *place, const struct value *map);
/*
 * Does the same, and returns the members that the shape has and whose values are right, with the
 * names of the table; nulls are left out. With SHAPE_FOLDS_CASE the order is that of sorted keys.
 * Items of a list that are null become the zero value of their type, as Go's decoders have it,
 * unless SHAPE_REFUSES_NULLS is set.
 */
struct value shape_take(struct shape_reader *reader, const struct shape *shape,
                        const struct shape_place *place, const struct value *map);

/* ---- asking a table ------------------------------------------------------------------------ */

/* Returns the member of this name that none of the flags `absent` has, or null. */
const struct shape_member *shape_find(const struct shape *shape, sv name, unsigned absent);
/* Returns the names of the members that none of the flags has, in the order of the table. */
struct diag_names shape_names(struct arena *arena, const struct shape *shape, unsigned absent);
/* Returns the name that a misspelt one probably means, or an empty one. */
sv shape_nearest(struct arena *arena, const struct shape *shape, sv name, unsigned absent);
/* Returns the strings that the member may be, "a|b"; empty for any. */
sv shape_choices(struct arena *arena, const struct shape_member *member);
/* Appends one of the strings that a member may be to others, as `choices` has them. */
void shape_add_choice(struct buf *choices, sv choice);
/* Returns "a string", "a list of maps": what the member must be, in words. */
sv shape_wanted(struct arena *arena, const struct shape_member *member, bool is_item);

/* ---- JSON Schemas -------------------------------------------------------------------------- */

struct shape_schema {
	const char *id; /* of the schema, a URL; may be null */
	const char *title;
	const char *description;
	unsigned absent;
	/* The reader's, as far as they are about nulls and case. */
	unsigned options;
	/* A program writes these documents. A later version may add members, so unknown ones are
	 * allowed, and null is allowed only with SHAPE_NULLABLE. */
	bool is_output;
	/* SOPS may have encrypted values: a document with its block, `sops`, is not checked. */
	bool may_be_encrypted;
	const char *prefix; /* of the names of definitions; may be null */
};
/*
 * Returns a JSON Schema (draft 7) of a document. Shapes that a member refers to are definitions.
 * Members of the map may be null unless they are required.
 */
struct value shape_json_schema(struct arena *arena, const struct shape *shape,
                               const struct shape_schema *schema);
/*
 * Returns the words of "a|b" as a list of strings. With `has_numbers`, a word of digits is a
 * number, too, as YAML reads it without quotes.
 */
struct value shape_words(struct arena *arena, sv words, bool has_numbers);
/* Returns the schema of one member, and adds the definitions that it refers to to a map. */
struct value shape_member_schema(struct arena *arena, const struct shape_member *member,
                                 const struct shape_schema *schema, struct value *definitions);
/* Returns the schema of a map with the members of a shape, in the same way. */
struct value shape_map_schema(struct arena *arena, const struct shape *shape,
                              const struct shape_schema *schema, struct value *definitions);

#endif
