/* git: contents that one run saves in a pack, and that another one commits. */
#include "git_output_fixture.h"

static struct git_output *begin_saving(struct fixture *f, const struct git_source *source, sv path)
{
	struct git_output *output = NULL;
	const struct git_output_options options = {.mode = GIT_OUTPUT_COMPARE,
	                                           .folder = SV("out"),
	                                           .workers = 2,
	                                           .source = source,
	                                           .blobs = path};

	assert_int_equal(git_output_begin(f->arena, &f->sink, f->repo, &options, &output),
	                 STATUS_OK);
	return output;
}

static sv pack_path(struct fixture *f)
{
	return ARENA_CONCAT(f->arena, shell(f, "pwd"), SV("/saved.pack"));
}

static const char *const paths[] = {"c1/one", "c2/deep/er/three", "c1/sub/four", "strange"};

/* Saves the example and describes its files; the last one is as before. */
static void save_example(struct fixture *f, struct git_blob blobs[4])
{
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin_saving(f, &source, pack_path(f));

	put(f, output, "c1/one", "new1");
	put(f, output, "c2/deep/er/three", "new3");
	put(f, output, "c1/sub/four", "");
	sv strange = shell(f, "git -C w show HEAD:out/strange; echo .");
	put(f, output, "strange", arena_cstr(f->arena, sv_slice(strange, 0, strange.len - 1)));
	assert_int_equal(git_output_save(&f->sink, output), STATUS_OK);
	for (size_t i = 0; i < 4; i++)
		assert_true(git_output_find_blob(output, sv_from_cstr(paths[i]), &blobs[i]));
	assert_false(git_output_find_blob(output, SV("c1/never"), &blobs[0]));
	for (size_t i = 0; i < 4; i++)
		blobs[i].entry_digest = arena_dup(f->arena, blobs[i].entry_digest);
	git_output_free(output);
	assert_true(blobs[0].is_changed && !blobs[3].is_changed);
}

static void commits_what_another_run_saved(void **state)
{
	struct fixture *f = *state;
	struct git_blob blobs[4];
	struct git_entries *entries;
	struct git_output_result result;

	shell(f, "cp -r w other");
	open_repo(f, "other");
	struct git_output_result direct = commit_example(f, "");
	open_repo(f, "w");
	save_example(f, blobs);
	shell(f, "git -C w index-pack -o ../saved.idx ../saved.pack && git verify-pack saved.idx");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	assert_int_equal(git_entries_open(f->arena, &f->sink, pack_path(f), &entries), STATUS_OK);
	for (size_t i = 0; i < 4; i++) {
		sv entry = {0};

		if (blobs[i].is_changed)
			assert_true(git_entries_read(f->arena, entries, &blobs[i], &entry));
		assert_int_equal(git_output_put_entry(f->arena, &f->sink, output, 1,
		                                      sv_from_cstr(paths[i]), &blobs[i], entry),
		                 STATUS_OK);
	}
	git_entries_close(entries);
	git_output_remove(output, 0, SV("c1/two"));
	assert_int_equal(git_output_finish(&f->sink, output, &text, &result), STATUS_OK);
	git_output_free(output);
	assert_true(result.committed && git_id_equal(result.commit, direct.commit));
	assert_clean(f, "w");
	assert_sv(shell(f, "cd w && cat out/c1/one out/c2/deep/er/three"), "new1new3");
}

/* Puts one file of the example with this blob and entry, which must fail. */
static void assert_refused(struct fixture *f, const struct git_blob *blob, sv entry)
{
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);

	assert_int_equal(
	    git_output_put_entry(f->arena, &f->sink, output, 0, SV("c1/one"), blob, entry),
	    STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_GIT_OBJECT);
	git_output_free(output);
}

static void refuses_damaged_entries(void **state)
{
	struct fixture *f = *state;
	struct git_blob blobs[4];
	struct git_entries *entries;
	sv entry;

	open_repo(f, "w");
	save_example(f, blobs);
	assert_int_equal(git_entries_open(f->arena, &f->sink, pack_path(f), &entries), STATUS_OK);
	assert_true(git_entries_read(f->arena, entries, &blobs[0], &entry));
	struct git_blob other = blobs[0];
	other.offset = SIZE_MAX;
	assert_false(git_entries_read(f->arena, entries, &other, &entry));
	other = blobs[0];
	other.entry_bytes = 1 << 20;
	assert_false(git_entries_read(f->arena, entries, &other, &entry));
	other = blobs[0];
	other.entry_digest = blobs[1].entry_digest;
	assert_false(git_entries_read(f->arena, entries, &other, &entry));
	git_entries_close(entries);

	other = blobs[0];
	other.size_bytes++;
	assert_refused(f, &other, entry);
	other = blobs[0];
	other.is_changed = false;
	assert_refused(f, &other, entry);
	assert_refused(f, &blobs[0], SV(""));
	assert_refused(f, &blobs[0], sv_slice(entry, 0, entry.len - 1));
	assert_refused(f, &blobs[0], ARENA_CONCAT(f->arena, entry, SV("x")));
	/* A tree's header; a number that does not end; content that cannot be so large. */
	assert_refused(f, &blobs[0], SV("\x24rest"));
	assert_refused(f, &blobs[0], SV("\xb4\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"));
	other.is_changed = true;
	other.size_bytes = (size_t)4 << 20;
	assert_refused(f, &other, SV("\xb0\x80\x80\x10rest"));
	assert_clean(f, "w");
}

static void opens_regular_files_only(void **state)
{
	struct fixture *f = *state;
	struct git_entries *entries;

	shell(f, "mkfifo pipe && echo text >file && ln -s file link && mkdir folder");
	static const char *const names[] = {"pipe", "link", "folder", "absent"};
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		sv path = ARENA_CONCAT(f->arena, shell(f, "pwd"), SV("/"), sv_from_cstr(names[i]));

		assert_int_equal(git_entries_open(f->arena, &f->sink, path, &entries),
		                 STATUS_FAILED);
		assert_int_equal(last_code(f), DIAG_IO);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CASE(commits_what_another_run_saved),
	    CASE(refuses_damaged_entries),
	    CASE(opens_regular_files_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
