/* index.json: what is written is read as it was, by the fast reader and by the other one. */
#include "tree/index.h"

#include "asserts.h"
#include "index_again.h"

#define FOLDER "prod-us-1"

static struct arena *arena;

static int set_up(void **state UNUSED)
{
	arena = arena_new(ARENA_PLAIN);
	return 0;
}

static int tear_down(void **state UNUSED)
{
	arena_free(arena);
	return 0;
}

/* An index with every member; the name is that of its unit. */
static sv example(sv name)
{
	const struct tree_unit unit = {
	    .kind = SV("MachineDeployment"),
	    .namespace = SV("kube-system"),
	    .name = name,
	    .revision = SV("7"),
	    .template_digest = SV("0123abcd"),
	    .profile = SV("osp-ubuntu"),
	    .profile_version = SV("v1.3.0"),
	};
	const struct kube_id patched = {SV("apps/v1"), SV("Deployment"), SV("a"), SV("b")};
	const struct tree_file files[] = {
	    {.path = SV(FOLDER "/machines/x.yaml"),
	     .object = {SV("v1"), SV("Secret"), SV("kube-system"), SV("x")},
	     .role = ARTIFACT_BOOTSTRAP,
	     .source = SV("fleet/x.yaml"),
	     .sealed = true,
	     .unit = &unit,
	     .user_data_bytes = 7341,
	     .user_data_limit = 16384},
	    {.path = SV(FOLDER "/machines/y.yaml"),
	     .object = {SV("v1"), SV("ConfigMap"), SV(""), SV("y")},
	     .role = ARTIFACT_CREDENTIAL,
	     .unit = &unit,
	     .user_data_bytes = 10},
	    {.path = SV(FOLDER "/patch.yaml"),
	     .patch_of = &patched,
	     .role = ARTIFACT_REPORT,
	     .source = SV("fleet/y.yaml")},
	    {.path = SV(FOLDER "/text")},
	};
	const struct tree_file delivered[] = {
	    {.path = SV("flux/prod/" FOLDER "/worker.yaml"),
	     .object = {SV("v1"), SV("Kustomization"), SV("flux-system"), SV("w")},
	     .source = SV("osm-gen.yaml")},
	    {.path = SV("flux/prod/kustomization.yaml")},
	};
	const sv texts[] = {SV("age1one"), SV("age1two")};
	const struct tree_proof proof = {&unit, SV("0f0f"), SV("aws"), SV("ubuntu"), SV("1.34.1")};
	const struct tree_roll roll = {&unit, SV("profile"), SV("1"), SV("s1"), SV("d1"), SV("v1")};
	struct tree_file_list list = {0};
	struct tree_file_list delivery = {0};
	struct tree_proofs proofs = {0};
	struct tree_rolls rolls = {0};
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < COUNT_OF(files); i++)
		VEC_PUSH(arena, &list, &files[i]);
	for (size_t i = 0; i < COUNT_OF(delivered); i++)
		VEC_PUSH(arena, &delivery, &delivered[i]);
	VEC_PUSH(arena, &proofs, proof);
	VEC_PUSH(arena, &rolls, roll);
	tree_add_index(&buf, &(struct tree_index_request){
	                         .cluster = SV("prod-us-1"),
	                         .folder = SV(FOLDER),
	                         .seed_id = SV("seed"),
	                         .recipients = texts,
	                         .recipient_count = COUNT_OF(texts),
	                         .recipients_digest = SV("beef"),
	                         .sealed_settings = texts,
	                         .sealed_setting_count = 1,
	                         .cut = 2,
	                         .files = &list,
	                         .delivery = &delivery,
	                         .proofs = &proofs,
	                         .rolls = &rolls,
	                     });
	return buf_sv(&buf);
}

/* Reads with the slow reader: the fast one takes no white space at the end. */
static enum status read_slowly(struct arena *scratch, sv text, struct tree_index *ret_index)
{
	struct sink sink = sink_in(scratch);
	sv other = ARENA_CONCAT(scratch, text, SV(" "));

	assert_false(tree_index_read_plain(scratch, SV(FOLDER), other, ret_index));
	return tree_index_read(scratch, &sink, SV(FOLDER),
	                       source_new(scratch, SV("index.json"), other, false), ret_index);
}

static void is_read_as_it_was_written(void **state UNUSED)
{
	sv text = example(SV("workers"));
	struct tree_index index;

	assert_true(tree_index_read_plain(arena, SV(FOLDER), text, &index));
	assert_sv(index_again(arena, &index), arena_cstr(arena, text));
	/* A member that is neither written nor read would be equal, too. */
	assert_sv(index.files[0].object.api_version, "v1");
	assert_sv(index.files[0].object.kind, "Secret");
	assert_sv(index.files[0].object.namespace, "kube-system");
	assert_sv(index.files[0].object.name, "x");
	assert_int_equal(index.files[0].role, ARTIFACT_BOOTSTRAP);
	assert_sv(index.files[0].source, "fleet/x.yaml");
	assert_true(index.files[0].sealed);
	assert_int_equal(index.files[0].user_data_bytes, 7341);
	assert_int_equal(index.files[0].user_data_limit, 16384);
	assert_sv(index.files[2].patch_of->api_version, "apps/v1");
	assert_sv(index.files[2].patch_of->kind, "Deployment");
	assert_sv(index.files[2].patch_of->namespace, "a");
	assert_sv(index.files[2].patch_of->name, "b");
	assert_sv(index.files[2].source, "fleet/y.yaml");
	assert_false(index.files[2].sealed);
	/* The files of a unit share its record. */
	assert_ptr_equal(index.files[0].unit->name.ptr, index.proofs[0].unit->name.ptr);
	assert_int_equal(read_slowly(arena, text, &index), STATUS_OK);
	assert_sv(index_again(arena, &index), arena_cstr(arena, text));
}

/* Formats before this one are read; of a later one nothing is known. */
static void knows_its_formats(void **state UNUSED)
{
	sv text = example(SV("workers"));
	sv before;
	sv after;

	assert_true(sv_cut(text, SV("\"formatVersion\": 2"), &before, &after));
	for (int format = 0; format <= TREE_INDEX_FORMAT + 1; format++) {
		sv other = arena_printf(arena, "%.*s\"formatVersion\": %d%.*s", SV_ARG(before),
		                        format, SV_ARG(after));
		struct tree_index index;
		bool known = format >= 1 && format <= TREE_INDEX_FORMAT;

		assert_int_equal(read_slowly(arena, other, &index) == STATUS_OK, known);
	}
}

/* Members that are left out are empty. */
static void may_have_little(void **state UNUSED)
{
	const struct tree_file_list none = {0};
	struct buf buf = buf_in(arena);
	struct tree_index index;

	tree_add_index(&buf, &(struct tree_index_request){
	                         .cluster = SV("c"), .folder = SV(FOLDER), .files = &none});
	assert_true(tree_index_read_plain(arena, SV(FOLDER), buf_sv(&buf), &index));
	assert_sv(index_again(arena, &index), arena_cstr(arena, buf_sv(&buf)));
	assert_int_equal(index.cut, 0);
	assert_lacks(buf_sv(&buf), "\"cut\"");
	assert_int_equal(index.file_count + index.recipient_count + index.sealed_setting_count +
	                     index.proof_count + index.roll_count,
	                 0);
	assert_int_equal(read_slowly(arena, buf_sv(&buf), &index), STATUS_OK);
	assert_sv(index_again(arena, &index), arena_cstr(arena, buf_sv(&buf)));
}

static void names_may_need_escapes(void **state UNUSED)
{
	static const char *const names[] = {"a\"b\\c",  "\b\f\n\r\t", "\x01\x1f",
	                                    "\xc3\xbc", "\x7f",       "\"\""};

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		sv text = example(sv_from_cstr(names[i]));
		struct tree_index index;

		assert_int_equal(read_slowly(arena, text, &index), STATUS_OK);
		assert_sv(index.files[0].unit->name, names[i]);
		assert_sv(index_again(arena, &index), arena_cstr(arena, text));
		/* The fast one leaves all of them to the other, but DEL. */
		assert_int_equal(tree_index_read_plain(arena, SV(FOLDER), text, &index),
		                 names[i][0] == '\x7f');
	}
}

/* What the fast reader takes, the other one takes, too, and reads the same. Empties the arena. */
static void check_readers(struct arena *scratch, sv text)
{
	struct tree_index fast;
	struct tree_index slow;

	if (tree_index_read_plain(scratch, SV(FOLDER), text, &fast) &&
	    (read_slowly(scratch, text, &slow) != STATUS_OK ||
	     !sv_eq(index_again(scratch, &fast), index_again(scratch, &slow))))
		fail_msg("the readers differ: %.*s", SV_ARG(text));
	arena_reset(scratch);
}

static void readers_agree_on_damaged_files(void **state UNUSED)
{
	static const char others[] = "\"\\{}[],: \n01.ax\x80";
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	sv text = example(SV("workers"));

	for (size_t at = 0; at < text.len; at++) {
		sv before = sv_slice(text, 0, at);
		sv rest = sv_from_offset(text, at);
		sv after = sv_from_offset(text, at + 1);

		check_readers(scratch, before);
		check_readers(scratch, ARENA_CONCAT(scratch, before, after));
		for (size_t i = 0; i + 1 < sizeof(others); i++) {
			sv other = sv_from(&others[i], 1);

			/* In the place of a byte here, before it at the next place. */
			check_readers(scratch, ARENA_CONCAT(scratch, before, other,
			                                    (at + i) % 2 ? after : rest));
		}
	}
}

/* Lines that are missing, doubled, or in another place. */
static void readers_agree_on_moved_lines(void **state UNUSED)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	sv text = example(SV("workers"));
	sv lines[200];
	size_t count = 0;

	for (sv rest = text; !sv_empty(rest); count++) {
		size_t end = sv_find_char(rest, '\n') + 1;

		assert_true(count < COUNT_OF(lines));
		lines[count] = sv_slice(rest, 0, end);
		rest = sv_from_offset(rest, end);
	}
	for (size_t from = 0; from < count; from++) {
		for (size_t to = 0; to <= count; to++) {
			for (int moves = 0; moves < 2; moves++) {
				struct buf buf = buf_in(scratch);

				for (size_t i = 0; i <= count; i++) {
					if (i == to)
						buf_add(&buf, lines[from]);
					if (i < count && !(moves && i == from))
						buf_add(&buf, lines[i]);
				}
				check_readers(scratch, buf_sv(&buf));
			}
		}
	}
}

static void paths_stay_in_their_folders(void **state UNUSED)
{
	static const char *const paths[] = {"../x", "/x", "a/../../x", "", ".", "a//b"};
	sv text = example(SV("workers"));
	sv before;
	sv after;

	assert_true(sv_cut(text, SV("machines/x.yaml"), &before, &after));
	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		sv other = ARENA_CONCAT(arena, before, sv_from_cstr(paths[i]), after);
		struct tree_index index;

		assert_false(tree_index_read_plain(arena, SV(FOLDER), other, &index));
		assert_int_equal(read_slowly(arena, other, &index), STATUS_FAILED);
	}
	/* A file of the delivery of another cluster is not this one's to remove. */
	assert_true(sv_cut(text, SV("flux/prod/" FOLDER "/"), &before, &after));
	sv other = ARENA_CONCAT(arena, before, SV("flux/prod/other/"), after);
	struct tree_index index;

	assert_false(tree_index_read_plain(arena, SV(FOLDER), other, &index));
	assert_int_equal(read_slowly(arena, other, &index), STATUS_FAILED);
}

UNIT_TESTS(tree_index)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(is_read_as_it_was_written, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(knows_its_formats, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(may_have_little, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(names_may_need_escapes, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(readers_agree_on_damaged_files, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(readers_agree_on_moved_lines, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(paths_stay_in_their_folders, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
