/*
 * The result of a run as report/ is given it: units and what becomes of them, files, equal changes
 * of many units as groups, notes, and the facts that a reviewer must know. Other modules include
 * report/report.h.
 */
#ifndef OSM_GEN_REPORT_SUMMARY_H
#define OSM_GEN_REPORT_SUMMARY_H

#include "base/base.h"
#include "diag/diag.h"

enum report_change {
	REPORT_UNCHANGED,
	REPORT_ADDED,
	REPORT_CHANGED,
	REPORT_REMOVED,
};

/* The effect of a change on a unit's machines (docs/spec/output.md 3.2), the worst last. */
enum report_class {
	REPORT_CLASS_NONE,      /* nothing changes */
	REPORT_CLASS_METADATA,  /* metadata only: nodes are not affected */
	REPORT_CLASS_NEW_NODES, /* user-data changed: running nodes keep theirs */
	REPORT_CLASS_UNKNOWN,   /* a secret may have changed: without the seed it is not compared */
	REPORT_CLASS_ADD,       /* the unit is new */
	REPORT_CLASS_IN_PLACE,  /* running machines apply what changed */
	REPORT_CLASS_ROLL,      /* its template changed: machines are replaced */
	REPORT_CLASS_SCALE,     /* machines are deleted or added: see struct report_scale */
	REPORT_CLASS_REMOVE,    /* the unit is gone */
};

#define REPORT_REPLICAS_UNKNOWN (-1)

/*
 * A change of spec.replicas in the output: its applier deletes or adds machines. A unit whose
 * machines also roll has one, too.
 */
struct report_scale {
	bool changes;
	/* The numbers; REPORT_REPLICAS_UNKNOWN if the output has none. */
	int64_t before;
	int64_t after;
	/* Machines that are deleted, and that are added, as far as both numbers are known. */
	int64_t fewer;
	int64_t more;
};

/* The fate of a removed unit's machines. */
enum report_departure {
	REPORT_PRUNED, /* an applier of the manifests that prunes deletes them */
	REPORT_STAYS,  /* appliers leave them in the cluster, since the output had their object */
	/* The unit configures machines of other objects: they stay, without further changes. */
	REPORT_CONFIG,
};

/* Names of systemd's units. */
struct report_names {
	sv *items;
	size_t count;
};
/* A unit: an object that user-data is rendered for, such as a MachineDeployment. */
struct report_unit {
	sv cluster;
	sv kind;
	sv namespace;
	sv name;
	sv provider;
	sv operating_system;
	sv kubelet_version;
	sv profile;         /* the OSP's name */
	sv profile_version; /* its spec.version */
	/* Sizes of user-data, as the provider counts them, and limits; 0 if none is known. */
	size_t bootstrap_bytes;
	size_t bootstrap_limit;
	size_t provisioning_bytes;
	size_t provisioning_limit;
	enum report_change change;
	enum report_class class;
	/* The manifest's, or its last manifest's if removed; or REPORT_REPLICAS_UNKNOWN. */
	int64_t replicas;
	struct report_scale scale;
	/*
	 * The same in the manifest of a unit that is not in the output itself, compared with the
	 * commit that the output was made from: who applies the manifest deletes or adds machines.
	 */
	struct report_scale in_manifest;
	/* Settings of its cluster and members of its template that differ from that commit's. */
	const struct report_field *input_fields;
	size_t input_field_count;
	size_t setting_count; /* so many of them, the first ones, are settings */
	sv source; /* path of the manifest, for a removed unit of its last one; may be empty */
	/* Place of the kubelet's version in the manifest, or of the unit; NOWHERE if it has none.
	 */
	struct position at;
	/*
	 * Why a removed unit is gone, "clusters/prod/workers.yaml was deleted"; why machines roll
	 * if not by the unit's own template; or why the class is unknown. May be empty.
	 */
	sv reason;
	enum report_departure departure; /* of a removed unit */
	unsigned sealed;                 /* a set of REPORT_SEALED_..., of all files of the unit */
	/* True if a change of the template cannot be detected: its digest used another seed. */
	bool template_unknown;
	/* The units that running machines restart and stop; for REPORT_CLASS_IN_PLACE, or for
	 * REPORT_CLASS_ROLL if they apply something before they are replaced. */
	struct report_names restarts;
	struct report_names stops;
	/* How the machines of a unit that rolls are replaced; empty if the unit does not decide it.
	 */
	sv max_surge;
	sv max_unavailable;
	size_t surge;       /* machines more at once */
	size_t unavailable; /* machines fewer at once */
	sv control_plane;   /* version of the cluster's control plane; may be empty */
};

/* How a sealed file differs from its previous version: a set of these. */
#define REPORT_SEALED_VALUE      1u /* a value changed */
#define REPORT_SEALED_RECIPIENTS 2u /* the recipients, who can decrypt it, changed */
#define REPORT_SEALED_SEED       4u /* sealed anew by another seed */
#define REPORT_SEALED_UNKNOWN    8u /* a change of a value cannot be detected */

/* One file of the output tree. */
struct report_file {
	sv path; /* relative to the output folder */
	enum report_change change;
	/* A set of REPORT_SEALED_...; 0 for files that are clear, new, removed, or of no unit. */
	unsigned sealed;
};

/* A cluster whose recipients changed. */
struct report_recipients {
	sv cluster;
	const sv *added;
	size_t added_count;
	const sv *removed;
	size_t removed_count;
};

/* How the objects change that have an applier deploy a cluster. */
enum report_delivery_kind {
	REPORT_DELIVERY_MOVED,   /* to another management cluster */
	REPORT_DELIVERY_APPLIER, /* to another applier */
	REPORT_DELIVERY_BEGINS,  /* it had none */
	REPORT_DELIVERY_ENDS,    /* it has none any more */
	REPORT_DELIVERY_CHANGED, /* their content changes */
};
struct report_delivery {
	sv cluster;
	enum report_delivery_kind kind;
	/* "hub-eu", or "flux at hub-eu" for REPORT_DELIVERY_APPLIER; empty without a management
	 * cluster. */
	sv before;
	sv after;
	/* Without spec.delivery only the setting knows, compared with the earlier commit. */
	bool is_of_history;
	sv change; /* REPORT_DELIVERY_CHANGED: "spec.interval 10m -> 5m in Kustomization
	              <cluster>-worker" */
};

/*
 * A field that people know ("kubelet", "profile version"): its old and new value. Without values
 * the name alone describes a change ("/opt/bin/setup changed").
 */
struct report_field {
	sv name;
	sv before;      /* empty if it had no value */
	sv after;       /* likewise */
	bool is_detail; /* another field is the cause: headings leave it out */
	sv refusal;     /* why a live object must not change in it; empty if it may */
};

/* The same change in many units, shown once. */
struct report_group {
	/* "kubelet 1.34.1 -> 1.34.2 in 3 MachineDeployments of prod (profile osp-ubuntu)". */
	sv heading;
	enum report_class class;
	const struct report_field *fields;
	size_t field_count;
	sv diff; /* unified diff of one unit, secrets masked; may be empty */
	/* The diff has "..." in place of revisions, digests, fingerprints and ids of tokens. */
	bool diff_leaves_out;
	const size_t *units; /* indexes into the summary's units, ascending */
	size_t unit_count;
	size_t cluster_count; /* number of clusters with these units */
};

/* The attention that a fact asks of a reviewer. */
enum report_severity {
	/* Stop: machines or clusters are lost, others read secrets, nodes run code from elsewhere.
	 */
	REPORT_FACT_STOP,
	REPORT_FACT_LOOK,
	REPORT_FACT_ROUTINE,
};

/* The kinds of facts, for schemas: words of notes (facts.c), and of classes. */
#define REPORT_FACT_KINDS                                                                          \
	"immutable|removed|scale-in-manifest|management-cluster|applier|delivery-begins|delivery-" \
	"ends|"                                                                                    \
	"delivery|recipients|kubelet-newer|kubelet-too-old|checksum|downgrade|file-mode|new-host|" \
	"shell|not-verified|without-tls|unit-disabled|no-restart|user|ssh-key|access-file|major-"  \
	"version|"                                                                                 \
	"rbac|rbac-widened|size|files|metadata|new-nodes-only|unknown|added|in-place|roll|scale"

/* The kinds of notes, in the order in which they are shown (facts.c has their titles). */
enum report_note_kind {
	REPORT_NOTE_IMMUTABLE,
	REPORT_NOTE_REMOVED,
	REPORT_NOTE_MANIFEST_SCALE,
	REPORT_NOTE_MOVED,
	REPORT_NOTE_APPLIER,
	REPORT_NOTE_DELIVERY_BEGINS,
	REPORT_NOTE_DELIVERY_ENDS,
	REPORT_NOTE_DELIVERY,
	REPORT_NOTE_RECIPIENTS,
	REPORT_NOTE_KUBELET_NEWER,
	REPORT_NOTE_KUBELET_OLD,
	REPORT_NOTE_CHECKSUM,
	REPORT_NOTE_DOWNGRADE,
	REPORT_NOTE_MODE,
	REPORT_NOTE_HOST,
	REPORT_NOTE_SHELL,
	REPORT_NOTE_UNVERIFIED,
	REPORT_NOTE_PLAIN_HTTP,
	REPORT_NOTE_UNIT_DISABLED,
	REPORT_NOTE_UNNAMED,
	REPORT_NOTE_USER,
	REPORT_NOTE_SSH_KEY,
	REPORT_NOTE_ACCESS_FILE,
	REPORT_NOTE_MAJOR,
	REPORT_NOTE_RBAC_CHANGED,
	REPORT_NOTE_RBAC,
	REPORT_NOTE_SIZE,
	REPORT_NOTE_KINDS
};
struct report_note_info {
	const char *word;  /* of facts, as JSON has it: "new-host" */
	const char *title; /* of REPORT_NOTE_REMOVED what follows the kind of the units */
	enum report_severity severity;
	/* The code of warnings about the same units or clusters, each at its place; 0 if none. */
	enum diag_code code;
};
const struct report_note_info *report_note_info(enum report_note_kind kind);

/* A change that a reviewer should look at twice, such as a new host that nodes download from. */
struct report_note {
	enum report_note_kind kind;
	sv text;             /* one sentence */
	const size_t *units; /* as in report_group; none if it is about clusters or the whole */
	size_t unit_count;
	/* Found in the history, of which a shallow clone lacks a part. */
	bool is_of_history;
};

/* A fact that a reviewer must know: a note, a group, the added units. */
struct report_fact {
	const char *kind; /* a note's word, else the class: "new-host", "roll" */
	/* The note or the group that it is; both null for the added units. */
	const struct report_note *note;
	const struct report_group *group;
	enum report_severity severity;
	sv headline;         /* one line with old and new values */
	const size_t *units; /* as in report_group */
	size_t unit_count;
	size_t cluster_count;
	/* The first names: of units, else of clusters. */
	const sv *where;
	size_t where_count;
	/* The manifest that removes, adds or changes the first unit; empty if that is not known. */
	sv path;
	struct position at; /* its line, or NOWHERE */
};

enum report_outcome {
	REPORT_COMMITTED, /* a new commit */
	REPORT_WRITTEN,   /* files were written, no commit was wanted */
	REPORT_NOTHING,   /* nothing differs from the output that exists */
	REPORT_DIFFERS,   /* check, diff: something differs */
	REPORT_VALID,     /* validate: the inputs are right */
	REPORT_FAILED,    /* errors: nothing was changed; but see report_push_failed */
};

/* The fetch and the push of a run; `remote` is empty if the run has no remote. */
struct report_push {
	sv remote; /* without user and password */
	sv branch;
	sv brought;       /* the remote's commit to which the local branch was set; may be empty */
	sv commit;        /* the commit that was pushed; empty if nothing had to be pushed */
	sv notes;         /* the ref in which the source is noted as processed; may be empty */
	unsigned retries; /* how often the run began again because others had pushed */
};

/* Strings must be free of secrets. Lists are shown in the order given; the caller sorts them. */
struct report_summary {
	sv command; /* "generate" */
	sv version; /* of the program */
	enum report_outcome outcome;
	/* True if a failed run could not move all files back to their places. The next run does. */
	bool is_half_done;
	sv source_commit; /* hexadecimal; empty for the working tree */
	sv commit;        /* the new commit; empty if there is none */
	sv branch;        /* the branch that was moved to it; empty if no branch was moved */
	/* The commit that the branch had before it was replaced; empty if it was not. */
	sv replaced;
	size_t commit_count; /* number of osm-gen's commits on the branch after that */
	struct report_push push;
	sv out; /* the output folder, as given */
	size_t cluster_count;
	size_t profile_count;
	sv unit_kind;      /* the kind of all units, or "unit" if there are several kinds */
	size_t unit_count; /* all current units; `units` may lack unchanged ones */
	VEC(struct report_unit) units; /* including removed ones */
	/* True if there was no output before: all units are new, and need not be named one by one.
	 */
	bool is_first;
	VEC(struct report_file) files; /* may lack unchanged ones */
	size_t unchanged_file_count;   /* number of unchanged files, which `files` does not have */
	/* The units that were rendered, and those that were kept without; both 0 if unknown. */
	size_t rendered_count;
	size_t kept_count;
	/* True if the run had no seed: secrets were stand-ins. */
	bool without_seed;
	size_t not_compared_count; /* files that were not compared, which needs the seed */
	/* For the commit's message; in reports each has a warning of its own. */
	VEC(struct report_recipients) recipients;
	VEC(struct report_delivery) deliveries; /* those that change */
	VEC(struct report_group) groups;        /* the worst class first, then the most units */
	/* The same without input_fields, for the commit's message: a shallow clone lacks them.
	 * Set if a unit has them. */
	VEC(struct report_group) groups_of_shallow;
	VEC(struct report_note) notes;
	VEC(struct report_fact) facts; /* the worst first */
	VEC(sv) programs; /* other programs that ran: "sops 3.13.3 (/usr/bin/sops) decrypted ..." */
};

/* Returns true if a commit was made, which stays, but could not be pushed. */
static inline bool report_push_failed(const struct report_summary *summary)
{
	return summary->outcome == REPORT_FAILED && !sv_empty(summary->commit);
}

#endif
