/*
 * report: diagnostics, the summary of a run, differences and explanations as text, JSON, SARIF,
 * JUnit XML, Markdown and more. Everything is rendered into a buffer; cmd/ writes it out.
 *
 *   text.c      what is safe to show: escapes, masks, columns, colour
 *   excerpt.c   the source line under a diagnostic, underlined
 *   diag.c      diagnostics as text
 *   explain.c   what a code means
 *   summary.c   the summary of a run as text
 *   rollout.c   what becomes of machines: in a line, and what `plan` prints
 *   json.c      diagnostics and summary as JSON
 *   sarif.c     diagnostics as SARIF, for code scanning
 *   junit.c     units and diagnostics as JUnit XML, for test reports
 *   markdown.c  the same for a pull request
 *   html.c      the same as a page of its own; html_text.c, html_groups.c, html_data.c, page.*
 *   github.c    diagnostics as annotations of a GitHub workflow
 *   gitlab.c    diagnostics as GitLab's Code Quality
 *   groups.c    groups and notes in words
 *   diff.c      unified differences
 *
 * What is rendered is safe for a terminal and for the log of a CI system: control characters of the
 * inputs are shown as escapes, what would be a command is broken (report_defuse), and Markdown
 * shows texts of the inputs as code, in which nobody is mentioned and nothing is linked. It is
 * deterministic, but for colour and width: no clock, no locale.
 */
#ifndef OSM_GEN_REPORT_REPORT_H
#define OSM_GEN_REPORT_REPORT_H

#include "diag/diag.h"
#include "secrecy/secrecy.h"
#include "value/value.h"

/* ---- how --------------------------------------------------------------------------------- */

#define REPORT_DEFAULT_WIDTH 100

struct report_style {
	bool color;
	size_t width; /* columns that a source line may take; 0: REPORT_DEFAULT_WIDTH */
	/*
	 * Wherever one of its secrets would be, in messages and source lines alike, "***" stands
	 * instead; or null. The last defence, not the first: messages hold no secrets, confidential
	 * sources are never shown.
	 */
	const struct secret_mask *mask;
	/* How many diagnostics of one code report_diags_text shows, and notes of each; 0: all. */
	size_t diags_per_code;
};

/* What people read before they see a pattern; the others are counted. */
#define REPORT_DIAGS_PER_CODE 20

/* ---- diagnostics as text (docs/spec/output.md 9) ------------------------------------------ */

/*
 *   osps/ubuntu.yaml:41:23: error[OSG3007]: function "fooBar" not defined
 *     in OperatingSystemProfile kube-system/osp-ubuntu, cluster prod
 *      |
 *   41 |               token: {{ fooBar .Token }}
 *      |                         ^~~~~~
 *   osps/ubuntu.yaml:12:3: note: the template begins here
 *   help: did you mean "foobar"?
 *
 * The line of a confidential source is not shown. Several diagnostics are parted by an empty line.
 */
void report_diag_text(struct buf *buf, const struct diag *diag, const struct report_style *style);
/*
 * All of a sink's diagnostics, errors and warnings in the order reported, then the count: "2
 * errors, 1 warning". Nothing for an empty sink. Of a code with more than the style's
 * diags_per_code, of those after only the number is shown.
 */
void report_diags_text(struct buf *buf, const struct sink *sink, const struct report_style *style);
/* "path:line:col", "path", or empty: what a position is called in messages of one line. */
sv report_place(struct arena *arena, struct position at);
/*
 * What CI systems would carry out in a log, from byte `from` on: the colon of a line that begins
 * with "::" becomes \x3a, the second "#" of "##[", "##vso[" and "##teamcity[" becomes \x23. All
 * that is rendered here has gone through it.
 */
void report_defuse(struct buf *buf, size_t from);
/* Text with control characters and invalid UTF-8 made visible: \n, \x1b, \u202e. */
void report_add_visible(struct buf *buf, sv text);
/*
 * Adds a word of a command that people can run as it is printed: in quotes where a shell needs
 * them, and without control characters, which a terminal would obey.
 */
void report_add_shell_word(struct buf *buf, sv word);
/*
 * table.c: a line of titles, then rows of texts, made visible as above; - for an empty one. texts
 * has rows times columns of them.
 */
void report_add_table(struct buf *buf, const char *const *titles, size_t columns, const sv *texts,
                      size_t rows);

/* ---- explain ----------------------------------------------------------------------------- */

/* "OSG3007", "osg3007", "3007"; null when there is no such code. */
const struct diag_code_info *report_find_code(sv text);
/* Title, severity, exit status and what it means; wrapped at the style's width. */
void report_explain_text(struct buf *buf, const struct diag_code_info *code,
                         const struct report_style *style);
/* All codes, one a line. */
void report_codes_text(struct buf *buf, const struct report_style *style);
/* json.c: one code, or, when that is null, all of them (docs/spec/output.md 7). */
void report_codes_json(struct buf *buf, const struct diag_code_info *only);

/* ---- the summary of a run ---------------------------------------------------------------- */

enum report_change {
	REPORT_UNCHANGED,
	REPORT_ADDED,
	REPORT_CHANGED,
	REPORT_REMOVED,
};

/* What becomes of a unit's machines (docs/spec/output.md 5.5). The worst comes last. */
enum report_class {
	REPORT_CLASS_NONE,      /* nothing changes */
	REPORT_CLASS_METADATA,  /* something does that no machine reads */
	REPORT_CLASS_NEW_NODES, /* user-data changed: running nodes keep theirs */
	REPORT_CLASS_ADD,       /* the unit is new */
	REPORT_CLASS_ROLL,      /* its template changed: machines are replaced */
	REPORT_CLASS_REMOVE,    /* the unit is gone */
};

#define REPORT_REPLICAS_UNKNOWN (-1)

/* One unit: a MachineDeployment. */
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
	/* User-data: the bootstrap's as the provider counts it, the limits; 0: no limit known. */
	size_t bootstrap_bytes;
	size_t bootstrap_limit;
	size_t provisioning_bytes;
	size_t provisioning_limit;
	enum report_change change;
	enum report_class class;
	int64_t replicas; /* as the manifest has them; or REPORT_REPLICAS_UNKNOWN */
	/* Whether its template changed cannot be told: its digest is keyed with another seed. */
	bool template_unknown;
};

/* What became of a sealed file that was there before and differs: a set of these. */
#define REPORT_SEALED_VALUE      1u /* a value is another one */
#define REPORT_SEALED_RECIPIENTS 2u /* others can read it */
#define REPORT_SEALED_SEED       4u /* sealed anew by another seed */
#define REPORT_SEALED_UNKNOWN    8u /* whether a value is another one cannot be told */

/* One file of the output tree. */
struct report_file {
	sv path; /* relative to the output folder */
	enum report_change change;
	unsigned sealed; /* REPORT_SEALED_...; 0 for what is clear, new, gone, or no unit's */
};

/* A cluster that is sealed to others than before. */
struct report_recipients {
	sv cluster;
	const sv *added;
	size_t added_count;
	const sv *removed;
	size_t removed_count;
};

/* A field that people know, before and after: "kubelet", "profile version". */
struct report_field {
	sv name;
	sv before; /* empty: there was none */
	sv after;
};

/* The same change in many units, shown once. */
struct report_group {
	enum report_class class;
	const struct report_field *fields;
	size_t field_count;
	sv diff;             /* unified, of one unit for all, secrets masked; may be empty */
	const size_t *units; /* their places in the summary's units, rising */
	size_t unit_count;
	size_t cluster_count; /* that these units are of */
};

/* What a reviewer should look at twice: a new host that nodes download from, a mode widened. */
struct report_note {
	sv title;            /* of its kind, the same for all notes of the kind */
	sv text;             /* one sentence */
	const size_t *units; /* likewise; none: the note is about clusters or the whole */
	size_t unit_count;
};

enum report_outcome {
	REPORT_COMMITTED, /* a new commit */
	REPORT_WRITTEN,   /* files written, no commit was wanted */
	REPORT_NOTHING,   /* nothing differs from what is there */
	REPORT_DIFFERS,   /* check, diff: something differs */
	REPORT_VALID,     /* validate: the inputs are right */
	REPORT_FAILED,    /* errors: nothing was changed; but see report_push_failed */
};

/* What became of the branch; remote is empty when nothing was to be pushed anywhere. */
struct report_push {
	sv remote; /* without user and password */
	sv branch;
	sv brought; /* the remote's commit that the branch here was set to; empty: it stayed */
	sv commit;  /* that was pushed; empty: the remote had it, or there is none */
	sv notes;   /* the ref in which the source is noted as processed; empty: in none */
	unsigned retries; /* others had moved the branch so many times */
};

/* All texts must be free of secrets. Lists are shown in the order given: sorted by the caller. */
struct report_summary {
	sv command; /* "generate" */
	sv version; /* of the program */
	enum report_outcome outcome;
	sv source_commit; /* hexadecimal; empty for the working tree */
	sv commit;        /* the new one; empty when there is none */
	sv branch;        /* that was moved; empty when none */
	struct report_push push;
	sv out; /* as given */
	size_t cluster_count;
	size_t profile_count;
	sv unit_kind;      /* of the units, when all are of one; else "unit" */
	size_t unit_count; /* that there are; units may be left out where nothing changes */
	VEC(struct report_unit) units; /* the removed ones among them */
	VEC(struct report_file) files; /* unchanged ones may be left out: see below */
	size_t unchanged_file_count;   /* those not in files */
	/* Secrets were stand-ins, and so many files that take a seed were not compared. */
	bool without_seed;
	size_t not_compared_count;
	/* For the commit's message; reports have a warning of each. */
	VEC(struct report_recipients) recipients;
	VEC(struct report_group) groups; /* the worst class first, then the most units */
	VEC(struct report_note) notes;
};

/* The commit was made, and stays: the remote did not take it. */
static inline bool report_push_failed(const struct report_summary *summary)
{
	return summary->outcome == REPORT_FAILED && !sv_empty(summary->commit);
}

/* How many of files have this change; REPORT_UNCHANGED counts unchanged_file_count too. */
size_t report_count_files(const struct report_summary *summary, enum report_change change);

/*
 * A few lines for people: what was done, which units change, the user-data nearest to its limit.
 * Files are listed when no unit changes, or all of them with every_file.
 */
void report_summary_text(struct buf *buf, const struct report_summary *summary, bool every_file,
                         const struct report_style *style);

/* " (3 MachineDeployments, 2 OperatingSystemConfigs)" of units of several kinds; else nothing. */
void report_add_kinds(struct buf *buf, const struct report_summary *summary);

/* "ROLL", "NEW-NODES-ONLY", ... */
sv report_class_word(enum report_class class);
/*
 * One line without its end: "6 machines in 3 MachineDeployments roll, 1 MachineDeployment is new".
 * False when no unit has a class but REPORT_CLASS_NONE; nothing is added then.
 */
bool report_add_rollout(struct buf *buf, const struct report_summary *summary);
/* "value changed, recipients changed" of a set of REPORT_SEALED_... */
void report_add_sealed(struct buf *buf, unsigned sealed);
/*
 * What a run would do to machines: the line above, then the units by class, the worst first; old
 * and new of the values that people know; notes. Of many, a few, but with every_unit.
 */
void report_plan_text(struct buf *buf, const struct report_summary *summary, bool every_unit,
                      const struct report_style *style);
#define REPORT_PLAN_VERSION "1.0"
/* The same as one JSON document, ending with LF (docs/spec/output.md 5.5). */
void report_plan_json(struct buf *buf, const struct report_summary *summary,
                      const struct report_style *style);

/* The groups with their differences; names of all units with every_name, else of a few. */
void report_groups_text(struct buf *buf, const struct report_summary *summary, bool every_name,
                        const struct report_style *style);

#define REPORT_JSON_VERSION "1.2"
/*
 * One JSON document, indented, ending with LF. formatVersion is REPORT_JSON_VERSION: its minor
 * number grows when members are added, its major one when any are taken away or mean something
 * else.
 */
void report_json(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                 const struct report_style *style);

/*
 * SARIF 2.1.0 (OASIS, 27 March 2020): one run, a rule for each code that occurs, a result for each
 * diagnostic. Columns count code points. What stands in no file of the repository (a flag, a key)
 * has no location.
 */
void report_sarif(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                  const struct report_style *style);

/*
 * JUnit XML as CI systems read it: a test case for each unit that was rendered, one
 * for each error, failed, and for `check` and `diff` one that fails when something differs, with
 * the groups and the first files. Warnings stand in system-out, so do groups where nothing fails.
 */
void report_junit(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                  const struct report_style *style);

#define REPORT_MARKDOWN_MAX_SIZE                                                                   \
	((size_t)60000) /* a pull-request comment holds 65,536 characters */
/*
 * For a pull-request comment or a job summary: outcome, table of changed units,
 * diagnostics, files; cut with a word about it at REPORT_MARKDOWN_MAX_SIZE bytes.
 */
void report_markdown(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                     const struct report_style *style);

/*
 * One self-contained page: opens offline, asks for nothing, works on a phone, in the dark, on paper
 * and without scripts. Units are rows of a table that is searched and paged by the page's script.
 */
void report_html(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                 const struct report_style *style);

/*
 * Workflow commands (::error file=...::message) that GitHub shows as annotations: errors, notes
 * (one a kind), warnings, what becomes of machines, and one for each of the first groups. The only
 * report that has commands, all of them its own.
 */
void report_github(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                   const struct report_style *style);

/* Diagnostics, notes and the first groups as GitLab's Code Quality: one JSON list. */
void report_gitlab(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                   const struct report_style *style);

/* ---- differences ------------------------------------------------------------------------- */

/*
 * Appends a unified diff with three lines of context; nothing when the texts are equal. Paths are
 * shown as given ("a/out/x.yaml"); an empty old (new) one stands for a file that is not there:
 * /dev/null. The arena is scratch.
 */
void report_diff_text(struct arena *arena, struct buf *buf, sv old_path, sv old_text, sv new_path,
                      sv new_text, const struct report_style *style);
/* The same where the texts are equal but for what is sealed in them. */
void report_diff_sealed(struct buf *buf, sv old_path, sv new_path,
                        const struct report_style *style);

#endif
