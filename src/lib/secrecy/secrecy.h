/*
 * secrecy: what counts as a secret, where it stands in a value, and how it is kept from being read.
 *
 *   credential.c  names and texts that mean a credential
 *   manifest.c    the same of a text that is not parsed, or cannot be
 *   layers.c      texts inside of texts: base64, gzip, escapes
 *   look.c        texts that look like secrets, or hold one
 *   visit.c       the one walk over values
 *   taint.c       marking: a string, a URL's password, all credentials of a tree
 *   inventory.c   every secret of a run
 *   lines.c       lines of secrets that are public
 *   leak.c        the proof that no secret stands in clear bytes
 *   leak_report.c what that found, as diagnostics
 *   mask.c        secrets in messages
 *   redact.c      secrets in clear files of the output
 *
 * value/ says what a taint is. Everything above it that asks "is this secret?" asks here, and a
 * dialect hands in only what its own formats add: names of fields that hold credentials, texts that
 * are public anyway.
 *
 * The module stands above yaml/ and json/. Some secrets are texts with a structure of their own (a
 * kubeconfig, a list of registries, a cloud's service account), and which of their parts are secret
 * is known only once they are read; and the leak scan looks for what JSON makes of a text. Parsers
 * handed in by callers would be the same two each time.
 *
 * Texts of secrets go into arenas of kind ARENA_SECRET. No message holds one.
 */
#ifndef OSM_GEN_SECRECY_SECRECY_H
#define OSM_GEN_SECRECY_SECRECY_H

#include "diag/diag.h"
#include "value/value.h"

/* ---- what counts as a secret ------------------------------------------------------------- */

/*
 * Whether what stands under that name is a credential: "password", "api-key", "secretAccessKey",
 * "OS_PASSWORD", but not "secretName" or "sshPublicKey". Names that only identify (a user, an
 * organisation) mean none: hiding them would hide half of the output.
 */
bool secrecy_names_credential(sv name);
/* Whether user or password of a URL stands in a text, whatever the text is. */
bool secrecy_holds_userinfo(sv text);
/* Each of them as "***": for texts that other programs print. */
sv secrecy_mask_userinfo(struct arena *arena, sv text);
/* Whether a private key in PEM form, an age identity, or a sealing seed, does. */
bool secrecy_holds_private_key(sv text);
/*
 * Texts that a machine made from at least 16 random bytes, so that a keyed fingerprint of them may
 * be shown: a JSON Web Token, a bootstrap token ("abcdef.0123456789abcdef"), long hexadecimal.
 */
bool secrecy_is_random(sv text);

/* secretKeyRef, configMapKeyRef: names the object that holds a credential, and is none itself. */
bool secrecy_names_reference(sv name);

/* Texts that are public: a word of theirs is no secret, whoever took it for one. */
struct secrecy_public {
	const sv *texts;
	size_t count;
};
/*
 * Whether a text of letters, "-" and "." stands in one of them. With a digit or another sign a
 * text cannot be distinguished from a random one, and is never public.
 */
bool secrecy_is_public_word(const struct secrecy_public *public, sv text);

/*
 * What the words of a manifest say of it, where it is not parsed yet or cannot be: rather once too
 * often than once too seldom.
 */

/* What is a credential whatever its name: a URL's user and password, a private key. */
bool secrecy_manifest_holds_credential(sv text);
/*
 * That, or something behind the colon of a credential's name; what a template fills in is none, nor
 * is a kubeconfig written out as YAML that names none.
 */
bool secrecy_manifest_may_hold_credential(sv text);
/*
 * The same wherever a credential's name stands, also "name: DB_PASSWORD", whose value is in the
 * next line, or "- password=..."; in a comment, which may be prose, behind its colon only.
 */
bool secrecy_manifest_mentions_credential(sv text);

/* ---- what looks like a secret ------------------------------------------------------------ */

/*
 * Calls layer for a text (depth 0) and for each text inside of it: base64 of both alphabets, also
 * wrapped, hexadecimal, gzip, percent-encoding, backslash escapes, one inside of the other. layer
 * returns false to end the walk. Returns false if the text has more layers, or longer ones, than
 * are opened: nothing is known of the rest.
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

/* What a text of unknown origin looks like. */
struct secrecy_finding {
	enum secrecy_look look;
	const char *what; /* "a JSON Web Token", for messages */
	size_t offset;    /* in the text, or where the packed part is not known: 0 */
};

/*
 * Returns the first finding in a text and in all its layers. Recognized: private keys, JSON Web
 * Tokens, bootstrap tokens, tokens with a vendor's prefix, hashes of passwords, credentials of
 * URLs, values after a credential's name, after "Bearer" and "Basic", and words of 20 and more
 * letters and digits as mixed as chance mixes them. Public keys, certificates, digests with their
 * algorithm's name and UUIDs are none. A password that looks like a word, and has no name beside
 * it, is not recognized.
 */
struct secrecy_finding secrecy_look_at(sv text, enum secrecy_text_kind kind);
/* The text with "***" for each word, and each quoted part, that looks like a secret: for messages.
 */
sv secrecy_mask_looks(struct arena *arena, sv text);

/* ---- marking ----------------------------------------------------------------------------- */

/* The whole string as a secret of that name, unless it is tainted already. */
struct value secrecy_taint_string(struct arena *arena, struct value string, sv name);
/*
 * Taints the user and password of a URL ("https://user:pw@host"); the string as it is when it has
 * none or is tainted already. name: what the secret is called.
 */
struct value secrecy_taint_userinfo(struct arena *arena, struct value url, sv name);
/*
 * A copy of a tree in which texts under names that mean a credential are tainted, numbers among
 * them made strings first (integers of type_integer_string), and user and password of every URL.
 * What is no map is a credential as a whole: somebody put it in the map's place. References
 * (secretKeyRef, configMapKeyRef) stay as they are. more: further names, compared as encoding/json
 * does. name: what the secrets are called, "NAMESPACE/NAME:providerSpec"; the path of keys follows
 * it.
 */
struct value secrecy_taint_credentials(struct arena *arena, const struct value *tree, sv name,
                                       const sv *more, size_t more_count);
/* Marks all in the tree, keys too, as coming from secret: strings wholly, what is no text as a
 * string of one byte would be. */
void secrecy_taint_all(struct arena *arena, struct value *v, const struct secret *secret);

/*
 * What validation takes for a secret that is not at hand: a text that stands in for it, a secret of
 * the name that the true one has, so that redacted texts are the same.
 */
struct value secrecy_absent(struct arena *arena, sv name);
bool secrecy_is_absent(const struct value *string);

/* ---- walking ----------------------------------------------------------------------------- */

/*
 * The one walk over values: every part of the program that looks into a value for what is secret,
 * or copies one with its secrets changed, gives it a callback.
 */

/* Deeper than any decoder lets a document be. Where a value contains itself, the walk ends here. */
#define SECRECY_MAX_DEPTH 500

/* Where a walk stands. */
struct secrecy_place {
	const struct secrecy_place *parent; /* null at the root */
	const struct value *value;
	const struct value_entry *entry; /* of the map that holds it; null: root, item, field */
	unsigned depth;                  /* 0 at the root */
	/* False at the root, further down as at the parent; a callback may set it. */
	bool marked;
	/* Copying a map: where its keys came from. A callback may set it; null: they are clear. */
	const struct secret *key_secret;
};

enum secrecy_step {
	SECRECY_INTO, /* on to what is inside of it */
	SECRECY_OVER, /* past it */
	SECRECY_END,  /* that was all; not when copying */
	SECRECY_OMIT, /* copying: leave it out of its list or map */
};

/*
 * Calls the visitor for the value, then for what it holds: items, values of a map in its order,
 * fields, targets of pointers. Null and invalid values have nothing to look at. False: ended.
 */
typedef enum secrecy_step secrecy_visitor(void *context, struct secrecy_place *place);
bool secrecy_visit(const struct value *v, secrecy_visitor *visitor, void *context);

/*
 * Calls found for each secret: of a text (or of what was read from one) span by span, of a map's
 * keys once, with the map as the place. It returns false to end the walk.
 */
typedef bool secrecy_found(void *context, const struct secrecy_place *place,
                           const struct secret *secret);
void secrecy_each(const struct value *v, secrecy_found *found, void *context);
/* The first secret anywhere in the value, or null: "a function of a secret is secret". */
const struct secret *secrecy_find(const struct value *v);

/*
 * A copy of lists and maps, with their types, origins and keys. The copier is called for each value
 * before what it holds. *ret_copy is the value as it is: after SECRECY_OVER what the copier made of
 * it stands in the copy. A value deeper than SECRECY_MAX_DEPTH is a BUG: copy what was decoded.
 */
typedef enum secrecy_step secrecy_copier(void *context, struct secrecy_place *place,
                                         struct value *ret_copy);
struct value secrecy_copy(struct arena *arena, const struct value *v, secrecy_copier *copier,
                          void *context);

/* The key of the nearest map entry that holds the place; empty when there is none. */
sv secrecy_key(const struct secrecy_place *place);
/* Adds the keys on the way to the place, each with the separator behind it; no list positions. */
void secrecy_add_path(struct buf *buf, const struct secrecy_place *place, char separator);
/* For people: "data.token". */
sv secrecy_path(struct arena *arena, const struct secrecy_place *place);
/*
 * Where the value of the place is written, or its key. What the program made is written nowhere:
 * the nearest part around it that is stands for it (a file's path for its text), else `otherwise`.
 */
struct position secrecy_position(const struct secrecy_place *place, struct position otherwise);
struct position secrecy_key_position(const struct secrecy_place *place, struct position otherwise);

/* ---- every secret of a run --------------------------------------------------------------- */

/* Bytes; shorter ones are found everywhere, so that they are neither masked nor kept. */
#define SECRET_MIN_SIZE 4

/*
 * The secrets that a run has met, for the leak scan and for masks; also those that no template asks
 * for, and those that only another cluster's output may hold. What is public by its nature is left
 * out, or it would be found everywhere. Adding is for one thread; afterwards threads may share it.
 */
struct secret_inventory;
struct leak_scanner;

/* The texts of public must outlive the inventory. */
struct secret_inventory *secret_inventory_new(struct arena *secret_arena,
                                              struct secrecy_public public);
/* The secret must outlive the inventory; one whose text is known already is not added again. */
void secret_inventory_add(struct secret_inventory *inventory, const struct secret *secret);
/* Each line of a file of keys as a secret; not empty ones and "#" comments. */
void secret_inventory_add_lines(struct secret_inventory *inventory, sv name, sv text);
/*
 * Every secret of a tainted value. What stands there in base64 counts by itself too (the password
 * of USER:PASSWORD, the keys of a kubeconfig), as does the password of a URL.
 */
void secret_inventory_add_value(struct secret_inventory *inventory, const struct value *v);
/*
 * The value of a Secret's key, decoded. Names, certificates and addresses are no secrets; of PEM
 * blocks only private keys are, of a text with structure what secrecy_taint_credentials finds.
 */
void secret_inventory_add_data(struct secret_inventory *inventory, sv name, sv key, sv text);
/*
 * The same value, with its place. Its lines may be anybody's: those that secret_inventory_publish
 * finds elsewhere are not looked for, and the others are reported where they are written. The
 * string must outlive the inventory.
 */
void secret_inventory_place(struct secret_inventory *inventory, sv key, const struct value *string);
/*
 * A clear manifest (any value): lines of secrets that it has are public, unless they have the form
 * of a credential. After all secrets of Secrets are added.
 */
void secret_inventory_publish(struct secret_inventory *inventory, const struct value *clear);
/* Those of a map of variables whose names mean a credential. */
void secret_inventory_add_variables(struct secret_inventory *inventory,
                                    const struct value *variables);

const struct secret *const *secret_inventory_items(const struct secret_inventory *inventory,
                                                   size_t *ret_count);
const struct leak_scanner *secret_inventory_scanner(const struct secret_inventory *inventory);
/* A scanner for the inventory's secrets and for those that stand in these values. */
struct leak_scanner *secret_inventory_extend(struct arena *secret_arena,
                                             const struct secret_inventory *inventory,
                                             const struct value *const *values, size_t count);

/* ---- the leak scan ----------------------------------------------------------------------- */

/* Secrets shorter than this cannot be distinguished from chance. */
#define LEAK_MIN_SIZE 8

/*
 * Finds secrets in clear bytes: as they are, in base64 (three alignments, both alphabets, and once
 * more around that), percent-encoded, JSON-escaped, in YAML's and a shell's quotes; of texts with
 * several lines also each long line, since indentation may have changed, unless that is public.
 *
 * Adding is for one thread; scanning is read-only, so that threads may share a scanner. Some
 * 0.7 GB/s for up to a few thousand secrets; far beyond that the tables leave the cache, so what
 * only one job knows (its derived token) belongs into a scanner of its own on top of the run's.
 */

/* parent (may be null) is scanned for as well: a job's own secrets on top of the run's. */
struct leak_scanner *leak_scanner_new(struct arena *secret_arena,
                                      const struct leak_scanner *parent);
/* False: too short to be looked for. The secret must outlive the scanner. */
bool leak_scanner_add(struct leak_scanner *scanner, const struct secret *secret);

struct leak {
	const struct secret *secret;
	const char *form; /* "in clear", "in base64", ... */
	size_t offset;
	sv line; /* of the secret, where that is all that was found; else empty */
};
/*
 * What looking may take, in comparisons of some eight bytes: many secrets that are nearly alike, in
 * a text that is nearly all of them, would take for ever. Once it is over nothing more is found.
 */
struct leak_effort {
	uint64_t left;
	bool is_over;
};
/* The first leak at or behind `from`. effort may be null: nothing counts it. */
bool leak_scanner_find(const struct leak_scanner *scanner, sv text, size_t from,
                       struct leak_effort *effort, struct leak *ret_leak);
/* Where people find what a text was made of. */
struct leak_place {
	const struct value *object; /* that was written; null: none, or more than one */
	struct position at;         /* where to look when the leak is in none of its texts */
};
/*
 * Reports DIAG_SECRET_LEAK once for each secret found in text, up to some twenty; `file` says what
 * is scanned (a path of the output tree). DIAG_SECRET_SCAN_LIMIT when that takes too long: a
 * second or two, which only texts take that are made of what many secrets share.
 */
MUST_CHECK enum status leak_scanner_check(struct sink *sink, const struct leak_scanner *scanner,
                                          sv file, sv text, const struct leak_place *place);
/* The same within so many comparisons of eight bytes. */
#define LEAK_EFFORT ((uint64_t)1 << 30)
MUST_CHECK enum status leak_scanner_check_within(struct sink *sink,
                                                 const struct leak_scanner *scanner, sv file,
                                                 sv text, const struct leak_place *place,
                                                 uint64_t effort);

/* ---- masks ------------------------------------------------------------------------------- */

/*
 * For what is printed: secrets as they are, and each longer line of those with several. Texts below
 * SECRET_MIN_SIZE are left out: they would be found everywhere.
 */
struct secret_mask;

/* What stands in place of a secret. */
#define SECRET_MASKED SV("***")

/* arena must be of the secret kind; the secrets must outlive the mask. */
struct secret_mask *secret_mask_new(struct arena *arena, const struct secret *const *secrets,
                                    size_t count);
/*
 * The first secret in text at or after from: *ret_start and *ret_end are its bytes. False when
 * there is none; mask may be null.
 */
bool secret_mask_find(const struct secret_mask *mask, sv text, size_t from, size_t *ret_start,
                      size_t *ret_end);
/* Bytes of the longest text that is looked for; mask may be null. */
size_t secret_mask_longest(const struct secret_mask *mask);
/* Text with secrets masked; text itself when it has none. */
sv secret_mask_apply(struct arena *arena, const struct secret_mask *mask, sv text);

/* ---- redaction --------------------------------------------------------------------------- */

#define SECRECY_FINGERPRINT_SIZE 5

/*
 * How a redacted text distinguishes two secrets of one name: by a keyed fingerprint, which confirms
 * no guess to anyone without the key (seal_redaction). fingerprint may be null: there are none.
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
/* A redacted text with <sealed:NAME> for each <sealed:NAME#FINGERPRINT>. */
sv secrecy_without_fingerprints(struct arena *arena, sv text);
/* Two redacted texts are the same but for fingerprints, which another seed makes others of. */
bool secrecy_redacted_equal(sv a, sv b);
/* A copy of the tree with every string redacted and no taint left. */
struct value secrecy_redact_all(struct arena *arena, const struct redaction *redaction,
                                const struct value *tree);

#endif
