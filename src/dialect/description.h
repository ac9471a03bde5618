/*
 * The parts of a unit's config that reviewers of a change see, and the units that running machines
 * restart as they apply it (struct dialect, describe and applied).
 */
#ifndef OSM_GEN_DIALECT_DESCRIPTION_H
#define OSM_GEN_DIALECT_DESCRIPTION_H

#include "base/base.h"
#include "diag/diag.h"
#include "value/value.h"

enum dialect_fact_kind {
	DIALECT_FACT_VALUE,
	DIALECT_FACT_VERSION, /* of a program that nodes run */
	DIALECT_FACT_KUBELET, /* its version */
	DIALECT_FACT_PROFILE, /* the version of the profile, which decides all files */
};

/* A named value for people: {"kubelet", "v1.34.1"}. */
struct dialect_fact {
	enum dialect_fact_kind kind;
	sv name;
	sv value;
};

struct dialect_node_file {
	sv path;
	sv text;
	sv rest;       /* the lines of the text that no fact shows */
	unsigned mode; /* 0 if the config gives none */
};
VEC_TYPE(dialect_node_files, struct dialect_node_file);

struct dialect_node_unit {
	sv name;
	bool is_disabled; /* disabled or masked */
};

/* The parts of a config that reviewers of a change look at. Strings are those of its file. */
struct dialect_description {
	VEC(struct dialect_fact) facts; /* each name once */
	struct dialect_node_files files;
	VEC(struct dialect_node_unit) units;
	VEC(sv) users;
	VEC(sv) ssh_keys;
};

/*
 * description.c: returns the text of a unit {name, content, dropIns: [{name, content}]} and of its
 * drop-ins as files. They have no rest.
 */
struct dialect_node_files dialect_unit_files(struct arena *arena, const struct value *unit);

/* The names of systemd units that running machines restart and stop as they apply a change. */
struct dialect_applied {
	VEC(sv) restarts;
	VEC(sv) stops;
};

/* The first difference of a definition from its object in the previous output. */
struct dialect_change {
	sv path; /* "spec.bootstrapConfig.files[0].path" */
	struct position at;
};

#endif
