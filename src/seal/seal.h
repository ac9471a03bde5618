/*
 * seal: encrypts ("seals") secrets for git, and decrypts what is sealed (docs/spec/output.md 4,
 * docs/spec/sealing.md). A recipient is a public key that files are sealed to; an identity is a
 * private key that opens them.
 *
 *   seed.c    the seed, its text form, and tokens and digests derived from it
 *   recipients.c, identities.c  age's recipients and identities as people write them down
 *   format.c  the formats of sealed files, and which of them a file has
 *   sops*.c   SOPS YAML files for age recipients: the default format
 *   age.c     age files; age_stanza.c: their stanzas; xwing.c: post-quantum keys; ssh.c: SSH's keys
 *   gcm.c     the sealed values of SOPS
 *   sops_program.c the program sops, which opens files for keys that osm-gen does not use
 *   sops_dotenv.c  SOPS files of KEY=VALUE lines, and of bytes
 *   sops_config.c  .sops.yaml: recipients and rules for the files that osm-gen seals
 *   sealed_secret*.c  Bitnami's SealedSecrets; certificate.c: the certificates they are sealed to;
 *                     hybrid.c: their values; private_keys.c: the keys that open them; rsa.c: RSA
 *
 * The functions here serve all formats. A format is one file that fills a struct sealer_format, and
 * one line in format.c.
 *
 * Sealing is deterministic (scheme "osm-gen seal v1", docs/spec/sealing.md 3): every random coin is
 * a keyed function of the seed, the object's identity, the recipients and the message that the coin
 * protects. There is no fallback: without a seed nothing is sealed.
 *
 * Clear text of secrets goes into arenas of kind ARENA_SECRET; seeds and keys live in libsodium's
 * locked memory. No message holds a value: it names the object, the key, the length.
 */
#ifndef OSM_GEN_SEAL_SEAL_H
#define OSM_GEN_SEAL_SEAL_H

#include "diag/diag.h"
#include "secrecy/secrecy.h"
#include "value/value.h"

/* ---- the seed ---------------------------------------------------------------------------- */

#define SEAL_SEED_SIZE 32

/* The key that all coins, tokens and digests are derived from. Threads may share it. */
struct seal_root;

/*
 * Reads a seed's text, "OSMGEN-SEED-1..." (Bech32, upper case); white space around it is skipped.
 * `at` is where it was given: a source whose path is the file or the variable. The caller wipes the
 * text. Fails with DIAG_SEED_INVALID, class surroundings (not a seed, wrong checksum or length, all
 * bytes equal). Free with seal_root_free.
 */
MUST_CHECK enum status seal_root_parse(struct sink *sink, struct position at, sv text,
                                       struct seal_root **ret_root);
void seal_root_free(struct seal_root *root);
static inline void seal_root_freep(struct seal_root **root)
{
	seal_root_free(*root);
}
#define SEAL_ROOT_AUTO CLEANUP(seal_root_freep) struct seal_root *

/*
 * Mixes the fleet's identity (sealing.fleet) into everything that is derived from then on, so that
 * fleets with the same seed share no coins; an empty identity changes nothing. Must be called
 * before other threads see the root.
 */
void seal_root_bind(struct seal_root *root, sv fleet);

/*
 * Reports DIAG_SEED_MISSING: which options and variables give a seed, and how to make one. A note
 * explains `empty_variable`, the name of a variable that is set without a value; may be empty.
 */
void seal_report_seed_missing(struct sink *sink, sv empty_variable);

/* Returns the text form of a seed, without a line break, for `osm-gen keygen seed`. */
sv seal_seed_format(struct arena *secret_arena, const uint8_t seed[SEAL_SEED_SIZE]);

/*
 * Returns 16 hex digits that identify the seed and reveal nothing about it. The output records
 * them, so that a run with another seed is noticed before it rewrites every file.
 */
sv seal_seed_id(struct arena *arena, const struct seal_root *root);

/* The owner of a bootstrap token; the token depends on the root and these members alone. */
struct seal_token_owner {
	sv cluster;
	sv namespace; /* of the MachineDeployment */
	sv name;
	sv rotation; /* tokenRotation, any string; a change makes a new token */
};
/* Returns "abcdef.0123456789abcdef" in the controller's alphabet (docs/spec/controller.md 5.2). */
sv seal_bootstrap_token(struct arena *secret_arena, const struct seal_root *root,
                        const struct seal_token_owner *owner);

/*
 * Returns 32 hex digits that show whether `text`, which may hold secrets, has changed. The digest
 * is keyed with the seed and bound to the object, so that nobody without the seed can test a guess.
 */
sv seal_change_digest(struct arena *arena, const struct seal_root *root,
                      const struct seal_token_owner *owner, sv text);
/* Returns the same for what a unit's nodes would get; it is the value of an annotation. */
sv seal_roll_digest(struct arena *arena, const struct seal_root *root,
                    const struct seal_token_owner *owner, sv text);

/*
 * Returns 32 hex digits that prove, to those who have the seed, that these inputs gave these
 * outputs. The digest is keyed, since inputs hold secrets and nobody without the seed may be able
 * to make one. It is not bound to the fleet's identity, which is one of the inputs.
 */
sv seal_inputs_digest(struct arena *arena, const struct seal_root *root, sv inputs, sv outputs);
/*
 * Returns 32 hex digits that prove, likewise, that a run with that digest of inputs and outputs
 * made a statement about them.
 */
sv seal_statement_digest(struct arena *arena, const struct seal_root *root, sv inputs_digest,
                         sv statement);
/*
 * The digests of run/unit_proof.h, 32 hex digits each. They are keyed, since what they are of holds
 * secrets, and bound to the fleet's identity, as the sealed output is.
 *
 * seal_rendered_digest shows that this program made the outputs and scanned them for these secrets.
 * seal_unit_context is of what the units of a cluster share, seal_unit_proof of one unit.
 */
sv seal_rendered_digest(struct arena *arena, const struct seal_root *root, sv program, sv outputs,
                        sv secrets);
sv seal_unit_context(struct arena *arena, const struct seal_root *root, sv text);
sv seal_unit_proof(struct arena *arena, const struct seal_root *root, sv context, sv inputs,
                   sv outputs);

/*
 * Returns 32 hex digits that prove, to those who have the seed, that a run with it sealed this
 * cluster to these recipients. Nobody without the seed can forge it in an index.
 */
sv seal_recipients_digest(struct arena *arena, const struct seal_root *root, sv cluster,
                          const sv *recipients, size_t count);

/*
 * The code that authenticates the file of a shard: only a run with this seed and this fleet's
 * identity can have written `text`.
 */
#define SEAL_MAC_SIZE 32
void seal_shard_mac(const struct seal_root *root, sv text, uint8_t ret_mac[SEAL_MAC_SIZE]);
/* Compares in constant time. `mac` may have any length. */
bool seal_shard_mac_holds(const struct seal_root *root, sv text, sv mac);

/* ---- fingerprints ------------------------------------------------------------------------ */

/* Fingerprints of one name differ from cluster to cluster. Without a root (null) there are none. */
struct seal_fingerprint_key {
	const struct seal_root *root;
	sv cluster;
};

/* Returns the way in which clear files name secrets (secrecy_redact). The key must outlive it. */
struct redaction seal_redaction(const struct seal_fingerprint_key *key);

/* ---- recipients -------------------------------------------------------------------------- */

struct sealer_format;

struct seal_recipient {
	sv text;         /* in canonical form: "age1...", "ssh-ed25519 AAAA..." */
	const void *key; /* the format's own struct */
};

/* A SealedSecret's scope: the objects that its values still decrypt in if they are copied there. */
enum seal_scope {
	SEAL_SCOPE_STRICT,    /* bound to namespace and name */
	SEAL_SCOPE_NAMESPACE, /* bound to the namespace */
	SEAL_SCOPE_CLUSTER,   /* not bound */
};
/* Returns "strict", "namespace-wide" or "cluster-wide". */
sv seal_scope_name(enum seal_scope scope);

/* Recipients of one format, sorted and without duplicates, so that their order never matters. */
struct seal_recipients {
	const struct sealer_format *format;
	const struct seal_recipient *items;
	size_t count;
	/* The members below are set by the caller. */
	enum seal_scope scope; /* SOPS ignores it */
	size_t round_lengths;  /* multiple that lengths are padded to; 0 and 1 change nothing */
	/* The rule of .sops.yaml that the recipients are from; null if osm-gen.yaml names them. */
	const struct seal_creation_rule *rule;
};

/*
 * Returns the recipient as index.json and CI's list of allowed recipients name it: its text, and
 * after a space anything that makes the sealing weaker, so that a change of that is noticed as
 * well. This is a scope wider than strict, or "mac-only-encrypted": a MAC that does not cover clear
 * values.
 */
sv seal_recipient_listed(struct arena *arena, const struct seal_recipients *recipients, size_t i);
#define SEAL_LISTED_MAC_ONLY "mac-only-encrypted"

/*
 * Returns the recipient for people: of a long one, post-quantum or SSH's RSA, the first and the
 * last characters.
 */
sv seal_recipient_shown(struct arena *arena, sv text);

/* One recipient as configured, and where. `text` is PEM for formats that take a certificate. */
struct seal_recipient_text {
	sv text;
	struct position at;
};

/*
 * Reads the recipients and reports all mistakes. `wanted_by` ("cluster prod-eu-1") is named in the
 * message if the list is empty. Fails, class surroundings, with DIAG_RECIPIENTS_MISSING,
 * DIAG_RECIPIENT_INVALID (not Bech32, checksum, low order), DIAG_RECIPIENT_TYPE (hardware tag,
 * plugin: known to age, not implemented here), DIAG_POST_QUANTUM (libcrypto lacks ML-KEM-768) or
 * DIAG_CERTIFICATE (missing, damaged, not RSA, in one file with a private key).
 */
MUST_CHECK enum status seal_recipients_parse(struct arena *arena, struct sink *sink,
                                             const struct sealer_format *format, sv wanted_by,
                                             const struct seal_recipient_text *texts, size_t count,
                                             struct seal_recipients *ret_recipients);

/* Reports DIAG_RECIPIENTS_MISSING where recipients may be named; seal_recipients_parse has no
 * place. */
void seal_report_no_recipients(struct sink *sink, sv wanted_by, struct position at);

VEC_TYPE(seal_texts, sv);
/*
 * Warns (DIAG_CERTIFICATE_TIME) of a certificate that is not valid at `now`, in seconds since 1970,
 * or expires within 30 days. `at` is where it is named.
 */
void seal_recipients_check_time(struct sink *sink, const struct seal_recipients *recipients,
                                struct position at, int64_t now);

/* ---- .sops.yaml -------------------------------------------------------------------------- */

/* How a rule chooses the values that are encrypted. */
enum seal_selection {
	SEAL_SELECTION_NONE, /* the rule has no such key */
	SEAL_ENCRYPTED_REGEX,
	SEAL_ENCRYPTED_SUFFIX,
	SEAL_UNENCRYPTED_REGEX,
	SEAL_UNENCRYPTED_SUFFIX,
};

struct seal_creation_rule {
	struct position at;
	sv path;                 /* path_regex; if empty, the rule is for all files */
	const struct value *map; /* the rule as written */
	bool mac_only_encrypted;
	/* Set by seal_creation_rule_read. */
	enum seal_selection selection;
	sv selected; /* the expression, or the suffix */
};

struct seal_sops_config;

/*
 * Reads the creation rules. Fails with DIAG_SOPS_CONFIG, class input. A rule's recipients and
 * selection are checked only when it is used (seal_creation_rule_read), since most rules are for
 * other files.
 */
MUST_CHECK enum status seal_sops_config_parse(struct arena *arena, struct sink *sink,
                                              const struct source *source,
                                              const struct seal_sops_config **ret_config);
/* Returns the first rule that matches the path, relative to .sops.yaml's folder, or null. */
const struct seal_creation_rule *seal_sops_config_find(const struct seal_sops_config *config,
                                                       sv path);
/* Returns an upper bound of the steps that finding the rules of so many paths takes. */
uint64_t seal_sops_config_steps(const struct seal_sops_config *config, size_t paths);
/* Finds the rules of several paths at once, which is faster than one by one with many rules. */
void seal_sops_config_find_each(struct arena *arena, const struct seal_sops_config *config,
                                const sv *paths, size_t count,
                                const struct seal_creation_rule **ret_rules);

struct seal_rule_recipients {
	const struct seal_creation_rule *rule; /* a copy with its selection set */
	const struct seal_recipient_text *items;
	size_t count;
};
/*
 * Reads a rule's recipients and how it selects values. Fails, class input, with DIAG_SOPS_CONFIG
 * (keys other than age's, two selections, selection by comments) or DIAG_SOPS_GROUPS (a data key
 * that is split).
 */
MUST_CHECK enum status seal_creation_rule_read(struct arena *arena, struct sink *sink,
                                               const struct seal_creation_rule *rule,
                                               struct seal_rule_recipients *ret_recipients);
/* True if the rule's expression or suffix matches the key, which decides for all values below it.
 */
bool seal_creation_rule_names(const struct seal_creation_rule *rule, sv key);

/* ---- identities -------------------------------------------------------------------------- */

/* age identities, in locked memory, and private keys of sealed-secrets controllers. */
struct seal_identities;
struct seal_identities *seal_identities_new(void);
void seal_identities_free(struct seal_identities *identities);
static inline void seal_identities_freep(struct seal_identities **identities)
{
	seal_identities_free(*identities);
}
#define SEAL_IDENTITIES_AUTO CLEANUP(seal_identities_freep) struct seal_identities *
/* Returns the number of age identities, without the private keys. */
size_t seal_identities_count(const struct seal_identities *identities);
/*
 * Returns new identities with those whose recipients are listed; the caller frees them. The
 * program sops, if it may run, may then be asked only for keys that are listed, too. `identities`
 * may be null; the list must outlive the result.
 */
struct seal_identities *seal_identities_of(struct arena *arena,
                                           const struct seal_identities *identities,
                                           const struct seal_texts *recipients);
/*
 * The program sops, which opens files for keys that osm-gen does not use itself: those of a cloud's
 * KMS, of Vault, of PGP, of plugins of age. It is found and run when the first such file is opened.
 *
 * `environment` (NAME=VALUE) is that of osm-gen; sops gets a few variables of it, which
 * docs/howto/kms.md lists, and no program is taken from the folder `untrusted` (or empty). Both,
 * and the arena, must outlive the program. One thread at a time may open files with it, with
 * signals held (os_hold_signals).
 */
struct seal_program;
struct seal_program *seal_program_new(struct arena *arena, const sv *environment, size_t count,
                                      sv untrusted);
/*
 * Returns "sops 3.13.3 (/usr/bin/sops) decrypted 2 files", or an empty string if it did not decrypt
 * any. `program` may be null.
 */
sv seal_program_used(struct arena *arena, const struct seal_program *program);
/* From now on the program is asked for files that no identity opens. `program` may be null. */
void seal_identities_allow(struct seal_identities *identities, struct seal_program *program);

/*
 * Returns the kind of a key that was given and that osm-gen does not use, or null. `identities` may
 * be null.
 */
const char *seal_passed_over(const struct seal_identities *identities);

/*
 * Names a variable whose command would print an identity: osm-gen does not run it, which messages
 * about files that no identity opens explain. `variable` may be null, and is kept.
 */
void seal_identities_name_command(struct seal_identities *identities, const char *variable);
/* Returns that variable, or null. `identities` may be null. */
const char *seal_key_command(const struct seal_identities *identities);

/* Returns true if the program may be asked. `identities` may be null. */
bool seal_has_program(const struct seal_identities *identities);

/*
 * Adds the identities of a key file in age-keygen's form: one a line, "#" comments; also OpenSSH's
 * private keys in PEM, of Ed25519 and RSA without a passphrase. The source should be confidential.
 * Passes over keys of other kinds (plugins, other keys of SSH, post-quantum ones where libcrypto
 * lacks ML-KEM-768) if the file has a key that is used or the program sops may be asked. Fails with
 * DIAG_IDENTITY_INVALID, class surroundings, for each key that is neither.
 */
MUST_CHECK enum status seal_identities_add(struct sink *sink, struct seal_identities *identities,
                                           const struct source *source);

/* Lists the recipients of all age identities, as seal_recipient_shown has them. */
sv seal_identities_listed(struct arena *arena, const struct seal_identities *identities);
/* Returns the recipient of the first identity, "age1...", or an empty string without identities. */
sv seal_identities_recipient(struct arena *arena, const struct seal_identities *identities);

/*
 * Adds the private keys of a sealed-secrets controller: RSA keys in PEM, or the Secrets that hold
 * them, as kubectl prints them. The source should be confidential. Fails with DIAG_PRIVATE_KEY,
 * class surroundings, for an invalid key or if there is not one.
 */
MUST_CHECK enum status seal_private_keys_add(struct arena *secret_arena, struct sink *sink,
                                             struct seal_identities *identities,
                                             const struct source *source);

/*
 * Returns a new identity in age-keygen's form, from 32 random bytes. `created` is an RFC 3339 time,
 * or empty to leave that comment line out.
 */
sv seal_identity_format(struct arena *secret_arena, const uint8_t random[32], sv created);

/* ---- sealing ----------------------------------------------------------------------------- */

/*
 * The map keys whose values are sealed, with all that is below them. For objects other than Secrets
 * they are the keys that hold a secret.
 */
struct seal_rule {
	const sv *keys;
	size_t count;
};
/*
 * Returns the rule that a document was sealed by, from the encrypted_regex that the seal functions
 * wrote into it.
 */
struct seal_rule seal_written_rule(struct arena *arena, const struct value *document);
/* The rule of Secrets: data and stringData. */
extern const struct seal_rule seal_rule_secret;
/*
 * True if the bytes can be sealed as a string that every reader gets back unchanged: UTF-8 without
 * NUL, whose first character is neither a line break nor a TAB (docs/spec/sealing.md 1.8).
 */
bool seal_takes_text(sv text);

struct seal_request {
	sv cluster;                 /* its name: part of the object's identity */
	const struct value *object; /* keys in their final order */
	struct seal_rule rule;
	const struct seal_recipients *recipients; /* not empty; the file has their format */
	sv first_line;      /* comment line put before the document, without LF; may be empty */
	struct position at; /* reported for values that osm-gen made; may be NOWHERE */
	/* Receives where `out` then has the ciphertexts of values, in its arena; may be null. The
	 * format may leave out any of them. */
	struct ciphertexts *ret_ciphertexts;
};

/* The state of one worker that seals, for all formats. `root` must outlive it. */
struct sealer;
struct sealer *sealer_new(const struct seal_root *root);
void sealer_free(struct sealer *sealer);
static inline void sealer_freep(struct sealer **sealer)
{
	sealer_free(*sealer);
}
#define SEALER_AUTO CLEANUP(sealer_freep) struct sealer *

/*
 * Appends the object as a sealed file. The same request gives the same bytes, whatever the sealer
 * sealed before.
 *
 * Fails, class input, with DIAG_SEAL_VALUE for a value that the format cannot hold (SOPS: NUL,
 * bytes that are not UTF-8, several lines that begin with a TAB, a number under the rule, a key
 * "sops"), DIAG_SOPS_CONFIG if .sops.yaml selects other values, DIAG_SEAL_CLEAR_SECRET for a secret
 * outside of the rule, or DIAG_SEALED_SECRET_KIND for an object that the format cannot hold. All
 * mistakes are reported, and `out` is unchanged.
 */
MUST_CHECK enum status sealer_seal(struct sink *sink, struct sealer *sealer,
                                   const struct seal_request *request, struct buf *out);

/*
 * Appends bytes that belong to the request's object as a sealed file of their own, which decrypts
 * to the same bytes. `text` is UTF-8 without NUL, and not empty. Fails with DIAG_SEALED_SECRET_KIND
 * if the format can only hold objects.
 */
MUST_CHECK enum status sealer_seal_bytes(struct sink *sink, struct sealer *sealer,
                                         const struct seal_request *request, sv text,
                                         struct buf *out);

/* ---- reading sealed files ---------------------------------------------------------------- */

/* True if the document is sealed, in any format. */
bool seal_is_sealed(const struct value *document);
/* True if it is sealed in a format that osm-gen reads as an input (SOPS). */
bool seal_is_input(const struct value *document);
/*
 * True if a sealed input names only keys that the program sops opens, so that no identity can. Sets
 * *ret_kinds to their kinds, for messages: "AWS KMS, PGP".
 */
bool seal_needs_program(struct arena *arena, const struct value *document, sv *ret_kinds);
/* True if this string of a sealed document is a sealed value. */
bool seal_is_sealed_text(sv text);
/*
 * True if a change of the document's clear values needs a key: its MAC covers them, too. False for
 * a SOPS file with mac_only_encrypted, and for a clear document.
 */
bool seal_covers_clear_values(const struct value *document);
/* Returns the type that a sealed value of an input names: "str", "int", "float" or "bool". */
sv seal_sealed_type(sv text);
/* True if the file may be a sealed document whose `kind` is sealed too. */
bool seal_may_hide_kind(sv text);

/*
 * Decrypts the sealed documents of a file and leaves the others as they are. Each decrypted string
 * is tainted with a secret of its own, named "NAMESPACE/NAME:KEY" in a Kubernetes object and by its
 * path elsewhere. `ret_documents` has room for `count`.
 *
 * Fails, class input, with DIAG_SOPS_FORMAT (sops does not write such a file), DIAG_SOPS_MAC (it
 * was changed by hand) or DIAG_SOPS_PROGRAM_KEY (a key that the program may not be asked for);
 * class surroundings, with DIAG_SOPS_KEY (no identity given, no identity fits, no age recipient) or
 * DIAG_SOPS_PROGRAM. For SealedSecrets: DIAG_SEALED_SECRET_FORMAT, DIAG_SEALED_SECRET_KEY.
 */
MUST_CHECK enum status seal_open(struct arena *secret_arena, struct sink *sink,
                                 const struct value *documents, size_t count,
                                 const struct seal_identities *identities,
                                 struct value *ret_documents);

/*
 * Adds the recipients that a sealed document names, and other keys as sops prints them (an ARN, a
 * fingerprint). Anybody can edit that list: only decrypting the
 * document with the listed recipients' identities alone (seal_identities_of) proves it.
 */
void seal_list_recipients(struct arena *arena, const struct value *document,
                          struct seal_texts *recipients);
/*
 * Adds marks of a sealed document: bytes, such as ciphertexts, that two documents share only if one
 * was copied from the other, in whole or in part. Adds nothing for other documents.
 */
void seal_list_marks(struct arena *arena, const struct value *document, struct seal_texts *marks);

/*
 * Returns a file as reviewers see it: in a sealed one each sealed value becomes one word, and what
 * changes with the values (encrypted data keys, MACs) is left out. Others are returned unchanged.
 */
sv seal_mask(struct arena *arena, sv text);

/*
 * True if two files of a format have the same sealed values, byte for byte. With the same seed and
 * recipients the values are then the same in the clear. Encrypted data keys, MACs and clear values
 * are not compared.
 */
bool seal_same_values(struct arena *arena, const struct sealer_format *format, sv before, sv now);

/* ---- SOPS files that hold no manifests --------------------------------------------------- */

/* True for a SOPS file of KEY=VALUE lines. */
bool seal_is_dotenv(sv text);
/*
 * Reads such a file as a document that seal_open takes, without comments. Fails with
 * DIAG_SOPS_FORMAT, class input, for a line that is not KEY=VALUE and for a key that occurs twice.
 */
MUST_CHECK enum status seal_dotenv_parse(struct arena *secret_arena, struct sink *sink,
                                         const struct source *source, struct value *ret_document);
/* Appends the opened document as lines again; a line break in a value becomes "\n". */
void seal_dotenv_add(struct buf *buf, const struct value *document);
/* True if the document is a file that sops encrypted as bytes; they are below `data`. */
bool seal_is_binary(const struct value *document);

/* ---- formats ----------------------------------------------------------------------------- */

/* A format of sealed files. Functions must not be null unless their comment allows it. */
struct sealer_format {
	sv name;                /* as sealing.format names it */
	bool takes_certificate; /* its recipient is a file, sealing.certificate */
	bool is_input;          /* seal_is_input */

	/* Parses as seal_recipients_parse does; sets items and count. */
	enum status (*parse_recipients)(struct arena *arena, struct sink *sink, sv wanted_by,
	                                const struct seal_recipient_text *texts, size_t count,
	                                struct seal_recipients *ret_recipients);
	/* Checks as seal_recipients_check_time does, for at least one recipient. May be null. */
	void (*check_time)(struct sink *sink, const struct seal_recipients *recipients,
	                   struct position at, int64_t now);
	/* A worker's state for seal: as sealer_new, sealer_free, sealer_seal. */
	void *(*state_new)(const struct seal_root *root);
	void (*state_free)(void *state);
	enum status (*seal)(struct sink *sink, void *state, const struct seal_request *request,
	                    struct buf *out);
	/* Seals as sealer_seal_bytes does. */
	enum status (*seal_bytes)(struct sink *sink, void *state,
	                          const struct seal_request *request, sv text, struct buf *out);

	/*
	 * The functions above for this format; read, as seal_open, gets documents of this format
	 * only. is_sealed_text and may_hide_kind may be null.
	 */
	bool (*is_sealed)(const struct value *document);
	bool (*is_sealed_text)(sv text);
	bool (*may_hide_kind)(sv text);
	enum status (*read)(struct arena *secret_arena, struct sink *sink,
	                    const struct value *documents, size_t count,
	                    const struct seal_identities *identities, struct value *ret_documents);
	/* The functions above for a document of this format. */
	void (*list_recipients)(struct arena *arena, const struct value *document,
	                        struct seal_texts *recipients);
	void (*list_marks)(struct arena *arena, const struct value *document,
	                   struct seal_texts *marks);
	/* Returns false, and does not set *ret_masked, for a file that is not of this format. */
	bool (*mask)(struct arena *arena, sv text, sv *ret_masked);
	/* Adds the lines of a file that hold sealed values. */
	void (*add_values)(struct buf *buf, sv text);

	const char *identity_help; /* how to give the keys that decrypt */
	const char *values_help;   /* how to seal values, and leave a document's kind clear */
};

/* Finds a format by name, or returns null. An empty name finds the default format. */
const struct sealer_format *sealer_format_find(sv name);
/* Returns the names of all formats, for messages. */
const sv *sealer_format_names(struct arena *arena, size_t *ret_count);
/* Returns the format of a sealed document, or null for others. */
const struct sealer_format *sealer_format_of(const struct value *document);

/* Returns the version of libsodium that the program runs with. */
const char *seal_library_version(void);

#endif
