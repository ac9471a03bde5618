/*
 * seal: secrets on their way into git, and back (docs/spec/output.md 6, docs/spec/sealing.md).
 *
 *   seed.c    the seed, its text form, what is derived from it
 *   keys.c    age's recipients and identities as people write them down
 *   format.c  the formats of sealed files, and which of them a file has
 *   sops*.c   SOPS YAML files for age recipients: the first of them
 *   age.c     age files; ssh.c: their ssh-ed25519 recipients; gcm.c: the sealed values of SOPS
 *   sops_dotenv.c  SOPS files of lines, and of bytes
 *   sops_config.c  .sops.yaml: recipients and rules for files that are made
 *   sealed_secret*.c  Bitnami's SealedSecrets; certificate.c: what they are sealed to;
 *                     hybrid.c: their values; private_keys.c: what opens them
 *
 * Whoever seals or reads what is sealed does it through the functions here, whatever the format. A
 * format is one file that fills a struct sealer_format, and one line in format.c.
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

/*
 * Mixes the fleet's identity (sealing.fleet) into everything that is derived from then on, so that
 * fleets of one seed share nothing; an empty one changes nothing. Before other threads see the
 * root.
 */
void seal_root_bind(struct seal_root *root, sv fleet);

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
/* "abcdef.0123456789abcdef" over the controller's alphabet (docs/spec/controller.md 5.2). */
sv seal_bootstrap_token(struct arena *secret_arena, const struct seal_root *root,
                        const struct seal_token_owner *owner);

/*
 * 32 hex digits that differ when text does, by which changes of a text that holds secrets are
 * noticed: keyed, and bound to the object, so that they confirm no guess to anyone without the
 * seed.
 */
sv seal_change_digest(struct arena *arena, const struct seal_root *root,
                      const struct seal_token_owner *owner, sv text);

/*
 * 32 hex digits that prove to whoever has the seed that these inputs gave these outputs. Keyed,
 * since inputs hold secrets, and since nobody else shall be able to make one. Not bound to the
 * fleet's identity, which is one of the inputs.
 */
sv seal_inputs_digest(struct arena *arena, const struct seal_root *root, sv inputs, sv outputs);

/*
 * 32 hex digits that prove to whoever has the seed that a run with it sealed this cluster to these
 * recipients: nobody else can make an index that says so.
 */
sv seal_recipients_digest(struct arena *arena, const struct seal_root *root, sv cluster,
                          const sv *recipients, size_t count);

/* ---- fingerprints ------------------------------------------------------------------------ */

/* Fingerprints of one name differ from cluster to cluster; root may be null: there are none. */
struct seal_fingerprint_key {
	const struct seal_root *root;
	sv cluster;
};

/* How clear files name secrets (secrecy_redact). It refers to the key. */
struct redaction seal_redaction(const struct seal_fingerprint_key *key);

/* ---- recipients -------------------------------------------------------------------------- */

struct sealer_format;

struct seal_recipient {
	sv text;         /* in the one form that its key has: "age1...", "ssh-ed25519 AAAA..." */
	const void *key; /* as the format has it */
};

/* How far what is sealed may be moved and still be opened: SealedSecrets' scopes. */
enum seal_scope {
	SEAL_SCOPE_STRICT,    /* bound to namespace and name */
	SEAL_SCOPE_NAMESPACE, /* bound to the namespace */
	SEAL_SCOPE_CLUSTER,
};
/* "strict", "namespace-wide", "cluster-wide" */
sv seal_scope_name(enum seal_scope scope);

/* Of one format. Sorted, without doubles: order and repetition never change output. */
struct seal_recipients {
	const struct sealer_format *format;
	const struct seal_recipient *items;
	size_t count;
	enum seal_scope scope; /* set by the caller; SOPS has none */
	size_t round_lengths;  /* likewise; 0 and 1: lengths are shown as they are */
	/* Likewise: the rule of .sops.yaml that they come from; null: osm-gen.yaml names them. */
	const struct seal_creation_rule *rule;
};

/*
 * A recipient as index.json and CI's list name it: its text, and after a space what makes sealing
 * to it promise less, so that this is guarded as recipients are. That is a scope wider than strict,
 * or "mac-only-encrypted", a MAC that does not cover what stands in the clear.
 */
sv seal_recipient_listed(struct arena *arena, const struct seal_recipients *recipients, size_t i);
#define SEAL_LISTED_MAC_ONLY "mac-only-encrypted"

/* One recipient as configured, and where; of formats that take a certificate, its PEM text. */
struct seal_recipient_text {
	sv text;
	struct position at;
};

/*
 * Reads recipients of a format that is there; all mistakes are reported. `wanted_by` names who
 * seals to them ("cluster prod-eu-1") for the case that there is none. Class surroundings:
 * DIAG_RECIPIENTS_MISSING, DIAG_RECIPIENT_INVALID (not Bech32, checksum, low order),
 * DIAG_RECIPIENT_TYPE (post-quantum, hardware tag, plugin, SSH's RSA: known, not implemented),
 * DIAG_CERTIFICATE (missing, damaged, not RSA, beside a private key).
 */
MUST_CHECK enum status seal_recipients_parse(struct arena *arena, struct sink *sink,
                                             const struct sealer_format *format, sv wanted_by,
                                             const struct seal_recipient_text *texts, size_t count,
                                             struct seal_recipients *ret_recipients);

VEC_TYPE(seal_texts, sv);
/*
 * Warns (DIAG_CERTIFICATE_TIME) when what is sealed to is not valid at `now`, seconds since 1970,
 * or for less than 30 days from then on. `at` is where it is named.
 */
void seal_recipients_check_time(struct sink *sink, const struct seal_recipients *recipients,
                                struct position at, int64_t now);

/* ---- .sops.yaml -------------------------------------------------------------------------- */

/* How a rule chooses the values that are encrypted. */
enum seal_selection {
	SEAL_SELECTION_NONE, /* it does not say */
	SEAL_ENCRYPTED_REGEX,
	SEAL_ENCRYPTED_SUFFIX,
	SEAL_UNENCRYPTED_REGEX,
	SEAL_UNENCRYPTED_SUFFIX,
};

struct seal_creation_rule {
	struct position at;
	sv path;                 /* path_regex; empty: all files */
	const struct value *map; /* as written */
	bool mac_only_encrypted;
	/* Set by seal_creation_rule_read. */
	enum seal_selection selection;
	sv selected; /* the expression, or the suffix */
};

struct seal_sops_config;

/*
 * Reads the creation rules. DIAG_SOPS_CONFIG, class input, for what is no rule; what a rule says of
 * keys is looked at when it is used, since most rules are for other files.
 */
MUST_CHECK enum status seal_sops_config_parse(struct arena *arena, struct sink *sink,
                                              const struct source *source,
                                              const struct seal_sops_config **ret_config);
/* The first rule that matches the path, which is relative to .sops.yaml's folder; or null. */
const struct seal_creation_rule *seal_sops_config_find(const struct seal_sops_config *config,
                                                       sv path);
/* Steps that finding the rules of so many paths takes, at most. */
uint64_t seal_sops_config_steps(const struct seal_sops_config *config, size_t paths);
/* The same of several paths, in the time of one where there are many rules. */
void seal_sops_config_find_each(struct arena *arena, const struct seal_sops_config *config,
                                const sv *paths, size_t count,
                                const struct seal_creation_rule **ret_rules);

struct seal_rule_recipients {
	const struct seal_creation_rule *rule; /* with its selection */
	const struct seal_recipient_text *items;
	size_t count;
};
/*
 * What a rule says of recipients and values. DIAG_SOPS_CONFIG (other keys than age's, two ways to
 * choose, by comments), DIAG_SOPS_GROUPS (a data key that is split), class input.
 */
MUST_CHECK enum status seal_creation_rule_read(struct arena *arena, struct sink *sink,
                                               const struct seal_creation_rule *rule,
                                               struct seal_rule_recipients *ret_recipients);
/* Whether the rule's expression or suffix fits a key; what lies below is sealed, or is not. */
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
/* age's alone. */
size_t seal_identities_count(const struct seal_identities *identities);
/* Those of them whose recipients are named; to be freed. identities may be null. */
struct seal_identities *seal_identities_of(struct arena *arena,
                                           const struct seal_identities *identities,
                                           const struct seal_texts *recipients);
/*
 * Adds those of a key file in age-keygen's form: one a line, "#" comments. The source should be
 * confidential. DIAG_IDENTITY_INVALID, class surroundings, for each line that is none.
 */
MUST_CHECK enum status seal_identities_add(struct sink *sink, struct seal_identities *identities,
                                           const struct source *source);

/* The recipient of the first one, "age1..."; empty where there is none. */
sv seal_identities_recipient(struct arena *arena, const struct seal_identities *identities);

/*
 * Adds the private keys of a sealed-secrets controller: RSA keys in PEM, or the Secrets that hold
 * them, as kubectl prints them. The source should be confidential. DIAG_PRIVATE_KEY, class
 * surroundings, for what is none.
 */
MUST_CHECK enum status seal_private_keys_add(struct arena *secret_arena, struct sink *sink,
                                             struct seal_identities *identities,
                                             const struct source *source);

/*
 * A new identity in age-keygen's form, from 32 random bytes. `created` is an RFC 3339 time, or
 * empty to leave that comment line out.
 */
sv seal_identity_format(struct arena *secret_arena, const uint8_t random[32], sv created);

/* ---- sealing ----------------------------------------------------------------------------- */

/*
 * Values below a map key named here are sealed. An object that is no Secret names the keys that
 * hold a secret.
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
/* data, stringData */
extern const struct seal_rule seal_rule_secret;

struct seal_request {
	sv cluster;                 /* its name: part of the object's identity */
	const struct value *object; /* keys in their final order */
	struct seal_rule rule;
	const struct seal_recipients *recipients; /* at least one; their format is the file's */
	sv first_line;      /* a comment line put before the document, without LF; or empty */
	struct position at; /* where to look when a value was made by the program; or NOWHERE */
};

/* Reusable state of one worker, for all formats. root must outlive it. */
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
 * Errors, class input: DIAG_SEAL_VALUE for what would not survive the format (SOPS: NUL, text that
 * is not UTF-8, several lines that begin with a TAB, a number under the rule, a key "sops"),
 * DIAG_SOPS_CONFIG where .sops.yaml would have other values sealed, DIAG_SEAL_CLEAR_SECRET for a
 * secret outside the rule, DIAG_SEALED_SECRET_KIND for an object that
 * the format cannot hold. All of them are reported; out is then as it was.
 */
MUST_CHECK enum status sealer_seal(struct sink *sink, struct sealer *sealer,
                                   const struct seal_request *request, struct buf *out);

/*
 * Appends a text that belongs to the request's object as a sealed file of its own, which opens to
 * the same bytes. text is UTF-8 without NUL, and not empty. DIAG_SEALED_SECRET_KIND where the
 * format holds objects only.
 */
MUST_CHECK enum status sealer_seal_bytes(struct sink *sink, struct sealer *sealer,
                                         const struct seal_request *request, sv text,
                                         struct buf *out);

/* ---- reading what is sealed -------------------------------------------------------------- */

/* Whether a document is sealed, in any format. */
bool seal_is_sealed(const struct value *document);
/* Whether it is sealed for those who run osm-gen, so that it can be read as an input. */
bool seal_is_input(const struct value *document);
/* Whether a text of a sealed document is one that was sealed. */
bool seal_is_sealed_text(sv text);
/* Whether a file's text may be a document whose kind is sealed too. */
bool seal_may_hide_kind(sv text);

/*
 * Decrypts the sealed ones of a file's documents; the others stay as they are. What was sealed is
 * tainted, each text by a secret of its own, named "NAMESPACE/NAME:KEY" when the document is a
 * Kubernetes object, else by its path. ret_documents has room for count.
 *
 * Errors, class input: DIAG_SOPS_FORMAT (not what sops writes), DIAG_SOPS_MAC (changed by hand).
 * Class surroundings: DIAG_SOPS_KEY (no identity given, none that fits, no age recipient). For
 * SealedSecrets: DIAG_SEALED_SECRET_FORMAT, DIAG_SEALED_SECRET_KEY.
 */
MUST_CHECK enum status seal_open(struct arena *secret_arena, struct sink *sink,
                                 const struct value *documents, size_t count,
                                 const struct seal_identities *identities,
                                 struct value *ret_documents);

/*
 * Adds the recipients that a document says it is encrypted to. Anybody can write them there: only
 * opening it with their identities alone (seal_identities_of) proves it.
 */
void seal_list_recipients(struct arena *arena, const struct value *document,
                          struct seal_texts *recipients);
/*
 * Adds what no two documents have in common unless one was copied from the other, in whole or in
 * part: bytes that only whoever sealed it could make. Nothing for a document that is not sealed.
 */
void seal_list_marks(struct arena *arena, const struct value *document, struct seal_texts *marks);

/*
 * What a reviewer sees of a file: of sealed ones every sealed value is one word, and what only
 * follows from the values (keys, codes) is left out; others are shown as they are.
 */
sv seal_mask(struct arena *arena, sv text);

/*
 * Whether two files of a format have the same sealed values, byte for byte: with one seed and one
 * list of recipients that means the same texts. What only follows from the rest (codes, keys) and
 * what is clear does not count.
 */
bool seal_same_values(struct arena *arena, const struct sealer_format *format, sv before, sv now);

/* ---- SOPS files that hold no manifests --------------------------------------------------- */

/* Whether a text is a SOPS file of KEY=VALUE lines. */
bool seal_is_dotenv(sv text);
/*
 * One as a document that seal_open takes; comments are left out. DIAG_SOPS_FORMAT, class input, for
 * lines that are none, and for a key that stands there twice.
 */
MUST_CHECK enum status seal_dotenv_parse(struct arena *secret_arena, struct sink *sink,
                                         const struct source *source, struct value *ret_document);
/* The opened document as lines again: a line break in a value is "\n". */
void seal_dotenv_add(struct buf *buf, const struct value *document);
/* Whether the document is a whole file that sops took for bytes: its text is below `data`. */
bool seal_is_binary(const struct value *document);

/* ---- formats ----------------------------------------------------------------------------- */

/* What a format of sealed files is. Functions that may be null are said to be so. */
struct sealer_format {
	sv name;                /* as sealing.format names it */
	bool takes_certificate; /* its recipient is a file, sealing.certificate */
	bool is_input;          /* seal_is_input */

	/* As seal_recipients_parse; sets items and count. */
	enum status (*parse_recipients)(struct arena *arena, struct sink *sink, sv wanted_by,
	                                const struct seal_recipient_text *texts, size_t count,
	                                struct seal_recipients *ret_recipients);
	/* As seal_recipients_check_time, for one recipient at least. May be null. */
	void (*check_time)(struct sink *sink, const struct seal_recipients *recipients,
	                   struct position at, int64_t now);
	/* A worker's state for seal: as sealer_new, sealer_free, sealer_seal. */
	void *(*state_new)(const struct seal_root *root);
	void (*state_free)(void *state);
	enum status (*seal)(struct sink *sink, void *state, const struct seal_request *request,
	                    struct buf *out);
	/* As sealer_seal_bytes. */
	enum status (*seal_bytes)(struct sink *sink, void *state,
	                          const struct seal_request *request, sv text, struct buf *out);

	/*
	 * As the functions above; read, as seal_open, gets documents of this format only.
	 * is_sealed_text and may_hide_kind may be null.
	 */
	bool (*is_sealed)(const struct value *document);
	bool (*is_sealed_text)(sv text);
	bool (*may_hide_kind)(sv text);
	enum status (*read)(struct arena *secret_arena, struct sink *sink,
	                    const struct value *documents, size_t count,
	                    const struct seal_identities *identities, struct value *ret_documents);
	/* As the functions above, for a document of this format. */
	void (*list_recipients)(struct arena *arena, const struct value *document,
	                        struct seal_texts *recipients);
	void (*list_marks)(struct arena *arena, const struct value *document,
	                   struct seal_texts *marks);
	/* False: the text is no file of this format, and *ret_masked is not set. */
	bool (*mask)(struct arena *arena, sv text, sv *ret_masked);
	/* Adds the lines of a file that hold sealed values. */
	void (*add_values)(struct buf *buf, sv text);

	const char *identity_help; /* how to give what decrypts */
	const char *values_help;   /* how to seal values, and leave a document's kind clear */
};

/* By its name; null: there is none. An empty name: the format when none is named. */
const struct sealer_format *sealer_format_find(sv name);
/* All names, for messages. */
const sv *sealer_format_names(struct arena *arena, size_t *ret_count);
/* The format of a sealed document, null for others. */
const struct sealer_format *sealer_format_of(const struct value *document);

/* The version of libsodium that runs. */
const char *seal_library_version(void);

#endif
