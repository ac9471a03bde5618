/*
 * setting: a setting of a dialect or of fleet/, for osm-gen.yaml, flags and help pages. Part of
 * dialect.h, which other folders include.
 */
#ifndef OSM_GEN_DIALECT_SETTING_H
#define OSM_GEN_DIALECT_SETTING_H

#include "base/base.h"
#include "value/value.h"

enum setting_kind {
	SETTING_STRING,
	SETTING_BOOL,
	SETTING_LIST,   /* a list of strings, or one string with commas between them */
	SETTING_REPEAT, /* a list of strings; the flag is repeated, and a comma is part of an item
	                 */
	SETTING_MAP,    /* a map, or one string "A=true,B=false" */
	SETTING_FILE,   /* the content of a file (see setting_names_file) */
	SETTING_NUMBER, /* a whole number, not negative */
};

/* The setting of every dialect that replaces the API server of cluster-info. */
#define SETTING_API_SERVER "overrideBootstrapKubeletAPIServer"

struct setter;

/*
 * One setting: a flag (--cluster-dns), its name in osm-gen.yaml (clusterDNS), and its help. The
 * tables serve the command line, osm-gen.yaml and the documentation.
 */
struct setting {
	sv flag;
	sv name;
	enum setting_kind kind;
	const char *placeholder; /* "IP,..." in help pages; null for SETTING_BOOL */
	const char *help;
	bool controller;     /* the system's own controller has this flag too */
	const char *initial; /* the default in words; may be null */
	/* A value as osm-gen.yaml has it: a string for SETTING_STRING and SETTING_FILE, else JSON.
	 */
	const char *example;
	bool may_be_sealed; /* SOPS may encrypt it: nothing clear in the output depends on it */
	/* Checks a value and sets it (setting_set); null if the owner sets it in another way. */
	enum status (*set)(const struct setter *s, const struct value *v);
};

/*
 * Returns true if the value of a SETTING_FILE is a path. The caller must then replace it with the
 * file's content (from the commit for osm-gen.yaml, from disk for a flag) before it sets it. A
 * value with a line break is the content itself.
 */
bool setting_names_file(const struct setting *setting, const struct value *value);

#endif
