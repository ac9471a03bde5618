/*
 * setting: a setting of a dialect or of fleet/, for osm-gen.yaml, flags and help pages. Part of
 * dialect.h, which other folders include.
 */
#ifndef OSM_GEN_DIALECT_SETTING_H
#define OSM_GEN_DIALECT_SETTING_H

#include <stddef.h>

#include "base/base.h"
#include "diag/diag.h"
#include "dialect/setter.h"
#include "value/value.h"

/*
 * How a value is read, checked and stored. A string is stored in a struct value, or in an sv if
 * the member is one. A version, reference, URL, image or bundle may be empty.
 */
enum setting_kind {
	/* Strings: setting_is_string. */
	SETTING_TEXT,      /* any string, also the empty one */
	SETTING_WORD,      /* one of `words`: its number in an enum or bool, or the word in an sv */
	SETTING_VERSION,   /* "1.34.1", or the empty string */
	SETTING_NAMESPACE, /* the name of a namespace */
	SETTING_REFERENCE, /* "NAMESPACE/NAME", in a struct setter_reference */
	SETTING_URL,       /* a URL of the form `url`; its user and password become secret */
	SETTING_IMAGE,     /* an image */
	SETTING_BUNDLE,    /* the content of a file: PEM certificates */
	/* The others. */
	SETTING_BOOL,
	SETTING_NUMBER, /* a whole number within bounds: an int64_t */
	/* A list of strings, or one string with commas between them: a list. */
	SETTING_LIST,
	/* A list of strings; the flag is repeated, and a comma is part of an item. Needs `take`. */
	SETTING_REPEAT,
	SETTING_MAP,      /* a map of strings, or one string "A=b,C=d". Needs `take`. */
	SETTING_SWITCHES, /* a map of booleans, or one string "A=true,B=false". Needs `take`. */
	SETTING_LIMITS,   /* userDataLimits: a map of integers */
};

/* The setting of every dialect that replaces the API server of cluster-info. */
#define SETTING_API_SERVER "overrideBootstrapKubeletAPIServer"

/*
 * One setting: a flag (--cluster-dns), its name in osm-gen.yaml (clusterDNS), its help, and how
 * its value becomes a member of the dialect's settings. The command line, osm-gen.yaml, the JSON
 * Schema and the documentation are made of these rows.
 */
struct setting {
	sv flag;
	sv name;
	enum setting_kind kind;
	size_t offset;           /* of the member in the dialect's struct (SETTING_MEMBER) */
	size_t size;             /* of the member */
	size_t given;            /* offset of a struct setting_given; 0 for none */
	const char *placeholder; /* "IP,..." in help pages; null for the kind's own */
	const char *help;
	bool controller;     /* the system's own controller has this flag too */
	const char *initial; /* the default, as a flag has it; null for nothing */
	/*
	 * A value as osm-gen.yaml has it: JSON, or for kinds of strings the string without quotes.
	 */
	const char *example;
	bool may_be_sealed; /* SOPS may encrypt it: nothing clear in the output depends on it */
	/*
	 * The words, "a|b", in the order of the enum. A word of digits may be given as a number,
	 * which YAML makes of it.
	 */
	const char *words;
	/* The empty string is the first word and counts as not given; empty items are left out. */
	bool may_be_empty;
	int64_t least; /* bounds of a number */
	int64_t most;
	const char *problem; /* of another word or number: "must be keep or omit" */
	const char *remedy;
	const struct setter_url *url;
	/* If "@" may be the end of a password in the value or an item: the help of that mistake. */
	const char *user_remedy;
	/* Another check, of the string or of each item of the list; or null. */
	setter_check *check;
	/* Reads, checks and stores the value in another way than the kind's. */
	enum status (*take)(const struct setter *s, const struct value *v, void *ret_member);
};
#define SETTING_MEMBER(type, member)                                                               \
	.offset = offsetof(struct type, member), .size = sizeof(((struct type *)NULL)->member)

/* The place of a setting's value, for settings whose default is not the same as not given. */
struct setting_given {
	bool is_given;
	struct position at;
};

/* The settings of a dialect. Their values are the members of a struct. */
struct setting_table {
	const struct setting *rows;
	size_t count;
	size_t size; /* of the struct */
};

/* Returns a copy of the dialect's struct `from`, or the defaults if it is null. */
void *settings_new(struct arena *arena, const struct setting_table *table, const void *from);
/*
 * Checks a value and sets it. The value is from osm-gen.yaml, or a string or list of strings from
 * the command line; null sets nothing. Reports an invalid value at its position, down to the item
 * of a comma list. Replaces the member's value, and never changes a value that two copies share.
 */
MUST_CHECK enum status setting_set(struct arena *arena, struct sink *sink, void *settings,
                                   const struct setting *setting, const struct value *value);

static inline bool setting_is_string(const struct setting *setting)
{
	return setting->kind < SETTING_BOOL;
}
/* Returns the placeholder in help pages, or null for SETTING_BOOL. */
const char *setting_placeholder(const struct setting *setting);
/*
 * Returns true if the value of a SETTING_BUNDLE is a path. The caller must then replace it with the
 * file's content (from the commit for osm-gen.yaml, from disk for a flag) before it sets it. A
 * value with a line break is the content itself.
 */
bool setting_names_file(const struct setting *setting, const struct value *value);

#endif
