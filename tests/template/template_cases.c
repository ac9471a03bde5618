/*
 * template-cases: runs template cases. One JSON object a line on stdin; for each, one JSON line
 * {"id", "out" | "parse_error" | "exec_error" | "refused"} on stdout.
 *
 * With --check the cases carry their expected result, and only differences are printed, then a
 * count; the exit status is 1 when there is one. Cases that end in a refusal (a function that is
 * not pure, the address of a pointer), and those that --known FILE lists, are counted apart.
 *
 * A case: {"id", "template", "data" | "dataset", "name", "after": [{"name", "text"}], "osp",
 * "funcs": "none", "option"}. `now` is the present, or what --now says.
 * "after" texts are parsed into the same set; with "osp" they are the
 * templates of a profile. "data": "@fuzzdata" is the file given with --fuzzdata.
 */
#include "cases.h"
#include "regex_cases.h"

#include "tmpl/tmpl.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DEFAULT_FUZZDATA "../shared/conformance/template/fuzzdata.json"

struct options {
	bool check;
	bool regex;
	const char *fuzzdata;
	const char *known; /* file of case ids that may differ, or null */
	int64_t now;
};

struct result {
	const char *key; /* "out", "parse_error", ... */
	sv text;
};

struct counts {
	size_t equal;
	size_t different;
	size_t refused;
	size_t skipped;
};

static sv member(struct arena *arena, const json_t *json, const char *key, const char *otherwise)
{
	const json_t *text = json_object_get(json, key);

	if (!json_is_string(text))
		return sv_from_cstr(otherwise);
	return arena_dup(arena, sv_from(json_string_value(text), json_string_length(text)));
}

static const struct value *new_text(struct arena *arena, sv text)
{
	return case_new(arena, value_string(text));
}

static struct result failure(const struct tmpl_error *error)
{
	sv text = sv_from_offset(error->text, error->prefix_len);

	switch (error->failure) {
	case TMPL_PARSE:
		return (struct result){"parse_error", text};
	case TMPL_EXEC:
		return (struct result){"exec_error", text};
	case TMPL_REFUSED:
	case TMPL_LIMIT:
	case TMPL_DECIDES:
	case TMPL_SECRET:
		return (struct result){"refused", text};
	}
	BUG("template failure");
}

static const struct tmpl_funcs *funcs_of(const json_t *json)
{
	const json_t *name = json_object_get(json, "funcs");

	if (json_is_string(name) && strcmp(json_string_value(name), "none") == 0)
		return &tmpl_funcs_builtin;
	return &tmpl_funcs_profile;
}

/* ---- the two ways to run ----------------------------------------------------------------- */

static struct result run_profile(struct arena *arena, const struct options *options,
                                 const json_t *json, const struct value *data)
{
	const json_t *after = json_object_get(json, "after");
	struct tmpl_source *templates =
	    ARENA_ARRAY(arena, struct tmpl_source, json_array_size(after));
	struct tmpl_source file = {member(arena, json, "name", "t"),
	                           new_text(arena, member(arena, json, "template", ""))};
	struct sink sink = sink_in(arena);
	struct tmpl_options run = tmpl_options_default();
	struct tmpl_profile *profile;
	struct tmpl_rendered *rendered;
	struct tmpl_error error;
	size_t i;
	json_t *item;

	run.now = options->now;
	json_array_foreach(after, i, item) templates[i] = (struct tmpl_source){
	    member(arena, item, "name", "t"), new_text(arena, member(arena, item, "text", ""))};
	const struct tmpl_profile_texts texts = {.templates = {templates, json_array_size(after)},
	                                         .files = {&file, 1}};
	if (tmpl_profile_parse(arena, &sink, funcs_of(json), &texts, &profile, &error) !=
	        STATUS_OK ||
	    tmpl_profile_render(arena, &sink, profile, data, &run, &rendered, &error) != STATUS_OK)
		return failure(&error);
	return (struct result){"out", rendered[0].content.string};
}

static struct result run_set(struct arena *arena, const struct options *options, const json_t *json,
                             const struct value *data)
{
	struct tmpl_source source = {member(arena, json, "name", "t"),
	                             new_text(arena, member(arena, json, "template", ""))};
	sv option = member(arena, json, "option", "");
	struct sink sink = sink_in(arena);
	struct text out = text_in(arena);
	struct tmpl_error error;
	struct tmpl_options run = tmpl_options_default();
	struct tmpl_set *set;
	size_t i;
	json_t *item;

	run.now = options->now;
	if (tmpl_parse(arena, &sink, funcs_of(json), &source, &set, &error) != STATUS_OK)
		return failure(&error);
	json_array_foreach(json_object_get(json, "after"), i, item)
	{
		struct tmpl_source more = {source.name,
		                           new_text(arena, member(arena, item, "text", ""))};
		if (tmpl_set_add(arena, &sink, set, &more, &error) != STATUS_OK)
			return failure(&error);
	}
	if (sv_eq_cstr(option, "missingkey=zero"))
		tmpl_set_missing_key(set, TMPL_MISSING_ZERO);
	else if (sv_eq_cstr(option, "missingkey=error"))
		tmpl_set_missing_key(set, TMPL_MISSING_ERROR);
	if (tmpl_execute(arena, &sink, set, data, &run, &out, &error) != STATUS_OK)
		return failure(&error);
	return (struct result){"out", text_sv(&out)};
}

/* ---- data -------------------------------------------------------------------------------- */

static json_t *load_json(const char *text, size_t len)
{
	json_error_t error;
	json_t *json = json_loadb(text, len, JSON_ALLOW_NUL, &error);

	/* An integer beyond 64 bits: all numbers are floats then, as they are for Go. */
	if (!json)
		json = json_loadb(text, len, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &error);
	return json;
}

static bool find_data(struct arena *arena, const struct options *options, const json_t *json,
                      const struct value **ret_data)
{
	const json_t *data = json_object_get(json, "data");
	const json_t *dataset = json_object_get(json, "dataset");

	*ret_data = NULL;
	if (json_is_string(dataset)) {
		*ret_data = case_dataset(arena, json_string_value(dataset));
		return *ret_data != NULL;
	}
	if (!data)
		return true;
	if (json_is_string(data) && strcmp(json_string_value(data), "@fuzzdata") == 0) {
		json_error_t error;
		json_t *file = json_load_file(options->fuzzdata, JSON_ALLOW_NUL, &error);
		if (!file)
			return false;
		*ret_data = case_data(arena, file);
		json_decref(file);
		return *ret_data != NULL;
	}
	*ret_data = case_data(arena, data);
	return *ret_data != NULL;
}

/* ---- results ----------------------------------------------------------------------------- */

/* JSON holds no invalid UTF-8: each byte of it becomes U+FFFD, as Go's encoder does. */
static sv valid_utf8(struct arena *arena, sv text)
{
	struct buf buf = buf_in(arena);
	size_t width;

	if (utf8_valid(text))
		return text;
	for (; text.len > 0; text = sv_from_offset(text, width))
		buf_add_rune(&buf, utf8_decode(text, &width));
	return buf_sv(&buf);
}

static void print_result(struct arena *arena, sv id, const struct result *result)
{
	sv text = valid_utf8(arena, result->text);
	json_t *line = json_object();

	json_object_set_new(line, "id", json_stringn(id.ptr ? id.ptr : "", id.len));
	json_object_set_new(line, result->key, json_stringn(text.ptr ? text.ptr : "", text.len));
	json_dumpf(line, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(line);
}

/* A line of the file: the id, a space, why it differs. Lines that begin with '#' are notes. */
static bool is_known(const struct options *options, sv id)
{
	char line[1024];
	bool found = false;
	FILE *file = options->known ? fopen(options->known, "r") : NULL;

	while (file && !found && fgets(line, sizeof(line), file)) {
		sv word = sv_slice(sv_from_cstr(line), 0, strcspn(line, " \t\n"));
		found = line[0] != '#' && sv_eq(word, id);
	}
	if (file)
		fclose(file);
	return found;
}

static void check_result(struct arena *arena, const struct options *options, const json_t *json,
                         sv id, const struct result *result, struct counts *counts)
{
	static const char *const keys[] = {"out", "parse_error", "exec_error", "refused"};
	const char *expected = NULL;
	sv text = valid_utf8(arena, result->text);

	for (size_t i = 0; i < COUNT_OF(keys); i++)
		if (json_object_get(json, keys[i]))
			expected = keys[i];
	sv want = member(arena, json, expected ? expected : "out", "");
	if (expected && strcmp(expected, result->key) == 0 && sv_eq(want, text)) {
		counts->equal++;
		return;
	}
	if (strcmp(result->key, "refused") == 0 &&
	    (sv_contains(text, SV("and is refused")) ||
	     sv_contains(text, SV("is a pointer of type")) ||
	     sv_contains(text, SV("would change the data")))) {
		counts->refused++;
		return;
	}
	if (is_known(options, id)) {
		counts->refused++;
		return;
	}
	counts->different++;
	printf("%.*s: %.*s\n  want %s %.*s\n  have %s %.*s\n", SV_ARG(id),
	       SV_ARG(member(arena, json, "template", "")), expected ? expected : "?", SV_ARG(want),
	       result->key, SV_ARG(text));
}

static bool run_line(const struct options *options, const char *line, size_t len,
                     struct counts *counts)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	json_t *json = load_json(line, len);
	const struct value *data;

	if (!json) {
		fprintf(stderr, "template-cases: not a JSON line: %.60s\n", line);
		return false;
	}
	sv id = member(arena, json, "id", "");
	if (!find_data(arena, options, json, &data)) {
		fprintf(stderr, "template-cases: %.*s: unknown data\n", SV_ARG(id));
		counts->skipped++;
		json_decref(json);
		return false;
	}
	struct result result = json_is_true(json_object_get(json, "osp"))
	                           ? run_profile(arena, options, json, data)
	                           : run_set(arena, options, json, data);
	if (options->check)
		check_result(arena, options, json, id, &result, counts);
	else
		print_result(arena, id, &result);
	json_decref(json);
	return true;
}

static bool parse_options(int argc, char **argv, struct options *options)
{
	*options = (struct options){.fuzzdata = DEFAULT_FUZZDATA, .now = (int64_t)time(NULL)};
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--check") == 0)
			options->check = true;
		else if (strcmp(argv[i], "--regex") == 0)
			options->regex = true;
		else if (strcmp(argv[i], "--fuzzdata") == 0 && i + 1 < argc)
			options->fuzzdata = argv[++i];
		else if (strcmp(argv[i], "--now") == 0 && i + 1 < argc)
			options->now = strtoll(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--known") == 0 && i + 1 < argc)
			options->known = argv[++i];
		else
			return false;
	}
	return true;
}

static int check_regex(void)
{
	struct regex_counts counts;
	bool ok = regex_cases_run(&counts);

	printf("%zu patterns, %zu texts\n", counts.patterns, counts.texts);
	printf("%zu equal, %zu different, %zu set apart\n",
	       counts.patterns + counts.texts - counts.different - counts.documented -
	           counts.other_words,
	       counts.different, counts.documented + counts.other_words);
	return ok && counts.different == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct options options;
	struct counts counts = {0};
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	bool ok = true;

	if (!parse_options(argc, argv, &options)) {
		fputs("usage: template-cases [--check | --regex] [--fuzzdata FILE] [--known FILE] "
		      "[--now "
		      "SECONDS] < CASES\n",
		      stderr);
		return 64;
	}
	if (options.regex)
		return check_regex();
	setvbuf(stdout, NULL, _IOLBF, 0); /* who asks line by line gets an answer at once */
	while ((len = getline(&line, &cap, stdin)) > 0)
		if (len > 1 && !run_line(&options, line, (size_t)len, &counts))
			ok = false;
	free(line);
	if (options.check)
		printf("%zu equal, %zu different, %zu set apart\n", counts.equal, counts.different,
		       counts.refused);
	return ok && counts.different == 0 ? 0 : 1;
}
