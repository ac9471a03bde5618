/*
 * The file of a shard: what is written is read, and nothing else is.
 */
#include "asserts.h"
#include "run/shard/format.h"

static sv bytes_of(struct arena *arena, char byte, size_t count)
{
	struct buf buf = buf_in(arena);

	buf_add_repeat(&buf, byte, count);
	return buf_sv(&buf);
}

/* A shard in which every member is set. */
static struct run_shard whole_shard(struct arena *arena)
{
	struct run_shard shard = {
	    .head = {.version = SV("1.2.3"),
	             .build = SV("build"),
	             .source = SV("source"),
	             .tip = SV("tip"),
	             .inputs = SV("inputs"),
	             .out = SV("out"),
	             .index = 2,
	             .count = 3,
	             .unit_count = 300,
	             .options = ARENA_ARRAY(arena, struct run_shard_option, 1),
	             .option_count = 1},
	    .pack = {.size_bytes = 131, .digest = bytes_of(arena, 'd', 32)},
	    .units = ARENA_ARRAY(arena, struct run_shard_unit, 1),
	    .unit_count = 1,
	    .changes = ARENA_ARRAY(arena, struct review_change, 1),
	    .change_count = 1,
	};
	struct run_shard_unit *unit = shard.units;
	static size_t places[] = {7, 299};
	static struct report_field fields[] = {
	    {SV_INIT("kubelet"), SV_INIT("1"), SV_INIT("2"), true, {0}}};
	static struct report_note findings[] = {
	    {.kind = REPORT_NOTE_HOST, .text = SV_INIT("text")}};
	static struct run_sealed_change sealed[] = {{SV_INIT("a/b.yaml"), REPORT_SEALED_VALUE}};

	shard.head.options[0] = (struct run_shard_option){SV("--branch"), SV("digest")};
	*unit = (struct run_shard_unit){
	    .place = 128,
	    .key = SV("prod/MachineDeployment/kube-system/workers"),
	    .steps = INT64_MAX,
	    .row = {.cluster = SV("prod"), .name = SV("workers"), .bootstrap_bytes = 17},
	    .facts = {.is_there = true,
	              .template = PLAN_TEMPLATE_CHANGED,
	              .file_changed = true,
	              .is_rolled = true},
	    .unit = {.name = SV("workers"), .revision = SV("4")},
	    .roll = {.by = SV("profile"), .contract = SV("1"), .value = SV("abc")},
	    .files = ARENA_ARRAY(arena, struct run_shard_file, 2),
	    .file_count = 2,
	    .sealed = sealed,
	    .sealed_count = 1,
	    .warnings = ARENA_ARRAY(arena, struct run_shard_warning, 1),
	    .warning_count = 1,
	};
	unit->files[0] = (struct run_shard_file){
	    .file = {.path = SV("a/b.yaml"), .side = ARTIFACT_WORKER, .role = ARTIFACT_SUPPORT},
	    .blob = {.size_bytes = 5,
	             .is_changed = true,
	             .offset = 12,
	             .entry_bytes = 99,
	             .crc = 0xfedcba98},
	};
	memset(unit->files[0].blob.id.bytes, 0x7f, sizeof(unit->files[0].blob.id.bytes));
	unit->files[1] = (struct run_shard_file){
	    .file = {.path = SV("a/c.yaml"), .object = {.kind = SV("Secret")}, .sealed = true}};
	unit->warnings[0] = (struct run_shard_warning){
	    .code = DIAG_USERDATA_NEAR_LIMIT,
	    .at = {.where = RUN_SHARD_DEFINITION, .offset = 3, .length = 4},
	    .text = SV("text"),
	    .notes = ARENA_ARRAY(arena, struct run_shard_note, 1),
	    .note_count = 1,
	};
	unit->warnings[0].notes[0] = (struct run_shard_note){
	    .at = {.where = RUN_SHARD_UNIT, .is_whole = true}, .text = SV("note")};
	shard.changes[0] = (struct review_change){
	    .key = bytes_of(arena, 'k', 32),
	    .form = SV("form\n"),
	    .first = 7,
	    .places = places,
	    .place_count = COUNT_OF(places),
	    .fields = fields,
	    .field_count = COUNT_OF(fields),
	    .findings = findings,
	    .finding_count = COUNT_OF(findings),
	};
	return shard;
}

static void test_round_trip(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct run_shard shard = whole_shard(arena);
	struct run_shard again;
	sv content = run_shard_encode(arena, &shard);

	(void)state;
	assert_true(run_shard_decode(arena, content, &again));
	assert_true(sv_eq(run_shard_encode(arena, &again), content));
	assert_int_equal(again.units[0].place, 128);
	assert_int_equal(again.units[0].steps, INT64_MAX);
	assert_int_equal(again.units[0].facts.template, PLAN_TEMPLATE_CHANGED);
	assert_true(again.units[0].facts.is_rolled);
	assert_true(sv_eq(again.units[0].roll.value, SV("abc")));
	assert_int_equal(again.units[0].warnings[0].at.where, RUN_SHARD_DEFINITION);
	assert_true(again.units[0].warnings[0].notes[0].at.is_whole);
	assert_int_equal(again.units[0].files[0].blob.entry_bytes, 99);
	assert_int_equal(again.units[0].files[0].blob.crc, 0xfedcba98);
	assert_int_equal(again.pack.size_bytes, 131);
	assert_true(sv_eq(again.pack.digest, bytes_of(arena, 'd', 32)));
	assert_int_equal(again.units[0].files[0].blob.id.bytes[19], 0x7f);
	assert_true(again.units[0].files[1].file.sealed);
	assert_int_equal(again.changes[0].places[1], 299);
}

/* Every prefix, and every content with a byte more, is refused. */
static void test_cut(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct run_shard shard = whole_shard(arena);
	struct run_shard again;
	sv content = run_shard_encode(arena, &shard);

	(void)state;
	for (size_t i = 0; i < content.len; i++)
		assert_false(run_shard_decode(arena, sv_slice(content, 0, i), &again));
	assert_false(run_shard_decode(arena, ARENA_CONCAT(arena, content, SV("\0")), &again));
}

/* A content has one encoding, and a list cannot be longer than the bytes that follow. */
static void test_numbers(void **state)
{
	static const sv heads[] = {
	    SV_INIT("\x80"),                                     /* ends within a number */
	    SV_INIT("\x80\x00"),                                 /* a digit 0 at the end */
	    SV_INIT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), /* 64 bits */
	    SV_INIT("\x05"
	            "abc"), /* a string cut off */
	    SV_INIT("\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
	            "abc"), /* a string of 2^63 - 1 */
	    SV_INIT("\0\0\0\0\0\0\0\0\0"
	            "\xff\xff\xff\xff\x0f"), /* as many options */
	    SV_INIT("\0\0\0\0\0\0\0\0\0\0\0"
	            "\xff\xff\xff\xff\x0f"), /* as many units */
	    SV_INIT("\0\0\0\0\0\0\0\0\0\0\0"
	            "\0"
	            "\xff\xff\xff\xff\x0f"), /* as many changes */
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct run_shard shard;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(heads); i++)
		assert_false(run_shard_decode(arena, heads[i], &shard));
	assert_true(arena_used(arena) < 4096);
	assert_true(run_shard_decode(arena,
	                             SV("\0\0\0\0\0\0\0\0\0\0\0"
	                                "\0"
	                                "\0"),
	                             &shard));
}

static struct seal_root *root_of(struct arena *arena, char byte)
{
	struct sink sink = sink_in(arena);
	struct seal_root *root = NULL;
	uint8_t seed[SEAL_SEED_SIZE];

	memset(seed, byte, sizeof(seed));
	seed[0]++;
	assert_int_equal(seal_root_parse(&sink, NOWHERE, seal_seed_format(arena, seed), &root),
	                 STATUS_OK);
	return root;
}

static void test_mac(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	SEAL_ROOT_AUTO root = root_of(arena, 'a');
	SEAL_ROOT_AUTO other = root_of(arena, 'b');
	sv text = run_shard_sign(arena, root, SV("content"));
	sv content;

	(void)state;
	assert_int_equal(run_shard_check(arena, root, text, &content), RUN_SHARD_FINE);
	assert_true(sv_eq(content, SV("content")));
	assert_int_equal(run_shard_check(arena, other, text, &content), RUN_SHARD_OTHER_SEED);
	assert_int_equal(run_shard_check(arena, root, SV("content"), &content), RUN_SHARD_STRANGE);
	for (size_t i = 0; i < text.len; i++) {
		char *changed = arena_cstr(arena, text);

		changed[i] ^= 1;
		assert_int_not_equal(
		    run_shard_check(arena, root, sv_from(changed, text.len), &content),
		    RUN_SHARD_FINE);
		assert_int_not_equal(run_shard_check(arena, root, sv_slice(text, 0, i), &content),
		                     RUN_SHARD_FINE);
	}
	/* The identity of the fleet is another seed. */
	seal_root_bind(root, SV("fleet"));
	assert_int_equal(run_shard_check(arena, root, text, &content), RUN_SHARD_OTHER_SEED);
}

UNIT_TESTS(run_shard)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_round_trip),
	    cmocka_unit_test(test_cut),
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_mac),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
