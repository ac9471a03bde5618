/* SOPS files: the writer's properties (docs/spec/sealing.md 6), the reader against true and forged
 * files.
 */
#include "seal/seal.h"
#include "seal/sops.h"
#include "yaml/yaml.h"
#include "json/json.h"

#include "texts.h"

#include <stdio.h>
#include <stdlib.h>

#define IDENTITY "AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0"
#define FIRST    "age1xmwwc06ly3ee5rytxm9mflaz2u56jjj36s0mypdrwsvlul66mv4q47ryef"
#define SECOND   "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"

/* clang-format off */
static const char sops_clear_scalars[] =
	"# comment\n"
	"apiVersion: v1\n"
	"kind: Secret\n"
	"metadata:\n"
	"    name: x # inline\n"
	"    namespace: \"n\"\n"
	"    labels:\n"
	"        a: \"yes\"\n"
	"        b: 420\n"
	"        c: 1\n"
	"        d: 1000\n"
	"        e: 2020-01-02T00:00:00Z\n"
	"        f: 1.5e-07\n"
	"        g: 1e+21\n"
	"        h: true\n"
	"        i: -0.25\n"
	"        j: \"on\"\n"
	"stringData:\n"
	"    token: ENC[AES256_GCM,data:JyYj,iv:bezBL2aS3C4WW/CdgmHV/JGVYr2JTEzGX+0oAnXpfe0=,tag:UvO6lXxvYbCb2xquh8dskw==,type:str]\n"
	"    multi: ENC[AES256_GCM,data:+JJg0rc=,iv:12W9QrdUl+uadjPren/q4wsxCPQgzGCsmMCPUzO5p9I=,tag:FwU+FR6klbJ/h19lMWAFIw==,type:str]\n"
	"    i: ENC[AES256_GCM,data:7Q==,iv:YNOo7Q8n+8k3JLo9M3GeeoGCHly8qWd7CURQlHvfhmE=,tag:zj9n/g5m+SWwLymZxGufew==,type:str]\n"
	"sops:\n"
	"    age:\n"
	"        - enc: |\n"
	"            -----BEGIN AGE ENCRYPTED FILE-----\n"
	"            YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBCUHNEa2lpbWp1S1MxUVJ0\n"
	"            UU5vYURKZnhOaGIrM0ZCZTFzb3dDdHd5aHpzCkUwWGNRd04zSCtXRDVrWXU3OTVr\n"
	"            N2NNWVI1Unl6Zy9ONFhGVGlCN0VqcXcKLS0tIFFPU0RqVnlCVlhpd2Fxd3VZcjRl\n"
	"            SEtwdnUrY2gxWGVvQktZMmtEdjladWcKnBhmW6Sb6DdM8Jv+10KKHKG6/O7jsbqf\n"
	"            o5NeKHmANkrzvo4F0N5akyK6Zu1yLQd1dJRDmNuurTy/pmr6gSu3aA==\n"
	"            -----END AGE ENCRYPTED FILE-----\n"
	"          recipient: age1xmwwc06ly3ee5rytxm9mflaz2u56jjj36s0mypdrwsvlul66mv4q47ryef\n"
	"    encrypted_regex: ^(data|stringData)$\n"
	"    lastmodified: \"2026-11-20T16:55:30Z\"\n"
	"    mac: ENC[AES256_GCM,data:5F4MI8BDKBhuZJmGH/HSw/x/FOwwbGoSxKochpIOiBZ1lMV/KncMdCokvfWyxfzcDzvYcTVKTPsmX3EfIbmLJ+6tfXJEJFQFydWfHzhKo0kfZ07dwWdFXO/z6Vytyianh4Rji44hS+pHLO5lwsZeBPZYcQZqtU+HC62JNi+vrnY=,iv:7pGsJ5ILSpUQdhLQrp/5fbrxXW/JTE9zeR0pdLOFBL8=,tag:+Sd1Xb5eUsw9dwkjGM9mPQ==,type:str]\n"
	"    version: 3.13.3\n";

static const char sops_default_rule[] =
	"number: ENC[AES256_GCM,data:ih5r,iv:8PKAzXgHzi4uUEHGctJkH7LXSUJgM9yrmcf0tAoUcJA=,tag:OE4Mo1GcimrdTnJzNSbf+w==,type:int]\n"
	"flag: ENC[AES256_GCM,data:WkVQuQ==,iv:ikYRLXIjwbCiOJLMLyuXxkgzzUgzgpb5h4L55RFnlR0=,tag:e9Ki6KqrbBRtIke2z9Cb3Q==,type:bool]\n"
	"text: ENC[AES256_GCM,data:/kaC,iv:6Go1L3Q0SC3fQsp9Hw+Fxc65+0sqi1MwHKC0kH0WpxA=,tag:Czk+tyc888fHR287VnmmzA==,type:str]\n"
	"list:\n"
	"    - ENC[AES256_GCM,data:8Q==,iv:0Xly9hWarjxnmoAK3GBR8MSLYXBfV35RCBKQ/lSfem0=,tag:M5VyLA+pQQ9AMKa9LD6W0Q==,type:str]\n"
	"    - ENC[AES256_GCM,data:nQ==,iv:09fDHYcjIA0HEIt6anCQcCgxpVcZCmamIoHERepdMZs=,tag:NIob9ECLg6NUAncqxqXJDQ==,type:int]\n"
	"    - ENC[AES256_GCM,data:9A==,iv:HcqSQFw+zZoowOGEjv4PobvUpyVubLMI6sQ/Dr81/Sw=,tag:debnHRmByEt6FMwIaFN+lg==,type:str]\n"
	"note_unencrypted: clear\n"
	"sops:\n"
	"    age:\n"
	"        - enc: |\n"
	"            -----BEGIN AGE ENCRYPTED FILE-----\n"
	"            YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBvYlg4dGpLWWR1VytlaFlM\n"
	"            WGlVbjVBRk1Xc2F5NDFXRGpEU2VadEViZWk0CkNDV0FhbVQwSUVkMUk5M0pVejZM\n"
	"            NDVEQlBjdHNVN2tzRkwwcXlOWHN0RUkKLS0tIGtkUTErWFhYUmpRaFM3NlhNMitO\n"
	"            K21MeVRRNzJnMWE1VHc2TXZ5OW45VTAKhot6ii9WJz8+lsBl2dEXHJYy8tSNKVq8\n"
	"            MOe/AKv5D0DwEOdRNhsVxqD+xoA5CRDAYJYOGYs/Mu3y4dNhkf8JDw==\n"
	"            -----END AGE ENCRYPTED FILE-----\n"
	"          recipient: age1xmwwc06ly3ee5rytxm9mflaz2u56jjj36s0mypdrwsvlul66mv4q47ryef\n"
	"    lastmodified: \"2026-11-20T16:55:30Z\"\n"
	"    mac: ENC[AES256_GCM,data:s3B+kgzmwYkT51ELU+OdlcjgRECUStM+NYcQUyyhCkrcqayeTK47mIkATIL40vMmabdXiIU07l5Dxd8Z1zIpfvj9LqhHq38ORshg2Huo5FY1E9JrB8mTyKeUmpEEm7tKH9i2BzeUPo90iJGxQcwu/EWfxIzZsJfevy4PtMoBvjQ=,iv:iB5Zq9eER4ihMgJzyzVHvLaaIMuqL1oUAxpFSSXGYsQ=,tag:YxM3tLKFuE8tqLnI3kxtDA==,type:str]\n"
	"    unencrypted_suffix: _unencrypted\n"
	"    version: 3.13.3\n";

static const char sops_mac_only[] =
	"kind: Secret\n"
	"metadata:\n"
	"    name: md\n"
	"data:\n"
	"    k: ENC[AES256_GCM,data:E1JcJQ==,iv:pB4WErlksXyxe9ATgPKn4cO6jJyiJ7qmcfDCI2bsBbs=,tag:HCHUUBySGzyJWI5c2r0l5Q==,type:str]\n"
	"sops:\n"
	"    age:\n"
	"        - enc: |\n"
	"            -----BEGIN AGE ENCRYPTED FILE-----\n"
	"            YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSAxdmg1aGhJZ05GT3dEa0ov\n"
	"            Q2RMaUJIRXlPeHcxM1habjVFWEtNdzI0Q3h3Cms4aFBqUFRtcnYwQjBWRGpzelV6\n"
	"            RHBlcmNhMlMxeWJGcUtOaVhESEFxSlkKLS0tIG55a2tHb0F4SEtKQmpKVUdjSmlj\n"
	"            dlFkN0RiREVVWS80dVE4dVJvamlhUUUKIIgzi8wt1qka4sSQbUp6lVIb47i0DFCq\n"
	"            jtvb7LYNkJgViZHlJ0w+sdHa4wRH+FmPkW0DNYozMLwAJ3Gyqu96Bg==\n"
	"            -----END AGE ENCRYPTED FILE-----\n"
	"          recipient: age1xmwwc06ly3ee5rytxm9mflaz2u56jjj36s0mypdrwsvlul66mv4q47ryef\n"
	"    encrypted_regex: ^(data|stringData)$\n"
	"    lastmodified: \"2026-11-20T16:55:48Z\"\n"
	"    mac: ENC[AES256_GCM,data:iER0n5AkKpiaPwFQKLRzu+R+cpeRme91yPgsDq5NOhIVk8j0RZLNaX7FixWaMURYNjknwu9klFygOb3CIm9rX4UoG/vpXdUUpOi3ji8HsJeSTRe4BSpUQtbpfyvCuCPxX0TDZFGshGvv6cjR/cRXPQxMPApJhbe1nbJsSbeLVdE=,iv:deInDSzYibfEKdkAYfRLVK0Wj9doV+9v+PkiFwZglcs=,tag:HOubs9GWRz5ez6t7Gux8mQ==,type:str]\n"
	"    mac_only_encrypted: true\n"
	"    version: 3.13.3\n";
/* clang-format on */

struct fixture {
	struct arena *arena;
	struct sink sink;
	struct seal_root *root;
	struct sealer *sealer;
	struct seal_recipients one;
	struct seal_recipients two;
	struct seal_identities *identities;
};

static struct seal_recipients recipients_of(struct fixture *f, const char *a, const char *b)
{
	struct seal_recipient_text texts[] = {{.text = sv_from_cstr(a)}, {.text = sv_from_cstr(b)}};
	struct seal_recipients recipients;

	assert_int_equal(seal_recipients_parse(f->arena, &f->sink, sealer_format_find(SV("sops")),
	                                       SV("c"), texts, b ? 2 : 1, &recipients),
	                 STATUS_OK);
	return recipients;
}

static struct seal_root *root_of(struct fixture *f, uint8_t first)
{
	uint8_t seed[SEAL_SEED_SIZE] = {first, 1, 2};
	struct seal_root *root;

	assert_int_equal(
	    seal_root_parse(&f->sink, NOWHERE, seal_seed_format(f->arena, seed), &root), STATUS_OK);
	return root;
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->arena = arena_new(ARENA_SECRET);
	f->sink = sink_in(f->arena);
	f->root = root_of(f, 0);
	f->sealer = sealer_new(f->root);
	f->one = recipients_of(f, FIRST, NULL);
	f->two = recipients_of(f, SECOND, FIRST);
	f->identities = seal_identities_new();
	struct source *keys = source_new(f->arena, SV("keys"), SV(IDENTITY "\n"), true);
	assert_int_equal(seal_identities_add(&f->sink, f->identities, keys), STATUS_OK);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	seal_identities_free(f->identities);
	sealer_free(f->sealer);
	seal_root_free(f->root);
	arena_free(f->arena);
	free(f);
	return 0;
}

static struct value parse(struct fixture *f, const char *text)
{
	return yaml_value_of(f->arena, arena_dup(f->arena, sv_from_cstr(text)));
}

static sv seal_with(struct fixture *f, struct sealer *sealer, const char *cluster,
                    const struct value *object, const struct seal_recipients *recipients)
{
	struct buf out = buf_in(f->arena);
	struct seal_request request = {
	    .cluster = sv_from_cstr(cluster),
	    .object = object,
	    .rule = seal_rule_secret,
	    .recipients = recipients,
	    .first_line = SV("# generated"),
	};

	assert_int_equal(sealer_seal(&f->sink, sealer, &request, &out), STATUS_OK);
	return buf_sv(&out);
}

/*
 * The sealer reports each ciphertext that it wrote, between "data:" and ",iv:", and nothing of what
 * merely looks like one.
 */
static void test_ciphertexts(void **state)
{
	struct fixture *f = *state;
	struct value object = parse(
	    f, "apiVersion: v1\nkind: Secret\nmetadata:\n  name: n\n  annotations:\n"
	       "    a: ENC[AES256_GCM,data:YWJj,iv:YWJj,tag:YWJj,type:str]\n"
	       "stringData:\n  one: x\n  two: hello, world\n  three: |\n    lines\n    lines\n"
	       "  empty: ''\n");
	struct buf out = buf_in(f->arena);
	struct ciphertexts spans = {0};
	struct seal_request request = {
	    .cluster = SV("c"),
	    .object = &object,
	    .rule = seal_rule_secret,
	    .recipients = &f->one,
	    .first_line = SV("# generated"),
	    .ret_ciphertexts = &spans,
	};
	static const size_t sizes[] = {4, 16, 16}; /* of base64 */

	buf_add(&out, SV("before"));
	assert_int_equal(sealer_seal(&f->sink, f->sealer, &request, &out), STATUS_OK);
	assert_int_equal(spans.count, COUNT_OF(sizes));
	sv text = buf_sv(&out);
	for (size_t i = 0; i < spans.count; i++) {
		const struct ciphertext *span = &spans.items[i];

		assert_int_equal(span->end - span->start, sizes[i]);
		assert_true(
		    sv_ends_with(sv_slice(text, 0, span->start), SV(": ENC[AES256_GCM,data:")));
		assert_true(sv_starts_with(sv_from_offset(text, span->end), SV(",iv:")));
	}
	/* The same as bytes; and without the list. */
	spans.count = 0;
	assert_int_equal(sealer_seal_bytes(&f->sink, f->sealer, &request, SV("bytes"), &out),
	                 STATUS_OK);
	assert_int_equal(spans.count, 1);
	assert_true(sv_starts_with(sv_from_offset(buf_sv(&out), spans.items[0].end), SV(",iv:")));
	request.ret_ciphertexts = NULL;
	assert_int_equal(sealer_seal(&f->sink, f->sealer, &request, &out), STATUS_OK);
	assert_int_equal(spans.count, 1);
	assert_int_equal(sealer_seal_bytes(&f->sink, f->sealer, &request, SV("x"), &out),
	                 STATUS_OK);
}

static sv seal_text(struct fixture *f, const char *text)
{
	struct value object = parse(f, text);

	return seal_with(f, f->sealer, "c", &object, &f->one);
}

/* IV and tag of each sealed value, and the age file: a copy has them, whatever it is called. */
static void marks_of_a_file(void **state)
{
	struct fixture *f = *state;
	struct seal_texts marks = {0};
	struct value object = parse(f, "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"
	                               "stringData: {one: x, two: y}\n");
	sv text = seal_with(f, f->sealer, "c", &object, &f->one);
	struct yml_documents documents = yaml_documents_of(f->arena, SV("sealed.yaml"), text);

	sops_list_marks(f->arena, &documents.items[0].root, &marks);
	assert_int_equal(marks.count, 3);
	/* A nonce of 32 bytes and a tag of 16. */
	assert_int_equal(marks.items[0].len, 48);
	assert_int_equal(marks.items[1].len, 48);
	assert_true(sv_starts_with(marks.items[2], SV("age-encryption.org/v1\n")));
}

static enum status open_text(struct fixture *f, struct sink *sink, sv text, struct value *ret_value)
{
	struct yml_documents documents = yaml_documents_of(f->arena, SV("sealed.yaml"), text);
	struct value in[4];

	assert_true(documents.count <= COUNT_OF(in));
	for (size_t i = 0; i < documents.count; i++)
		in[i] = documents.items[i].root;
	return seal_open(f->arena, sink, in, documents.count, f->identities, ret_value);
}

static const char object_text[] = "apiVersion: v1\n"
                                  "kind: Secret\n"
                                  "metadata:\n"
                                  "  name: md\n"
                                  "  namespace: ns\n"
                                  "  labels: {a: 'yes', b: '1', c: \"x\\ty: #\\n\"}\n"
                                  "  text: |\n"
                                  "    one\n"
                                  "      two\n"
                                  "  items: [a, [b, {c: d, e: [1, true, null]}], [], {}]\n"
                                  "immutable: true\n"
                                  "data:\n"
                                  "  token: c2VjcmV0LXRva2Vu\n"
                                  "  empty: ''\n"
                                  "  list: [same, same, other]\n"
                                  "stringData:\n"
                                  "  multi: \"a\\n  b\\n\"\n"
                                  "  unicode: \"\\u00e9\\U0001F600\"\n";

static void test_round_trip(void **state)
{
	struct fixture *f = *state;
	struct value object = parse(f, object_text);
	struct value opened;
	sv sealed = seal_with(f, f->sealer, "c", &object, &f->two);

	assert_lacks(sealed, "c2VjcmV0");
	assert_lacks(sealed, "same");
	assert_contains(sealed, "    empty: \"\"\n");
	assert_true(sv_starts_with(sealed, SV("# generated\napiVersion: \"v1\"\nkind: ")));
	assert_contains(sealed, "\nsops:\n    age:\n        - enc: |\n");
	assert_contains(sealed, "\n    encrypted_regex: ^(data|stringData)$\n"
	                        "    lastmodified: \"1970-01-01T00:00:00Z\"\n"
	                        "    mac: ENC[AES256_GCM,data:");
	assert_true(sv_ends_with(sealed, SV(",type:str]\n    version: 3.9.4\n")));
	assert_int_equal(open_text(f, &f->sink, sealed, &opened), STATUS_OK);
	assert_true(value_equal(&object, &opened));

	/* Every decrypted leaf is a secret, nothing else is. */
	const struct secret *secret = secrecy_find(value_path(&opened, "data.token"));
	assert_non_null(secret);
	assert_sv(secret->name, "ns/md:token");
	assert_sv(secret->text, "secret-token");
	assert_null(secrecy_find(value_path(&opened, "metadata")));
	assert_null(value_path(&opened, "sops"));
}

/* The text behind "KEY: " on its line. */
static sv line_of(sv text, const char *key)
{
	sv rest = sv_from_offset(text, sv_find(text, sv_from_cstr(key)));

	return sv_slice(rest, 0, sv_find_char(rest, '\n'));
}

/* Whether no line that holds ENC or armour of one file stands in the other. */
static bool share_nothing_sealed(sv a, sv b)
{
	struct sv_splitter lines = sv_split(a, '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		bool armor = line.len > 60 && sv_starts_with(line, SV("            "));
		/* The first line of age's armour is the same for all: "age-encryption.org". */
		if (armor && sv_contains(line, SV("YWdlLWVuY3J5cHRpb24u")))
			continue;
		if ((armor || sv_contains(line, SV("ENC["))) && sv_contains(b, line))
			return false;
	}
	return true;
}

/* Keys of several lines stand in quotes, and stand for themselves in the rule. */
static void test_odd_keys(void **state)
{
	struct fixture *f = *state;
	static const sv keys[] = {SV_INIT("secret.+"), SV_INIT("two\nlines")};
	struct value object = parse(f, "apiVersion: v1\nkind: K\nmetadata: {name: n}\n"
	                               "secret.+: hidden\nsecretname: clear\n"
	                               "\"two\\nlines\": {\"a\\n b\": hidden}\n"
	                               "items:\n- {\"c\\nd\\n\": {e: 1}}\n"
	                               "\"f\\n\": [g]\n");
	struct buf sealed = buf_in(f->arena);
	struct seal_request request = {.cluster = SV("c"),
	                               .object = &object,
	                               .rule = {keys, COUNT_OF(keys)},
	                               .recipients = &f->one};
	struct value opened;

	assert_int_equal(sealer_seal(&f->sink, f->sealer, &request, &sealed), STATUS_OK);
	assert_true(sv_contains(
	    buf_sv(&sealed), SV("\n    encrypted_regex: \"^(secret\\\\.\\\\+|two\\nlines)$\"\n")));
	assert_true(sv_contains(buf_sv(&sealed), SV("\nsecretname: \"clear\"\n\"two\\nlines\":\n"
	                                            "    \"a\\n b\": ENC[")));
	assert_int_equal(open_text(f, &f->sink, buf_sv(&sealed), &opened), STATUS_OK);
	assert_true(value_equal(&object, &opened));
}

static void test_same_inputs_same_bytes(void **state)
{
	struct fixture *f = *state;
	struct value object = parse(f, object_text);
	sv first = seal_with(f, f->sealer, "c", &object, &f->two);
	SEALER_AUTO other_sealer = sealer_new(f->root);
	struct seal_recipients reordered = recipients_of(f, FIRST, SECOND);

	seal_text(f, "apiVersion: v1\nkind: Secret\nmetadata: {name: o}\ndata: {a: b}\n");
	assert_true(sv_eq(first, seal_with(f, f->sealer, "c", &object, &f->two)));
	assert_true(sv_eq(first, seal_with(f, other_sealer, "c", &object, &reordered)));
}

static void test_same_values(void **state)
{
	struct fixture *f = *state;
	const struct sealer_format *format = sealer_format_find(SV("sops"));
	struct value object = parse(f, object_text);
	struct value other =
	    parse(f, "apiVersion: v1\nkind: Secret\nmetadata: {name: o}\ndata: {a: b}\n");
	sv one = seal_with(f, f->sealer, "c", &object, &f->one);

	assert_true(seal_same_values(f->arena, format, one, one));
	assert_false(
	    seal_same_values(f->arena, format, one, seal_with(f, f->sealer, "c", &other, &f->one)));
	assert_false(seal_same_values(f->arena, format, one,
	                              seal_with(f, f->sealer, "d", &object, &f->one)));
}

static void test_other_inputs_share_nothing(void **state)
{
	struct fixture *f = *state;
	struct value object = parse(f, object_text);
	sv base = seal_with(f, f->sealer, "c", &object, &f->one);
	SEAL_ROOT_AUTO other_root = root_of(f, 9);
	SEALER_AUTO other_sealer = sealer_new(other_root);
	static const char *const fields[][2] = {{"name: md\n", "name: mm\n"},
	                                        {"namespace: ns", "namespace: nt"},
	                                        {"kind: Secret", "kind: Secreu"},
	                                        {"apiVersion: v1", "apiVersion: v2"}};

	assert_true(share_nothing_sealed(base, seal_with(f, other_sealer, "c", &object, &f->one)));
	assert_true(share_nothing_sealed(base, seal_with(f, f->sealer, "d", &object, &f->one)));
	assert_true(share_nothing_sealed(base, seal_with(f, f->sealer, "c", &object, &f->two)));
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		sv text = sv_from_cstr(object_text);
		size_t at = sv_find(text, sv_from_cstr(fields[i][0]));
		sv changed =
		    ARENA_CONCAT(f->arena, sv_slice(text, 0, at), sv_from_cstr(fields[i][1]),
		                 sv_from_offset(text, at + strlen(fields[i][0])));

		assert_true(
		    share_nothing_sealed(base, seal_text(f, arena_cstr(f->arena, changed))));
	}
	assert_false(share_nothing_sealed(base, base));
}

static void test_what_a_change_changes(void **state)
{
	struct fixture *f = *state;
	static const char base_text[] = "apiVersion: v1\nkind: Secret\n"
	                                "metadata: {name: md, labels: {a: x, b: y}}\n"
	                                "data: {one: MQ==, two: Mg==}\n";
	sv base = seal_text(f, base_text);
	sv clear = seal_text(f, "apiVersion: v1\nkind: Secret\n"
	                        "metadata: {name: md, labels: {a: z, b: y}}\n"
	                        "data: {one: MQ==, two: Mg==}\n");
	sv order = seal_text(f, "apiVersion: v1\nkind: Secret\n"
	                        "data: {two: Mg==, one: MQ==}\n"
	                        "metadata: {labels: {b: y, a: x}, name: md}\n");
	sv sealed = seal_text(f, "apiVersion: v1\nkind: Secret\n"
	                         "metadata: {name: md, labels: {a: x, b: y}}\n"
	                         "data: {one: MQ==, two: Mw==}\n");

	/* A clear change: its line and the mac. */
	assert_true(sv_eq(line_of(base, "one: "), line_of(clear, "one: ")));
	assert_true(sv_eq(line_of(base, "two: "), line_of(clear, "two: ")));
	assert_false(sv_eq(line_of(base, "mac: "), line_of(clear, "mac: ")));
	assert_true(sv_contains(clear, sv_slice(base, sv_find(base, SV("        - enc: |")),
	                                        sv_find(base, SV("    encrypted_regex")))));
	/* Another order: only the mac. */
	assert_true(sv_eq(line_of(base, "one: "), line_of(order, "one: ")));
	assert_true(sv_eq(line_of(base, "two: "), line_of(order, "two: ")));
	/* A sealed change: every sealed line. */
	assert_true(share_nothing_sealed(base, sealed));
	/* Equal items of a list have one path and one text, but not one IV. */
	sv equal = seal_text(f, "kind: Secret\nmetadata: {name: md}\ndata: [{k: v}, {k: v}]\n");
	size_t first = sv_find(equal, SV("- k: ENC["));
	sv first_line = line_of(equal, "- k: ENC[");
	sv second_line = line_of(sv_from_offset(equal, first + 5), "- k: ENC[");
	assert_true(first_line.len > 0 && second_line.len > 0);
	assert_false(sv_eq(first_line, second_line));
}

static void test_values(void **state)
{
	struct fixture *f = *state;
	static const size_t sizes[] = {0, 1, 15, 16, 17, 900 * 1024};

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct value object = value_map_new(f->arena);
		struct value data = value_map_new(f->arena);
		struct value opened;
		char *text = arena_alloc_text(f->arena, sizes[i]);

		memset(text, 'a', sizes[i]);
		value_map_set(f->arena, &data, SV("key"), value_string(sv_from(text, sizes[i])));
		value_map_set(f->arena, &object, SV("data"), data);
		assert_int_equal(
		    open_text(f, &f->sink, seal_with(f, f->sealer, "c", &object, &f->one), &opened),
		    STATUS_OK);
		assert_true(value_equal(&object, &opened));
	}
}

static enum diag_code refusal(struct fixture *f, const struct value *object)
{
	struct sink own = sink_in(f->arena);
	struct buf out = buf_in(f->arena);
	struct seal_request request = {
	    .cluster = SV("c"), .object = object, .rule = seal_rule_secret, .recipients = &f->one};

	BUF_ADD_LIT(&out, "before");
	assert_int_equal(sealer_seal(&own, f->sealer, &request, &out), STATUS_FAILED);
	assert_sv(buf_sv(&out), "before");
	assert_diag_count(&own, 1);
	assert_int_equal(sink_exit_status(&own), 2);
	assert_lacks(own.diags.items[0]->text, "hunter2");
	return own.diags.items[0]->code;
}

static struct value with_data(struct fixture *f, const char *key, struct value v)
{
	struct value object = parse(f, "kind: Secret\nmetadata: {name: md}\n");
	struct value data = value_map_new(f->arena);

	value_map_set(f->arena, &data, SV("k"), v);
	value_map_set(f->arena, &object, sv_from_cstr(key), data);
	return object;
}

static void test_refusals(void **state)
{
	struct fixture *f = *state;
	static const struct secret password = {
	    .name = SV_INIT("ns/s:password"), .text = SV_INIT("hunter2"), .high_entropy = false};
	const sv bad[] = {SV_INIT("hunter2\0"), SV_INIT("hunter2\xff"), SV_INIT("\thunter2\nb")};
	struct value object;

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		object = with_data(f, "data", value_string(bad[i]));
		assert_int_equal(refusal(f, &object), DIAG_SEAL_VALUE);
		object = with_data(f, "clear", value_string(bad[i]));
		assert_int_equal(refusal(f, &object), DIAG_SEAL_VALUE);
	}
	object = with_data(f, "data", value_float(0.5));
	assert_int_equal(refusal(f, &object), DIAG_SEAL_VALUE);
	object = with_data(f, "clear", value_float(0.5));
	assert_int_equal(refusal(f, &object), DIAG_SEAL_VALUE);
	object = with_data(f, "sops", value_string(SV("x")));
	assert_int_equal(refusal(f, &object), DIAG_SEAL_VALUE);
	object =
	    with_data(f, "annotations", value_secret_string(f->arena, SV("hunter2"), &password));
	assert_int_equal(refusal(f, &object), DIAG_SEAL_CLEAR_SECRET);
	object = with_data(f, "data", value_secret_string(f->arena, SV("hunter2"), &password));
	assert_lacks(seal_with(f, f->sealer, "c", &object, &f->one), "hunter2");
	object = with_data(f, "data", value_string(SV("\tone line")));
	seal_with(f, f->sealer, "c", &object, &f->one);
}

/* Under an OSC's rule stand numbers and truth values too: {value: true} beside {value: TEXT}. */
static void test_other_than_text(void **state)
{
	struct fixture *f = *state;
	struct value object =
	    parse(f, "kind: Secret\nmetadata: {name: md}\n"
	             "data: {a: true, b: false, n: [-42, 0, 42, '42', 'True', true],"
	             " big: 9223372036854775807, none: null}\n");
	struct value opened;
	sv sealed = seal_with(f, f->sealer, "c", &object, &f->one);

	assert_lacks(sealed, " 42\n");
	assert_lacks(sealed, "true\n");
	assert_contains(line_of(sealed, "    a: "), ",type:bool]");
	assert_contains(line_of(sealed, "    big: "), ",type:int]");
	assert_int_equal(open_text(f, &f->sink, sealed, &opened), STATUS_OK);
	assert_true(value_equal(&object, &opened));
}

static enum diag_code open_error(struct fixture *f, sv text)
{
	struct sink own = sink_in(f->arena);
	struct value opened[4];

	assert_int_equal(open_text(f, &own, text, opened), STATUS_FAILED);
	assert_true(own.diags.count >= 1);
	assert_true(own.diags.items[0]->help.len > 0);
	return own.diags.items[0]->code;
}

static sv replaced(struct fixture *f, sv text, const char *from, const char *to)
{
	size_t at = sv_find(text, sv_from_cstr(from));

	assert_true(at != SV_NPOS);
	return ARENA_CONCAT(f->arena, sv_slice(text, 0, at), sv_from_cstr(to),
	                    sv_from_offset(text, at + strlen(from)));
}

static void test_tampering(void **state)
{
	struct fixture *f = *state;
	sv sealed = seal_text(f, "kind: Secret\nmetadata: {name: md, labels: {a: x}}\n"
	                         "data: {a: MQ==, b: [one, two], c: {d: e}}\n");
	sv line = line_of(sealed, "    a: ENC[");
	struct value opened;

	assert_int_equal(open_text(f, &f->sink, sealed, &opened), STATUS_OK);
	/* Clear values, keys below the rule, rules and dates. */
	assert_int_equal(open_error(f, replaced(f, sealed, "a: \"x\"", "a: \"y\"")), DIAG_SOPS_MAC);
	assert_int_equal(open_error(f, replaced(f, sealed, "\"md\"\n", "\"md\"\n    x: \"y\"\n")),
	                 DIAG_SOPS_MAC);
	assert_int_equal(open_error(f, replaced(f, sealed, "    a: ENC", "    z: ENC")),
	                 DIAG_SOPS_FORMAT);
	assert_int_equal(open_error(f, replaced(f, sealed, "1970", "1971")), DIAG_SOPS_FORMAT);
	assert_int_equal(open_error(f, replaced(f, sealed, "    version",
	                                        "    encrypted_suffix: x\n"
	                                        "    version")),
	                 DIAG_SOPS_FORMAT);
	assert_int_equal(
	    open_error(f, replaced(f, sealed, arena_cstr(f->arena, line), "    a: hi")),
	    DIAG_SOPS_FORMAT);
	assert_int_equal(open_error(f, replaced(f, sealed, arena_cstr(f->arena, line), "    a: 1")),
	                 DIAG_SOPS_FORMAT);
	/* Each field of an ENC text. */
	static const char *const fields[] = {"data:", "iv:", "tag:"};
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		char *copy = arena_cstr(f->arena, line);
		char *at = strstr(copy, fields[i]) + strlen(fields[i]);

		*at = *at == 'A' ? 'B' : 'A';
		assert_int_equal(
		    open_error(f, replaced(f, sealed, arena_cstr(f->arena, line), copy)),
		    DIAG_SOPS_FORMAT);
	}
	/* Two items of a list share a path: only the MAC notices. */
	sv list = sv_from_offset(sealed, sv_find(sealed, SV("        - ENC[")));
	sv one = sv_slice(list, 0, sv_find_char(list, '\n') + 1);
	sv two = sv_from_offset(list, one.len);
	two = sv_slice(two, 0, sv_find_char(two, '\n') + 1);
	sv swapped = ARENA_CONCAT(f->arena, two, one);
	sv both = ARENA_CONCAT(f->arena, one, two);
	assert_int_equal(open_error(f, replaced(f, sealed, arena_cstr(f->arena, both),
	                                        arena_cstr(f->arena, swapped))),
	                 DIAG_SOPS_MAC);
	assert_int_equal(open_error(f, replaced(f, sealed, arena_cstr(f->arena, one), "")),
	                 DIAG_SOPS_MAC);
	/* The age file. */
	assert_int_equal(open_error(f, replaced(f, sealed, "-----END AGE", "-----EMD AGE")),
	                 DIAG_SOPS_FORMAT);
}

static void test_keys_of_others(void **state)
{
	struct fixture *f = *state;
	struct value object = parse(f, object_text);
	struct seal_recipients others = recipients_of(f, SECOND, NULL);
	sv sealed = seal_with(f, f->sealer, "c", &object, &others);
	struct seal_identities *mine = f->identities;
	struct sink own = sink_in(f->arena);
	struct value opened;

	assert_int_equal(open_text(f, &own, sealed, &opened), STATUS_FAILED);
	assert_int_equal(own.diags.items[0]->code, DIAG_SOPS_KEY);
	assert_int_equal(sink_exit_status(&own), 3);
	assert_int_equal(own.diags.items[0]->notes.count, 2);
	assert_contains(own.diags.items[0]->notes.items[0].text, SECOND);
	assert_sv(own.diags.items[0]->notes.items[1].text,
	          arena_cstr(f->arena, ARENA_CONCAT(f->arena, SV("tried "),
	                                            seal_identities_recipient(f->arena, mine))));
	assert_contains(own.diags.items[0]->text, "none of the age identities given");
	SEAL_IDENTITIES_AUTO none = seal_identities_new();
	f->identities = none;
	own = sink_in(f->arena);
	assert_int_equal(open_text(f, &own, sealed, &opened), STATUS_FAILED);
	assert_int_equal(own.diags.items[0]->code, DIAG_SOPS_KEY);
	assert_contains(own.diags.items[0]->text, "no age identity was given");
	own = sink_in(f->arena);
	assert_int_equal(open_text(f, &own, SV("a: b\nsops: {age: [], mac: x}\n"), &opened),
	                 STATUS_FAILED);
	assert_contains(own.diags.items[0]->text, "names no key at all");
	f->identities = mine;
	assert_int_equal(open_error(f, SV("a: ENC[AES256_GCM,data:eA==,iv:,tag:,type:str]\n"
	                                  "sops: {pgp: [{fp: x}], mac: x, lastmodified: x}\n")),
	                 DIAG_SOPS_KEY);
	assert_int_equal(open_error(f, SV("a: b\nsops: {key_groups: [{age: []}]}\n")),
	                 DIAG_SOPS_KEY);
	assert_int_equal(open_error(f, SV("a: b\nsops: {age: {enc: x}}\n")), DIAG_SOPS_KEY);
	assert_int_equal(open_error(f, SV("a: b\nsops: {age: [{enc: hello}]}\n")),
	                 DIAG_SOPS_FORMAT);
}

/*
 * Written by sops 3.13: scalars that YAML 1.1 and Go's yaml.v3 read differently, and the default
 * rule. The MAC fits only if each is hashed as sops does.
 */
static void test_files_of_sops(void **state)
{
	struct fixture *f = *state;
	struct value opened;

	assert_int_equal(open_text(f, &f->sink, sv_from_cstr(sops_clear_scalars), &opened),
	                 STATUS_OK);
	assert_sv(value_text(value_path(&opened, "stringData.multi")), "a\n b\n");
	assert_sv(value_text(value_path(&opened, "stringData.token")), "abc");
	assert_int_equal(open_text(f, &f->sink, sv_from_cstr(sops_default_rule), &opened),
	                 STATUS_OK);
	assert_int_equal(value_path(&opened, "number")->integer, 420);
	assert_true(value_path(&opened, "flag")->boolean);
	assert_sv(value_text(value_path(&opened, "note_unencrypted")), "clear");
	assert_int_equal(open_text(f, &f->sink, sv_from_cstr(sops_mac_only), &opened), STATUS_OK);
	assert_sv(value_text(value_path(&opened, "data.k")), "YWJj");
	/* There the clear parts are free to change. */
	assert_int_equal(open_text(f, &f->sink,
	                           replaced(f, sv_from_cstr(sops_mac_only), "name: md", "name: mm"),
	                           &opened),
	                 STATUS_OK);
}

UNIT_TESTS(seal_sops)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_round_trip, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_ciphertexts, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(marks_of_a_file, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_odd_keys, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_same_inputs_same_bytes, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_same_values, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_other_inputs_share_nothing, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_what_a_change_changes, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_values, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_refusals, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_other_than_text, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_tampering, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_keys_of_others, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_files_of_sops, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
