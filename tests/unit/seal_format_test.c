/* Formats of sealed files: which there are, how one is recognised, what is shown of a file;
 * creation rules of .sops.yaml; files of KEY=VALUE lines. */
#include "regex/regex.h"
#include "seal/seal.h"
#include "seal/sops_rule.h"
#include "secrecy/secrecy.h"
#include "yaml/yaml.h"

#include "texts.h"

#include <stdio.h>

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
	struct value sealed = yaml_value_of(arena, SV("kind: Secret\nsops: {mac: x}\n"));
	struct value clear = yaml_value_of(arena, SV("kind: Secret\nsops: no\n"));
	struct value list = yaml_value_of(arena, SV("[sops]"));

	assert_ptr_equal(sealer_format_of(&sealed), sealer_format_find(SV("sops")));
	assert_false(seal_is_sealed(&clear));
	assert_false(seal_is_sealed(&list));
	assert_false(seal_is_sealed(NULL));
	struct value bitnami =
	    yaml_value_of(arena, SV("apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\n"));
	struct value other =
	    yaml_value_of(arena, SV("apiVersion: example.com/v1\nkind: SealedSecret\n"));
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

/* The keys that are not of age are shown as sops prints them. */
static void recipients_of_each_kind(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value document =
	    yaml_value_of(arena, SV("a: x\n"
	                            "sops:\n"
	                            "  age: [{recipient: ' age1one ', enc: x}]\n"
	                            "  pgp: [{fp: F00D, enc: x}]\n"
	                            "  kms: [{arn: 'arn:aws:kms:x', enc: x}]\n"
	                            "  mac: x\n"));
	struct seal_texts recipients = {0};

	seal_list_recipients(arena, &document, &recipients);
	assert_int_equal(recipients.count, 3);
	assert_sv(recipients.items[0], "age1one");
	assert_sv(recipients.items[1], "arn:aws:kms:x");
	assert_sv(recipients.items[2], "F00D");
}

static void clear_documents_stay(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_SECRET);
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	struct sink sink = sink_in(arena);
	const struct value documents[] = {
	    yaml_value_of(arena, SV("a: clear")),
	    yaml_value_of(arena, SV("kind: Secret\nsops: {mac: x}\n")),
	    yaml_value_of(arena, SV("b: clear")),
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
	/* A script in the clear part cannot hide what a machine runs. */
	sv script = SV("a: ENC[; reboot\n"
	               "b: ENC[AES256_GCM,data:$(reboot)]\n"
	               "c: ENC[AES256_GCM,data:x]; reboot\n"
	               "echo ENC[AES256_GCM,data:x]\n");
	assert_sv(
	    seal_mask(arena, ARENA_CONCAT(arena, script, SV("- ENC[AES256_GCM,data:x]\nsops:\n"))),
	    arena_cstr(arena, ARENA_CONCAT(arena, script, SV("- <sealed>\n"))));
	/* All else is shown, also what looks like a part of the sops block. */
	assert_string_equal(
	    arena_cstr(arena, seal_mask(arena, SV("a: |\n"
	                                          "    -----BEGIN AGE ENCRYPTED FILE-----\n"
	                                          "    b\n"
	                                          "sops:\n    mac: ENC[x]\n"))),
	    "a: |\n    -----BEGIN AGE ENCRYPTED FILE-----\n    b\n");
	assert_string_equal(
	    arena_cstr(arena, seal_mask(arena, SV("{\n\t\"data\": \"ENC[AES256_GCM,data:x]\"}"))),
	    "<sealed>\n");
}

/* The three forms of SOPS files: manifests, KEY=VALUE lines, and bytes. */
static void forms_of_sops(void **state UNUSED)
{
	static const struct {
		const char *yaml;
		bool binary;
	} cases[] = {
	    {"{data: x, sops: {mac: x}}", true},
	    {"{data: x, kind: Secret, sops: {mac: x}}", false},
	    {"{data: {a: x}, sops: {mac: x}}", false},
	    {"{text: x, sops: {mac: x}}", false},
	    {"{data: x, sops: x}", false},
	    {"{data: x}", false},
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct value document = yaml_value_of(arena, sv_from_cstr(cases[i].yaml));

		assert_int_equal(seal_is_binary(&document), cases[i].binary);
	}
	assert_true(seal_is_dotenv(SV("sops_mac=x\nA=1\n")));
	assert_true(seal_is_dotenv(SV("A=1\nsops_mac=x")));
	assert_false(seal_is_dotenv(SV("A=sops_mac=x\n")));
	assert_false(seal_is_dotenv(SV("A=1\nsops_version=x\n")));
}

/* Which values a SOPS file seals, by the one member of its block that selects them. */
static void rules_of_files(void **state UNUSED)
{
	static const struct {
		const char *block;
		const char *sealed; /* the keys of {a, b, a_b} whose clear values are sealed */
	} cases[] = {
	    {"{}", "a b a_b "},
	    {"{unencrypted_suffix: _b}", "a b "},
	    {"{encrypted_suffix: b}", "b a_b "},
	    {"{encrypted_regex: ^a$}", "a "},
	    {"{encrypted_regex: ^(a|a_b)$}", "a a_b "},
	    {"{unencrypted_regex: ^(b)$}", "a a_b "},
	    /* Other expressions are not run: what looks sealed is. */
	    {"{encrypted_regex: ^a|b$}", ""},
	    {"{encrypted_regex: ^(a.*)$}", ""},
	    {"{unencrypted_regex: ^a}", ""},
	    {"{unencrypted_regex: b$}", ""},
	    {"{encrypted_regex: ^$}", ""},
	    {"{encrypted_comment_regex: x}", ""},
	    {"{encrypted_regex: '', encrypted_suffix: b}", "b a_b "},
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	const struct value clear = value_string(SV("clear"));
	const struct value sealed = value_string(SV("ENC[AES256_GCM,data:x]"));
	struct rule rule;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct value block = yaml_value_of(arena, sv_from_cstr(cases[i].block));
		struct value document = yaml_value_of(arena, SV("{a: 1, b: 1, a_b: 1}"));
		struct buf found = buf_in(arena);

		assert_true(rule_read(&block, &rule));
		for (size_t k = 0; k < value_count(&document); k++) {
			struct secrecy_place place = {.entry = &document.map->entries[k],
			                              .depth = 1};

			assert_true(rule_enter(&rule, &place));
			if (rule.kind == RULE_BY_LOOKS)
				assert_true(rule_seals(&rule, place.marked, &sealed));
			if (rule_seals(&rule, place.marked, &clear)) {
				buf_add(&found, place.entry->key);
				buf_add_char(&found, ' ');
			}
		}
		assert_string_equal(arena_cstr(arena, buf_sv(&found)), cases[i].sealed);
	}
	struct value two = yaml_value_of(arena, SV("{encrypted_regex: a, unencrypted_suffix: b}"));

	assert_false(rule_read(&two, &rule));
	struct value document = yaml_value_of(arena, SV("{sops: {sops: 1}}"));
	struct secrecy_place place = {.entry = &document.map->entries[0], .depth = 1};

	assert_false(rule_enter(&rule, &place));
	place.depth = 2;
	assert_true(rule_enter(&rule, &place));
}

/* What a clear value adds to the MAC: Go prints what yaml.v3 reads. */
static void bytes_of_clear_values(void **state UNUSED)
{
	static const struct {
		const char *yaml;
		const char *bytes;
	} cases[] = {
	    {"null", ""},
	    {"text", "text"},
	    {"2020-01-02", "2020-01-02T00:00:00Z"},
	    {"'2020-01-02'", "2020-01-02"},
	    {"2020-01-0a", "2020-01-0a"},
	    {"20200-1-02", "20200-1-02"},
	    {"true", "True"},
	    {"TRUE", "True"},
	    {"False", "False"},
	    {"yes", "yes"},
	    {"off", "off"},
	    {"-12", "-12"},
	    {"18446744073709551615", "18446744073709551615"},
	    {"0.0", "0"},
	    {"0.1", "0.1"},
	    {"1e300", "1000000000000000000000000000000000000000000000000000000000000000000000000000"
	              "0000000000000000000000000000000000000000000000000000000000000000000000000000"
	              "0000000000000000000000000000000000000000000000000000000000000000000000000000"
	              "0000000000000000000000000000000000000000000000000000000000000000000000000"},
	    {"-0.25", "-0.25"},
	    {"1.5e-07", "0.00000015"},
	    {"1e+21", "1000000000000000000000"},
	    {"123456.75", "123456.75"},
	    {"0.30000000000000004", "0.30000000000000004"},
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct value v = yaml_value_of(arena, sv_from_cstr(cases[i].yaml));

		assert_string_equal(arena_cstr(arena, mac_bytes(arena, &v)), cases[i].bytes);
	}
}

/* ---- creation rules ---------------------------------------------------------------------- */

static const struct seal_sops_config *sops_config(struct arena *arena, struct sink *sink,
                                                  const char *text)
{
	const struct seal_sops_config *config;
	struct source *source = source_new(arena, SV(".sops.yaml"), sv_from_cstr(text), false);

	return seal_sops_config_parse(arena, sink, source, &config) == STATUS_OK ? config : NULL;
}

/* The first rule that matches a path is used, whether one path is asked for or many are. */
static void first_rule_that_matches(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	const struct seal_sops_config *config = sops_config(arena, &sink,
	                                                    "creation_rules:\n"
	                                                    "  - path_regex: ^prod/.*\\.yaml$\n"
	                                                    "  - path_regex: secret\n"
	                                                    "    mac_only_encrypted: true\n"
	                                                    "  - path_regex: ^(a|b)/\n");
	static const struct {
		sv path;
		sv rule; /* its expression; empty: none matches */
	} cases[] = {
	    {SV_INIT("a/secret.yaml"), SV_INIT("secret")},
	    {SV_INIT("prod/secret.yaml"), SV_INIT("^prod/.*\\.yaml$")},
	    {SV_INIT("prod/x.json"), SV_INIT("")},
	    {SV_INIT("b/x"), SV_INIT("^(a|b)/")},
	    {SV_INIT("prod/secret.json"), SV_INIT("secret")},
	    {SV_INIT(""), SV_INIT("")},
	};
	const struct seal_creation_rule *rules[COUNT_OF(cases)];
	sv paths[COUNT_OF(cases)];

	assert_non_null(config);
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		paths[i] = cases[i].path;
	seal_sops_config_find_each(arena, config, paths, COUNT_OF(cases), rules);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_ptr_equal(rules[i], seal_sops_config_find(config, paths[i]));
		if (sv_empty(cases[i].rule)) {
			assert_null(rules[i]);
			continue;
		}
		assert_non_null(rules[i]);
		assert_true(sv_eq(rules[i]->path, cases[i].rule));
		assert_int_equal(rules[i]->mac_only_encrypted, sv_eq(cases[i].rule, SV("secret")));
	}
	/* A rule without an expression is for every file, and ends the search. */
	config =
	    sops_config(arena, &sink, "creation_rules: [{path_regex: ^a}, {}, {path_regex: b}]");
	assert_non_null(config);
	assert_true(sv_empty(seal_sops_config_find(config, SV("b"))->path));
	assert_true(sv_eq(seal_sops_config_find(config, SV("ab"))->path, SV("^a")));
	seal_sops_config_find_each(arena, config, paths, COUNT_OF(cases), rules);
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_ptr_equal(rules[i], seal_sops_config_find(config, paths[i]));
	assert_int_equal(sink.diags.count, 0);
}

static void creation_rules_are_checked(void **state UNUSED)
{
	static const char *const bad[] = {
	    "creation_rules: {path_regex: a}",
	    "creation_rules: [a]",
	    "creation_rules: [{path_regex: 1}]",
	    "creation_rules: [{path_regex: 'a('}]",
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct sink sink = sink_in(arena);

		assert_null(sops_config(arena, &sink, bad[i]));
		assert_int_equal(sink.diags.count, 1);
		assert_int_equal(sink.diags.items[0]->code, DIAG_SOPS_CONFIG);
	}
	struct sink sink = sink_in(arena);
	const struct seal_sops_config *none = sops_config(arena, &sink, "stores: {}");

	assert_non_null(none);
	assert_null(seal_sops_config_find(none, SV("a")));
	none = sops_config(arena, &sink, "");
	assert_non_null(none);
	assert_null(seal_sops_config_find(none, SV("a")));
	assert_int_equal(sink.diags.count, 0);
}

/* "creation_rules:" and the rule so many times. */
static const char *rules_of(struct arena *arena, const char *rule, size_t count)
{
	struct buf text = buf_in(arena);

	BUF_ADD_LIT(&text, "creation_rules:\n");
	for (size_t i = 0; i < count; i++)
		buf_add_cstr(&text, rule);
	return arena_cstr(arena, buf_sv(&text));
}

/* Each kind of limit, as large as it may be and one more. */
static void creation_rules_are_limited(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf expression = buf_in(arena);
	struct sink sink = sink_in(arena);

	assert_non_null(sops_config(arena, &sink, rules_of(arena, "- {}\n", 1000)));
	assert_null(sops_config(arena, &sink, rules_of(arena, "- {}\n", 1001)));
	assert_int_equal(sink.diags.count, 1);
	for (size_t size = 1000; size <= 1001; size++) {
		sink = sink_in(arena);
		expression.len = 0;
		buf_add_repeat(&expression, 'a', size);
		sv rule = ARENA_CONCAT(arena, SV("- path_regex: "), buf_sv(&expression), SV("\n"));
		const char *text = rules_of(arena, arena_cstr(arena, rule), 1);

		assert_int_equal(sops_config(arena, &sink, text) != NULL, size == 1000);
		assert_int_equal(sink.diags.count, size == 1000 ? 0 : 1);
	}
	/* A wrong expression counts as a thousand instructions; ten thousand are allowed. */
	for (size_t count = 10; count <= 12; count++) {
		sink = sink_in(arena);
		assert_null(
		    sops_config(arena, &sink, rules_of(arena, "- path_regex: 'a('\n", count)));
		assert_int_equal(sink.diags.count, count == 10 ? 10 : 12);
	}
}

/* The bound of the search grows with the paths, the rules and their expressions. */
static void steps_of_a_search(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	const struct seal_sops_config *none = sops_config(arena, &sink, "{}");
	const struct seal_sops_config *plain = sops_config(arena, &sink, "creation_rules: [{}]");
	const struct seal_sops_config *two =
	    sops_config(arena, &sink, "creation_rules: [{path_regex: a+b}, {path_regex: ^c}]");
	size_t size = regex_search_cost(SV("a+b")) + regex_search_cost(SV("^c"));

	assert_true(size > 4);
	assert_int_equal(seal_sops_config_steps(none, 0), 0);
	assert_int_equal(seal_sops_config_steps(none, 7), 7);
	assert_int_equal(seal_sops_config_steps(plain, 7), 14);
	/* Forward to where a match ends, and back to where it begins. */
	assert_int_equal(seal_sops_config_steps(two, 1), 3 + 2 * size);
	assert_int_equal(seal_sops_config_steps(two, 1000), 1000 * (3 + 2 * size));
}

/* Reads the only rule, which is "- {path_regex: a, RULE}". */
static enum status read_rule(struct arena *arena, struct sink *sink, const char *rule,
                             struct seal_rule_recipients *ret_recipients)
{
	sv text = arena_printf(arena, "creation_rules: [{path_regex: a, %s}]", rule);
	const struct seal_sops_config *config = sops_config(arena, sink, arena_cstr(arena, text));

	assert_non_null(config);
	return seal_creation_rule_read(arena, sink, seal_sops_config_find(config, SV("a")),
	                               ret_recipients);
}

static void recipients_of_a_rule(void **state UNUSED)
{
	static const struct {
		const char *rule;
		const char *recipients; /* with spaces between them */
	} cases[] = {
	    {"age: 'one, two,'", "one two"},
	    {"age: [one, two]", "one two"},
	    {"pgp: '', kms: [], age: one", "one"},
	    {"key_groups: [{age: [one, two]}]", "one two"},
	    {"key_groups: [{age: [one]}, {age: [two]}], shamir_threshold: 1", "one two"},
	    {"encrypted_regex: x", ""},
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct seal_rule_recipients read;
		struct buf texts = buf_in(arena);

		assert_int_equal(read_rule(arena, &sink, cases[i].rule, &read), STATUS_OK);
		for (size_t k = 0; k < read.count; k++) {
			if (k > 0)
				buf_add_char(&texts, ' ');
			buf_add(&texts, read.items[k].text);
		}
		assert_string_equal(arena_cstr(arena, buf_sv(&texts)), cases[i].recipients);
	}
	assert_int_equal(sink.diags.count, 0);
}

static void rules_are_refused(void **state UNUSED)
{
	static const struct {
		const char *rule;
		enum diag_code code;
	} cases[] = {
	    {"pgp: x", DIAG_SOPS_CONFIG},
	    {"kms: [x]", DIAG_SOPS_CONFIG},
	    {"age: 1", DIAG_SOPS_CONFIG},
	    {"age: [1]", DIAG_SOPS_CONFIG},
	    {"key_groups: x", DIAG_SOPS_CONFIG},
	    {"key_groups: [{pgp: [x]}]", DIAG_SOPS_CONFIG},
	    {"key_groups: [{age: [x]}, {age: [y]}]", DIAG_SOPS_GROUPS},
	    {"key_groups: [{age: [x]}, {age: [y]}], shamir_threshold: 2", DIAG_SOPS_GROUPS},
	    {"encrypted_regex: 1", DIAG_SOPS_CONFIG},
	    {"encrypted_regex: a(", DIAG_SOPS_CONFIG},
	    {"encrypted_comment_regex: a", DIAG_SOPS_CONFIG},
	    {"encrypted_regex: a, unencrypted_suffix: b", DIAG_SOPS_CONFIG},
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct sink sink = sink_in(arena);
		struct seal_rule_recipients read;

		assert_int_equal(read_rule(arena, &sink, cases[i].rule, &read), STATUS_FAILED);
		assert_int_equal(sink.diags.count, 1);
		assert_int_equal(sink.diags.items[0]->code, cases[i].code);
	}
}

static void keys_that_a_rule_names(void **state UNUSED)
{
	static const struct {
		const char *rule;
		enum seal_selection selection;
		sv key;
		bool names;
	} cases[] = {
	    {"age: x", SEAL_SELECTION_NONE, SV_INIT("data"), false},
	    {"encrypted_regex: ^da", SEAL_ENCRYPTED_REGEX, SV_INIT("data"), true},
	    {"encrypted_regex: ^ta", SEAL_ENCRYPTED_REGEX, SV_INIT("data"), false},
	    {"unencrypted_regex: ta$", SEAL_UNENCRYPTED_REGEX, SV_INIT("data"), true},
	    {"encrypted_suffix: ta", SEAL_ENCRYPTED_SUFFIX, SV_INIT("data"), true},
	    {"unencrypted_suffix: da", SEAL_UNENCRYPTED_SUFFIX, SV_INIT("data"), false},
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct seal_rule_recipients read;

		assert_int_equal(read_rule(arena, &sink, cases[i].rule, &read), STATUS_OK);
		assert_int_equal(read.rule->selection, cases[i].selection);
		assert_int_equal(seal_creation_rule_names(read.rule, cases[i].key), cases[i].names);
	}
}

/* ---- KEY=VALUE lines --------------------------------------------------------------------- */

static enum status read_lines(struct arena *arena, struct sink *sink, const char *text,
                              struct value *ret_document)
{
	return seal_dotenv_parse(
	    arena, sink, source_new(arena, SV("x.env"), sv_from_cstr(text), false), ret_document);
}

/* All but comments and the block of sops comes back as it was. */
static void lines_come_back(void **state UNUSED)
{
	static const char text[] = "A=1\nEMPTY=\nTWO=first\\nsecond\\n\nB=x=y # z\n";
	ARENA_AUTO arena = arena_new(ARENA_SECRET);
	struct sink sink = sink_in(arena);
	struct buf buf = buf_in(arena);
	struct value document;

	assert_int_equal(read_lines(arena, &sink,
	                            "#ENC[AES256_GCM,data:x]\nA=1\nEMPTY=\n\n"
	                            "TWO=first\\nsecond\\n\nB=x=y # z\nsops_mac=m\n"
	                            "sops_age__list_0__map_enc=a\\nb\n"
	                            "sops_age__list_1__map_enc=c\n"
	                            "sops_mac_only_encrypted=true\n",
	                            &document),
	                 STATUS_OK);
	const struct value *block = value_map_get(&document, SV("sops"));
	const struct value *age = value_map_get(block, SV("age"));

	assert_int_equal(value_count(age), 2);
	assert_true(sv_eq(value_text(value_map_get(value_item(age, 0), SV("enc"))), SV("a\nb")));
	assert_true(sv_eq(value_text(value_map_get(value_item(age, 1), SV("enc"))), SV("c")));
	assert_true(value_map_get(block, SV("mac_only_encrypted"))->boolean);
	assert_true(sv_eq(value_text(value_map_get(&document, SV("TWO"))), SV("first\nsecond\n")));
	struct value lines = value_map_new(arena);

	for (size_t i = 0; i + 1 < value_count(&document); i++)
		value_map_set(arena, &lines, document.map->entries[i].key,
		              document.map->entries[i].value);
	seal_dotenv_add(&buf, &lines);
	assert_string_equal(arena_cstr(arena, buf_sv(&buf)), text);
}

static void lines_are_checked(void **state UNUSED)
{
	static const struct {
		const char *text;
		unsigned line;
	} bad[] = {
	    {"A=1\nno line\n", 2},
	    {"=1\n", 1},
	    {"A=1\nB=2\nA=1\n", 3},
	    {"sops_age__list_1__map_enc=a\n", 1},
	    {"sops_age__list_0__map_enc=a\nsops_age__list_2__map_enc=a\n", 2},
	    {"sops_age__list_x__map_enc=a\n", 1},
	    {"sops_age__list_-1__map_enc=a\n", 1},
	    {"sops_age__list_0=a\n", 1},
	    {"sops_age=a\nsops_age__list_0__map_enc=a\n", 2},
	};
	ARENA_AUTO arena = arena_new(ARENA_SECRET);

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct sink sink = sink_in(arena);
		struct value document;

		assert_int_equal(read_lines(arena, &sink, bad[i].text, &document), STATUS_FAILED);
		assert_int_equal(sink.diags.count, 1);
		assert_int_equal(sink.diags.items[0]->code, DIAG_SOPS_FORMAT);
		assert_true(sv_contains(sink.diags.items[0]->help, SV("sops")));
		assert_int_equal(position_line_column(sink.diags.items[0]->at).line, bad[i].line);
	}
}

UNIT_TESTS(seal_format)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(formats_by_name),
	    cmocka_unit_test(sealed_documents),
	    cmocka_unit_test(recipients_of_each_kind),
	    cmocka_unit_test(clear_documents_stay),
	    cmocka_unit_test(what_a_reviewer_sees),
	    cmocka_unit_test(first_rule_that_matches),
	    cmocka_unit_test(creation_rules_are_checked),
	    cmocka_unit_test(recipients_of_a_rule),
	    cmocka_unit_test(rules_are_refused),
	    cmocka_unit_test(keys_that_a_rule_names),
	    cmocka_unit_test(lines_come_back),
	    cmocka_unit_test(lines_are_checked),
	    cmocka_unit_test(forms_of_sops),
	    cmocka_unit_test(rules_of_files),
	    cmocka_unit_test(bytes_of_clear_values),
	    cmocka_unit_test(creation_rules_are_limited),
	    cmocka_unit_test(steps_of_a_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
