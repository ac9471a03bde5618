/*
 * diag: what went wrong, where, and how to mend it.
 *
 * A source is one file or other input that positions point into (a manifest of the commit, a flag,
 * a file given on the command line). A diagnostic has a code, a position, a message, notes and a
 * help line. A sink collects them; printing is report/'s work.
 *
 * Codes are in diag/codes.def: append-only, each documented (`osm-gen explain`) and tested.
 * Messages never hold a secret: name the object, the key and the length, not the value.
 */
#ifndef OSM_GEN_DIAG_DIAG_H
#define OSM_GEN_DIAG_DIAG_H

#include "base/base.h"
#include "base/map.h"

/* ---- what a run may take ----------------------------------------------------------------- */

/*
 * A limit on the work of a whole run, over all files, units and threads: a small change to the
 * inputs can ask for much work. quota_take charges an amount and returns false once more than `max`
 * was charged, now or earlier. A null quota has no limit.
 *
 * The `max` of a quota that grows is a base, to which each unit and each byte of the inputs add.
 * Work that must not depend on the order of files is charged to a part: an allowance for one file
 * (used by one thread at a time). Only what exceeds the allowance is charged to the whole. A part
 * counts in `used` what it was charged.
 */
struct quota {
	const char *option; /* "max-values" */
	const char
	    *setting; /* "maxValues", the Fleet's setting, if it is the lower limit; may be null */
	const char *what; /* "values in manifests above" */
	unsigned code;    /* enum diag_code */
	uint64_t max;
	_Atomic uint64_t used;
	bool grows;           /* max is a base, because no user has set another limit */
	_Atomic uint64_t all; /* total charged to it, including its parts' allowances */
	struct quota *whole;  /* the quota that this is a part of, or null */
	uint64_t part_left;   /* what is left of a part's allowance */
};
bool quota_take(struct quota *quota, uint64_t amount);
bool quota_is_exceeded(const struct quota *quota);
/* Adds to max if the quota grows. Call it before several threads charge the quota. */
void quota_grow(struct quota *quota, uint64_t amount);
/* Returns a part of `whole` (may be null), with that allowance if the whole grows. */
struct quota quota_part(struct quota *whole, uint64_t allowance);
struct sink;
/* Reports that a quota was exceeded. It has no position: where the limit was hit is chance. */
void quota_report(struct sink *sink, const struct quota *quota);

/* ---- sources and positions --------------------------------------------------------------- */

struct origin_part;
struct source {
	sv path; /* as people name it: relative to the repository, "--flag", "/abs/path" */
	sv text;
	/* The source holds secrets: report/ names the place but never shows the line. */
	bool confidential;
	/*
	 * `confidential` is a guess, made from words of a source that could not be parsed; report/
	 * adds that.
	 */
	bool suspected;
	/* The name that the output has for the source; empty if that is the path. */
	sv listed_as;
	struct quota *values;        /* charged by a parser for the values it makes; may be null */
	const uint32_t *line_starts; /* byte offset of each line's first byte */
	size_t line_count;
	/*
	 * For a string joined from parts (value/position.c): the source that people know, and the
	 * parts. Null otherwise.
	 */
	const struct source *original;
	const struct origin_part *parts;
	size_t part_count;
};

/* Makes a source. text must be shorter than 4 GiB and outlive the source. */
struct source *source_new(struct arena *arena, sv path, sv text, bool confidential);

/* A range of bytes of a source; source may be null (no position), length may be 0. */
struct position {
	const struct source *source;
	size_t offset;
	size_t length;
};

#define NOWHERE ((struct position){0})
/* A source as a whole: shown as its path alone. */
static inline struct position position_of_source(const struct source *source)
{
	return (struct position){source, SV_NPOS, 0};
}
/*
 * Returns the same place in a copy of its source whose lines report/ never shows: somebody may have
 * written a secret there.
 */
struct position position_without_line(struct arena *arena, struct position at);

struct line_column {
	size_t line;   /* from 1 */
	size_t column; /* from 1, in bytes */
};
/* Returns line and column, or {0, 0} if the position has no place in a source. */
struct line_column position_line_column(struct position at);
/* Returns the whole line that holds the position, without its line break. */
sv position_line(struct position at);

/* ---- codes ------------------------------------------------------------------------------- */

enum diag_severity { DIAG_ERROR, DIAG_WARNING };

/* Whose fault: decides the exit status (docs/spec/run.md 1.1). */
enum diag_class {
	DIAG_CLASS_INPUT,        /* 2: the inputs are wrong */
	DIAG_CLASS_SURROUNDINGS, /* 3: git, I/O, keys */
	DIAG_CLASS_USAGE,        /* 64 */
};

enum diag_code {
#define DIAG_CODE(name, number, severity, class, title, explanation) name = number,
#include "diag/codes.def"
#undef DIAG_CODE
};

struct diag_code_info {
	enum diag_code code;
	const char *name; /* the enumerator's */
	enum diag_severity severity;
	enum diag_class class;
	const char *title;       /* a few words */
	const char *explanation; /* what it means and how to mend it; paragraphs split by \n\n */
};

/* Returns null if there is no such code. Codes print as OSG and four digits: OSG3007. */
const struct diag_code_info *diag_code_find(unsigned number);
sv diag_code_text(struct arena *arena, enum diag_code code);
/* The table itself, in number order. */
const struct diag_code_info *diag_codes(size_t *ret_count);

/* ---- diagnostics ------------------------------------------------------------------------- */

struct diag_note {
	struct position at;
	sv text;
};

struct diag {
	enum diag_code code;
	enum diag_severity severity;
	struct position at;
	sv object;  /* "MachineDeployment kube-system/workers"; may be empty */
	sv cluster; /* may be empty */
	sv text;    /* one line, no full stop */
	sv help;    /* what to do; may be empty */
	VEC(struct diag_note) notes;
};

/*
 * Collects diagnostics. One thread at a time: a job has its own sink, merged in job order. Holds
 * copies of all text; positions point into sources, which must outlive it.
 */
struct sink {
	struct arena *arena;
	VEC(struct diag *) diags;
	size_t error_count;
	/* Finds an equal diagnostic: its index + 1, by code, position and text. */
	struct map known;
	size_t known_count; /* number of diags that are in `known` */
	/* Given to each diagnostic that is reported while set, with DIAG_SCOPE. */
	sv object;
	sv cluster;
};

static inline struct sink sink_in(struct arena *arena)
{
	return (struct sink){.arena = arena};
}

struct diag_scope {
	struct sink *sink;
	sv object; /* those of the sink before */
	sv cluster;
};
struct diag_scope diag_scope_begin(struct sink *sink, sv object, sv cluster);
void diag_scope_end(struct diag_scope *scope);
/*
 * Gives an object and a cluster to what is reported until the end of the block, and the sink's
 * own again to what follows. For one of them alone, give sink->cluster or sink->object as the
 * other.
 */
#define DIAG_SCOPE(sink, object, cluster) DIAG_SCOPE_NAMED(__LINE__, sink, object, cluster)
#define DIAG_SCOPE_NAMED(line, sink, object, cluster)                                              \
	DIAG_SCOPE_DECLARED(line, sink, object, cluster)
#define DIAG_SCOPE_DECLARED(line, sink, object, cluster)                                           \
	UNUSED CLEANUP(diag_scope_end)                                                             \
	struct diag_scope diag_scope_##line = diag_scope_begin((sink), (object), (cluster))

/*
 * Adds a diagnostic and returns it. If an equal one (code, position, text) exists, returns that
 * instead, so that one mistake gives one message. Notes and help can be added to it as long as the
 * sink lives.
 */
struct diag *diag_report(struct sink *sink, enum diag_code code, struct position at,
                         const char *format, ...) PRINTF_LIKE(4, 5);
/* Reports a warning, whatever the severity of the code, as a setting asks for it. */
struct diag *diag_warn(struct sink *sink, enum diag_code code, struct position at,
                       const char *format, ...) PRINTF_LIKE(4, 5);
/*
 * Adds a note. An equal note (text and position) is not added again; if there are very many, only
 * the last ones are compared.
 */
void diag_add_note(struct sink *sink, struct diag *diag, struct position at, const char *format,
                   ...) PRINTF_LIKE(4, 5);
void diag_set_help(struct sink *sink, struct diag *diag, const char *format, ...) PRINTF_LIKE(3, 4);

/*
 * For a parser that met a mistake: if the source has git's conflict markers, reports those instead
 * (DIAG_CONFLICT_MARKER, at the first marker). Returns null if it has none.
 */
struct diag *diag_report_conflict(struct sink *sink, struct position mistake);

/*
 * Removes the diagnostics reported since there were `count` of them, where their mere existence
 * would reveal something about a secret. Report a replacement afterwards.
 */
void sink_forget(struct sink *sink, size_t count);

/* Appends copies of from's diagnostics. */
void sink_merge(struct sink *into, const struct sink *from);
/*
 * Returns the exit status that the sink's errors ask for: 0 if there are none, 64 for usage, else 3
 * before 2. A wrong setting is wrong usage if its source is a flag.
 */
int sink_exit_status(const struct sink *sink);

/*
 * Returns the candidate nearest to a misspelt word, or an empty string if none is near: for "did
 * you mean". If there are very many candidates, only the first are compared.
 */
sv diag_nearest(sv word, const sv *candidates, size_t count);
/*
 * The same for names whose parts '/' divides, such as NAMESPACE/NAME: a candidate with the word's
 * last part is nearer than all others.
 */
sv diag_nearest_path(sv word, const sv *candidates, size_t count);
/* Names among which the nearest one is searched. */
struct diag_names {
	const sv *items;
	size_t count;
};
/* Returns "did you mean \"NAME\"?", or `otherwise` if the name is empty. */
const char *diag_meant(struct arena *arena, sv name, const char *otherwise);
/* Sets the help to "did you mean NAME?", or to the formatted string if the name is empty. */
void diag_help_meant(struct sink *sink, struct diag *diag, sv name, const char *format, ...)
    PRINTF_LIKE(4, 5);
/* Does the same with the name in quotes: "did you mean \"NAME\"?". */
void diag_help_quoted(struct sink *sink, struct diag *diag, sv name, const char *format, ...)
    PRINTF_LIKE(4, 5);
/* Sets the help as diag_help_meant does, with the name nearest to the word. */
void diag_help_nearest(struct sink *sink, struct diag *diag, sv word, struct diag_names names,
                       const char *help);

#endif
