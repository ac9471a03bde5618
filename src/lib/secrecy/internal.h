/*
 * Private to secrecy/: what its files share.
 */
#ifndef OSM_GEN_SECRECY_INTERNAL_H
#define OSM_GEN_SECRECY_INTERNAL_H

#include "secrecy/secrecy.h"

/* ---- credential.c ------------------------------------------------------------------------ */

/*
 * Finds user and password of the first URL from offset `from` on: "SCHEME://USER:PW@HOST", or, with
 * a password only, "USER:PW@HOST" without scheme. If a password has an "@", the last one counts.
 */
bool secrecy_find_userinfo(sv text, size_t from, size_t *ret_start, size_t *ret_end);
/* Returns true for keys of Secrets that Kubernetes and its tools define as public. */
bool secrecy_is_public_key(sv key);
/* Returns true for a URL that reveals nothing: without user, path and query. */
bool secrecy_is_public_url(sv text);

/* ---- layers.c ---------------------------------------------------------------------------- */

/* Returns true if the bytes are one DER sequence with nothing after it. */
bool secrecy_is_der(sv der);

/* ---- lines.c ----------------------------------------------------------------------------- */

/*
 * The lines of all secrets, each public or not. One thread fills and publishes them, then many
 * read.
 */
struct secret_lines;

/* Returns true for a line in the form of a credential, which no manifest makes public. */
bool secrecy_is_credential_line(sv line);
/* Shorter lines are too common to be secret; the marks of a PEM block are public words. */
#define SECRECY_MIN_LINE 16
static inline bool secrecy_is_long_line(sv line)
{
	return line.len >= SECRECY_MIN_LINE && !sv_starts_with(line, SV("-----"));
}

struct secret_lines *secret_lines_new(struct arena *secret_arena);
/*
 * Adds the value of a Secret's key, as a whole and line by line. The string, whose position is used
 * in messages, must outlive the lines.
 */
void secret_lines_add(struct secret_lines *lines, sv key, const struct value *string);
/* Publishes lines that the program's own documents have, whatever their form. */
void secret_lines_publish_own(struct secret_lines *lines, const struct secrecy_public *public);
/*
 * Publishes lines that a clear manifest has, unless they have the form of a credential. Strings in
 * inline_secrets are skipped.
 */
void secret_lines_publish(struct secret_lines *lines, const struct value *clear,
                          const struct set *inline_secrets);
/* Returns true if a line, or a whole secret, is public; white space around it does not matter. */
bool secret_lines_is_public(const struct secret_lines *lines, sv text);
/* Appends all lines that may be public, and which of them are (known_secrets_add_bytes). */
void secret_lines_add_bytes(const struct secret_lines *lines, struct buf *secret_buf);
/* Finds its place; *ret_line counts lines of the secret from 1. Returns false if it has none. */
bool secret_lines_place(const struct secret_lines *lines, sv text, struct position *ret_at,
                        size_t *ret_line);

/* ---- leak.c, leak_forms.c ------------------------------------------------------------------ */

/* Makes room for that many tokens at once: outgrown tables would stay in the arena. */
void leak_scanner_expect(struct leak_scanner *scanner, size_t tokens);
/* Adds a secret verbatim, in no other form. */
void leak_scanner_add_text(struct leak_scanner *scanner, const struct secret *secret);
/*
 * Makes the scanner, and scanners made on top of it later, skip public lines and whole secrets.
 * `passes` is secret_lines_is_public.
 */
typedef bool leak_passes(const struct secret_lines *lines, sv text);
void leak_scanner_pass_over(struct leak_scanner *scanner, leak_passes *passes,
                            const struct secret_lines *lines);
/* Returns the lines that it skips, or null. */
const struct secret_lines *leak_scanner_lines(const struct leak_scanner *scanner);

#endif
