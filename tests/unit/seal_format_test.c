/* Formats of sealed files: which there are, how one is recognised, what is shown of a file. */
#include "seal/seal.h"
#include "yaml/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static struct value parse(struct arena *arena, const char *yaml)
{
	struct sink sink = sink_in(arena);
	struct source *source = source_new(arena, SV("x.yaml"), sv_from_cstr(yaml), false);
	struct yml_documents documents;

	assert_int_equal(yml_parse(arena, &sink, source, &documents), STATUS_OK);
	return documents.items[0].root;
}

static void formats_by_name(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	const struct sealer_format *sops = sealer_format_find(SV("sops"));
	size_t count;
	const sv *names = sealer_format_names(arena, &count);

	assert_non_null(sops);
	assert_ptr_equal(sealer_format_find(SV("")), sops);
	assert_null(sealer_format_find(SV("gpg")));
	for (size_t i = 0; i < count; i++)
		assert_true(sv_eq(sealer_format_find(names[i])->name, names[i]));
}

static void sealed_documents(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value sealed = parse(arena, "kind: Secret\nsops: {mac: x}\n");
	struct value clear = parse(arena, "kind: Secret\nsops: no\n");
	struct value list = parse(arena, "[sops]");

	assert_ptr_equal(sealer_format_of(&sealed), sealer_format_find(SV("sops")));
	assert_false(seal_is_sealed(&clear));
	assert_false(seal_is_sealed(&list));
	assert_false(seal_is_sealed(NULL));
	struct value bitnami =
	    parse(arena, "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\n");
	struct value other = parse(arena, "apiVersion: example.com/v1\nkind: SealedSecret\n");
	assert_ptr_equal(sealer_format_of(&bitnami), sealer_format_find(SV("sealed-secrets")));
	assert_false(seal_is_sealed(&other));
	assert_true(seal_is_input(&sealed));
	assert_false(seal_is_input(&bitnami)); /* its controller opens it, not osm-gen */
	assert_true(seal_is_sealed_text(SV("ENC[AES256_GCM,data:x]")));
	assert_false(seal_is_sealed_text(SV("Secret")));
	assert_true(seal_may_hide_kind(SV("kind: ENC[AES256_GCM,data:x]")));
	assert_true(seal_may_hide_kind(SV("{\"kind\": \"ENC[AES256_GCM,data:x]\"}")));
	assert_false(seal_may_hide_kind(SV("kind: Secret\ndata: ENC[AES256_GCM,data:x]")));
}

static void clear_documents_stay(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_SECRET);
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	struct sink sink = sink_in(arena);
	const struct value documents[] = {
	    parse(arena, "a: clear"),
	    parse(arena, "kind: Secret\nsops: {mac: x}\n"),
	    parse(arena, "b: clear"),
	};
	struct value opened[COUNT_OF(documents)] = {0};

	assert_int_equal(
	    seal_open(arena, &sink, documents, COUNT_OF(documents), identities, opened),
	    STATUS_FAILED);
	assert_int_equal(sink.diags.count, 1);
	assert_null(opened[0].type); /* nothing when one of them fails */
	assert_int_equal(seal_open(arena, &sink, &documents[2], 1, identities, opened), STATUS_OK);
	assert_true(value_equal(&opened[0], &documents[2]));
}

static void what_a_reviewer_sees(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv clear = SV("kind: Secret\ndata:\n  a: ENC[x]\n");

	assert_ptr_equal(seal_mask(arena, clear).ptr, clear.ptr);
	assert_string_equal(arena_cstr(arena, seal_mask(arena, SV("kind: Secret\ndata:\n"
	                                                          "    a: ENC[AES256_GCM,data:x]\n"
	                                                          "sops:\n    mac: ENC[x]\n"))),
	                    "kind: Secret\ndata:\n    a: <sealed>\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(formats_by_name),
	    cmocka_unit_test(sealed_documents),
	    cmocka_unit_test(clear_documents_stay),
	    cmocka_unit_test(what_a_reviewer_sees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
