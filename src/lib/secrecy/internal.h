/*
 * Private to secrecy/: what its files share.
 */
#ifndef OSM_GEN_SECRECY_INTERNAL_H
#define OSM_GEN_SECRECY_INTERNAL_H

#include "secrecy/secrecy.h"

/* ---- credential.c ------------------------------------------------------------------------ */

/*
 * Where user and password of a URL stand that begins at or after `from`: "SCHEME://USER:PW@HOST",
 * also without the scheme, then only with a password: "USER:PW@HOST". A password may hold an "@",
 * though it should not: the last one counts.
 */
bool secrecy_find_userinfo(sv text, size_t from, size_t *ret_start, size_t *ret_end);
/* Keys of Secrets whose values are public by what Kubernetes and its tools say of them. */
bool secrecy_is_public_key(sv key);
/* A URL that gives nothing away: without user, path and query. */
bool secrecy_is_public_url(sv text);

/* ---- layers.c ---------------------------------------------------------------------------- */

/* Whether the bytes are one DER sequence and nothing after it. */
bool secrecy_is_der(sv der);

/* ---- lines.c ----------------------------------------------------------------------------- */

/*
 * The lines of all secrets, and which of them are public. Filled and published by one thread, then
 * read by many.
 */
struct secret_lines;

/* A line that has the form of a credential: somebody's text never makes it public. */
bool secrecy_is_credential_line(sv line);
/* Shorter lines are likely to be anybody's; the marks of a PEM block are public words. */
#define SECRECY_MIN_LINE 16
static inline bool secrecy_is_long_line(sv line)
{
	return line.len >= SECRECY_MIN_LINE && !sv_starts_with(line, SV("-----"));
}

struct secret_lines *secret_lines_new(struct arena *secret_arena);
/*
 * The value of a Secret's key, each long line of it, and itself. The string must outlive the lines;
 * it is where people find them.
 */
void secret_lines_add(struct secret_lines *lines, sv key, const struct value *string);
/* What the program has in the clear is public, whatever its form. */
void secret_lines_publish_own(struct secret_lines *lines, const struct secrecy_public *public);
/*
 * What a clear manifest has is public where it has not the form of a credential; strings among
 * inline_secrets (by text) are not looked at.
 */
void secret_lines_publish(struct secret_lines *lines, const struct value *clear,
                          const struct map *inline_secrets);
/* A line, or the whole text of a secret, without the white space around it. */
bool secret_lines_is_public(const struct secret_lines *lines, sv text);
/* Where it is written; *ret_line counts in the secret from 1. False: nowhere. */
bool secret_lines_place(const struct secret_lines *lines, sv text, struct position *ret_at,
                        size_t *ret_line);

/* ---- leak.c ------------------------------------------------------------------------------ */

/* The secret's text as it is, and no other form of it. */
void leak_scanner_add_text(struct leak_scanner *scanner, const struct secret *secret);
/*
 * Passes over lines and whole secrets that are public, as do scanners on top of it made later.
 * passes is secret_lines_is_public.
 */
typedef bool leak_passes(const struct secret_lines *lines, sv text);
void leak_scanner_pass_over(struct leak_scanner *scanner, leak_passes *passes,
                            const struct secret_lines *lines);
/* Null: it passes over none. */
const struct secret_lines *leak_scanner_lines(const struct leak_scanner *scanner);

#endif
