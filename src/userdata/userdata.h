/*
 * userdata: writes a node configuration as the user-data that a machine reads at its first boot,
 * and checks the user-data against each cloud's size limit.
 *
 * Each format has one file. Two are byte for byte those of Kubermatic's controller, with all
 * quirks:
 *
 *   cloud_init.c     #cloud-config
 *   ignition.c       Ignition 2.3.0
 *
 * The others are osm-gen's own; what they put on the node equals the node configuration byte for
 * byte (docs/spec/userdata.md 6):
 *
 *   bash.c           a script
 *   cloud_config.c   cloud-init's #cloud-config, by write_files and runcmd
 *   coreos.c         coreos-cloudinit's #cloud-config
 *   ignition3.c      Ignition 3.3.0 and 2.3.0
 *   mime.c           a MIME multipart document around any of them
 *
 * read_back.c and read_files.c read what was written as its consumers do.
 */
#ifndef OSM_GEN_USERDATA_USERDATA_H
#define OSM_GEN_USERDATA_USERDATA_H

#include "base/base.h"
#include "diag/diag.h"
#include "node/node.h"
#include "value/value.h"
#include "yaml/yaml.h"

/*
 * The files of a node that are apart, written beside its user-data (docs/spec/userdata.md 8). The
 * user-data is complete when each <KEY> in `list` is replaced by base64 of the file's content, and
 * `list` inserted at the offset `at`. Files without a key are in `list` as they are.
 */
struct userdata_apart_file {
	sv key;
	struct value content; /* what the machine gets */
};
struct userdata_apart {
	struct value list;
	VEC(struct userdata_apart_file) files;
	size_t at;
};

/*
 * cloud-init's #cloud-config, byte for byte what Kubermatic's controller writes
 * (docs/spec/userdata.md 2): its spacing, its unquoted values, its lack of a final line break.
 * Files that are apart go to `apart`, which is null without such files; a key needs the encoding
 * "b64". Cannot fail. The result has the taint of its parts; a file in base64 is tainted as a whole
 * if any of its bytes is.
 */
struct value userdata_cloud_init(struct arena *arena, const struct node_config *node,
                                 struct userdata_apart *apart);

/*
 * Ignition 2.3.0 for Flatcar, byte for byte what Kubermatic's controller makes by way of a
 * Container Linux Config (docs/spec/userdata.md 3). Leaves out file encodings, modules and package
 * upgrades, as the controller does. Files that are apart go to `apart`, which may be null without
 * such files.
 *
 * Fails if a name, path, key, content or unit cannot be carried by that config, and reports each
 * (DIAG_IGNITION_TEXT, _NAME, _FILE, _UNIT). The position is inside the string if it is in a
 * manifest unchanged, else that of the file's or unit's name. Warns where comments are lost on the
 * way (DIAG_IGNITION_LOST).
 */
enum status userdata_ignition(struct arena *arena, struct sink *sink,
                              const struct node_config *node, struct userdata_apart *apart,
                              struct value *ret_text) MUST_CHECK;

/* ---- osm-gen's own formats ---------------------------------------------------------------- */

struct userdata_format {
	sv name; /* "bash", "cloud-config", "coreos-cloud-config", "ignition" */
	/*
	 * Fails if the format cannot express the node configuration, and reports each reason at the
	 * string's position. DIAG_USERDATA_TEXT: an invalid path or name; a NUL in a transparent
	 * file or a script; a string that is not UTF-8 where the format has no encoding for it; a
	 * script, link, cloud_config or reboot_strategy that the format has no place for.
	 * DIAG_IGNITION_FILE, _UNIT: anything that Ignition refuses. Members that only Kubermatic's
	 * dialect sets (host name, SSH keys, upgrades, modules) must be unset: a BUG otherwise.
	 */
	enum status (*write)(struct arena *arena, struct sink *sink, const struct node_config *node,
	                     struct value *ret_text);
};

/* The names of all formats, sorted, with | between them. */
#define USERDATA_FORMATS "bash|cloud-config|coreos-cloud-config|ignition"
/* Returns the format of that name, or null if there is none. */
const struct userdata_format *userdata_format_find(sv name);

/* Returns Ignition 2.3.0 of any node, whose name is "ignition", too; USERDATA_FORMATS lacks it. */
const struct userdata_format *userdata_format_ignition2(void);

/* One part of a MIME multipart document. */
struct userdata_part {
	sv content_type; /* with its parameters: "text/x-vsmp; section=vsmp" */
	struct value text;
};

/*
 * Returns a multipart/mixed document (RFC 2046) whose boundary occurs in no part. Parts of ASCII
 * without NUL and CR are carried unchanged, others as quoted-printable. Cannot fail.
 */
struct value userdata_multipart(struct arena *arena, const struct userdata_part *parts,
                                size_t count);

/* ---- budgets ----------------------------------------------------------------------------- */

/* The bytes that a cloud's limit counts, after machine-controller has processed the user-data. */
enum userdata_measure {
	USERDATA_PLAIN,  /* as they are */
	USERDATA_BASE64, /* after base64 */
	USERDATA_GZIP,   /* after gzip, before base64 */
};

/* The operating systems of a limit: some clouds hand user-data to Flatcar in another way. */
enum userdata_systems { USERDATA_ANY_SYSTEM, USERDATA_FLATCAR, USERDATA_OTHER_SYSTEMS };

struct userdata_budget {
	sv provider; /* its name in operating-system-manager (OSM), such as "aws" */
	enum userdata_systems systems;
	enum userdata_measure measure;
	size_t limit; /* bytes */
	size_t
	    careful;  /* a lower limit that is documented too, and only warns; 0 if there is none */
	bool assumed; /* the cloud publishes no limit: this one is a guess */
	const char *source;
	/* The help for user-data over the limit; null for the usual one, about the profile. */
	const char *remedy;
	/* Rounds sizes in messages (userdata_shown_bytes); the caller sets it, 0 in the table. */
	size_t multiple;
};

/*
 * Returns a size as messages show it: rounded up to a multiple of `multiple` (0 and 1 do not
 * round), so that it reveals less of the secrets' lengths. A size within `limit` is not rounded
 * above it; it is 0 if there is no limit.
 */
size_t userdata_shown_bytes(size_t bytes, size_t limit, size_t multiple);

/* The most bytes that a Kubernetes Secret holds. */
#define USERDATA_SECRET_BYTES ((size_t)1024 * 1024)

/*
 * Returns the limit of a provider for an operating system, both by the names that OSM uses. Returns
 * null if the provider takes user-data of any size, or none at all.
 */
const struct userdata_budget *userdata_budget_find(sv provider, sv os_name);

/*
 * Returns the number of bytes to compare with the budget's limit. It does to the user-data what
 * machine-controller does (docs/spec/userdata.md 4): replaces each <MACHINE_NAME>, also
 * percent-encoded as in Ignition, by a name of 63 characters; empties lines of white space; then
 * encodes as the budget's measure asks. If `budget` is null, it does not encode.
 */
size_t userdata_measure_bytes(struct arena *arena, const struct userdata_budget *budget, sv text);

/*
 * Fails if `text` is larger than a Secret can be; warns if it is larger than 90 % of that. `what`
 * names it in messages ("bootstrap configuration"); `multiple` as in userdata_shown_bytes.
 */
enum status userdata_check_secret(struct sink *sink, const char *what, sv text, size_t multiple,
                                  struct position at) MUST_CHECK;

/*
 * Fails if user-data is over its limit; warns if it is over 90 % of the limit, or over `careful`.
 * If the limit is assumed, user-data over it is only a warning. The position is `at`. Sets
 * *ret_bytes (userdata_measure_bytes) in any case. `budget` may be null if there is no limit.
 */
enum status userdata_check_budget(struct arena *arena, struct sink *sink,
                                  const struct userdata_budget *budget, sv text, struct position at,
                                  size_t *ret_bytes) MUST_CHECK;

/* ---- reading back ------------------------------------------------------------------------- */

/*
 * Reads user-data back as its consumers read it (docs/spec/userdata.md 7): cloud-init reads YAML
 * 1.1 with PyYAML, the kubelet its configuration with sigs.k8s.io/yaml, containerd TOML.
 * Kubermatic's controller puts YAML together without quotes, so that a value may arrive as another
 * one, or break the document.
 */
enum userdata_piece {
	USERDATA_HOSTNAME,
	USERDATA_SSH_KEY,
	USERDATA_FILE_PATH,
	USERDATA_FILE_ENCODING,
	USERDATA_FILE_CONTENT,
	USERDATA_UNIT, /* the name, content or drop-ins of a unit */
	USERDATA_BOOTCMD,
	USERDATA_RUNCMD,
	USERDATA_SUBSCRIPTION, /* a member of rh_subscription */
	USERDATA_REPOSITORY,   /* a key or member of yum_repos, or yum_repo_dir */
	USERDATA_KUBELET,      /* a file that the kubelet reads */
	USERDATA_CONTAINERD,   /* a file that containerd reads */
};

/* A part that its consumer cannot read, or reads as something else. */
struct userdata_misread {
	enum userdata_piece part;
	sv name;                  /* of the file, unit, member; may be empty */
	const struct value *text; /* the string that is wrong */
	size_t file;              /* its number in the node configuration, for files */
	size_t offset;            /* of the mistake in `text`, as far as it is known */
	/* The consumer refuses the whole document. Else it reads another value. */
	bool is_fatal;
	/* It depends on bytes of a secret that a template put there, so a message has no place.
	 * Always fatal: a change of meaning by such bytes is not listed. */
	bool by_secret;
	/* The type that cloud-init takes a plain value for; YML_PYTHON_STRING for another string.
	 */
	enum yml_python kind;
	sv problem; /* for the files of kubelet and containerd: the mistake; may be empty */
};
VEC_TYPE(userdata_misreads, struct userdata_misread);

/*
 * Lists what cloud-init reads otherwise than `node` has it, in the document that
 * userdata_cloud_init writes of it. What is harmless is not listed: a last line break, a shell's
 * comment that YAML takes for its own, a number that prints as it was written, values that
 * have quotes of their own. `drops_blanks`: lines of blanks become empty on the way
 * (docs/spec/userdata.md 4).
 */
void userdata_read_back(struct arena *arena, const struct node_config *node, bool drops_blanks,
                        struct userdata_misreads *misreads);

/*
 * Digests of files that were read without a mistake, shared by all threads of a run: most machines
 * of a cluster have the same files.
 */
#define USERDATA_READ_TEXTS 1024
struct userdata_read_texts {
	_Atomic uint64_t digests[USERDATA_READ_TEXTS];
};

/*
 * Lists mistakes in the files that the kubelet and containerd read. `known` may be null. Stops when
 * the steps are used up; reading a file that is not known takes about one for each byte.
 */
void userdata_read_files(struct arena *arena, struct quota *steps, const struct node_config *node,
                         struct userdata_read_texts *known, struct userdata_misreads *misreads);

#endif
