/*
 * The file of a shard (docs/spec/proofs.md 5): what one run of several rendered, for the run that
 * commits it.
 *
 * The file begins with a line of 16 bytes, the name of the seed (16 hex digits) and a MAC of 32
 * bytes over all that follows: the head, then units and changes. Numbers are base 128, the low
 * digits first; a string is its length and its bytes; a list is its count and its items. Each
 * content has exactly one encoding.
 *
 * The contents of files are in a pack beside it; the MAC covers its digest.
 * Nobody may use a member before the MAC holds.
 */
#ifndef OSM_GEN_RUN_SHARD_FORMAT_H
#define OSM_GEN_RUN_SHARD_FORMAT_H

#include "run/rendered.h"

/* A larger file is neither read nor written. */
#define RUN_SHARD_MAX_BYTES ((size_t)256 * 1024 * 1024)
/* The highest number of shards. */
#define RUN_SHARDS_MAX 1000

/* An option of the run that wrote the file, if it decides a result or a guard. */
struct run_shard_option {
	sv name;   /* "--allow-removal" */
	sv digest; /* of its value, keyed with the seed */
};

/* The run that wrote the file. */
struct run_shard_head {
	sv version; /* of the program */
	sv build;
	sv source; /* hexadecimal ids of the commit and of the branch's tip */
	sv tip;
	sv inputs; /* run_inputs_digest */
	sv out;    /* the output folder that was rendered for */
	size_t index;
	size_t count;
	size_t unit_count;                /* number of units in the whole plan */
	struct run_shard_option *options; /* sorted by name; without those that are not given */
	size_t option_count;
};

/* A position in a file that every run of the plan has read. */
enum run_shard_where {
	RUN_SHARD_NOWHERE,
	RUN_SHARD_UNIT,       /* the unit's manifest */
	RUN_SHARD_DEFINITION, /* its profile */
	RUN_SHARD_CLUSTER,    /* the cluster's settings */
};
struct run_shard_place {
	enum run_shard_where where;
	bool is_whole; /* the whole file is meant; offset and length are 0 */
	size_t offset;
	size_t length;
};

struct run_shard_note {
	struct run_shard_place at;
	sv text;
};

struct run_shard_warning {
	size_t code;
	struct run_shard_place at;
	sv object;
	sv cluster;
	sv text;
	sv help;
	struct run_shard_note *notes;
	size_t note_count;
};

struct run_shard_file {
	struct tree_file file; /* its `unit` is null */
	struct git_blob blob;
	bool is_elsewhere; /* `merge`: another unit that shares the file puts it */
};

struct run_shard_unit {
	size_t place;          /* in the plan */
	sv key;                /* plan_unit_key */
	bool has_other_places; /* warnings have positions elsewhere: they are left out */
	size_t steps;
	struct report_unit row;
	struct plan_class_facts facts;
	struct tree_unit unit;
	sv proof;              /* for index.json; may be empty */
	struct tree_roll roll; /* likewise, without unit */
	struct run_shard_file *files;
	size_t file_count;
	struct run_sealed_change *sealed;
	size_t sealed_count;
	struct run_shard_warning *warnings;
	size_t warning_count;
};

struct run_shard {
	struct run_shard_head head;
	struct git_saved pack;
	struct run_shard_unit *units;
	size_t unit_count;
	struct review_change *changes;
	size_t change_count;
};

/* Returns the content of the file, without line, name and MAC. */
sv run_shard_encode(struct arena *arena, struct run_shard *shard);
/* Reads the head. Its first two members are the same in every version of the format. */
MUST_CHECK bool run_shard_decode_head(sv content, struct run_shard_head *ret_head);
/* Reads all of it. Returns false if it is damaged. Strings point into `content`. */
MUST_CHECK bool run_shard_decode(struct arena *arena, sv content, struct run_shard *ret_shard);

/* Returns the whole file. */
sv run_shard_sign(struct arena *arena, const struct seal_root *root, sv content);

enum run_shard_proof {
	RUN_SHARD_FINE,
	RUN_SHARD_STRANGE,    /* not a file of this format */
	RUN_SHARD_OTHER_SEED, /* another seed, or another fleet */
	RUN_SHARD_FORGED,     /* the MAC does not hold */
};
/* Checks the MAC of a file. *ret_content is set for RUN_SHARD_FINE. */
enum run_shard_proof run_shard_check(struct arena *arena, const struct seal_root *root, sv text,
                                     sv *ret_content);

#endif
