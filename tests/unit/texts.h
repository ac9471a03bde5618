/*
 * Texts of a test, read as values; a text that cannot be read fails the test. The texts must
 * outlive the values, which know their places in them.
 */
#ifndef OSM_GEN_TESTS_UNIT_TEXTS_H
#define OSM_GEN_TESTS_UNIT_TEXTS_H

#include "asserts.h"

#include "yaml/yaml.h"
#include "json/json.h"

/* Every document of a YAML file, at least one. */
static inline struct yml_documents yaml_documents_of(struct arena *arena, sv path, sv text)
{
	struct sink sink = sink_in(arena);
	struct yml_documents documents = {0};

	if (yml_parse(arena, &sink, source_new(arena, path, text, false), &documents) !=
	    STATUS_OK) {
		print_diags(&sink);
		fail_msg("no YAML: %.*s", SV_ARG(text));
	}
	assert_true(documents.count > 0);
	return documents;
}

/* The first document. */
static inline struct value yaml_value_of(struct arena *arena, sv text)
{
	return yaml_documents_of(arena, SV("a.yaml"), text).items[0].root;
}

static inline struct value json_value_of(struct arena *arena, sv text)
{
	struct sink sink = sink_in(arena);
	struct value value = VALUE_INVALID;

	if (json_parse(arena, &sink, source_new(arena, SV("a.json"), text, false), &value) !=
	    STATUS_OK) {
		print_diags(&sink);
		fail_msg("no JSON: %.*s", SV_ARG(text));
	}
	return value;
}

#endif
