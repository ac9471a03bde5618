/* Secrets as files: which of their values are in stringData, and that the bytes stay the same. */
#include "codec/codec.h"
#include "kube/kube.h"
#include "seal_fixture.h"
#include "tree/tree.h"

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

/* A Secret of one key, as dialects make it. */
static struct value secret_of(struct fixture *f, sv text)
{
	struct value data = value_map_new(f->arena);
	struct secret *known = ARENA_NEW(f->arena, struct secret);

	*known = (struct secret){.name = SV("the-secret"), .text = text};
	value_map_set(f->arena, &data, SV("key"), value_secret_string(f->arena, text, known));
	return kube_secret_new(f->arena, &(struct kube_secret_request){
	                                     .namespace = SV("ns"),
	                                     .name = SV("one"),
	                                     .is_immutable = true,
	                                     .data = &data,
	                                 });
}

static sv seal(struct fixture *f, const struct value *object, bool uses_string_data)
{
	struct buf out = buf_in(f->arena);
	const struct tree_seal_request request = {
	    .sealer = f->sealer,
	    .cluster = SV("prod"),
	    .source = SV("x.yaml"),
	    .recipients = &f->recipients,
	    .object = object,
	    .uses_string_data = uses_string_data,
	};

	assert_int_equal(tree_add_sealed_secret(f->arena, &f->sink, &out, &request), STATUS_OK);
	return buf_sv(&out);
}

/* Returns the bytes that the opened file has for the key, and in which member. */
static sv open_key(struct fixture *f, sv file, bool *ret_is_text)
{
	struct value document = yaml_value_of(f->arena, file);
	struct value *opened = ARENA_NEW(f->arena, struct value);

	assert_int_equal(seal_open(f->arena, &f->sink, &document, 1, f->identities, opened),
	                 STATUS_OK);
	assert_true(value_map_get(opened, SV("immutable"))->boolean);
	assert_sv(value_text(value_map_get(opened, SV("apiVersion"))), "v1");
	*ret_is_text = value_map_get(opened, SV("stringData")) != NULL;
	assert_true((value_map_get(opened, SV("data")) != NULL) != *ret_is_text);
	struct kube_object secret = {
	    .id = {SV("v1"), SV("Secret"), SV("ns"), SV("one")},
	    .root = opened,
	};
	struct value value;
	assert_int_equal(kube_secret_value(f->arena, &f->sink, &secret, SV("key"), NOWHERE, &value),
	                 STATUS_OK);
	return value.string;
}

static void check(sv text, bool is_text)
{
	struct fixture *f = fixture_new();
	struct value object = secret_of(f, text);

	for (int uses = 0; uses < 2; uses++) {
		bool is_there;
		sv file = seal(f, &object, uses);
		sv opened = open_key(f, file, &is_there);

		assert_true(sv_eq(opened, text));
		assert_int_equal(is_there, uses && is_text);
		assert_int_equal(tree_has_string_data(file), uses && is_text);
	}
	fixture_free(f);
}

static void text_and_other_bytes(void **state UNUSED)
{
	check(SV("#cloud-config\nruncmd:\n- echo ${VAR}\n"), true);
	check(SV("a\ttab, a \xc3\xbc, a \xf0\x9f\x98\x80, a \r and \x01"), true);
	check(SV("  indented\nlines\n"), true);
	/* YAML and JSON lose these, or cannot have them (docs/spec/sealing.md 1.8). */
	check(SV("\x1f\x8b\x08\x00\xff"), false);
	check(SV("latin \xfc"), false);
	check(SV("nul \0 byte"), false);
	check(SV("\ttab first\nand more"), false);
	check(SV("\n  an empty line first"), false);
}

static void each_key_by_itself(void **state UNUSED)
{
	struct fixture *f = fixture_new();
	struct value object = yaml_value_of(f->arena, SV("apiVersion: v1\nkind: Secret\n"
	                                                 "metadata: {name: one, namespace: ns}\n"
	                                                 "data: {bytes: AAH/, text: dGV4dA==}\n"
	                                                 "immutable: true\n"));
	sv file = seal(f, &object, true);
	size_t data = sv_find(file, SV("\ndata:\n    bytes: ENC["));
	size_t text = sv_find(file, SV("\nstringData:\n    text: ENC["));

	assert_true(data != SV_NPOS && text != SV_NPOS && data < text);
	fixture_free(f);
}

/* Rounding pads base64: text has no place for the padding. */
static void rounded_lengths(void **state UNUSED)
{
	struct fixture *f = fixture_new();
	struct value object = secret_of(f, SV("text"));

	f->recipients.round_lengths = 64;
	assert_false(tree_has_string_data(seal(f, &object, true)));
	assert_true(sv_eq(seal(f, &object, true), seal(f, &object, false)));
	fixture_free(f);
}

UNIT_TESTS(tree_secret)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(text_and_other_bytes),
	    cmocka_unit_test(each_key_by_itself),
	    cmocka_unit_test(rounded_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
