/*
 * setter: reads and checks the values of settings, and reports wrong ones: what setting.c is made
 * of, and the checks of the settings that have their own. Part of dialect.h, which other folders
 * include.
 */
#ifndef OSM_GEN_DIALECT_SETTER_H
#define OSM_GEN_DIALECT_SETTER_H

#include "base/base.h"
#include "diag/diag.h"
#include "value/value.h"

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
 * Warns of a string for tokenRotation that looks like a period and is not daily, weekly or monthly.
 * Never fails.
 */
MUST_CHECK enum status setter_check_rotation(const struct setter *s, const struct value *text,
                                             struct position at);

#endif
