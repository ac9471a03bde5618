/*
 * setting: what people set: the settings of a dialect or of fleet/, for osm-gen.yaml, flags and
 * help pages, and variables of the environment. Part of dialect.h, which other folders include.
 */
#ifndef OSM_GEN_DIALECT_SETTING_H
#define OSM_GEN_DIALECT_SETTING_H

#include "base/base.h"
#include "diag/diag.h"
#include "value/value.h"

#include <stddef.h>

/* ---- forms that the programs of nodes read (form.c) ----------------------------------------- */

/* Returns true for a name of DNS, with or without _, or an address without brackets. */
bool form_is_host(sv text);
/* Returns true for a port from 1 to 65535. */
bool form_is_port(sv text);
/* Returns true for HOST and HOST:PORT. An IPv6 address is in brackets. */
bool form_is_host_port(sv text);
/* Returns true for a registry as containerd's hosts.toml has it: HOST[:PORT][/PATH], *, _default.
 */
bool form_is_registry(sv text);
/*
 * Returns true for a reference to an image, by the grammar of
 * https://github.com/distribution/reference: [REGISTRY/]NAME[:TAG][@DIGEST].
 */
bool form_is_image(sv text);
/*
 * Returns a message about a URL that no program of nodes takes ("names no host"), or null.
 * `schemes` are those that are taken, in lower case, ending with null; `wanted` is the message
 * about any other.
 */
const char *form_url_mistake(struct arena *arena, sv url, const char *const *schemes,
                             const char *wanted);

/* ---- values: reading and checking them (setter.c) ------------------------------------------- */

struct setting;

/* One setting that is being set. Mistakes are reported to the sink with the setting's name. */
struct setter {
	struct arena *arena;
	struct sink *sink;
	const struct setting *setting;
};

struct setter_item {
	struct value text;
	struct position at;
};
VEC_TYPE(setter_items, struct setter_item);

/* Reports DIAG_SETTING_VALUE. Always returns STATUS_FAILED. */
enum status setter_report(const struct setter *s, struct position at, const char *problem,
                          const char *help);
/* Warns with DIAG_SETTING_DOUBT. */
void setter_warn(const struct setter *s, struct position at, const char *problem, const char *help);
/*
 * Returns false for a string whose form cannot be judged: a placeholder of an encrypted value, and
 * one with a variable that nothing fills in, which has a warning of its own.
 */
bool setter_has_form(const struct value *text);
/*
 * Reports a URL with "@" in which the end of user and password is unclear
 * (secrecy_userinfo_is_unclear). The message shows neither the URL nor its line. `url` may be a
 * part of the value that is set.
 */
MUST_CHECK enum status setter_check_url(const struct setter *s, const struct value *url,
                                        struct position at);
/* Reports "@" in a list of hosts, or in the name of one, in the same way, with that help. */
MUST_CHECK enum status setter_check_host(const struct setter *s, const struct value *host,
                                         struct position at, const char *help);
/* A check of a string, or of an item of a list. */
typedef enum status setter_check(const struct setter *s, const struct value *item,
                                 struct position at);
/*
 * Calls `check` for each item of a list of strings, or of a comma list if `split` is true. Items of
 * another kind are skipped. Fails if a check fails.
 */
MUST_CHECK enum status setter_check_items(const struct setter *s, const struct value *v, bool split,
                                          setter_check *check);
/* Returns the position of an item in a comma list, as exactly as the scalar's style allows. */
struct position setter_item_position(const struct value *v, size_t offset, size_t len);

/* Takes a string. A null value is the empty string. */
MUST_CHECK enum status setter_take_text(const struct setter *s, const struct value *v,
                                        struct value *ret);
/* Takes a boolean, or a string that Go's strconv.ParseBool accepts. */
MUST_CHECK enum status setter_take_bool(const struct setter *s, const struct value *v, bool *ret);
/*
 * Takes a list of strings, or one string. With `split` that string is a list with commas, whose
 * items are trimmed. Empty items are kept.
 */
MUST_CHECK enum status setter_take_list(const struct setter *s, const struct value *v, bool split,
                                        struct setter_items *ret_items);
/* An object that a setting names. All strings are empty if the setting is. */
struct setter_reference {
	sv namespace;
	sv name;
	struct value text; /* as written: "NAMESPACE/NAME" */
};
/* The URLs that a setting takes. A constant is shared by settings. */
struct setter_url {
	const char *const *schemes; /* ending with null */
	const char *problem;        /* "must be a URL of http or https" */
	const char *help;
	/* HOST and HOST:PORT are taken with a warning, which has this help; or null. */
	const char *scheme_help;
	bool has_no_query; /* a query and a fragment are mistakes */
};
/*
 * Reports a URL that the setting does not take. `url` may be a part of the value that is set, and
 * is not empty. The message shows no line of a URL with a password.
 */
MUST_CHECK enum status setter_check_url_form(const struct setter *s, const struct value *url,
                                             struct position at, const struct setter_url *form);
/* The https URL of an API server: a client certificate, which the kubelet gets, needs TLS. */
extern const struct setter_url setter_url_of_server;
/* Reports what is not the name of a registry, or an empty one (form_is_registry). */
MUST_CHECK enum status setter_check_registry(const struct setter *s, const struct value *name,
                                             struct position at);
/*
 * rotation.c: warns of a string for tokenRotation that looks like a period and is not daily, weekly
 * or monthly. Never fails.
 */
MUST_CHECK enum status setter_check_rotation(const struct setter *s, const struct value *text,
                                             struct position at);

/*
 * The versions of another program that osm-gen was compared with: minor versions of major 1. Each
 * setting of SETTING_VERSION has one.
 */
struct setting_known {
	const char *program;
	unsigned oldest;
	unsigned newest;
	const char *source; /* of the range: a test, or a file of the program */
	const char *help;   /* of the warning */
};
/* known.c: warns of a version that is out of the range. `name` is that of the setting or member. */
void setting_check_known(struct arena *arena, struct sink *sink, const struct setting_known *known,
                         sv name, const struct value *text);

/* ---- settings (setting.c) ------------------------------------------------------------------- */

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
	const struct setting_known *known;
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

/* ---- the environment (--allow-env) ---------------------------------------------------------- */

/* An environment variable that --allow-env may name. */
struct dialect_variable {
	sv name;
	bool is_plain; /* not a secret: the output has it in the clear anyway */
};

/*
 * A variable that --allow-env binds to a cluster: the cluster sees it as `name`, and the
 * environment holds it as `variable`.
 */
struct dialect_binding {
	sv cluster; /* or DIALECT_EVERY_CLUSTER */
	sv name;    /* of a struct dialect_variable */
	sv variable;
	struct value text; /* null if the variable is not set, or is not read here */
};
#define DIALECT_EVERY_CLUSTER SV("*")

struct dialect_environment {
	const struct dialect_binding *items;
	size_t count;
};

/* Returns all variables that --allow-env may name, sorted. */
const sv *dialect_variable_names(struct arena *arena, size_t *ret_count);
/* Returns the bindings with their strings tainted as "env:NAME", except plain ones. */
struct dialect_environment dialect_taint_environment(struct arena *secret_arena,
                                                     const struct dialect_environment *environment);

#endif
