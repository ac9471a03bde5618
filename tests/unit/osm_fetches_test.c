/* The lines of an inventory (docs/profiles.md, "The inventory"). */
#include "osm/inventory/inventory.h"

#include "asserts.h"

#define SUM "b98f74a0f8522f0a83867178729c1aa70f2158f90c45a2ca8fa791db1c76b303"

static sv settings_file(const void *context, sv path)
{
	return sv_eq_cstr(path, "/settings") ? sv_from_cstr(context) : SV("");
}

/* Seventeen defaults in each other. */
#define DEEP4 "${N:-${N:-${N:-${N:-"
#define DEEP  DEEP4 DEEP4 DEEP4 DEEP4 "${N:-"

/*
 * A line a thing: kind, name, version, architecture, address, checksum, fingerprint, from, setting;
 * and, where it is moved, its address otherwise.
 */
static sv read_lines(struct arena *arena, struct sink *sink, const char *text, const char *settings)
{
	/* "--" on a line of its own parts the profile's text from an extension's. */
	struct osm_inventory_text texts[2] = {0};
	const struct osm_inventory inventory = {
	    .texts = texts, .text_count = 2, .file = settings_file, .context = settings};
	struct dialect_fetches fetches = {0};
	struct buf buf = buf_in(arena);

	sv_cut(sv_from_cstr(text), SV("\n--\n"), &texts[0].text, &texts[1].text);
	if (osm_inventory_read(arena, sink, &inventory, &fetches) != STATUS_OK)
		return SV("failed");
	VEC_EACH (fetch, &fetches) {
		const sv parts[] = {fetch->kind,         fetch->name, fetch->version,
		                    fetch->architecture, fetch->url,  fetch->sha256,
		                    fetch->fingerprint,  fetch->from, fetch->setting};

		for (size_t i = 0; i < COUNT_OF(parts); i++)
			buf_printf(&buf, "%s%.*s", i ? "|" : "", SV_ARG(parts[i]));
		if (!sv_empty(fetch->upstream))
			buf_printf(&buf, "|%.*s", SV_ARG(fetch->upstream));
		buf_add_char(&buf, '\n');
	}
	return buf_sv(&buf);
}

static void things_are_read(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		const char *settings;
		const char *want;
	} cases[] = {
	    {"", "", ""},
	    {"# nothing\n\n   \n", "", ""},
	    {"package curl jq from=distribution", "",
	     "package|curl||||||distribution|\npackage|jq||||||distribution|\n"},
	    {"package 'dnf-command(versionlock)'", "", "package|dnf-command(versionlock)|||||||\n"},
	    /* A package's version stands in its name; its setting is the one that names it. */
	    {"P=${P:-containerd.io=2.2*}\npackage ${P}", "", "package|containerd.io|2.2*||||||P\n"},
	    {"P=containerd-1.7*\npackage ${P}", "", "package|containerd|1.7*||||||P\n"},
	    /* The file wins; the first of its lines does, and quotes go. */
	    {"settings /settings\nU=${U:-https://a.example}\napi x url=${U}/y", "U=\"b:\"\nU=c\n",
	     "api|x|||b:/y||||U\n"},
	    {"settings /other\nU=${U:-https://a.example}\napi x url=${U}/y", "U=b\n",
	     "api|x|||https://a.example/y||||U\n"},
	    {"U=https://a.example\npackage curl\n--\napi x url=${U}/y", "",
	     "package|curl|||||||\napi|x|||https://a.example/y||||U\n"},
	    {"A=1\nB=${C:-${D:-$A}2}\napi x$B", "", "api|x12|||||||\n"},
	    {"settings /settings\napi x url=$A$A", "A=$B\n", "api|x|||$B$B||||\n"},
	    {"A='$B'\napi x url=y", "", "api|x|||y||||\n"},
	    /* Addresses of the file move things; versions, and addresses without a default, do not.
	     */
	    {"settings /settings\nV=${V:-1}\nU=${U:-https://a.example}\nK=${K:-$U/key}\n"
	     "key k url=${K}\nbinary t version=$V url=${U}/$V/t",
	     "U=https://m.example/a\nV=2\n",
	     "key|k|||https://m.example/a/key||||K|https://a.example/key\n"
	     "binary|t|2||https://m.example/a/2/t||||U|https://a.example/2/t\n"
	     "checksum|t|2||https://m.example/a/2/t.sha256||||U|https://a.example/2/t.sha256\n"},
	    {"settings /settings\napi x url=${U}", "U=https://m.example\n",
	     "api|x|||https://m.example||||U\n"},
	    /* Once an architecture; pinned for one of the two. */
	    {"[t-amd64.tgz]=" SUM "\narchive t url=https://u.example/t-${arch}.tgz", "",
	     "archive|t||amd64|https://u.example/t-amd64.tgz|" SUM "|||\n"
	     "archive|t||arm64|https://u.example/t-arm64.tgz||||\n"
	     "checksum|t||arm64|https://u.example/t-arm64.tgz.sha256||||\n"},
	    {"[own]=" SUM "\nbinary t file=own url=https://u.example/t", "",
	     "binary|t|||https://u.example/t|" SUM "|||\n"},
	    {"repository r url=u where=R", "", ""},
	    {"R=none\nrepository r url=u where=R", "", ""},
	    {"image r.example:5000/a\nimage a:1 from=x\nimage r.example/a:1@sha256:" SUM
	     "\nimage a:1@sha256:12",
	     "",
	     "image|r.example:5000/a|||||||\nimage|a|1|||||x|\nimage|r.example/a|1|||" SUM "|||\n"
	     "image|a:1@sha256:12|||||||\n"},
	    {"R=some\nrepository r url=u where=R", "", "repository|r|||u||||\n"},
	    {"key k url=https://user:pass@word@u.example/k fingerprint=F setting=S", "",
	     "key|k|||https://***@u.example/k||F||S\n"},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		struct sink sink = sink_in(arena);

		assert_sv(read_lines(arena, &sink, cases[i].text, cases[i].settings),
		          cases[i].want);
	}
}

static void mistakes_are_reported(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		const char *problem;
	} cases[] = {
	    {"wrong curl", "not one of the forms"},
	    {"package", "a kind without a name"},
	    {"package from=x", "a kind without a name"},
	    {"package a=b", "an unknown KEY=VALUE"},
	    {"binary kubelet", "a download without a URL"},
	    {"package ${NOT_SET}", "a ${NAME} that nothing sets"},
	    {"A=${B", "a $ that begins no ${NAME}"},
	    {"A=$", "a $ that begins no ${NAME}"},
	    {"A=${B:=c}", "neither ${NAME} nor ${NAME:-DEFAULT}"},
	    {"[x]=12", "neither [FILE]=SHA256"},
	    {"A=" DEEP "x}}}}}}}}}}}}}}}}}", "nested too deep"},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		struct sink sink = sink_in(arena);

		assert_sv(read_lines(arena, &sink, cases[i].text, "A=$B"), "failed");
		assert_int_equal(sink.error_count, 1);
		assert_int_equal(sink.diags.items[0]->code, DIAG_INVENTORY);
		assert_contains(sink.diags.items[0]->text, cases[i].problem);
	}
}

/* What grows with every line ends at a limit, not in memory. */
static void growth_is_limited(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct buf text = buf_in(arena);

	BUF_ADD_LIT(&text, "A=0123456789\n");
	for (int i = 0; i < 64; i++)
		BUF_ADD_LIT(&text, "A=$A$A\n");
	buf_add_char(&text, '\0');
	assert_sv(read_lines(arena, &sink, text.ptr, ""), "failed");
	assert_contains(sink.diags.items[0]->text, "more than 4096 bytes");
}

UNIT_TESTS(osm_fetches)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(things_are_read),
	    cmocka_unit_test(mistakes_are_reported),
	    cmocka_unit_test(growth_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
