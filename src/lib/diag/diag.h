/*
 * diag: what went wrong, where, and how to mend it.
 *
 * A source is one text that positions point into (a manifest of the commit, a flag, a file given
 * on the command line). A diagnostic has a code, a position, a message, notes and a help line. A
 * sink collects them; printing is report/'s work.
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
 * One amount for a whole run, over all files, units and threads: a small change can ask for much.
 * quota_take charges; false: that is more than max, now or earlier. A null quota is endless.
 *
 * A quota that grows has a base, to which each unit and each byte of the inputs add. What must not
 * depend on the order of files is charged to a part: an allowance for one file alone (one thread at
 * a time), of which only what is above it is charged to the whole. A part counts what it was
 * charged in `used`.
 */
struct quota {
	const char *option;  /* "max-values" */
	const char *setting; /* "maxValues", where that of the Fleet is the lower one; or null */
	const char *what;    /* "values in manifests above" */
	unsigned code;       /* enum diag_code */
	uint64_t max;
	_Atomic uint64_t used;
	bool grows;           /* max is a base, as nobody has given another */
	_Atomic uint64_t all; /* what was charged to it and to its parts' allowances */
	struct quota *whole;  /* of a part; or null */
	uint64_t part_left;   /* of a part's allowance */
};
bool quota_take(struct quota *quota, uint64_t amount);
bool quota_is_exceeded(const struct quota *quota);
/* Adds to max, if the quota grows. Before anything is charged by more than one thread. */
void quota_grow(struct quota *quota, uint64_t amount);
/* A part of the whole, which may be null, with that allowance if the whole grows. */
struct quota quota_part(struct quota *whole, uint64_t allowance);
struct sink;
/* Where it was exceeded is chance, so nowhere is named. */
void quota_report(struct sink *sink, const struct quota *quota);

/* ---- sources and positions --------------------------------------------------------------- */

struct origin_part;
struct source {
	sv path; /* as people name it: relative to the repository, "--flag", "/abs/path" */
	sv text;
	/* The text holds secrets: report/ names the place but never shows the line. */
	bool confidential;
	/* That is a guess, from the words of a text that was not understood: report/ says so. */
	bool suspected;
	struct quota *values;        /* what a parser charges for the values it makes; or null */
	const uint32_t *line_starts; /* byte offset of each line's first byte */
	size_t line_count;
	/* Of a text that was put together (value/position.c): the source that people know, and what
	 * of it stands where. Null otherwise. */
	const struct source *original;
	const struct origin_part *parts;
	size_t part_count;
};

/* text must be shorter than 4 GiB and outlive the source. */
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

struct line_column {
	size_t line;   /* from 1 */
	size_t column; /* from 1, in bytes */
};
/* {0, 0} for a position without place in a source. */
struct line_column position_line_column(struct position at);
/* The whole line that holds the position, without its line break. */
sv position_line(struct position at);

/* ---- codes ------------------------------------------------------------------------------- */

enum diag_severity { DIAG_ERROR, DIAG_WARNING };

/* Whose fault: decides the exit status (docs/spec/output.md 2). */
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

/* Null when there is none. Codes print as OSG and four digits: OSG3007. */
const struct diag_code_info *diag_code_find(unsigned number);
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
	sv object;  /* "MachineDeployment kube-system/workers", or empty */
	sv cluster; /* or empty */
	sv text;    /* one line, no full stop */
	sv help;    /* what to do; or empty */
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
	/* Finds an equal one: a number of diags + 1, by what makes it equal. */
	struct map known;
	size_t known_count; /* of diags, that are in it */
	/* Given to each diagnostic that is reported while set; the caller saves and restores. */
	sv object;
	sv cluster;
};

static inline struct sink sink_in(struct arena *arena)
{
	return (struct sink){.arena = arena};
}

/*
 * Adds a diagnostic. An equal one (code, position, text) already there is returned instead, so
 * that one mistake gives one message. The result takes notes and help until the sink ends.
 */
struct diag *diag_report(struct sink *sink, enum diag_code code, struct position at,
                         const char *format, ...) PRINTF_LIKE(4, 5);
/*
 * A note that is there already (text and position) is not added again; of very many the last ones
 * are looked at.
 */
void diag_add_note(struct sink *sink, struct diag *diag, struct position at, const char *format,
                   ...) PRINTF_LIKE(4, 5);
void diag_set_help(struct sink *sink, struct diag *diag, const char *format, ...) PRINTF_LIKE(3, 4);

/*
 * For a parser that met a mistake: when git's conflict markers stand in the source, reports them
 * (DIAG_CONFLICT_MARKER, at the first) in the mistake's stead. Null: there are none.
 */
struct diag *diag_report_conflict(struct sink *sink, struct position mistake);

/*
 * Takes back what was reported since there were `count` diagnostics: where that it was would tell
 * of a secret. What was reported in its stead comes behind.
 */
void sink_forget(struct sink *sink, size_t count);

/* Appends copies of from's diagnostics. */
void sink_merge(struct sink *into, const struct sink *from);
/*
 * The exit status that the sink's errors ask for: 0 none, 64 usage, else 3 before 2. Looks at their
 * sources: a wrong setting is wrong usage when it was a flag.
 */
int sink_exit_status(const struct sink *sink);

/*
 * Nearest of count candidates to a misspelt word, or empty when none is near: for "did you mean".
 * Of very many the first are looked at.
 */
sv diag_nearest(sv word, const sv *candidates, size_t count);

#endif
