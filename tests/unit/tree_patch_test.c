/* The sealed patch beside a redacted object: its operations, its coins, when there is none. */
#include "seal_fixture.h"
#include "tree/tree.h"

#include <stdio.h>

#define RECIPIENT "age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk"
#define IDENTITY  "AGE-SECRET-KEY-1D9AYPGPGK65ZKUK5WUKWMEMXXCCMEXL4XU2DH7MY80WHWMH99AXQPSYRCG"

static struct fixture *fixture_new(void)
{
	struct fixture *f = fixture_open(arena_new(ARENA_SECRET), "sops", SV(RECIPIENT));

	assert_int_equal(seal_identities_add(&f->sink, f->identities,
	                                     source_new(f->arena, SV("k"), SV(IDENTITY), true)),
	                 STATUS_OK);
	return f;
}

static sv seal(struct fixture *f, const struct value *object, bool *ret_sealed)
{
	struct buf out = buf_in(f->arena);
	const struct tree_seal_request request = {
	    .sealer = f->sealer,
	    .cluster = SV("prod"),
	    .source = SV("x.yaml"),
	    .recipients = &f->recipients,
	    .object = object,
	};

	assert_int_equal(
	    tree_add_sealed_patch(f->arena, &f->sink, &out, f->root, &request, ret_sealed),
	    STATUS_OK);
	return buf_sv(&out);
}

/* An object with one secret, in a text of its own and as a part of one. */
static struct value object_with(struct fixture *f, const char *secret)
{
	struct value object = yaml_value_of(
	    f->arena, SV("apiVersion: v1\nkind: X\nmetadata: {name: one, namespace: ns}\n"
	                 "spec: {list: [clear, x], 'a/b~c': x}\n"));
	struct value *spec = value_map_get_mutable(&object, SV("spec"));
	struct secret *known = ARENA_NEW(f->arena, struct secret);
	sv text = ARENA_CONCAT(f->arena, SV("<a & "), sv_from_cstr(secret), SV(">"));
	struct taint *taint = ARENA_NEW(f->arena, struct taint);
	struct taint_span *span = ARENA_NEW(f->arena, struct taint_span);

	*known = (struct secret){.name = SV("the-secret"), .text = sv_from_cstr(secret)};
	*span = (struct taint_span){5, text.len - 1, known};
	*taint = (struct taint){.spans = span, .count = 1};
	struct value *part = value_item_mutable(value_map_get_mutable(spec, SV("list")), 1);
	part->string = text;
	part->taint = taint;
	value_map_set(f->arena, spec, SV("a/b~c"),
	              value_secret_string(f->arena, known->text, known));
	/* What a template made of the secret, here an empty text. */
	struct value derived = value_string(SV(""));
	derived.taint = taint_derived(f->arena, 0, known);
	value_map_set(f->arena, spec, SV("derived"), derived);
	return object;
}

static void operations(void **state UNUSED)
{
	struct fixture *f = fixture_new();
	struct value object = object_with(f, "hidden");
	bool is_sealed = false;
	struct value document = yaml_value_of(f->arena, seal(f, &object, &is_sealed));
	struct value opened;

	assert_true(is_sealed);
	assert_true(seal_is_binary(&document));
	assert_int_equal(seal_open(f->arena, &f->sink, &document, 1, f->identities, &opened),
	                 STATUS_OK);
	assert_string_equal(
	    arena_cstr(f->arena, value_text(value_map_get(&opened, SV("data")))),
	    "[{\"op\":\"test\",\"path\":\"/spec/list/1\","
	    "\"value\":\"\\u003ca \\u0026 \\u003csealed:the-secret\\u003e\\u003e\"},"
	    "{\"op\":\"replace\",\"path\":\"/spec/list/1\","
	    "\"value\":\"\\u003ca \\u0026 hidden\\u003e\"},"
	    "{\"op\":\"test\",\"path\":\"/spec/a~1b~0c\","
	    "\"value\":\"\\u003csealed:the-secret\\u003e\"},"
	    "{\"op\":\"replace\",\"path\":\"/spec/a~1b~0c\",\"value\":\"hidden\"},"
	    "{\"op\":\"test\",\"path\":\"/spec/derived\","
	    "\"value\":\"\\u003csealed:the-secret\\u003e\"},"
	    "{\"op\":\"replace\",\"path\":\"/spec/derived\",\"value\":\"\"}]");
	fixture_free(f);
}

/* Numbers that a string carried become numbers again, and strings of digits stay strings. */
static void numbers(void **state UNUSED)
{
	struct fixture *f = fixture_new();
	struct value object = object_with(f, "12345");
	struct value number = *value_path(&object, "spec.a/b~c");
	bool is_sealed = false;
	struct value opened;

	number.type = &type_integer_string;
	value_map_set(f->arena, value_map_get_mutable(&object, SV("spec")), SV("number"), number);
	struct value document = yaml_value_of(f->arena, seal(f, &object, &is_sealed));
	assert_int_equal(seal_open(f->arena, &f->sink, &document, 1, f->identities, &opened),
	                 STATUS_OK);
	sv text = value_text(value_map_get(&opened, SV("data")));
	assert_contains(text,
	                "{\"op\":\"replace\",\"path\":\"/spec/a~1b~0c\",\"value\":\"12345\"}");
	assert_contains(text, "{\"op\":\"replace\",\"path\":\"/spec/number\",\"value\":12345}");
	fixture_free(f);
}

static void deterministic(void **state UNUSED)
{
	struct fixture *f = fixture_new();
	struct value object = object_with(f, "hidden");
	struct value other = object_with(f, "hiddem");
	bool is_sealed;
	sv first = seal(f, &object, &is_sealed);

	assert_true(sv_eq(seal(f, &object, &is_sealed), first));
	assert_false(sv_eq(seal(f, &other, &is_sealed), first));
	/* Flux's own mark of a sealed file. */
	assert_true(sv_contains(first, SV("\"mac\": \"ENC[")));
	assert_string_equal(arena_cstr(f->arena, seal_mask(f->arena, first)), "<sealed>\n");
	fixture_free(f);
}

/* As deep as documents may be. */
static void deepest(void **state UNUSED)
{
	struct fixture *f = fixture_new();
	const struct secret known = {.name = SV("the-secret"), .text = SV("hidden")};
	struct value object = value_secret_string(f->arena, known.text, &known);
	bool is_sealed = false;

	for (unsigned depth = 1; depth < SECRECY_MAX_DEPTH; depth++) {
		struct value list = value_list_new(f->arena);

		value_list_add(f->arena, &list, object);
		object = list;
	}
	struct value root =
	    yaml_value_of(f->arena, SV("{apiVersion: v1, kind: X, metadata: {name: one}}"));

	value_map_set(f->arena, &root, SV("spec"), object);
	seal(f, &root, &is_sealed);
	assert_true(is_sealed);
	fixture_free(f);
}

static void nothing_hidden(void **state UNUSED)
{
	struct fixture *f = fixture_new();
	struct value object = yaml_value_of(f->arena, SV("kind: X\nmetadata: {name: one}\n"));
	bool is_sealed = true;

	assert_int_equal(seal(f, &object, &is_sealed).len, 0);
	assert_false(is_sealed);
	fixture_free(f);
}

static void sops_only(void **state UNUSED)
{
	struct fixture *f = fixture_new();
	struct value object = object_with(f, "hidden");
	struct buf out = buf_in(f->arena);
	struct seal_recipients recipients = {.format = sealer_format_find(SV("sealed-secrets"))};
	const struct seal_request request = {.object = &object, .recipients = &recipients};

	assert_int_equal(sealer_seal_bytes(&f->sink, f->sealer, &request, SV("x"), &out),
	                 STATUS_FAILED);
	assert_int_equal(f->sink.diags.items[0]->code, DIAG_SEALED_SECRET_KIND);
	assert_int_equal(out.len, 0);
	fixture_free(f);
}

/* The value of an operation on the path: "test" or "replace". */
static sv operation_value(struct fixture *f, const struct value *patch, const char *name, sv path)
{
	sv data = value_text(value_map_get(patch, SV("data")));
	const struct value list = yaml_value_of(f->arena, data);

	for (size_t i = 0; i < value_count(&list); i++) {
		const struct value *operation = value_item(&list, i);

		if (sv_eq(value_text(value_map_get(operation, SV("path"))), path) &&
		    sv_eq_cstr(value_text(value_map_get(operation, SV("op"))), name))
			return value_text(value_map_get(operation, SV("value")));
	}
	fail_msg("no such operation");
	return (sv){0};
}

/*
 * Bytes that are no UTF-8, around a secret and in it, on both sides of its edge: Flux compares the
 * test with the redacted file as it reads it, and the true text is what the controller would send.
 */
static void not_utf_8(void **state UNUSED)
{
	struct fixture *f = fixture_new();
	struct value object = object_with(f, "h\xffi\xc3");
	struct value *spec = value_map_get_mutable(&object, SV("spec"));
	struct value *part = value_item_mutable(value_map_get_mutable(spec, SV("list")), 1);
	struct buf clear = buf_in(f->arena);
	struct value opened;
	bool is_sealed;

	part->string = SV("\xe2\x82& \xc3h\xffi\xc3\xa9");
	((struct taint_span *)part->taint->spans)[0].start = 5;
	((struct taint_span *)part->taint->spans)[0].end = 9;
	struct value patch = yaml_value_of(f->arena, seal(f, &object, &is_sealed));
	assert_int_equal(seal_open(f->arena, &f->sink, &patch, 1, f->identities, &opened),
	                 STATUS_OK);
	tree_add_clear_object(f->arena, &clear, f->root, SV("prod"), SV("x.yaml"), &object);
	struct value redacted = yaml_value_of(f->arena, buf_sv(&clear));
	const struct value *list = value_path(&redacted, "spec.list");
	sv shown = value_text(value_item(list, 1));

	assert_true(sv_contains(shown, SV("<sealed:the-secret>")));
	assert_true(sv_eq(operation_value(f, &opened, "test", SV("/spec/list/1")), shown));
	sv whole = operation_value(f, &opened, "replace", SV("/spec/a~1b~0c"));
	assert_string_equal(arena_cstr(f->arena, whole), "h\xef\xbf\xbdi\xef\xbf\xbd");
	assert_true(utf8_valid(operation_value(f, &opened, "replace", SV("/spec/list/1"))));
	fixture_free(f);
}

static void paths(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	assert_string_equal(
	    arena_cstr(arena, tree_patch_path(arena, SV("c/management/n/x-a.b.yaml"))),
	    "c/management/n/x-a.b.sealed");
}

/* A name's dot is no other letter. */
static void targets(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf out = buf_in(arena);
	const sv resources[] = {SV("c/management/n/x-a.b.yaml")};
	struct tree_kustomized_patch patches[] = {
	    {SV("c/management/n/x-b.sealed"), {SV("g.io/v1"), SV("X"), SV("n"), SV("b")}},
	    {SV("c/management/n/x-a.b.sealed"), {SV("g.io/v1"), SV("X"), SV("n"), SV("a.b")}},
	};
	const struct tree_kustomization kustomization = {
	    .folder = SV("c/management"),
	    .paths = resources,
	    .count = 1,
	    .patches = patches,
	    .patch_count = 2,
	};

	tree_add_kustomization(arena, &out, &kustomization);
	assert_string_equal(arena_cstr(arena, buf_sv(&out)),
	                    "# Generated by osm-gen; do not edit.\n"
	                    "apiVersion: kustomize.config.k8s.io/v1beta1\n"
	                    "kind: Kustomization\n"
	                    "resources:\n- n/x-a.b.yaml\n"
	                    "patches:\n"
	                    "- path: n/x-a.b.sealed\n"
	                    "  target:\n    group: g\\.io\n    kind: X\n    name: a\\.b\n"
	                    "    namespace: \"n\"\n"
	                    "- path: n/x-b.sealed\n"
	                    "  target:\n    group: g\\.io\n    kind: X\n    name: b\n"
	                    "    namespace: \"n\"\n");
}

UNIT_TESTS(tree_patch)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(operations),     cmocka_unit_test(deterministic),
	    cmocka_unit_test(numbers),        cmocka_unit_test(deepest),
	    cmocka_unit_test(nothing_hidden), cmocka_unit_test(sops_only),
	    cmocka_unit_test(paths),          cmocka_unit_test(targets),
	    cmocka_unit_test(not_utf_8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
