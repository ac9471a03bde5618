/*
 * The leak scan against planted forms of a secret: "SECRET\n--\nTEXT". Each form, at a place of the
 * text, must be found; the scan with its effort bounded must agree.
 */
#include "codec/codec.h"
#include "golang/golang.h"
#include "secrecy/secrecy.h"
#include "yaml/yaml.h"
#include "json/json.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct planting {
	struct arena *arena;
	const struct leak_scanner *scanner;
	const struct secret *secret;
	sv before;
	sv behind;
};

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void expect_found(const struct planting *p, sv text)
{
	const struct leak_place place = {0};
	struct sink sink = sink_in(p->arena);
	struct leak leak;

	check(leak_scanner_find(p->scanner, text, 0, NULL, &leak));
	check(leak.offset < text.len && leak.secret == p->secret);
	check(leak_scanner_check(&sink, p->scanner, SV("f"), text, &place) == STATUS_FAILED);
	check(sink.diags.count == 1);
}

static void plant(const struct planting *p, sv form)
{
	expect_found(p, ARENA_CONCAT(p->arena, p->before, form, p->behind));
}

/* What an encoder makes of the secret between other bytes, of which it knows nothing. */
static void plant_base64(const struct planting *p)
{
	static const enum base64_kind kinds[] = {BASE64_STD, BASE64_URL, BASE64_STD_RAW,
	                                         BASE64_URL_RAW};
	sv whole = ARENA_CONCAT(p->arena, p->before, p->secret->text, p->behind);

	for (size_t skip = 0; skip < 3 && skip <= p->before.len; skip++)
		for (size_t i = 0; i < COUNT_OF(kinds); i++)
			plant(p, base64_encode(p->arena, kinds[i], sv_from_offset(whole, skip)));
	plant(p, base64_encode(p->arena, BASE64_STD, base64_encode(p->arena, BASE64_STD, whole)));
}

static sv escaped(struct arena *arena, sv text, const char *which, const char *with)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] != '\0' && strchr(which, text.ptr[i]))
			buf_add_cstr(&buf, with);
		buf_add_char(&buf, text.ptr[i]);
	}
	return buf_sv(&buf);
}

static void plant_in_documents(const struct planting *p)
{
	struct value map = value_map_new(p->arena);
	struct buf yaml = buf_in(p->arena);
	struct buf json = buf_in(p->arena);
	sv text = p->secret->text;

	value_map_set(p->arena, &map, SV("key"), value_string(text));
	json_emit(&json, &map, JSON_GO);
	plant(p, buf_sv(&json));
	/* Lines may be cut and indented: only long ones are looked for by themselves. */
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < ' ' || (unsigned char)text.ptr[i] > '~')
			return;
	yml_emit(&yaml, &map, (struct yml_format){0});
	plant(p, buf_sv(&yaml));
	plant(p, ARENA_CONCAT(p->arena, SV("'"), escaped(p->arena, text, "'", "'"), SV("'")));
	plant(p, ARENA_CONCAT(p->arena, SV("\""), escaped(p->arena, text, "\"\\", "\\"), SV("\"")));
}

static void plant_forms(const struct planting *p)
{
	struct buf url = buf_in(p->arena);

	plant(p, p->secret->text);
	plant_base64(p);
	plant(p, go_url_query_escape(p->arena, p->secret->text));
	plant(p, go_url_path_escape(p->arena, p->secret->text));
	data_url_add(&url, p->secret->text);
	plant(p, buf_sv(&url));
	plant(p, go_strconv_quote(p->arena, p->secret->text));
	plant_in_documents(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct leak_scanner *scanner = leak_scanner_new(arena, NULL);
	sv text = sv_from((const char *)data, size);
	sv rest = {0};
	struct secret secret = {.name = SV("n")};
	struct leak leak;

	if (size > 2048 || !sv_cut(text, SV("\n--\n"), &secret.text, &rest))
		return 0;
	secret.text = sv_trim_space(secret.text);
	if (!leak_scanner_add(arena, scanner, &secret)) {
		check(secret.text.len < LEAK_MIN_SIZE);
		return 0;
	}
	(void)leak_scanner_find(scanner, rest, 0, NULL, &leak);
	const struct planting planting = {
	    .arena = arena,
	    .scanner = scanner,
	    .secret = &secret,
	    .before = sv_slice(rest, 0, rest.len / 2),
	    .behind = sv_from_offset(rest, rest.len / 2),
	};
	plant_forms(&planting);
	return 0;
}
