/*
 * What an audit reads of messages, and the digest by which a run vouches for its output. The whole
 * is tested on real repositories: tests/cli/verify.sh.
 */
#include "audit/internal.h"
#include "yaml/yaml.h"

#include "asserts.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define SOURCE "7f8e6b0f6a7d0f0f1c9a4d3b2e1f00112233aabb"
#define OTHER  "00000b0f6a7d0f0f1c9a4d3b2e1f00112233aabb"
#define OUTPUT "0123456789abcdef0123456789abcdef"

static size_t count_of(struct arena *arena, const char *message)
{
	struct audit_trailers trailers;

	audit_read_trailers(arena, sv_from_cstr(message), &trailers);
	return trailers.count;
}

static void trailers_are_read_wherever_they_stand(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	static const char *const one[] = {
	    "osm-gen: x\n\nOsm-Gen-Source: " SOURCE "\nOsm-Gen-Output: " OUTPUT "\n",
	    "Osm-Gen-Source: " SOURCE "\r\nOsm-Gen-Version: 1\r\nOsm-Gen-Output: " OUTPUT "\r\n",
	    "squashed\n\n    Osm-Gen-Source: " SOURCE "\n    Osm-Gen-Output: " OUTPUT,
	    "\tOsm-Gen-Source:" SOURCE "\n\n\ntext\nOsm-Gen-Output:   " OUTPUT "   \n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(one); i++)
		assert_int_equal(count_of(arena, one[i]), 1);
}

static void what_is_malformed_is_passed_over(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	static const char *const none[] = {
	    "",
	    "Osm-Gen-Output: " OUTPUT "\nOsm-Gen-Source: " SOURCE "\n",
	    "Osm-Gen-Source: " SOURCE "\nOsm-Gen-Output: " OUTPUT "0\n",
	    "Osm-Gen-Source: " SOURCE "\nOsm-Gen-Output: 0123456789ABCDEF0123456789ABCDEF\n",
	    "Osm-Gen-Source: " SOURCE "\nOsm-Gen-Output : " OUTPUT "\n",
	    "Osm-Gen-Source: " SOURCE "\nosm-gen-output: " OUTPUT "\n",
	    "Osm-Gen-Source: " SOURCE "\nsee Osm-Gen-Output: " OUTPUT "\n",
	    "Osm-Gen-Source: HEAD\nOsm-Gen-Output: " OUTPUT "\n",
	    /* A malformed source ends the one before. */
	    "Osm-Gen-Source: " SOURCE "\nOsm-Gen-Source: x\nOsm-Gen-Output: " OUTPUT "\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(none); i++)
		assert_int_equal(count_of(arena, none[i]), 0);
}

static void a_digest_belongs_to_the_nearest_source(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct audit_trailers trailers;
	struct buf many = buf_in(arena);

	(void)state;
	audit_read_trailers(arena,
	                    SV("Osm-Gen-Source: " OTHER "\nOsm-Gen-Source: " SOURCE
	                       "\nOsm-Gen-Output: " OUTPUT "\nOsm-Gen-Source: " OTHER
	                       "\nOsm-Gen-Output: " OUTPUT "\n"),
	                    &trailers);
	assert_int_equal(trailers.count, 2);
	assert_sv(trailers.items[0].source, SOURCE);
	assert_sv(trailers.items[0].output, OUTPUT);
	assert_sv(trailers.items[1].source, OTHER);
	for (int i = 0; i < 1000; i++)
		BUF_ADD_LIT(&many, "Osm-Gen-Source: " SOURCE "\nOsm-Gen-Output: " OUTPUT "\n");
	audit_read_trailers(arena, buf_sv(&many), &trailers);
	assert_int_equal(trailers.count, 64);
}

/* ---- the digest -------------------------------------------------------------------------- */

static struct seal_root *root_of_bytes(struct arena *arena, uint8_t byte)
{
	uint8_t seed[SEAL_SEED_SIZE];
	struct sink sink = sink_in(arena);
	struct seal_root *root;

	for (size_t i = 0; i < sizeof(seed); i++)
		seed[i] = (uint8_t)(byte + i);
	assert_int_equal(seal_root_parse(&sink, NOWHERE, seal_seed_format(arena, seed), &root),
	                 STATUS_OK);
	return root;
}

static void add(struct arena *arena, struct git_files *files, const char *path, enum git_mode mode,
                uint8_t byte)
{
	VEC_PUSH(
	    arena, files,
	    ((struct git_file){.path = sv_from_cstr(path), .mode = mode, .id = {.bytes = {byte}}}));
}

static struct audit_state state_of(struct arena *arena, const char *path, enum git_mode mode,
                                   uint8_t byte)
{
	struct audit_state state = {0};

	add(arena, &state.inputs, "osm-gen.yaml", GIT_MODE_FILE, 1);
	add(arena, &state.outputs, "a", GIT_MODE_FILE, 2);
	add(arena, &state.outputs, path, mode, byte);
	return state;
}

/* Every part of what is vouched for makes another digest, and so does the seed. */
static void all_of_it_is_in_the_digest(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	SEAL_ROOT_AUTO root = root_of_bytes(arena, 1);
	SEAL_ROOT_AUTO other_root = root_of_bytes(arena, 2);
	struct audit_state base = state_of(arena, "b", GIT_MODE_FILE, 3);
	struct audit_state other_path = state_of(arena, "c", GIT_MODE_FILE, 3);
	struct audit_state other_mode = state_of(arena, "b", GIT_MODE_EXECUTABLE, 3);
	struct audit_state other_id = state_of(arena, "b", GIT_MODE_FILE, 4);
	struct audit_state other_input = base;
	struct audit_state moved = {.inputs = base.outputs, .outputs = base.inputs};

	(void)state;
	other_input.inputs = (struct git_files){0};
	add(arena, &other_input.inputs, "osm-gen.yaml", GIT_MODE_FILE, 9);
	const sv digests[] = {
	    audit_output_digest(arena, root, SV("out"), SV(SOURCE), &base),
	    audit_output_digest(arena, other_root, SV("out"), SV(SOURCE), &base),
	    audit_output_digest(arena, root, SV("ou"), SV(SOURCE), &base),
	    audit_output_digest(arena, root, SV("out"), SV(OTHER), &base),
	    audit_output_digest(arena, root, SV("out"), SV(SOURCE), &other_path),
	    audit_output_digest(arena, root, SV("out"), SV(SOURCE), &other_mode),
	    audit_output_digest(arena, root, SV("out"), SV(SOURCE), &other_id),
	    audit_output_digest(arena, root, SV("out"), SV(SOURCE), &other_input),
	    audit_output_digest(arena, root, SV("out"), SV(SOURCE), &moved),
	};
	for (size_t i = 0; i < COUNT_OF(digests); i++) {
		assert_int_equal(digests[i].len, 32);
		for (size_t j = 0; j < i; j++)
			assert_false(sv_eq(digests[i], digests[j]));
	}
	sv again = audit_output_digest(arena, root, SV("out"), SV(SOURCE), &base);
	assert_true(sv_eq(digests[0], again));
}

/* ---- findings ---------------------------------------------------------------------------- */

static void findings_are_counted_beyond_the_limit(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct audit_findings findings = audit_findings_in(arena, SV("out"));

	(void)state;
	for (int i = 0; i < AUDIT_MOST_FINDINGS + 3; i++) {
		struct diag *diag = audit_find(&findings, DIAG_AUDIT_MISSING,
		                               arena_printf(arena, "c/%d.yaml", i), "gone");
		diag_set_help(&findings.sink, diag, "help");
	}
	assert_int_equal(findings.sink.diags.count, AUDIT_MOST_FINDINGS);
	assert_int_equal(findings.more, 3);
	assert_int_equal(findings.sink.error_count, 0);
	assert_sv(findings.sink.diags.items[0]->at.source->path, "out/c/0.yaml");
}

/* ---- SealedSecrets and patches ----------------------------------------------------------- */

#define SEALED_BYTES                                                                               \
	"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"         \
	"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"         \
	"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"         \
	"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"         \
	"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define SEALED_SECRET(above, data, below)                                                          \
	"apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata:\n"                        \
	"  name: a\n  namespace: n\n" above "spec:\n  encryptedData:\n    key: " data              \
	"\n  template:\n    metadata:\n      name: a\n      namespace: n\n" below

static const struct value *parse(struct arena *arena, const char *text)
{
	struct sink sink = sink_in(arena);
	struct yml_documents *documents = ARENA_NEW(arena, struct yml_documents);
	struct source *source = source_new(arena, SV("file"), sv_from_cstr(text), false);

	assert_int_equal(yml_parse(arena, &sink, source, documents), STATUS_OK);
	assert_int_equal(documents->count, 1);
	return &documents->items[0].root;
}

/* What is found in a document, as "CODE TEXT"; empty: nothing. */
static sv found_in(struct arena *arena, const char *text, enum seal_scope scope)
{
	struct audit_findings findings = audit_findings_in(arena, SV("out"));
	const struct tree_file entry = {.path = SV("c/worker/n/secret-a.yaml")};
	struct fleet_sealing sealing = {.format = sealer_format_find(SV("sealed-secrets")),
	                                .scope = scope};
	const struct audit_file file = {
	    .findings = &findings,
	    .entry = &entry,
	    .sealing = &sealing,
	    .document = parse(arena, text),
	};

	assert_true(audit_is_wrapped(file.document));
	audit_check_wrapped(arena, &file);
	if (findings.sink.diags.count == 0)
		return SV("");
	assert_int_equal(findings.sink.diags.count, 1);
	return arena_printf(arena, "%d %.*s", (int)findings.sink.diags.items[0]->code,
	                    SV_ARG(findings.sink.diags.items[0]->text));
}

static void what_a_sealed_secret_may_hold(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	static const struct {
		const char *text;
		enum seal_scope scope;
		const char *found;
	} cases[] = {
	    {SEALED_SECRET("", SEALED_BYTES, ""), SEAL_SCOPE_STRICT, ""},
	    {SEALED_SECRET("", SEALED_BYTES, "    type: Opaque\n"), SEAL_SCOPE_STRICT, ""},
	    {SEALED_SECRET("", "cGxhaW4=", ""), SEAL_SCOPE_STRICT,
	     "5106 spec.encryptedData.key should be sealed and is not"},
	    {SEALED_SECRET("", "{a: b}", ""), SEAL_SCOPE_STRICT,
	     "5106 spec.encryptedData.key should be sealed and is not"},
	    {SEALED_SECRET("", SEALED_BYTES, "    data: {a: b}\n"), SEAL_SCOPE_STRICT,
	     "5106 spec.template.data does not belong into a SealedSecret that osm-gen writes"},
	    {SEALED_SECRET("  labels: {a: b}\n", SEALED_BYTES, ""), SEAL_SCOPE_STRICT,
	     "5106 metadata.labels does not belong into a SealedSecret that osm-gen writes"},
	    {SEALED_SECRET("", SEALED_BYTES, ""), SEAL_SCOPE_CLUSTER,
	     "5106 the file's scope is strict, but the cluster's is cluster-wide"},
	    {SEALED_SECRET("  annotations: {sealedsecrets.bitnami.com/namespace-wide: x}\n",
	                   SEALED_BYTES, ""),
	     SEAL_SCOPE_STRICT,
	     "5106 the annotations mean namespace-wide, but those of the Secret mean strict"},
	    {SEALED_SECRET("", SEALED_BYTES, "      generateName: b\n"), SEAL_SCOPE_STRICT,
	     "5106 spec.template.metadata.generateName does not belong into a SealedSecret that "
	     "osm-gen writes"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_sv(found_in(arena, cases[i].text, cases[i].scope), cases[i].found);
}

static bool read(struct arena *arena, const char *files, struct tree_index *index, sv *what)
{
	sv text = arena_printf(
	    arena, "{\"generator\": \"osm-gen\", \"cluster\": \"c\", \"files\": [%s]}", files);

	return audit_read_index(arena, SV("c"), source_new(arena, SV("c/index.json"), text, false),
	                        index, what);
}

#define OSC "{\"apiVersion\": \"a/v1\", \"kind\": \"K\", \"namespace\": \"n\", \"name\": \"o\"}"
#define PATCH                                                                                      \
	"{\"data\": \"ENC[AES256_GCM,data:YQ==,iv:YQ==,tag:YQ==,type:str]\", \"sops\": {\"mac\": " \
	"\"ENC[AES256_GCM,data:YQ==,iv:YQ==,tag:YQ==,type:str]\", \"age\": [], \"lastmodified\": " \
	"\"x\", \"version\": \"3\"}}"

static void patches_belong_beside_their_objects(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	const struct value *patch = parse(arena, PATCH);
	struct tree_index index;
	sv what;

	(void)state;
	assert_true(read(arena, "{\"path\": \"management/n/k-o.sealed\", \"patchOf\": " OSC "}",
	                 &index, &what));
	assert_sv(index.files[0].patch_of->name, "o");
	assert_sv(index.files[0].object.kind, "");
	assert_sv(audit_place_mistake(arena, &index, &index.files[0], patch, SV("")), "");
	sv mistake =
	    audit_place_mistake(arena, &index, &index.files[0], parse(arena, "{kind: K}"), SV(""));
	assert_true(sv_contains(mistake, SV("this file is not a sealed patch")));
	index.files[0].path = SV("c/management/n/k-p.sealed");
	mistake = audit_place_mistake(arena, &index, &index.files[0], patch, SV(""));
	assert_true(sv_contains(mistake, SV("whose file is c/management/n/k-o.sealed")));
	assert_false(read(arena,
	                  "{\"path\": \"management/n/k-o.sealed\", \"patchOf\": " OSC
	                  ", \"object\": " OSC "}",
	                  &index, &what));
	assert_true(sv_contains(what, SV("both an object and a patch")));
}

/* verify reads an index of any format; a run, which removes what is listed, only one it knows. */
static void later_formats_are_only_verified(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	const struct source *source =
	    source_new(arena, SV("c/index.json"),
	               SV("{\"formatVersion\": 9, \"generator\": \"osm-gen\", \"cluster\": \"c\", "
	                  "\"recipients\": "
	                  "[\"b\", \"a\"], \"files\": [{\"path\": \"status/a\", \"source\": "
	                  "\"m.yaml\", \"sealed\": true}]}"),
	               false);
	struct sink sink = sink_in(arena);
	struct tree_index index;
	sv what;

	(void)state;
	assert_true(audit_read_index(arena, SV("c"), source, &index, &what));
	assert_int_equal(index.format, 0);
	assert_sv(index.cluster, "c");
	assert_sv(index.files[0].path, "c/status/a");
	assert_sv(index.files[0].source, "m.yaml");
	assert_true(index.files[0].sealed);
	assert_sv(index.recipients[0], "a");
	assert_int_equal(tree_index_read(arena, &sink, SV("c"), source, &index), STATUS_FAILED);
	assert_int_equal(sink.diags.items[0]->code, DIAG_TREE_INDEX);
}

UNIT_TESTS(audit)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(trailers_are_read_wherever_they_stand),
	    cmocka_unit_test(what_is_malformed_is_passed_over),
	    cmocka_unit_test(a_digest_belongs_to_the_nearest_source),
	    cmocka_unit_test(all_of_it_is_in_the_digest),
	    cmocka_unit_test(findings_are_counted_beyond_the_limit),
	    cmocka_unit_test(what_a_sealed_secret_may_hold),
	    cmocka_unit_test(patches_belong_beside_their_objects),
	    cmocka_unit_test(later_formats_are_only_verified),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
