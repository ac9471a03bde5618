/*
 * The tables of docs/ against the program's own. A list stands between "<!-- NAME -->" and
 * "<!-- end -->": its words, or of a table those in backquotes of the first column.
 */
#include "fleet/fleet.h"
#include "osm/cloud.h"
#include "osm/spelling.h"
#include "tmpl/func.h"
#include "userdata/userdata.h"

#include "asserts.h"

#include <stdio.h>

struct words {
	struct map names;
	size_t missing; /* of the program's, in the document */
};

static sv read_document(struct arena *arena, const char *path)
{
	FILE *file = fopen(path, "rb");
	struct buf text = buf_in(arena);
	size_t got;

	if (!file)
		fail_msg("cannot open %s", path);
	while ((got = fread(buf_reserve(&text, 4096), 1, 4096, file)) > 0)
		text.len += got;
	fclose(file);
	return buf_sv(&text);
}

/* What stands between "<!-- name -->" and "<!-- end -->". */
static sv marked(struct arena *arena, const char *path, const char *name)
{
	sv text = read_document(arena, path);
	sv mark = arena_printf(arena, "<!-- %s -->\n", name);
	size_t at = sv_find(text, mark);

	if (at == SV_NPOS)
		fail_msg("%s: no %s", path, mark.ptr);
	text = sv_from_offset(text, at + mark.len);
	at = sv_find(text, SV("<!-- end -->"));
	if (at == SV_NPOS)
		fail_msg("%s: %s has no end", path, name);
	return sv_slice(text, 0, at);
}

static void add_word(struct words *words, sv word)
{
	if (!sv_empty(word) && !map_put(&words->names, word, words))
		fail_msg("\"%.*s\" stands there twice", SV_ARG(word));
}

static struct words words_in(struct arena *arena, const char *path, const char *name)
{
	struct words words = {.names = map_in(arena)};
	struct sv_splitter lines = sv_split(marked(arena, path, name), '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		bool is_row = sv_starts_with(line, SV("|"));
		sv cell = is_row ? sv_from_offset(line, 1) : line;
		struct sv_splitter it = sv_split(
		    is_row ? sv_slice(cell, 0, sv_find_char(cell, '|')) : cell, is_row ? '`' : ' ');
		bool is_quoted = !is_row;
		sv word;

		while (sv_split_next(&it, &word)) {
			if (is_quoted)
				add_word(&words, word);
			is_quoted = !is_row || !is_quoted;
		}
	}
	return words;
}

/* One of the program's words: it must stand in the document. */
static void take(struct words *words, sv word)
{
	if (map_get(&words->names, word))
		return;
	print_error("not in the document: %.*s\n", SV_ARG(word));
	words->missing++;
}

/* All of the program's words are there, and no others. */
static void assert_complete(const struct words *words, size_t count)
{
	assert_int_equal(words->missing, 0);
	assert_int_equal(words->names.count, count);
}

static void functions_are_listed(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct words all = words_in(arena, "docs/spec/templates.md", "functions");
	struct words refused = words_in(arena, "docs/spec/templates.md", "refused functions");
	size_t refused_count = 0;
	size_t count;

	(void)state;
	const sv *names = tmpl_funcs_names(arena, &tmpl_funcs_profile, &count);
	size_t different = 0;
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && sv_eq(names[i], names[i - 1]))
			continue;
		different++;
		take(&all, names[i]);
		if (tmpl_func_find(&tmpl_funcs_profile, names[i])->purity == FUNC_PURE)
			continue;
		refused_count++;
		take(&refused, names[i]);
	}
	assert_complete(&all, different);
	assert_complete(&refused, refused_count);
}

static void settings_are_listed(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct words controller =
	    words_in(arena, "docs/spec/controller.md", "settings: controller");
	struct words own = words_in(arena, "docs/spec/inputs.md", "settings: own");
	size_t controller_count = 0;
	size_t count;

	(void)state;
	const struct setting *const *settings = fleet_settings(arena, &count);
	for (size_t i = 0; i < count; i++) {
		controller_count += settings[i]->controller;
		take(settings[i]->controller ? &controller : &own, settings[i]->name);
	}
	assert_complete(&controller, controller_count);
	assert_complete(&own, count - controller_count);
}

static void providers_are_listed(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct words words = words_in(arena, "docs/spec/controller.md", "providers");
	size_t count;

	(void)state;
	const struct osm_provider *providers = osm_provider_table(&count);
	for (size_t i = 0; i < count; i++)
		take(&words, providers[i].name);
	assert_complete(&words, count);
}

static void variables_are_listed(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct words words = words_in(arena, "docs/spec/cloud-config.md", "variables");
	size_t count;

	(void)state;
	const sv *names = dialect_variable_names(arena, &count);
	for (size_t i = 0; i < count; i++)
		take(&words, names[i]);
	assert_complete(&words, count);
}

/* "| provider[, provider] [with flatcar] | bytes [(flatcar: bytes)] | ..." */
static void limits_are_those_of_the_table(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sv_splitter lines =
	    sv_split(marked(arena, "docs/limits.md", "user-data limits"), '\n');
	struct map seen = map_in(arena);
	size_t providers = 0;
	size_t count;
	sv line;

	(void)state;
	while (sv_split_next(&lines, &line)) {
		sv names;
		sv rest;
		uint64_t bytes = 0;

		if (!sv_starts_with(line, SV("| ")) || sv_starts_with(line, SV("| provider")) ||
		    !sv_cut(sv_from_offset(line, 2), SV(" | "), &names, &rest))
			continue;
		bool is_flatcar = sv_ends_with(names, SV(" with flatcar"));
		struct sv_splitter it = sv_split(
		    is_flatcar ? sv_slice(names, 0, names.len - SV(" with flatcar").len) : names,
		    ',');
		sv name;
		for (size_t i = 0; i < rest.len && ascii_is_digit(rest.ptr[i]); i++)
			bytes = bytes * 10 + (uint64_t)(rest.ptr[i] - '0');
		while (sv_split_next(&it, &name)) {
			const struct userdata_budget *budget = userdata_budget_find(
			    sv_trim_space(name), is_flatcar ? SV("flatcar") : SV("ubuntu"));

			if (!budget)
				fail_msg("%.*s has no limit", SV_ARG(name));
			assert_int_equal(budget->limit, bytes);
			map_put(&seen, sv_trim_space(name), &seen);
		}
	}
	const struct osm_provider *all = osm_provider_table(&count);
	for (size_t i = 0; i < count; i++) {
		if (!userdata_budget_find(all[i].name, SV("flatcar")))
			continue;
		providers++;
		if (!map_get(&seen, all[i].name))
			fail_msg("no limit of %.*s is shown", SV_ARG(all[i].name));
	}
	assert_int_equal(seen.count, providers);
}

/* Kubelets that are warned of are those that the profiles' fragment has no crictl for. */
static void kubelets_are_those_of_the_profiles(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv text = read_document(arena, "profiles/fragments/setup/versions.sh");
	const sv pinned = SV("default_cri_tools_version=v1.");
	int expected = OSM_OLDEST_KUBELET;

	(void)state;
	for (size_t at = sv_find(text, pinned); at != SV_NPOS; at = sv_find(text, pinned)) {
		int64_t minor;

		text = sv_from_offset(text, at + pinned.len);
		assert_true(sv_parse_int64(sv_slice(text, 0, sv_find_char(text, '.')), &minor));
		assert_int_equal(minor, expected++);
	}
	assert_int_equal(expected, OSM_NEWEST_KUBELET + 1);
}

UNIT_TESTS(docs)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(functions_are_listed),
	    cmocka_unit_test(settings_are_listed),
	    cmocka_unit_test(providers_are_listed),
	    cmocka_unit_test(variables_are_listed),
	    cmocka_unit_test(limits_are_those_of_the_table),
	    cmocka_unit_test(kubelets_are_those_of_the_profiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
