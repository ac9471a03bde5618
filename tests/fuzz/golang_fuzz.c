/* Every reader of golang/; a second text may follow a line "--". */
#include "golang/golang.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void fuzz_quote(struct arena *arena, sv text)
{
	sv bytes;

	if (utf8_valid(text))
		check(go_strconv_unquote(arena, go_strconv_quote(arena, text), &bytes) &&
		      sv_eq(bytes, text));
	if (go_strconv_unquote(arena, text, &bytes))
		check(text.len >= 2);
}

static void fuzz_numbers(struct arena *arena, sv text)
{
	int64_t number;
	int64_t again;
	uint64_t natural;
	bool flag;
	sv error;

	if (go_duration_parse(arena, text, &number, &error))
		check(go_duration_parse(arena, go_duration_format(arena, number), &again, &error) &&
		      number == again);
	if (go_strconv_parse_int(arena, text, 32, &number, &error))
		check(number >= INT32_MIN && number <= INT32_MAX);
	if (go_strconv_parse_uint(arena, text, 64, &natural, &error))
		check(text.ptr[0] != '-');
	if (go_strconv_parse_bool(arena, text, &flag, &error))
		check(text.len <= 5);
}

static void fuzz_semver(struct arena *arena, sv text, sv other)
{
	struct semver_constraints *constraints;
	struct semver version;
	struct semver again;
	sv error;

	if (go_semver_parse(arena, text, &version, &error)) {
		check(go_semver_parse(arena, go_semver_format(arena, &version), &again, &error));
		check(go_semver_compare(&version, &again) == 0);
		if (go_semver_constraints_parse(arena, other, &constraints, &error))
			(void)go_semver_constraints_check(constraints, &version);
	}
	/* What is strict is loose as well. */
	if (go_semver_parse_strict(arena, text, &version, &error))
		check(go_semver_parse(arena, text, &again, &error) &&
		      go_semver_compare(&version, &again) == 0);
	if (!go_semver_constraints_parse(arena, text, &constraints, &error))
		check(error.len > 0);
}

static void fuzz_url(struct arena *arena, sv text)
{
	struct url url;
	struct url_query query;
	sv error;

	if (go_url_parse(arena, text, &url, &error)) {
		(void)go_url_format(arena, &url);
		(void)go_url_hostname(&url);
		(void)go_url_port(&url);
		query = go_url_query_parse(arena, url.raw_query, &error);
		sv encoded = go_url_query_encode(arena, &query);
		query = go_url_query_parse(arena, encoded, &error);
		check(error.len == 0 && sv_eq(go_url_query_encode(arena, &query), encoded));
	}
	check(go_url_query_unescape(arena, go_url_query_escape(arena, text), &error, &error) &&
	      sv_eq(error, text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv text = sv_from((const char *)data, size);
	sv first = text;
	sv second = {0};

	if (size > 4096)
		return 0;
	sv_cut(text, SV("\n--\n"), &first, &second);
	fuzz_quote(arena, text);
	fuzz_numbers(arena, text);
	fuzz_semver(arena, first, second);
	fuzz_url(arena, text);
	return 0;
}
