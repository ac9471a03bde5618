/*
 * kind: the kinds of manifests that a dialect reads, and those that it knows but does not read.
 * Part of dialect.h, which other folders include.
 */
#ifndef OSM_GEN_DIALECT_KIND_H
#define OSM_GEN_DIALECT_KIND_H

#include "base/base.h"

enum dialect_part {
	/* Rendered, each by itself. A unit outside every cluster's folder is an error. */
	DIALECT_UNIT,
	/* Shared by units: those of one cluster if it is in that cluster's folder, else those of
	 * all clusters. */
	DIALECT_DEFINITION,
	/* Looked up by namespace and name; ignored unless something wants it. */
	DIALECT_LOOKUP,
	/* Expanded into units and settings of one cluster, which may have one such object (struct
	   dialect, expand). */
	DIALECT_EXPANDED,
};

struct dialect_kind {
	sv kind;
	sv group; /* empty for the core group */
	sv version;
	enum dialect_part part;
	/* No other system has a kind of this name, so the kind in another group is a mistake. */
	bool is_unique;
	/* Another system's group that has a kind of this name, and that system. May be empty. */
	sv other_group;
	const char *other_system;
	/* A group that the kind had in the past. An object of it is a mistake. May be empty. */
	sv former_group;
	/* Another system's group whose objects of this kind `convert` writes anew (struct dialect,
	 * convert). May be empty. */
	sv converted_group;
	/* The one member that is read. A manifest that does not contain the word is not parsed for
	 * this kind. May be empty. */
	sv member;
};

/*
 * A manifest from which another program makes units. osm-gen does not read it: a repository with
 * such a manifest and without its units renders nothing.
 */
struct dialect_maker {
	sv kind;
	sv group;
	const char
	    *path; /* the map that holds `member`: "metadata.annotations"; empty for the root */
	sv member; /* a list of maps that have a name, or the JSON of one object */
	sv unit;   /* the kind that the program makes */
	/* "its dynamicWorkers", and the remedy before and after the path of the manifest's file. */
	const char *what;
	const char *how_before;
	const char *how_after;
};

/* A kind that is meant for this dialect, in any group, if it has this member (a path). */
struct dialect_stray {
	sv kind;
	const char *mark;
};

#endif
