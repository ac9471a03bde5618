/*
 * report: diagnostics, the summary of a run, differences and explanations as text, JSON, SARIF,
 * JUnit XML, Markdown and more. Everything is rendered into a buffer; cmd/ writes it out.
 *
 *   text.c      strings made safe to show: escapes, masks, columns, colour
 *   excerpt.c   the source line under a diagnostic, underlined
 *   diag.c      diagnostics as text
 *   explain.c   the meaning of a code as values and as text
 *   terminal.c  the summary of a run, `plan` and `diff` as text
 *   summary.c   outcomes and changes in words
 *   rollout.c   the effect on machines
 *   lines.c     parts of a result as lines of text
 *   leaving.c   removed, scaled and added units
 *   scale.c     units with another number of machines
 *   matrix.c    units and machines of each cluster by class
 *   heading.c   the headings of groups
 *   tree.c      the result as a tree of values; json.c prints it
 *   form_tree.c what forms have besides
 *   annotations.c one annotation for each fact, and their tree
 *   sarif.c     diagnostics as SARIF, for code scanning
 *   junit.c     units and diagnostics as JUnit XML, for test reports
 *   markdown.c  the run for a comment on a pull request, as a tree and form
 *   html.c      the run as an HTML page, with page.*; html_data.c, html_pictures.c
 *   table.c     columns of cells, aligned
 *   form.c      runs the forms of the folder forms
 *   copies.c    warnings of one cause, as one
 *   github.c    diagnostics as annotations of a GitHub workflow
 *   gitlab.c    diagnostics as GitLab's Code Quality
 *   groups.c    groups and notes in words
 *   facts.c     the kinds of notes and facts
 *   pace.c      how many machines are replaced at once
 *   steps.c     the roll-out over time
 *   delivery.c  clusters that are applied from elsewhere, or in another way
 *   diff.c      unified differences
 *
 * Every report is safe for a terminal and for the log of a CI system. Control characters of the
 * inputs are shown as escapes. Commands of CI systems are broken (report_defuse). Markdown shows
 * strings of the inputs as code, so that they mention nobody and link to nothing. Reports depend on
 * their arguments only: not on the clock, not on the locale.
 */
#ifndef OSM_GEN_REPORT_REPORT_H
#define OSM_GEN_REPORT_REPORT_H

#include "diag/diag.h"
#include "secrecy/secrecy.h"
#include "value/value.h"

/* ---- style ------------------------------------------------------------------------------- */

#define REPORT_DEFAULT_WIDTH 100

struct report_style {
	bool color;
	size_t width; /* columns that a source line may take; 0 for REPORT_DEFAULT_WIDTH */
	/*
	 * Secrets that are replaced by "***" in messages and source lines; may be null. This is the
	 * last line of defence: messages should hold no secrets, and lines of confidential sources
	 * are never shown.
	 */
	const struct secret_mask *mask;
	/*
	 * The number of diagnostics of one code, and of notes of each, that report_diags_text
	 * shows; 0 for all.
	 */
	size_t diags_per_code;
};

/* The usual diags_per_code: enough to see a pattern. The others are counted. */
#define REPORT_DIAGS_PER_CODE 20

/* ---- diagnostics as text (docs/spec/run.md 5) --------------------------------------------- */

/*
 *   osps/ubuntu.yaml:41:23: error[OSG3007]: function "fooBar" not defined
 *     in OperatingSystemProfile kube-system/osp-ubuntu, cluster prod
 *      |
 *   41 |               token: {{ fooBar .Token }}
 *      |                         ^~~~~~
 *   osps/ubuntu.yaml:12:3: note: the template begins here
 *   help: did you mean "foobar"?
 *
 * The line of a confidential source is not shown.
 */
void report_diag_text(struct buf *buf, const struct diag *diag, const struct report_style *style);
/*
 * Appends all diagnostics of a sink in the order reported, each followed by an empty line, then the
 * count: "2 errors, 1 warning". Appends nothing if the sink is empty. If the style has a
 * diags_per_code, warnings of one text are one, with the places of the others; and if a code has
 * more errors than that, more than three warnings, or more than three errors of one text, only the
 * number and the places of the others are shown.
 */
void report_diags_text(struct buf *buf, const struct sink *sink, const struct report_style *style);
/* Returns "path:line:col", "path", or an empty string if the position has neither. */
sv report_place(struct arena *arena, struct position at);
/*
 * Breaks what CI systems would execute in a log, from byte `from` of the buffer on: the first colon
 * of a line that begins with "::" becomes \x3a, the second "#" of "##[", "##vso[" and "##teamcity["
 * becomes \x23. Every report for a log goes through it.
 */
void report_defuse(struct buf *buf, size_t from);
/* Appends a string with control characters and invalid UTF-8 made visible: \n, \x1b, \u202e. */
void report_add_visible(struct buf *buf, sv text);
/*
 * Adds a word of a command that people can run as it is printed: in quotes where a shell needs
 * them, and without control characters, which a terminal would obey.
 */
void report_add_shell_word(struct buf *buf, sv word);
/*
 * Returns what a form prints before and after a coloured word: the members bold, error, warning,
 * note, gutter, added, removed and off, empty if the style has no colours.
 */
struct value report_colors(struct arena *arena, const struct report_style *style);

/* ---- explain ----------------------------------------------------------------------------- */

/* Returns the code for "OSG3007", "osg3007" or "3007"; null if there is no such code. */
const struct diag_code_info *report_find_code(sv text);
/* Appends title, severity, exit status and meaning, wrapped at the style's width. */
void report_explain_text(struct buf *buf, const struct diag_code_info *code,
                         const struct report_style *style);
/* Appends all codes, one a line. */
void report_codes_text(struct buf *buf, const struct report_style *style);
/* Returns one code, or all codes if `only` is null (docs/spec/run.md 5). */
struct value report_codes_tree(struct arena *arena, const struct diag_code_info *only);
/* Appends them as JSON. */
void report_codes_json(struct buf *buf, const struct diag_code_info *only);

/* ---- the summary of a run ---------------------------------------------------------------- */

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
	/* "hub-eu"; with REPORT_DELIVERY_APPLIER "flux at hub-eu"; empty if there is none. */
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
	"removed|scale-in-manifest|management-cluster|applier|delivery-begins|delivery-ends|"      \
	"delivery|recipients|kubelet-newer|kubelet-too-old|checksum|downgrade|file-mode|new-host|" \
	"shell|not-verified|without-tls|unit-disabled|user|ssh-key|access-file|major-version|"     \
	"rbac|rbac-widened|size|files|metadata|new-nodes-only|unknown|added|in-place|roll|scale"

/* The kinds of notes, in the order in which they are shown (facts.c has their titles). */
enum report_note_kind {
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
	sv branch;        /* the branch that was moved to it; empty if there is none */
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

/* Returns the number of files with this change, including those that `files` lacks. */
size_t report_count_files(const struct report_summary *summary, enum report_change change);

/*
 * Appends a few lines for people: the outcome, the units that change, the user-data nearest to its
 * limit. Changed files are listed if no unit changes, or if `every_file` is set.
 */
void report_summary_text(struct buf *buf, const struct report_summary *summary, bool every_file,
                         const struct report_style *style);

/*
 * Appends " (3 MachineDeployments, 2 OperatingSystemConfigs)" if the units have several kinds, else
 * nothing.
 */
void report_add_kinds(struct buf *buf, const struct report_summary *summary);

/* Returns "ROLL", "NEW-NODES-ONLY", ... */
sv report_class_word(enum report_class class);
/*
 * Sets the heading of each group, which must have everything else: what changes, where, for how
 * many machines. No two groups of one class have the same heading.
 */
void report_name_groups(struct arena *arena, struct report_summary *summary);
/*
 * Appends "cluster beta moves to another management cluster", or "3 clusters move ..."; appends
 * nothing, and returns false, if no cluster moves.
 */
bool report_add_moves(struct buf *buf, const struct report_summary *summary);
/* Units that roll or are new, with one kubelet and one control plane. */
struct report_skew {
	sv kubelet;
	sv control_plane;
	uint64_t behind;     /* minor versions that the kubelet is older */
	uint64_t ahead;      /* minor versions that it is newer */
	const size_t *units; /* as in report_group */
	size_t unit_count;
};
struct report_skew *report_skews(struct arena *arena, const struct report_summary *summary,
                                 size_t *ret_count);
/* Returns the title of a note: "MachineDeployment removed". */
sv report_note_title(struct arena *arena, const struct report_summary *summary,
                     const struct report_note *note);
/* Returns "replicas 10 -> 0: 10 machines are deleted". */
sv report_scale_text(struct arena *arena, const struct report_scale *scale);
/* Units of one class. */
struct report_count {
	size_t units;
	size_t machines; /* of units whose number of machines is known */
	bool unknown;    /* true if the number is unknown for a unit */
};
struct report_count report_count_class(const struct report_summary *summary,
                                       enum report_class class);
/* Sums the units' machines; returns false if the number is unknown for one of them. */
bool report_count_machines(const struct report_summary *summary, const size_t *units, size_t count,
                           size_t *ret_machines);
/* Returns true if machines are deleted, or may be: such a unit is worth a warning. */
bool report_loses_machines(const struct report_unit *row, enum report_class class);
/* Returns "CLUSTER/NAMESPACE/NAME". */
sv report_unit_name(struct arena *arena, const struct report_unit *unit);
/* Appends "1 MachineDeployment" or "2 MachineDeployments". */
void report_add_units(struct buf *buf, const struct report_summary *summary, size_t count);
/*
 * Appends one line without its line break: "6 machines in 3 MachineDeployments roll, 1
 * MachineDeployment is new". Returns false, and appends nothing, if every unit is of
 * REPORT_CLASS_NONE.
 */
bool report_add_rollout(struct buf *buf, const struct report_summary *summary);
/* Appends "1 MachineDeployment (4 machines) is new" and the like of the units of that class. */
void report_add_class(struct buf *buf, const struct report_summary *summary,
                      enum report_class class);
/*
 * Appends the effect of a run on machines: the line of report_add_rollout, the units by class, the
 * worst first, the fields that change, and the notes. Of long lists only the first items, unless
 * `every_unit` is set.
 */
void report_plan_text(struct buf *buf, const struct report_summary *summary, bool every_unit,
                      const struct report_style *style);
#define REPORT_PLAN_VERSION "1.4"
/* Appends the same as one JSON document, ending with LF (docs/spec/reports.md 2). */
void report_plan_json(struct buf *buf, const struct report_summary *summary,
                      const struct report_style *style);

/*
 * Appends the removed and the added units, then the groups with the names of a few units and their
 * diffs.
 */
void report_groups_text(struct buf *buf, const struct report_summary *summary,
                        const struct report_style *style);

/*
 * Appends a value as indented JSON, ending with LF, with hidden runes and the second "#" of "##" as
 * JSON escapes. The values are the same, and a CI system does not find commands in them.
 */
void report_add_json(struct buf *buf, const struct value *root);

#define REPORT_JSON_VERSION "1.6"
/*
 * Appends one JSON document, indented, ending with LF. Its member formatVersion is
 * REPORT_JSON_VERSION: the minor number grows when members are added, the major number when members
 * are removed or change their meaning.
 */
void report_json(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                 const struct report_style *style);

/*
 * Appends SARIF 2.1.0 (OASIS, 27 March 2020): one run, a rule for each code that occurs, a result
 * for each diagnostic. Columns count code points. A diagnostic that is not in a file (but in a flag
 * or a key) has no location.
 */
void report_sarif(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                  const struct report_style *style);

/*
 * Appends JUnit XML as CI systems read it: a test case for each unit that was rendered, a failed
 * one for each error, and for `check` and `diff` one that fails if something differs, with the
 * groups and the first files. Warnings are in system-out, and so are groups if nothing fails.
 */
void report_junit(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                  const struct report_style *style);

#define REPORT_MARKDOWN_MAX_SIZE                                                                   \
	((size_t)60000) /* a pull-request comment holds 65,536 characters */
/*
 * Appends Markdown for a pull-request comment or a job summary: outcome, table of changed units,
 * diagnostics, files. At most REPORT_MARKDOWN_MAX_SIZE bytes; parts that are left out are counted.
 */
void report_markdown(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                     const struct report_style *style);

/*
 * Appends one self-contained HTML page: it loads nothing, and works offline, on a phone, in a dark
 * theme, on paper and without scripts. The page's script searches and pages the table of units.
 */
void report_html(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                 const struct report_style *style);

/*
 * Appends workflow commands (::error file=...::message) that GitHub shows as annotations: errors,
 * one for each of the first facts, the effect on machines, and warnings. It is the only report with
 * commands, and none of them comes from the inputs.
 */
void report_github(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                   const struct report_style *style);

/* Appends the first facts and the diagnostics as GitLab's Code Quality: one JSON list. */
void report_gitlab(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                   const struct report_style *style);

/* ---- forms (form.c) ------------------------------------------------------------------------ */

/* The syntax of a form, in which the strings that it prints are escaped. */
enum report_syntax {
	REPORT_TERMINAL,
	REPORT_MARKUP,   /* HTML and XML: elements, and attributes in double quotes */
	REPORT_MARKDOWN, /* a code span */
	REPORT_GITHUB,   /* a property or the message of a workflow command */
	REPORT_ROFF,     /* a string in a manual page */
	REPORT_PLAIN,    /* nothing: for forms that print no string of the inputs */
	REPORT_SHELL,    /* a word of a command */
	REPORT_TABLE,    /* as REPORT_TERMINAL; tabs in the form are aligned as columns */
};
/*
 * Appends the form src/report/forms/NAME.tmpl of a result, whose tree is its dot. It can call what
 * shared.tmpl defines.
 */
void report_form(struct buf *buf, const char *name, enum report_syntax syntax,
                 const struct value *root);
/* The same for a form that is read once and run for several results. */
struct report_form;
struct report_form *report_form_new(struct arena *arena, const char *name,
                                    enum report_syntax syntax);
void report_form_run(struct buf *buf, const struct report_form *form, const struct value *root);

/* ---- differences ------------------------------------------------------------------------- */

/* Lines that do not change, around those that do. */
#define REPORT_DIFF_CONTEXT 3
/* Appends a line of a unified diff: a sign, and the text made visible. Its tabs stay. */
void report_diff_line(struct buf *buf, char sign, sv line, const struct report_style *style);
/*
 * Appends a unified diff with three lines of context; appends nothing if old and new are equal.
 * Paths are shown as given ("a/out/x.yaml"); an empty path means that the file is missing, and is
 * shown as /dev/null. The arena is for scratch memory. Returns the byte of the buffer where the
 * first hunk begins, after the lines with the paths.
 */
size_t report_diff_text(struct arena *arena, struct buf *buf, sv old_path, sv old_text, sv new_path,
                        sv new_text, const struct report_style *style);
/*
 * Appends the diff of two files that differ only in sealed values, without these values.
 * `same_clear_text` is for those that were opened and found equal.
 */
size_t report_diff_sealed(struct buf *buf, sv old_path, sv new_path, bool same_clear_text,
                          const struct report_style *style);

#endif
