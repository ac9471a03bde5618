/* SealedSecrets: certificates, scopes, coins, and that what is sealed opens again. */
#include "codec/codec.h"
#include "seal/hybrid.h"
#include "seal_fixture.h"

#include <stdio.h>
#include <stdlib.h>

static sv read_key(struct arena *arena, const char *name)
{
	char path[256];
	char text[16384];

	snprintf(path, sizeof(path), "tests/keys/%s", name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	size_t len = fread(text, 1, sizeof(text), file);
	fclose(file);
	return arena_dup(arena, sv_from(text, len));
}

static struct fixture *fixture_new(void)
{
	struct arena *arena = arena_new(ARENA_SECRET);
	struct fixture *f =
	    fixture_open(arena, "sealed-secrets", read_key(arena, "TEST-ONLY-sealed-secrets.crt"));
	struct source *keys =
	    source_new(arena, SV("keys"), read_key(arena, "TEST-ONLY-sealed-secrets.key"), true);

	assert_int_equal(seal_private_keys_add(arena, &f->sink, f->identities, keys), STATUS_OK);
	return f;
}

static sv seal(struct fixture *f, sv yaml, enum seal_scope scope)
{
	SEALER_AUTO sealer = sealer_new(f->root);
	struct value *object = ARENA_NEW(f->arena, struct value);
	struct buf out = buf_in(f->arena);
	struct seal_recipients recipients = f->recipients;

	*object = yaml_value_of(f->arena, yaml);
	recipients.scope = scope;
	struct seal_request request = {
	    .cluster = SV("prod"),
	    .object = object,
	    .rule = seal_rule_secret,
	    .recipients = &recipients,
	    .first_line = SV("# x"),
	};
	assert_int_equal(sealer_seal(&f->sink, sealer, &request, &out), STATUS_OK);
	return buf_sv(&out);
}

static const char *const secret =
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: one\n  namespace: ns\n"
    "  labels:\n    l: v\n"
    "  annotations:\n    a: b\n    kustomize.toolkit.fluxcd.io/force: Enabled\n"
    "    kustomize.toolkit.fluxcd.io/substitute: disabled\n"
    "type: Opaque\nimmutable: true\ndata:\n  bytes: AAH/\nstringData:\n  text: the password\n";

static sv sealed_value(struct fixture *f, sv sealed, const char *key)
{
	struct value object = yaml_value_of(f->arena, sealed);

	return value_text(
	    value_map_get(value_path(&object, "spec.encryptedData"), sv_from_cstr(key)));
}

static const char *value_cstr(struct fixture *f, const struct value *object, const char *path)
{
	return arena_cstr(f->arena, value_text(value_path(object, path)));
}

static void opens_again(void **state UNUSED)
{
	struct fixture *f = fixture_new();

	for (int scope = SEAL_SCOPE_STRICT; scope <= SEAL_SCOPE_CLUSTER; scope++) {
		sv text = seal(f, sv_from_cstr(secret), (enum seal_scope)scope);
		struct value sealed = yaml_value_of(f->arena, text);
		struct value opened;

		assert_true(sv_starts_with(text, SV("# x\napiVersion: bitnami.com/v1alpha1\n")));
		assert_true(sv_starts_with(sealed_value(f, text, "text"), SV("Ag")));
		assert_int_equal(seal_open(f->arena, &f->sink, &sealed, 1, f->identities, &opened),
		                 STATUS_OK);
		struct buf out = buf_in(f->arena);
		yml_emit(&out, value_path(&opened, "stringData"), (struct yml_format){0});
		yml_emit(&out, value_path(&opened, "data"), (struct yml_format){0});
		assert_string_equal(arena_cstr(f->arena, buf_sv(&out)),
		                    "text: the password\nbytes: AAH/\n");
		assert_string_equal(value_cstr(f, &opened, "metadata.name"), "one");
		assert_string_equal(value_cstr(f, &opened, "metadata.namespace"), "ns");
		assert_string_equal(value_cstr(f, &opened, "type"), "Opaque");
		/* The controller changes the Secret in place, and Flux does not know it. */
		assert_null(value_path(&opened, "immutable"));
		assert_null(value_map_get(value_path(&opened, "metadata.annotations"),
		                          SV("kustomize.toolkit.fluxcd.io/substitute")));
		assert_null(value_map_get(value_path(&sealed, "metadata.annotations"),
		                          SV("kustomize.toolkit.fluxcd.io/force")));
		assert_non_null(value_map_get(value_path(&sealed, "metadata.annotations"),
		                              SV("kustomize.toolkit.fluxcd.io/substitute")));
		assert_non_null(value_map_get(value_path(&opened, "metadata.labels"), SV("l")));
		/* The controller reads the scope of the one, kubeseal that of the other. */
		for (int other = SEAL_SCOPE_NAMESPACE; other <= SEAL_SCOPE_CLUSTER; other++) {
			sv name = ARENA_CONCAT(f->arena, SV("sealedsecrets.bitnami.com/"),
			                       seal_scope_name((enum seal_scope)other));
			const struct value *annotations[] = {
			    value_path(&sealed, "metadata.annotations"),
			    value_path(&sealed, "spec.template.metadata.annotations")};

			for (size_t i = 0; i < COUNT_OF(annotations); i++)
				assert_int_equal(
				    sv_eq(value_text(value_map_get(annotations[i], name)),
				          SV("true")),
				    scope == other);
		}
	}
	fixture_free(f);
}

/* What differs is what is sealed: labels are not compared, nor is the first line. */
static void compares_sealed_values(void **state UNUSED)
{
	struct fixture *f = fixture_new();
	const struct sealer_format *format = sealer_format_find(SV("sealed-secrets"));
	sv one = seal(f, sv_from_cstr(secret), SEAL_SCOPE_STRICT);
	sv other = seal(f,
	                SV("apiVersion: v1\nkind: Secret\nmetadata: {name: one, namespace: ns}\n"
	                   "data:\n  bytes: AAH+\nstringData:\n  text: the password\n"),
	                SEAL_SCOPE_STRICT);
	sv same = seal(f,
	               SV("apiVersion: v1\nkind: Secret\nmetadata: {name: one, namespace: ns}\n"
	                  "data:\n  bytes: AAH/\nstringData:\n  text: the password\n"),
	               SEAL_SCOPE_STRICT);

	assert_false(sv_eq(one, same));
	assert_true(seal_same_values(f->arena, format, one, one));
	assert_true(seal_same_values(f->arena, format, one, same));
	assert_false(seal_same_values(f->arena, format, one, other));
	assert_false(seal_same_values(f->arena, format, one, SV("")));
	fixture_free(f);
}

/* Coins depend on the seed and on everything sealed; nothing else. */
static void deterministic(void **state UNUSED)
{
	struct fixture *f = fixture_new();
	sv first = seal(f, sv_from_cstr(secret), SEAL_SCOPE_STRICT);
	sv text = sealed_value(f, first, "text");

	assert_true(sv_eq(seal(f, sv_from_cstr(secret), SEAL_SCOPE_STRICT), first));
	sv other = seal(f,
	                SV("apiVersion: v1\nkind: Secret\nmetadata: {name: one, namespace: ns}\n"
	                   "data:\n  bytes: AAH/\nstringData:\n  text: the password\n"),
	                SEAL_SCOPE_STRICT);
	/* Clear parts and the order of keys do not count. */
	assert_true(sv_eq(sealed_value(f, other, "text"), text));
	other = seal(f,
	             SV("apiVersion: v1\nkind: Secret\nmetadata: {name: one, namespace: ns}\n"
	                "data:\n  bytes: AAH+\nstringData:\n  text: the password\n"),
	             SEAL_SCOPE_STRICT);
	assert_false(sv_eq(sealed_value(f, other, "text"), text));
	other = seal(f,
	             SV("apiVersion: v1\nkind: Secret\nmetadata: {name: two, namespace: ns}\n"
	                "data:\n  bytes: AAH/\nstringData:\n  text: the password\n"),
	             SEAL_SCOPE_STRICT);
	assert_false(sv_eq(sealed_value(f, other, "text"), text));
	assert_false(sv_eq(
	    sealed_value(f, seal(f, sv_from_cstr(secret), SEAL_SCOPE_CLUSTER), "text"), text));
	/*
	 * The length and the RSA block, whose SHA-256 a second implementation (Python's hashlib
	 * and pow) gave from docs/spec/sealing.md 3.2 and 7.2.
	 */
	size_t error_at;
	sv bytes;
	assert_true(base64_decode(f->arena, BASE64_STD, text, &bytes, &error_at));
	assert_string_equal(
	    arena_cstr(f->arena, digest_hex(f->arena, DIGEST_SHA256, sv_slice(bytes, 0, 514))),
	    "514f1478906fc9793fa9601aedf771528b664574504d5b91d86a8dfcd7e53cc3");
	fixture_free(f);
}

/* EME-OAEP with a seed that is given is what libcrypto's OAEP opens, with every label. */
static void padding_is_oaep(void **state UNUSED)
{
	struct fixture *f = fixture_new();
	struct hybrid_coins coins;
	struct x509_certificate certificate;
	sv label;
	sv der;
	sv plain;

	assert_true(
	    pem_find(f->arena, read_key(f->arena, "TEST-ONLY-sealed-secrets.crt"), &label, &der));
	assert_true(x509_read(f->arena, der, &certificate));
	assert_int_equal(certificate.rsa_bits, 4096);
	assert_true(certificate.not_before < certificate.not_after);
	assert_true(
	    pem_find(f->arena, read_key(f->arena, "TEST-ONLY-sealed-secrets.key"), &label, &der));
	struct hybrid_private *private = hybrid_private_new(der);
	struct hybrid_public *public = hybrid_public_new(certificate.spki);
	assert_non_null(private);
	for (unsigned i = 0; i < 16; i++) {
		struct buf out = buf_in(f->arena);
		sv labels[] = {SV(""), SV("ns"), SV("ns/name")};
		sv text = sv_from("0123456789abcdefghijklmnopqrstuv", i * 2);

		memset(&coins, (int)(i * 17), sizeof(coins));
		hybrid_encrypt(&out, public, &coins, labels[i % 3], text);
		assert_int_equal(out.len, 2 + 512 + text.len + 16);
		assert_int_equal(
		    hybrid_decrypt(f->arena, private, labels[i % 3], buf_sv(&out), &plain),
		    HYBRID_FINE);
		assert_true(sv_eq(plain, text));
		assert_int_equal(
		    hybrid_decrypt(f->arena, private, SV("other"), buf_sv(&out), &plain),
		    HYBRID_NO_MATCH);
		/* Any byte that is changed is noticed; the two of the length, too. */
		for (size_t at = 0; at < out.len; at += 61) {
			out.ptr[at] ^= 1;
			assert_int_not_equal(
			    hybrid_decrypt(f->arena, private, labels[i % 3], buf_sv(&out), &plain),
			    HYBRID_FINE);
			out.ptr[at] ^= 1;
		}
		assert_int_equal(hybrid_decrypt(f->arena, private, labels[i % 3],
		                                sv_slice(buf_sv(&out), 0, 2 + 512 + 15), &plain),
		                 HYBRID_FORM);
	}
	hybrid_private_free(private);
	hybrid_public_free(public);
	fixture_free(f);
}

static void refuses(struct fixture *f, const char *yaml, const struct seal_identities *identities,
                    enum diag_code code)
{
	struct sink sink = sink_in(f->arena);
	struct value sealed = yaml_value_of(f->arena, sv_from_cstr(yaml));
	struct value opened;

	assert_int_equal(seal_open(f->arena, &sink, &sealed, 1, identities, &opened),
	                 STATUS_FAILED);
	assert_int_equal(sink.diags.count, 1);
	assert_int_equal(sink.diags.items[0]->code, code);
}

#define HEAD                                                                                       \
	"apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: one, namespace: "  \
	"ns}\n"

static void mistakes_when_opening(void **state UNUSED)
{
	struct fixture *f = fixture_new();
	struct value moved =
	    yaml_value_of(f->arena, seal(f, sv_from_cstr(secret), SEAL_SCOPE_STRICT));
	struct value opened;

	refuses(f, HEAD "spec: {}\n", f->identities, DIAG_SEALED_SECRET_FORMAT);
	refuses(f, HEAD "spec: {encryptedData: {a: '%'}}\n", f->identities,
	        DIAG_SEALED_SECRET_FORMAT);
	refuses(f, HEAD "spec: {encryptedData: {a: Ag==}}\n", f->identities,
	        DIAG_SEALED_SECRET_FORMAT);
	refuses(f, HEAD "spec: {encryptedData: {}, template: {data: {a: b}}}\n", f->identities,
	        DIAG_SEALED_SECRET_FORMAT);
	refuses(f, HEAD "spec: {encryptedData: {a: AAAA}}\n", NULL, DIAG_SEALED_SECRET_KEY);
	value_map_set(f->arena, value_map_get_mutable(&moved, SV("metadata")), SV("name"),
	              value_string(SV("two")));
	assert_int_equal(seal_open(f->arena, &f->sink, &moved, 1, f->identities, &opened),
	                 STATUS_FAILED);
	assert_int_equal(f->sink.diags.items[0]->code, DIAG_SEALED_SECRET_KEY);
	fixture_free(f);
}

static void private_keys(void **state UNUSED)
{
	struct fixture *f = fixture_new();
	sv pem = read_key(f->arena, "TEST-ONLY-sealed-secrets.key");
	struct buf list = buf_in(f->arena);
	const char *const wrong[] = {
	    "",
	    "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
	    "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
	    "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
	    "kind: Secret\ndata: {tls.key: '%'}\n",
	    "kind: [\n",
	};

	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		SEAL_IDENTITIES_AUTO identities = seal_identities_new();
		struct sink sink = sink_in(f->arena);
		struct source *source = source_new(f->arena, SV("k"), sv_from_cstr(wrong[i]), true);

		assert_int_equal(seal_private_keys_add(f->arena, &sink, identities, source),
		                 STATUS_FAILED);
		assert_int_equal(sink.diags.items[0]->code, DIAG_PRIVATE_KEY);
	}
	/* As kubectl prints a controller's Secrets. */
	BUF_ADD_LIT(&list, "kind: List\nitems:\n- kind: Secret\n  data:\n    tls.crt: AAAA\n"
	                   "    tls.key: ");
	base64_add(&list, BASE64_STD, pem);
	BUF_ADD_LIT(&list, "\n");
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	struct value sealed =
	    yaml_value_of(f->arena, seal(f, sv_from_cstr(secret), SEAL_SCOPE_STRICT));
	struct value opened;
	assert_int_equal(seal_private_keys_add(f->arena, &f->sink, identities,
	                                       source_new(f->arena, SV("k"), buf_sv(&list), true)),
	                 STATUS_OK);
	assert_int_equal(seal_open(f->arena, &f->sink, &sealed, 1, identities, &opened), STATUS_OK);
	fixture_free(f);
}

/* Seen from a date of its own, each second of it. */
static void expiry(void **state UNUSED)
{
	struct fixture *f = fixture_new();
	struct x509_certificate certificate;
	const int64_t day = 86400;
	sv label;
	sv der;

	assert_true(
	    pem_find(f->arena, read_key(f->arena, "TEST-ONLY-sealed-secrets.crt"), &label, &der));
	assert_true(x509_read(f->arena, der, &certificate));
	const struct {
		int64_t now;
		const char *text;
	} cases[] = {
	    {certificate.not_before - 1, "the certificate is not valid yet, for 1 more days"},
	    {certificate.not_before, NULL},
	    {certificate.not_after - 30 * day, NULL},
	    {certificate.not_after - 30 * day + 1, "the certificate expires in 29 days"},
	    {certificate.not_after, "the certificate expires in 0 days"},
	    {certificate.not_after + day,
	     "the certificate expired 1 days before the source commit"},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct sink sink = sink_in(f->arena);

		seal_recipients_check_time(&sink, &f->recipients, NOWHERE, cases[i].now);
		assert_int_equal(sink.diags.count, cases[i].text != NULL);
		if (!cases[i].text)
			continue;
		assert_int_equal(sink.diags.items[0]->code, DIAG_CERTIFICATE_TIME);
		assert_int_equal(sink.error_count, 0);
		assert_string_equal(arena_cstr(f->arena, sink.diags.items[0]->text), cases[i].text);
	}
	fixture_free(f);
}

static void only_secrets_and_their_values(void **state UNUSED)
{
	struct fixture *f = fixture_new();
	SEALER_AUTO sealer = sealer_new(f->root);
	struct buf out = buf_in(f->arena);
	struct secret known = {.name = SV("the-secret"), .text = SV("hidden-text")};
	struct value config =
	    yaml_value_of(f->arena, SV("kind: ConfigMap\nmetadata: {name: one}\n"));
	struct value bad =
	    yaml_value_of(f->arena, SV("kind: Secret\nmetadata: {name: one, namespace: ns}\n"
	                               "data: {a: '%'}\n"));
	struct value clear =
	    yaml_value_of(f->arena, SV("kind: Secret\nmetadata: {name: one, namespace: ns, "
	                               "labels: {l: x}}\nstringData: {a: b}\n"));
	struct value *labels =
	    value_map_get_mutable(value_map_get_mutable(&clear, SV("metadata")), SV("labels"));
	const struct {
		const struct value *object;
		enum diag_code code;
	} cases[] = {
	    {&config, DIAG_SEALED_SECRET_KIND},
	    {&bad, DIAG_SEAL_VALUE},
	    {&clear, DIAG_SEAL_CLEAR_SECRET},
	};

	value_map_set(f->arena, labels, SV("l"),
	              value_secret_string(f->arena, SV("hidden-text"), &known));
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct sink sink = sink_in(f->arena);
		struct seal_request request = {.cluster = SV("prod"),
		                               .object = cases[i].object,
		                               .rule = seal_rule_secret,
		                               .recipients = &f->recipients};

		assert_int_equal(sealer_seal(&sink, sealer, &request, &out), STATUS_FAILED);
		assert_int_equal(sink.diags.items[0]->code, cases[i].code);
		assert_int_equal(out.len, 0);
	}
	fixture_free(f);
}

static void what_a_reviewer_sees(void **state UNUSED)
{
	struct fixture *f = fixture_new();
	sv text = SV("# x\napiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nspec:\n"
	             "  encryptedData:\n    a: AgA\n    b: AgB\n  template:\n    type: Opaque\n");

	assert_string_equal(arena_cstr(f->arena, seal_mask(f->arena, text)),
	                    "# x\napiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nspec:\n"
	                    "  encryptedData:\n    a: <sealed>\n    b: <sealed>\n  template:\n"
	                    "    type: Opaque\n");
	fixture_free(f);
}

UNIT_TESTS(seal_sealed_secret)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(opens_again),
	    cmocka_unit_test(compares_sealed_values),
	    cmocka_unit_test(deterministic),
	    cmocka_unit_test(padding_is_oaep),
	    cmocka_unit_test(mistakes_when_opening),
	    cmocka_unit_test(private_keys),
	    cmocka_unit_test(expiry),
	    cmocka_unit_test(only_secrets_and_their_values),
	    cmocka_unit_test(what_a_reviewer_sees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
