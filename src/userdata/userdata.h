/*
 * userdata: a node configuration as the text that a machine's first boot reads, and how much of it
 * each cloud takes.
 *
 * One file a format. Kubermatic's two are byte for byte its controller's, with all their quirks:
 *
 *   cloud_init.c     #cloud-config
 *   ignition.c       Ignition 2.3.0
 *
 * The others write what a node configuration says, to the byte on the node (docs/spec/userdata.md
 * 6):
 *
 *   bash.c           a script
 *   cloud_config.c   cloud-init's #cloud-config, by write_files and runcmd
 *   coreos.c         coreos-cloudinit's #cloud-config
 *   ignition3.c      Ignition 3.3.0
 *   mime.c           a MIME multipart document around any of them
 */
#ifndef OSM_GEN_USERDATA_USERDATA_H
#define OSM_GEN_USERDATA_USERDATA_H

#include "base/base.h"
#include "diag/diag.h"
#include "node/node.h"
#include "value/value.h"

/*
 * cloud-init's #cloud-config, byte for byte what Kubermatic's controller writes
 * (docs/spec/userdata.md 2): its spacing, its unquoted values, its lack of a final line break.
 * Cannot fail. The result's taint is that of the parts; a base64-encoded file is tainted whole when
 * any of its bytes was.
 */
struct value userdata_cloud_init(struct arena *arena, const struct node_config *node);

/*
 * Ignition 2.3.0 for Flatcar, byte for byte what Kubermatic's controller makes by way of a
 * Container Linux Config (docs/spec/userdata.md 3). File encodings, modules and package upgrades
 * are not for Ignition and are left out.
 *
 * Reports every name, path, key, text and unit that does not get through (DIAG_IGNITION_TEXT,
 * _NAME, _FILE, _UNIT), at the text's place when it stands in a manifest as it is, else at its
 * name's; and warns where comments vanish on the way (DIAG_IGNITION_LOST).
 */
enum status userdata_ignition(struct arena *arena, struct sink *sink,
                              const struct node_config *node, struct value *ret_text) MUST_CHECK;

/* ---- formats that write what a node configuration says ------------------------------------ */

struct userdata_format {
	sv name; /* "bash", "cloud-config", "coreos-cloud-config", "ignition" */
	/*
	 * Reports what the format cannot say, at the text's place (DIAG_USERDATA_TEXT): a path or a
	 * name that is none, a NUL in a transparent file or a script, text that is no UTF-8 where
	 * the format has no encoding for it, scripts, links, cloud_config and reboot_strategy where
	 * it has no place for them; and what Ignition refuses (DIAG_IGNITION_FILE, _UNIT). What is
	 * Kubermatic's own (host name, SSH keys, upgrades, modules) is a BUG.
	 */
	enum status (*write)(struct arena *arena, struct sink *sink, const struct node_config *node,
	                     struct value *ret_text);
};

/* Sorted by name. */
const struct userdata_format *userdata_formats(size_t *ret_count);
/* Null: there is none of that name. */
const struct userdata_format *userdata_format_find(sv name);

/* One part of a MIME multipart document. */
struct userdata_part {
	sv content_type; /* with its parameters: "text/x-vsmp; section=vsmp" */
	struct value text;
};

/*
 * A multipart/mixed document (RFC 2046) whose boundary stands in no part. Parts of ASCII without
 * NUL and CR are carried as they are, others quoted-printable. Cannot fail.
 */
struct value userdata_multipart(struct arena *arena, const struct userdata_part *parts,
                                size_t count);

/* ---- budgets ----------------------------------------------------------------------------- */

/* What a cloud's limit counts: the text on its way through machine-controller. */
enum userdata_measure {
	USERDATA_PLAIN,  /* the text's bytes */
	USERDATA_BASE64, /* the bytes after base64 */
	USERDATA_GZIP,   /* the bytes after gzip, before base64 */
};

/* On some clouds Flatcar gets its user-data by another way than the other systems. */
enum userdata_systems { USERDATA_ANY_SYSTEM, USERDATA_FLATCAR, USERDATA_OTHER_SYSTEMS };

struct userdata_budget {
	sv provider; /* OSM's name */
	enum userdata_systems systems;
	enum userdata_measure measure;
	size_t limit;   /* bytes */
	size_t careful; /* a lower number that is documented too: above it is a warning; 0: none */
	bool assumed;   /* the cloud publishes no number: the limit is a guess */
	const char *source;
	/* What to do about user-data over the limit; null: what a profile's author can do. */
	const char *remedy;
	/* Messages show sizes as userdata_shown_bytes does; set by the caller, not in the table. */
	size_t multiple;
};

/*
 * A size as people are shown it: rounded up to a multiple (0 and 1: as it is), which says less of
 * the secrets in it, but not above a limit that it keeps. limit 0: there is none.
 */
size_t userdata_shown_bytes(size_t bytes, size_t limit, size_t multiple);

/* What a Secret holds, of whatever kind. */
#define USERDATA_SECRET_BYTES ((size_t)1024 * 1024)

/*
 * Null for a provider that hands over user-data in a way that takes any amount, or that hands over
 * none. os_name: OSM's.
 */
const struct userdata_budget *userdata_budget_find(sv provider, sv os_name);

/*
 * Bytes that the budget's limit is compared with: every <MACHINE_NAME> (percent-encoded too, as
 * Ignition has it) taken as 63 characters, lines of white space emptied, then encoded: what
 * machine-controller does to the text (docs/spec/userdata.md 4). budget may be null: the expanded
 * text's bytes.
 */
size_t userdata_measure_bytes(struct arena *arena, const struct userdata_budget *budget, sv text);

/*
 * Reports a text that no Secret can hold (an error), or that takes more than 90 % of one (a
 * warning). what: "bootstrap configuration"; multiple: see userdata_shown_bytes.
 */
enum status userdata_check_secret(struct sink *sink, const char *what, sv text, size_t multiple,
                                  struct position at) MUST_CHECK;

/*
 * Reports user-data over its limit (an error) or over 90 % of it (a warning) at `at`. An assumed
 * limit refuses nothing: being over it is a warning, being near it is not reported. budget may be
 * null. *ret_bytes is set in any case.
 */
enum status userdata_check_budget(struct arena *arena, struct sink *sink,
                                  const struct userdata_budget *budget, sv text, struct position at,
                                  size_t *ret_bytes) MUST_CHECK;

#endif
