/*
 * secrecy: decides what is a secret, finds secrets in values, and keeps them out of clear output.
 *
 *   credential.c   names and strings that mean a credential
 *   manifest.c     the same for files that are not parsed yet, or cannot be
 *   layers.c       strings inside strings: base64, gzip, escapes
 *   look.c         strings that look like secrets or contain one
 *   look_word.c    single words that do
 *   look_public.c  what is public though it looks random
 *   visit.c        the one walk over values
 *   taint.c        marking: a string, a URL's password, all credentials of a tree
 *   known.c        every secret of a run
 *   lines.c        lines of secrets that are public
 *   leak.c         the scan of clear bytes for secrets
 *   leak_forms.c   each secret as encoders write it, which the scan looks for
 *   leak_table.c   the tables in which it is found
 *   leak_report.c  its findings as diagnostics
 *   mask.c         secrets in messages
 *   redact.c       secrets in clear files of the output
 *
 * Taints are defined in value/. Callers add only what their own formats know: names of fields that
 * hold credentials, and strings that are public.
 *
 * The module uses yaml/ and json/. Some secrets have a structure (a kubeconfig, a list of
 * registries, a cloud's service account), and only parsing shows which of their parts are secret.
 * The leak scan also looks for secrets as JSON escapes them.
 *
 * Secrets are kept in arenas of kind ARENA_SECRET. No message contains one.
 */
#ifndef OSM_GEN_SECRECY_SECRECY_H
#define OSM_GEN_SECRECY_SECRECY_H

#include "diag/diag.h"
#include "value/value.h"

/* ---- what counts as a secret ------------------------------------------------------------- */

/*
 * Returns true if a value under that name is a credential: "password", "api-key",
 * "secretAccessKey", "OS_PASSWORD", but not "secretName" or "sshPublicKey". Names that only
 * identify (a user, an organisation) do not count: hiding those would hide half of the output.
 */
bool secrecy_names_credential(sv name);
/* Returns true if a string of any kind contains the user or password of a URL. */
bool secrecy_holds_userinfo(sv text);
/*
 * Returns true if a URL, with or without a scheme, contains "@" and is not of the form
 * SCHEME://USER:PASSWORD@HOST with reserved characters percent-encoded. Programs then disagree
 * about where a password ends, so none of its text may be printed.
 */
bool secrecy_userinfo_is_unclear(sv url);
/*
 * Returns true if a string of any kind contains the user or password of a URL, or a line of it may
 * contain one with reserved characters. A heuristic, for lines that messages would show.
 */
bool secrecy_may_hold_userinfo(sv text);
/* Replaces each user and password of a URL by "***": for output of other programs. */
sv secrecy_mask_userinfo(struct arena *arena, sv text);
/* Returns true if it contains a private key in PEM form, an age identity or a sealing seed. */
bool secrecy_holds_private_key(sv text);
/* Returns true if it is certificates in PEM form and nothing else, which are public. */
bool secrecy_is_certificates(struct arena *arena, sv text);
/*
 * Returns true for strings that a machine made from at least 16 random bytes, so that a keyed
 * fingerprint of them may be shown: a JSON Web Token, a bootstrap token
 * ("abcdef.0123456789abcdef"), long hexadecimal.
 */
bool secrecy_is_random(sv text);

/* Returns true for secretKeyRef and configMapKeyRef, whose value names a credential's object. */
bool secrecy_names_reference(sv name);

/* Public strings: a word in them is never treated as a secret. */
struct secrecy_public {
	const sv *texts;
	size_t count;
};
/*
 * Returns true if a string of letters, "-" and "." occurs in one of them. A string with a digit or
 * another sign could be random and is never public.
 */
bool secrecy_is_public_word(const struct secrecy_public *public, sv text);

/*
 * Heuristics on manifests that are not parsed yet, or cannot be. They prefer false positives.
 */

/* Returns true if it has a credential whatever its name: a URL's user and password, a private key.
 */
bool secrecy_manifest_holds_credential(sv text);
/*
 * Returns true for the same, or for a `KEY: value` whose key means a credential. Template
 * placeholders and kubeconfigs in YAML that name no credential do not count.
 */
bool secrecy_manifest_may_hold_credential(sv text);
/*
 * Returns true for the same, or if a credential's name occurs anywhere: also "name: DB_PASSWORD",
 * whose value is in the next line, or "- password=...". In comments, which may be prose, only
 * `KEY: value` counts.
 */
bool secrecy_manifest_mentions_credential(sv text);

/* ---- what looks like a secret ------------------------------------------------------------ */

/*
 * Calls `layer` for a string (depth 0) and for each string inside it: base64 of both alphabets,
 * also wrapped, hexadecimal, gzip, percent-encoding and backslash escapes, nested in any order.
 * `layer` returns false to end the walk. Returns false if the string has more layers, or longer
 * ones, than are opened; the rest is unknown.
 */
typedef bool secrecy_layer(void *context, sv text, unsigned depth);
MUST_CHECK bool secrecy_each_layer(sv text, secrecy_layer *layer, void *context);

enum secrecy_look {
	SECRECY_LOOKS_PLAIN,
	SECRECY_LOOKS_SECRET,
	SECRECY_LOOKS_PRIVATE_KEY,
	SECRECY_LOOKS_PACKED, /* more layers than are opened */
};

enum secrecy_text_kind {
	SECRECY_FIELD,      /* a value of a manifest */
	SECRECY_IDENTIFIER, /* the same, of a field for identifiers, digests or names of images */
	SECRECY_PROGRAM,    /* a script, a unit, a configuration file: digests are public there */
};

/* The first secret that a string of unknown origin seems to contain. */
struct secrecy_finding {
	enum secrecy_look look;
	const char *what; /* "a JSON Web Token", for messages */
	size_t offset;    /* in the string; 0 if the place of a packed part is unknown */
};

/*
 * Returns the first finding in a string and in all its layers. Recognized: private keys, JSON Web
 * Tokens, bootstrap tokens, tokens with a vendor's prefix, hashes of passwords, credentials of
 * URLs, values after a credential's name, after "Bearer" and "Basic", and words of 20 and more
 * letters and digits that look random. Public keys, certificates, digests with their algorithm's
 * name and UUIDs do not count. A password that looks like a word, and has no name beside it, is not
 * recognized.
 */
struct secrecy_finding secrecy_look_at(sv text, enum secrecy_text_kind kind);
/*
 * Does the same for the value of a field or variable. If `name`, without a prefix such as
 * "example.com/", means a credential, then any string that may be a password is a finding.
 */
struct secrecy_finding secrecy_look_at_named(sv name, sv text, enum secrecy_text_kind kind);
/*
 * Returns the string with "***" for each word, and each quoted part, that looks like a secret: for
 * messages.
 */
sv secrecy_mask_looks(struct arena *arena, sv text);

/* ---- marking ----------------------------------------------------------------------------- */

/* Taints the whole string as a secret of that name, unless it is tainted already. */
struct value secrecy_taint_string(struct arena *arena, struct value string, sv name);
/*
 * Taints the user and password of a URL ("https://user:pw@host"). Returns the string unchanged if
 * it has neither, or is tainted already. `name` is the secret's name.
 */
struct value secrecy_taint_userinfo(struct arena *arena, struct value url, sv name);
/*
 * Copies a tree and taints strings under names that mean a credential, and user and password of
 * every URL. Numbers under such names become strings first (integers of type_integer_string). A
 * root that is not a map is a credential as a whole: it takes the place of the map. Of a reference
 * (secretKeyRef, configMapKeyRef) only members that it should not have are credentials. `more` has
 * further names, compared as encoding/json does. Secrets are named `name`
 * ("NAMESPACE/NAME:providerSpec") and the path of keys.
 */
struct value secrecy_taint_credentials(struct arena *arena, const struct value *tree, sv name,
                                       const sv *more, size_t more_count);
/*
 * Taints everything in a tree of YAML or JSON with one secret, keys too: strings as a whole, other
 * values as if they were strings of one byte.
 */
void secrecy_taint_all(struct arena *arena, struct value *v, const struct secret *secret);

/*
 * Returns a placeholder for a secret that validation does not have. It has the true secret's name,
 * so that redacted output is the same.
 */
struct value secrecy_absent(struct arena *arena, sv name, struct secret_owner owner);
bool secrecy_is_absent(const struct value *string);
/* Returns true if the secret is such a placeholder. */
bool secrecy_stands_in(const struct secret *secret);

/* ---- walking ----------------------------------------------------------------------------- */

/*
 * The one walk over values: every part of the program that looks into a value for what is secret,
 * or copies one with its secrets changed, gives it a callback.
 */

/* Decoders allow less depth. The walk of a value that contains itself ends here. */
#define SECRECY_MAX_DEPTH 500

/* The current place of a walk. */
struct secrecy_place {
	const struct secrecy_place *parent; /* null for the root */
	const struct value *value;
	const struct value_entry *entry; /* its map entry; null for a root, an item or a field */
	unsigned depth;                  /* 0 at the root */
	/* False at the root, else inherited from the parent; a callback may set it. */
	bool marked;
	/* The secret that a copied map's keys came from, or null; a callback may set it. */
	const struct secret *key_secret;
};

enum secrecy_step {
	SECRECY_INTO, /* visit the members of the value */
	SECRECY_OVER, /* skip its members */
	SECRECY_END,  /* end the walk; not for copies */
	SECRECY_OMIT, /* for copies: leave it out of its list or map */
};

/*
 * Calls the visitor for the value, then for its members: items, values of a map in its order,
 * fields, targets of pointers. Null and invalid values have no members. Returns false if the
 * visitor ended the walk.
 */
typedef enum secrecy_step secrecy_visitor(void *context, struct secrecy_place *place);
bool secrecy_visit(const struct value *v, secrecy_visitor *visitor, void *context);

/*
 * Calls `found` for each secret: for each span of a string (or of a value made from one), and once
 * for the keys of a map, with the map as the place. It returns false to end the walk.
 */
typedef bool secrecy_found(void *context, const struct secrecy_place *place,
                           const struct secret *secret);
void secrecy_each(const struct value *v, secrecy_found *found, void *context);
/* Returns the first secret anywhere in the value, or null. */
const struct secret *secrecy_find(const struct value *v);

/*
 * Copies lists and maps, with their types, origins and keys. The copier is called for each value
 * before its members. *ret_copy is first the value itself; after SECRECY_OVER the copy has whatever
 * the copier set. A value deeper than SECRECY_MAX_DEPTH is a BUG: copy decoded values only.
 */
typedef enum secrecy_step secrecy_copier(void *context, struct secrecy_place *place,
                                         struct value *ret_copy);
struct value secrecy_copy(struct arena *arena, const struct value *v, secrecy_copier *copier,
                          void *context);

/* Returns the key of the nearest map entry around the place, or an empty string. */
sv secrecy_key(const struct secrecy_place *place);
/* Adds the keys on the path to the place, each followed by the separator, without list indexes. */
void secrecy_add_path(struct buf *buf, const struct secrecy_place *place, char separator);
/* Returns the path for messages: "data.token". */
sv secrecy_path(struct arena *arena, const struct secrecy_place *place);
/*
 * Return the position of the place's value or key in its source. For a value that the program made,
 * they return that of the nearest part around it that has one (a file's path for its content), else
 * `otherwise`.
 */
struct position secrecy_position(const struct secrecy_place *place, struct position otherwise);
struct position secrecy_key_position(const struct secrecy_place *place, struct position otherwise);

/* ---- every secret of a run --------------------------------------------------------------- */

/* Bytes. Shorter secrets would be found everywhere, so that they are neither masked nor kept. */
#define SECRET_MIN_SIZE 4

/*
 * All secrets of a run, for the leak scan and for masks, including those that no template uses and
 * those that only another cluster's output may contain. Public parts are left out, since they would
 * be found everywhere. One thread adds; afterwards threads may share it.
 */
struct known_secrets;
struct leak_scanner;

/* The strings of `public` must outlive the set. */
struct known_secrets *known_secrets_new(struct arena *secret_arena, struct secrecy_public public);
/*
 * Makes room for that many tokens, such as the bootstrap tokens of a fleet: tables that grow step
 * by step take twice the memory.
 */
void known_secrets_expect(struct known_secrets *known, size_t tokens);
/* Adds a secret, which must outlive the set, unless the same string is known already. */
void known_secrets_add(struct known_secrets *known, const struct secret *secret);
/* Adds each line of a file of identities as a secret, except empty lines and "#" comments. */
void known_secrets_add_identities(struct known_secrets *known, sv name, sv text);
/*
 * Adds every secret of a tainted value. Base64 inside it is decoded and added, too (the password of
 * USER:PASSWORD, the keys of a kubeconfig), and so is the password of a URL.
 */
void known_secrets_add_value(struct known_secrets *known, const struct value *v);
/*
 * Adds the decoded value of a Secret's key. Names, certificates and addresses are left out. From
 * PEM blocks only private keys are added, from structured strings the credentials that
 * secrecy_taint_credentials finds.
 */
void known_secrets_add_data(struct known_secrets *known, sv name, sv key, sv text);
/*
 * Adds the place of the same value. Lines of it that known_secrets_publish finds elsewhere are
 * not looked for; leaks of other lines are reported at this place. The string must outlive the
 * set.
 */
void known_secrets_place(struct known_secrets *known, sv key, const struct value *string);
/*
 * Marks lines of secrets that a clear manifest (any value) has as public, unless they have the form
 * of a credential. Call it after all Secrets are added.
 */
void known_secrets_publish(struct known_secrets *known, const struct value *clear);
/* Adds the variables of a map whose names mean a credential. */
void known_secrets_add_variables(struct known_secrets *known, const struct value *variables);

/*
 * Appends everything that decides what the scanner of the set finds, except identities: two sets
 * that give the same bytes find the same secrets of the inputs. The bytes are secret.
 */
void known_secrets_add_bytes(const struct known_secrets *known, struct buf *secret_buf);
const struct secret *const *known_secrets_items(const struct known_secrets *known,
                                                size_t *ret_count);
const struct leak_scanner *known_secrets_scanner(const struct known_secrets *known);
/*
 * Gives the memory of the scanner back when all files are scanned: it is a large part of what a run
 * uses. Only known_secrets_items may be called after it.
 */
void known_secrets_end_scan(struct known_secrets *known);
/* Returns a scanner for the secrets of the set and for those in these values. */
struct leak_scanner *known_secrets_extend(struct arena *secret_arena,
                                          const struct known_secrets *known,
                                          const struct value *const *values, size_t count);

/* ---- the leak scan ----------------------------------------------------------------------- */

/* Secrets shorter than this cannot be distinguished from chance. */
#define LEAK_MIN_SIZE 8

/*
 * Finds secrets in clear bytes: verbatim, in base64 (three alignments, both alphabets, and base64
 * of that), percent-encoded, JSON-escaped, in YAML's and a shell's quotes. For secrets of several
 * lines it also finds each long line, since indentation may have changed, unless the line is
 * public.
 *
 * One thread adds; scanning is read-only, so that threads may share a scanner. It scans some 0.7
 * GB/s for up to a few thousand secrets; far beyond that the tables leave the cache, so that a
 * secret that only one job has (its derived token) belongs into a scanner of its own on top of the
 * run's.
 */

/* Makes a scanner that also finds the secrets of `parent` (may be null). */
struct leak_scanner *leak_scanner_new(struct arena *secret_arena,
                                      const struct leak_scanner *parent);
/*
 * Adds a secret, which must outlive the scanner. Returns false if it is too short to be found.
 * `scratch` is of the secret kind; the forms of the secret that are made in it are not needed
 * afterwards.
 */
bool leak_scanner_add(struct arena *scratch, struct leak_scanner *scanner,
                      const struct secret *secret);

struct leak {
	const struct secret *secret;
	const char *form; /* "in clear", "in base64", ... */
	size_t offset;
	sv line; /* the line of the secret that was found, or empty if it was all of it */
};
/*
 * A limit on scanning, in comparisons of some eight bytes: many similar secrets, in a file that
 * resembles all of them, would take too long. Once it is used up, nothing more is found.
 */
struct leak_effort {
	uint64_t left;
	bool is_over;
};
/* Finds the first leak from offset `from` on. `effort` may be null, then there is no limit. */
bool leak_scanner_find(const struct leak_scanner *scanner, sv text, size_t from,
                       struct leak_effort *effort, struct leak *ret_leak);
/*
 * A span of a file that is a ciphertext, made a moment ago by the code that wrote it there. It is
 * known by that, never by its looks.
 */
struct ciphertext {
	size_t start;
	size_t end;
};
VEC_TYPE(ciphertexts, struct ciphertext);

/* The origin of a scanned file, for messages, and the spans of it that are not scanned. */
struct leak_place {
	const struct value *object; /* the object in the file; null if it has none, or several */
	struct position at;         /* the place to show if the leak is in none of its strings */
	const struct ciphertexts *ciphertexts; /* in their order; may be null */
};
/*
 * Reports DIAG_SECRET_LEAK once for each secret found in text, up to some twenty. `file` is the
 * path in the output tree. Reports DIAG_SECRET_SCAN_LIMIT if that takes more than a second or two,
 * which happens only with files made of parts that many secrets share.
 */
MUST_CHECK enum status leak_scanner_check(struct sink *sink, const struct leak_scanner *scanner,
                                          sv file, sv text, const struct leak_place *place);
#define LEAK_EFFORT ((uint64_t)1 << 30)
/* The same with another limit than LEAK_EFFORT. */
MUST_CHECK enum status leak_scanner_check_within(struct sink *sink,
                                                 const struct leak_scanner *scanner, sv file,
                                                 sv text, const struct leak_place *place,
                                                 uint64_t effort);

/* ---- masks ------------------------------------------------------------------------------- */

/*
 * Hides secrets in messages: verbatim secrets, and each longer line of those with several. Secrets
 * below SECRET_MIN_SIZE are left out: they would be found everywhere.
 */
struct secret_mask;

/* The replacement of a secret. */
#define SECRET_MASKED SV("***")

/* Makes a mask in an arena of the secret kind. The secrets must outlive it. */
struct secret_mask *secret_mask_new(struct arena *arena, const struct secret *const *secrets,
                                    size_t count);
/*
 * Finds the first secret from offset `from` on, at [*ret_start, *ret_end). Returns false without
 * one. `mask` may be null.
 */
bool secret_mask_find(const struct secret_mask *mask, sv text, size_t from, size_t *ret_start,
                      size_t *ret_end);
/* Returns the size of the longest string that is looked for. `mask` may be null. */
size_t secret_mask_longest(const struct secret_mask *mask);
/* Returns text with secrets masked, or text itself if it has none. */
sv secret_mask_apply(struct arena *arena, const struct secret_mask *mask, sv text);

/* ---- marks ------------------------------------------------------------------------------- */

/* Begins the name of each secret that osm-gen derives itself (struct secret, name). */
#define SECRECY_DERIVED_PREFIX "derived/"
/* Returns true for such a secret. */
bool secrecy_is_derived(const struct secret *secret);

/* Returns <sealed:NAME>, the mark that clear files of the output have in place of a secret. */
sv secrecy_mark(struct arena *arena, sv name);
/* True if the string contains a mark, with or without a fingerprint. */
bool secrecy_has_mark(sv text);
/* True if the string contains the mark of a secret that osm-gen derived. */
bool secrecy_has_derived_mark(sv text);
/* Marks in text that is not secret. */
enum secrecy_spelling {
	SECRECY_SPELLS_NONE,
	SECRECY_SPELLS_PLACEHOLDERS, /* <sealed:NAME>, unless it is that of a derived secret */
	SECRECY_SPELLS_WHOLE,        /* a string that is one mark as a whole */
};
/*
 * Returns true if the object spells other marks than `allowed` in text that is not secret: a reader
 * would take them for secrets, and a run without the seed would take a change of them for another
 * fingerprint. *ret_at is the position of the string or the key, or `otherwise`.
 */
bool secrecy_spells_mark(const struct value *object, enum secrecy_spelling allowed,
                         struct position otherwise, struct position *ret_at);
/* Returns a copy of the string with <sealed> in place of each mark. */
sv secrecy_without_names(struct arena *arena, sv text);

/* ---- redaction --------------------------------------------------------------------------- */

#define SECRECY_FINGERPRINT_SIZE 5

/*
 * Keyed fingerprints, which distinguish two secrets of one name in redacted output and confirm no
 * guess to anyone without the key (seal_redaction). `fingerprint` may be null, then none are shown.
 */
struct redaction {
	void (*fingerprint)(const void *context, const struct secret *secret,
	                    uint8_t ret_fingerprint[SECRECY_FINGERPRINT_SIZE]);
	const void *context;
};

/*
 * Adds the text of a string value, each fragment that came from a secret replaced by
 * <sealed:NAME#FINGERPRINT>, or by <sealed:NAME> for secrets that could be guessed. A derived text
 * (struct taint) is one such mark, whatever its length. The fingerprint is that of the whole
 * secret, never of what was made of it.
 */
void secrecy_redact(struct buf *buf, const struct redaction *redaction, const struct value *string);
/* Returns the length of "#FINGERPRINT>", the end of such a mark, at that offset, or 0. */
size_t secrecy_fingerprint_at(sv text, size_t at);
/* Returns a redacted string with <sealed:NAME> for each <sealed:NAME#FINGERPRINT>. */
sv secrecy_without_fingerprints(struct arena *arena, sv text);
/* Returns true if two redacted strings differ at most in fingerprints, which depend on the seed. */
bool secrecy_redacted_equal(sv a, sv b);
/* Returns a copy of the tree with every string redacted and no taint. */
struct value secrecy_redact_all(struct arena *arena, const struct redaction *redaction,
                                const struct value *tree);

#endif
