/* URLs as Go 1.26 reads and writes them. */
#include "golang/golang.h"

#include "asserts.h"

static void test_parts(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		const char *scheme;
		const char *hostname;
		const char *port;
		const char *path;
		const char *again; /* as printed; null: the same text */
	} cases[] = {
	    {"https://gcr.io/v1/", "https", "gcr.io", "", "/v1/", NULL},
	    {"index.docker.io/v1/", "", "", "", "index.docker.io/v1/", NULL},
	    {"https://vcenter.example.com:8443/sdk", "https", "vcenter.example.com", "8443", "/sdk",
	     NULL},
	    {"https://http://host", "https", "http", "", "//host", NULL},
	    {"https://[fe80::1%25en0]:80/", "https", "fe80::1%en0", "80", "/", NULL},
	    {"HTTP://h", "http", "h", "", "", "http://h"},
	    {"https://h/a b%2Fc", "https", "h", "", "/a b/c", "https://h/a%20b/c"},
	    {"https://h/a%2Fc", "https", "h", "", "/a/c", NULL},
	    {"https://h?", "https", "h", "", "", NULL},
	    {"mailto:x@y", "mailto", "", "", "", NULL},
	    {"https://u:p%40@h/", "https", "h", "", "/", NULL},
	    {"https://h/#a b", "https", "h", "", "/", "https://h/#a%20b"},
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct url url;
		sv error;

		assert_true(go_url_parse(arena, sv_from_cstr(cases[i].text), &url, &error));
		assert_sv(url.scheme, cases[i].scheme);
		assert_sv(go_url_hostname(&url), cases[i].hostname);
		assert_sv(go_url_port(&url), cases[i].port);
		assert_sv(url.path, cases[i].path);
		assert_sv(go_url_format(arena, &url),
		          cases[i].again ? cases[i].again : cases[i].text);
	}
}

static void test_mistakes(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		const char *error;
	} cases[] = {
	    {"a:b/c", NULL},
	    {"1:b", "parse \"1:b\": first path segment in URL cannot contain colon"},
	    {":x", "parse \":x\": missing protocol scheme"},
	    {"https://h:8a", "parse \"https://h:8a\": invalid port \":8a\" after host"},
	    {"https://h/%zz", "parse \"https://h/%zz\": invalid URL escape \"%zz\""},
	    {"https://a b", "parse \"https://a b\": invalid character \" \" in host name"},
	    {"https://[::1", "parse \"https://[::1\": missing ']' in host"},
	    {"https://::1/", "parse \"https://::1/\": invalid port \"::1\" after host"},
	    {"https://h/\n", "parse \"https://h/\\n\": net/url: invalid control character in URL"},
	    {"https://[1.2.3.4]/", "parse \"https://[1.2.3.4]/\": invalid IP-literal"},
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct url url;
		sv error = {0};

		assert_int_equal(go_url_parse(arena, sv_from_cstr(cases[i].text), &url, &error),
		                 cases[i].error == NULL);
		if (cases[i].error)
			assert_sv(error, cases[i].error);
	}
}

static void test_query(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv error;
	struct url_query query = go_url_query_parse(
	    arena, SV("b=2&a=x+y%26&&kubermatic=override_path%3Dtrue&b=1&c"), &error);

	assert_int_equal(error.len, 0);
	assert_int_equal(query.count, 5);
	assert_sv(go_url_query_get(&query, SV("a"))->value, "x y&");
	assert_sv(go_url_query_get(&query, SV("kubermatic"))->value, "override_path=true");
	assert_null(go_url_query_get(&query, SV("d")));
	go_url_query_delete(&query, SV("kubermatic"));
	assert_sv(go_url_query_encode(arena, &query), "a=x+y%26&b=2&b=1&c=");

	query = go_url_query_parse(arena, SV("a=1;b=2&c=%z&d=3"), &error);
	assert_sv(error, "invalid semicolon separator in query");
	assert_int_equal(query.count, 1);
	query = go_url_query_parse(arena, (sv){0}, &error);
	assert_sv(go_url_query_encode(arena, &query), "");

	sv text;
	assert_sv(go_url_query_escape(arena, SV("a b/+\xc3\xa9")), "a+b%2F%2B%C3%A9");
	assert_sv(go_url_path_escape(arena, SV("a b/+")), "a%20b%2F+");
	assert_true(go_url_query_unescape(arena, SV("a+%2B"), &text, &error));
	assert_sv(text, "a +");
	assert_false(go_url_query_unescape(arena, SV("x%2"), &text, &error));
	assert_sv(error, "invalid URL escape \"%2\"");
}

UNIT_TESTS(golang_url)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_parts),
	    cmocka_unit_test(test_mistakes),
	    cmocka_unit_test(test_query),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
