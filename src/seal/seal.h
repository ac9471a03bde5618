/*
 * seal: secrets on their way into git, and back (design 5, sealing.md).
 *
 *   seed.c    the seed, its text form, what is derived from it
 *   age.c     recipients, identities, age files
 *   write.c   an object as a SOPS file
 *   read.c    a SOPS file as an object
 *   leak.c    the proof that no secret stands in a clear byte
 *
 * Sealing is deterministic (scheme "osm-gen seal v1", sealing.md 5.2): every random coin is a
 * keyed function of the seed, the object's identity, the recipients and the message that the coin
 * protects. There is no fallback: without a seed nothing is sealed.
 *
 * Clear text of secrets goes into arenas of kind ARENA_SECRET; seeds and keys live in libsodium's
 * locked memory. No message holds a value: it names the object, the key, the length.
 */
#ifndef OSM_GEN_SEAL_SEAL_H
#define OSM_GEN_SEAL_SEAL_H

#include "diag/diag.h"
#include "value/value.h"

/* ---- the seed ---------------------------------------------------------------------------- */

#define SEAL_SEED_SIZE 32

/* What all coins are derived from. Read-only once made: threads may share it. */
struct seal_root;

/*
 * Reads a seed's text, "OSMGEN-SEED-1..." (Bech32, upper case); white space around it is skipped.
 * `at` is where it was given: a source whose path is the file or the variable. The text stays the
 * caller's to wipe. Errors, class surroundings: DIAG_SEED_INVALID (no such text, wrong checksum or
 * length, all bytes equal).
 */
MUST_CHECK enum status seal_root_parse(struct sink *sink, struct position at, sv text,
                                       struct seal_root **ret_root);
void seal_root_free(struct seal_root *root);
static inline void seal_root_freep(struct seal_root **root)
{
	seal_root_free(*root);
}
#define SEAL_ROOT_AUTO CLEANUP(seal_root_freep) struct seal_root *

/* Reports DIAG_SEED_MISSING: which options and variables give a seed, and how to make one. */
void seal_report_seed_missing(struct sink *sink);

/* The text form of 32 random bytes, without line break: for `osm-gen keygen seed`. */
sv seal_seed_format(struct arena *secret_arena, const uint8_t seed[SEAL_SEED_SIZE]);

/*
 * 16 hex digits that name the seed and say nothing about it: kept beside the output, so that a
 * wrong seed is noticed before it rewrites every file.
 */
sv seal_seed_id(struct arena *arena, const struct seal_root *root);

/* Whose bootstrap token: all of it, and nothing else, decides the token. */
struct seal_token_owner {
	sv cluster;
	sv namespace; /* of the MachineDeployment */
	sv name;
	sv rotation; /* tokenRotation: the user's text; any change makes a new token */
};
/* "abcdef.0123456789abcdef" over the controller's alphabet (osm.md 10.2). */
sv seal_bootstrap_token(struct arena *secret_arena, const struct seal_root *root,
                        const struct seal_token_owner *owner);

/*
 * 32 hex digits that differ when text does, for telling changes of a text that holds secrets:
 * keyed, and bound to the object, so that they confirm no guess to anyone without the seed.
 */
sv seal_change_digest(struct arena *arena, const struct seal_root *root,
                      const struct seal_token_owner *owner, sv text);

/*
 * 32 hex digits that prove to whoever has the seed that these inputs gave these outputs. Keyed,
 * since inputs hold secrets, and since nobody else shall be able to make one.
 */
sv seal_inputs_digest(struct arena *arena, const struct seal_root *root, sv inputs, sv outputs);

/* ---- redaction --------------------------------------------------------------------------- */

/*
 * Adds the text of a string value, each fragment that came from a secret replaced by
 * <sealed:NAME#FINGERPRINT>, or by <sealed:NAME> for secrets that could be guessed. Fingerprints
 * are keyed and bound to the cluster (sealing.md 6). root may be null: then there are none.
 */
void seal_redact(struct buf *buf, const struct seal_root *root, sv cluster,
                 const struct value *string);
/* Two redacted texts are the same but for fingerprints, which another seed makes others of. */
bool seal_redacted_equal(sv a, sv b);
/* A copy of the tree with every string redacted and no taint left. */
struct value seal_redact_all(struct arena *arena, const struct seal_root *root, sv cluster,
                             const struct value *tree);

/* ---- age --------------------------------------------------------------------------------- */

struct seal_recipient {
	sv text; /* "age1...", lower case */
	uint8_t key[32];
};

/* Sorted, without doubles: order and repetition never change output. */
struct seal_recipients {
	const struct seal_recipient *items;
	size_t count;
};

/* One recipient as configured, and where. */
struct seal_recipient_text {
	sv text;
	struct position at;
};

/*
 * Reads recipients; all mistakes are reported. `wanted_by` names who seals to them ("cluster
 * prod-eu-1") for the case that there is none. Class surroundings: DIAG_RECIPIENTS_MISSING,
 * DIAG_RECIPIENT_INVALID (not Bech32, checksum, low order), DIAG_RECIPIENT_TYPE (post-quantum,
 * hardware tag, plugin, SSH: known, but not implemented).
 */
MUST_CHECK enum status seal_recipients_parse(struct arena *arena, struct sink *sink, sv wanted_by,
                                             const struct seal_recipient_text *texts, size_t count,
                                             struct seal_recipients *ret_recipients);

/* age identities, in locked memory. */
struct seal_identities;
struct seal_identities *seal_identities_new(void);
void seal_identities_free(struct seal_identities *identities);
static inline void seal_identities_freep(struct seal_identities **identities)
{
	seal_identities_free(*identities);
}
#define SEAL_IDENTITIES_AUTO CLEANUP(seal_identities_freep) struct seal_identities *
size_t seal_identities_count(const struct seal_identities *identities);
/*
 * Adds those of a key file in age-keygen's form: one a line, "#" comments. The source should be
 * confidential. DIAG_IDENTITY_INVALID, class surroundings, for each line that is none.
 */
MUST_CHECK enum status seal_identities_add(struct seal_identities *identities, struct sink *sink,
                                           const struct source *source);

/*
 * A new identity in age-keygen's form, from 32 random bytes. `created` is an RFC 3339 time, or
 * empty to leave that comment line out.
 */
sv seal_identity_format(struct arena *secret_arena, const uint8_t random[32], sv created);

/* ---- writing SOPS files ------------------------------------------------------------------ */

/*
 * Leaves below a map key named here are sealed (encrypted_regex, sealing.md 1.4).
 */
struct seal_rule {
	const sv *keys;
	size_t count;
};
/* data, stringData */
extern const struct seal_rule seal_rule_secret;

struct seal_request {
	sv cluster;                 /* its name: part of the object's identity */
	const struct value *object; /* keys in their final order */
	struct seal_rule rule;
	const struct seal_recipients *recipients; /* at least one */
	sv first_line;      /* a comment line put before the document, without LF; or empty */
	struct position at; /* where to look when a value was made by the program; or NOWHERE */
};

/* Reusable state of one worker. root must outlive it. */
struct sealer;
struct sealer *sealer_new(const struct seal_root *root);
void sealer_free(struct sealer *sealer);
static inline void sealer_freep(struct sealer **sealer)
{
	sealer_free(*sealer);
}
#define SEALER_AUTO CLEANUP(sealer_freep) struct sealer *

/*
 * Appends the object as a SOPS YAML file (sealing.md 1): clear strings double-quoted, sealed ones
 * as ENC[...], the sops block last, the MAC over all of it. The same request gives the same bytes;
 * the order of clear keys changes only the MAC.
 *
 * Errors, class input: DIAG_SEAL_VALUE for what would not survive sops and its YAML library (NUL,
 * text that is not UTF-8, several lines that begin with a TAB, a number under the rule, a key
 * "sops"), DIAG_SEAL_CLEAR_SECRET for a secret outside the rule. All of them are reported; out is
 * then as it was.
 */
MUST_CHECK enum status sealer_seal(struct sealer *sealer, struct sink *sink,
                                   const struct seal_request *request, struct buf *out);

/* ---- reading SOPS files ------------------------------------------------------------------ */

/* Whether the document is one of a SOPS file: a map with a map "sops". */
bool seal_is_sealed(const struct value *document);

/*
 * Decrypts the documents of one SOPS file, in place of the ENC[...] strings; the "sops" key is left
 * out. What was sealed is tainted, each leaf by a secret of its own, named "NAMESPACE/NAME:KEY"
 * when the document is a Kubernetes object, else by its path. ret_documents has room for count.
 *
 * Errors, class input: DIAG_SOPS_FORMAT (not what sops writes), DIAG_SOPS_MAC (changed by hand).
 * Class surroundings: DIAG_SOPS_KEY (no identity given, none that fits, no age recipient).
 */
MUST_CHECK enum status seal_open(struct arena *secret_arena, struct sink *sink,
                                 const struct value *documents, size_t count,
                                 const struct seal_identities *identities,
                                 struct value *ret_documents);

/* ---- the leak scan
 * --------------------------------------------------------------------------------- */

/* Secrets shorter than this cannot be told from chance. */
#define LEAK_MIN_SIZE 8

/*
 * Finds secrets in clear bytes: as they are, in base64 (three alignments, both alphabets, and once
 * more around that), percent-encoded, JSON-escaped, shell-quoted; of texts with several lines also
 * each long line, since indentation may have changed.
 *
 * Adding is for one thread; scanning is read-only, so that threads may share a scanner. Some
 * 0.7 GB/s for up to a few thousand secrets; far beyond that the tables leave the cache, so what
 * only one job knows (its derived token) belongs into a scanner of its own on top of the run's.
 */
struct leak_scanner;

/* parent (may be null) is scanned for as well: a job's own secrets on top of the run's. */
struct leak_scanner *leak_scanner_new(struct arena *secret_arena,
                                      const struct leak_scanner *parent);
/* False: too short to be looked for. The secret must outlive the scanner. */
bool leak_scanner_add(struct leak_scanner *scanner, const struct secret *secret);

struct leak {
	const struct secret *secret;
	const char *form; /* "in clear", "in base64", ... */
	size_t offset;
};
/* The first leak at or behind `from`. */
bool leak_scanner_find(const struct leak_scanner *scanner, sv text, size_t from,
                       struct leak *ret_leak);
/* Where people find what a text was made of. */
struct leak_place {
	const struct value *object; /* that was written; null: none, or more than one */
	struct position at;         /* where to look when the leak is in none of its texts */
};
/*
 * Reports DIAG_SECRET_LEAK once for each secret found in text; `file` says what is scanned (a
 * path of the output tree).
 */
MUST_CHECK enum status leak_scanner_check(const struct leak_scanner *scanner, struct sink *sink,
                                          sv file, sv text, const struct leak_place *place);

#endif
