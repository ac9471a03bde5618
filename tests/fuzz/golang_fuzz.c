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
		check(strconv_unquote(arena, strconv_quote(arena, text), &bytes) &&
		      sv_eq(bytes, text));
	if (strconv_unquote(arena, text, &bytes))
		check(text.len >= 2);
}

static void fuzz_numbers(struct arena *arena, sv text)
{
	int64_t number;
	int64_t again;
	uint64_t natural;
	bool flag;
	sv error;

	if (duration_parse(arena, text, &number, &error))
		check(duration_parse(arena, duration_format(arena, number), &again, &error) &&
		      number == again);
	if (strconv_parse_int(arena, text, 32, &number, &error))
		check(number >= INT32_MIN && number <= INT32_MAX);
	if (strconv_parse_uint(arena, text, 64, &natural, &error))
		check(text.ptr[0] != '-');
	if (strconv_parse_bool(arena, text, &flag, &error))
		check(text.len <= 5);
}

static void fuzz_semver(struct arena *arena, sv text, sv other)
{
	struct semver_constraints *constraints;
	struct semver version;
	struct semver again;
	sv error;

	if (semver_parse(arena, text, &version, &error)) {
		check(semver_parse(arena, semver_format(arena, &version), &again, &error));
		check(semver_compare(&version, &again) == 0);
		if (semver_constraints_parse(arena, other, &constraints, &error))
			(void)semver_constraints_check(constraints, &version);
	}
	/* What is strict is loose as well. */
	if (semver_parse_strict(arena, text, &version, &error))
		check(semver_parse(arena, text, &again, &error) &&
		      semver_compare(&version, &again) == 0);
	if (!semver_constraints_parse(arena, text, &constraints, &error))
		check(error.len > 0);
}

static void fuzz_url(struct arena *arena, sv text)
{
	struct url url;
	struct url_query query;
	sv error;

	if (url_parse(arena, text, &url, &error)) {
		(void)url_format(arena, &url);
		(void)url_hostname(&url);
		(void)url_port(&url);
		query = url_query_parse(arena, url.raw_query, &error);
		sv encoded = url_query_encode(arena, &query);
		query = url_query_parse(arena, encoded, &error);
		check(error.len == 0 && sv_eq(url_query_encode(arena, &query), encoded));
	}
	check(url_query_unescape(arena, url_query_escape(arena, text), &error, &error) &&
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
