/* git: contents that one run saves in a pack, and that another one commits. */
#include "git_output_fixture.h"

#include "codec/codec.h"

#include <fcntl.h>

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

/* A text of `size` bytes that hardly compresses, and begins with `first`. */
static sv noise(struct fixture *f, uint32_t seed, const char *first, size_t size)
{
	struct buf buf = buf_in(f->arena);
	uint32_t state = seed;

	buf_add(&buf, sv_from_cstr(first));
	while (buf.len < size) {
		state = state * 1664525 + 1013904223;
		buf_add_char(&buf, (char)(' ' + (state >> 24) % 95));
	}
	return buf_sv(&buf);
}

/* What a run has saved. */
struct example {
	struct git_saved saved;
	struct git_blob files[4]; /* by path; the last one is as before */
	struct git_blobs changed;
};

/* Saves the example; its first file and the third have `size` bytes and are nearly the same. */
static void save_example(struct fixture *f, size_t size, struct example *ret_example)
{
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin_saving(f, &source, pack_path(f));
	struct example example = {0};

	put(f, output, "c1/one", arena_cstr(f->arena, noise(f, 1, "1", size)));
	put(f, output, "c2/deep/er/three", arena_cstr(f->arena, noise(f, 2, "3", size)));
	put(f, output, "c1/sub/four", arena_cstr(f->arena, noise(f, 1, "4", size)));
	sv strange = shell(f, "git -C w show HEAD:out/strange; echo .");
	put(f, output, "strange", arena_cstr(f->arena, sv_slice(strange, 0, strange.len - 1)));
	assert_int_equal(git_output_save(&f->sink, output, &example.saved), STATUS_OK);
	for (size_t i = 0; i < COUNT_OF(paths); i++)
		assert_true(
		    git_output_find_blob(output, sv_from_cstr(paths[i]), &example.files[i]));
	static const char *const others[] = {"", "a", "c1", "c1/never", "zzz"};
	for (size_t i = 0; i < COUNT_OF(others); i++) {
		struct git_blob blob;

		assert_false(git_output_find_blob(output, sv_from_cstr(others[i]), &blob));
	}
	for (size_t i = 0; i < COUNT_OF(paths); i++)
		if (example.files[i].is_changed)
			VEC_PUSH(f->arena, &example.changed, example.files[i]);
	assert_int_equal(example.changed.count, 3);
	example.saved.digest = arena_dup(f->arena, example.saved.digest);
	git_output_free(output);
	*ret_example = example;
}

/* Begins a commit that takes the pack. Returns false if it has other bytes. */
static bool takes(struct fixture *f, const struct example *example, struct git_output **ret_output)
{
	struct git_source *source = ARENA_NEW(f->arena, struct git_source);
	bool is_saved = false;

	*source = find(f, "HEAD"); /* it must outlive the output */
	*ret_output = begin(f, GIT_OUTPUT_COMMIT, "out", "", source);
	git_output_expect_packs(*ret_output, 1);
	assert_int_equal(git_output_take_pack(&f->sink, *ret_output, 0, pack_path(f),
	                                      &example->saved, &example->changed, &is_saved),
	                 STATUS_OK);
	return is_saved;
}

static enum status put_blob(struct fixture *f, struct git_output *output, const char *path,
                            const struct git_blob *blob)
{
	return git_output_put_blob(f->arena, &f->sink, output, 1, sv_from_cstr(path), blob, 0);
}

static unsigned long long count_open_files(void)
{
	unsigned long long count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* Returns the commit of a run that takes the example of that size. */
static struct git_id commit_saved(struct fixture *f, size_t size)
{
	struct git_output *output;
	struct example example;

	save_example(f, size, &example);
	unsigned long long open_files = count_open_files();
	shell(f, "git -C w index-pack --strict -o ../saved.idx ../saved.pack && git verify-pack "
	         "saved.idx");
	assert_true(takes(f, &example, &output));
	for (size_t i = 0; i < COUNT_OF(paths); i++)
		assert_int_equal(put_blob(f, output, paths[i], &example.files[i]), STATUS_OK);
	git_output_remove(output, 0, SV("c1/two"));
	struct git_output_result result = finish(f, output);
	assert_true(count_open_files() <= open_files);
	assert_true(result.committed);
	/* Without the trailer of the run's own pack. */
	assert_sv(
	    shell(f, "du -bc w/.git/objects/pack/*.pack | tail -1 | cut -f1"),
	    arena_cstr(f->arena, arena_printf(f->arena, "%llu",
	                                      (unsigned long long)result.written_bytes + 20)));
	assert_clean(f, "w");
	shell(f, "git -C w fsck --strict");
	return result.commit;
}

/* The commit of a run that puts the same. */
static struct git_id commit_directly(struct fixture *f, size_t size)
{
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);

	put(f, output, "c1/one", arena_cstr(f->arena, noise(f, 1, "1", size)));
	put(f, output, "c2/deep/er/three", arena_cstr(f->arena, noise(f, 2, "3", size)));
	put(f, output, "c1/sub/four", arena_cstr(f->arena, noise(f, 1, "4", size)));
	git_output_remove(output, 0, SV("c1/two"));
	struct git_output_result result = finish(f, output);
	return result.commit;
}

static void commits_a_small_pack(void **state)
{
	enum { SIZE = 20000 };
	struct fixture *f = *state;

	shell(f, "cp -r w other");
	open_repo(f, "other");
	struct git_id direct = commit_directly(f, SIZE);
	open_repo(f, "w");
	assert_true(git_id_equal(commit_saved(f, SIZE), direct));
	assert_sv(shell(f, "ls w/.git/objects/pack/*.pack | wc -l"), "1");
	assert_sv(shell(f, "diff -r w/out other/out"), "");
}

/* The pack becomes one of the repository's; its second large file is a difference. */
static void commits_a_large_pack(void **state)
{
	enum { SIZE = 260000 };
	struct fixture *f = *state;

	shell(f, "cp -r w other");
	open_repo(f, "other");
	struct git_id direct = commit_directly(f, SIZE);
	open_repo(f, "w");
	assert_true(git_id_equal(commit_saved(f, SIZE), direct));
	assert_sv(shell(f, "ls w/.git/objects/pack/*.pack | wc -l"), "2");
	assert_sv(shell(f, "for p in w/.git/objects/pack/*.pack; do cmp -s $p saved.pack && echo "
	                   "same; done; true"),
	          "same");
	assert_sv(shell(f, "git verify-pack -v saved.idx | grep '^chain'"),
	          "chain length = 1: 1 object");
	assert_sv(shell(f, "diff -r w/out other/out; ls w/.git/objects/pack | grep tmp || true"),
	          "");
}

static void refuses_other_packs(void **state)
{
	static const size_t sizes[] = {20000, 260000};
	struct fixture *f = *state;
	struct git_output *output;
	struct example example;

	open_repo(f, "w");
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		save_example(f, sizes[i], &example);
		struct example other = example;
		other.saved.size_bytes++;
		assert_false(takes(f, &other, &output));
		git_output_free(output);
		other = example;
		other.saved.digest = arena_dup(f->arena, noise(f, 1, "", 32));
		assert_false(takes(f, &other, &output));
		git_output_free(output);
		/* Entries that are not those of the pack. */
		other = example;
		other.changed.count--;
		assert_false(takes(f, &other, &output));
		git_output_free(output);
		assert_sv(shell(f, "ls w/.git/objects/pack 2>/dev/null | wc -l"), "0");
		shell(f, "chmod u+w saved.pack");
	}
}

/* A pack whose digest is right, but which git could not read. */
static void refuses_other_headers(void **state)
{
	static const char *const changes[] = {"printf X | dd bs=1 seek=3",
	                                      "printf '\\003' | dd bs=1 seek=7",
	                                      "printf '\\002' | dd bs=1 seek=11"};
	struct fixture *f = *state;
	struct git_output *output;
	struct example example;

	open_repo(f, "w");
	for (size_t i = 0; i < COUNT_OF(changes); i++) {
		save_example(f, 20000, &example);
		shell(f, "chmod u+w saved.pack && %s conv=notrunc of=saved.pack", changes[i]);
		sv hex = shell(f, "sha256sum saved.pack | cut -d' ' -f1");
		assert_true(hex_decode(f->arena, hex, &example.saved.digest));
		assert_false(takes(f, &example, &output));
		git_output_free(output);
	}
}

/* Puts one file of the example, which must fail. */
static void assert_refused(struct fixture *f, struct git_output *output,
                           const struct git_blob *blob)
{
	assert_int_equal(put_blob(f, output, "c1/one", blob), STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_GIT_OBJECT);
}

static void refuses_other_blobs(void **state)
{
	struct fixture *f = *state;
	struct git_output *output;
	struct example example;

	open_repo(f, "w");
	save_example(f, 20000, &example);
	assert_true(takes(f, &example, &output));
	struct git_blob other = example.files[0];
	other.size_bytes++;
	assert_refused(f, output, &other);
	other = example.files[0];
	other.is_changed = false;
	assert_refused(f, output, &other);
	other = example.files[0];
	other.offset++;
	assert_refused(f, output, &other);
	other = example.files[0];
	other.id = example.files[1].id;
	assert_refused(f, output, &other);
	git_output_free(output);
	assert_clean(f, "w");
}

static void takes_regular_files_only(void **state)
{
	static const char *const names[] = {"pipe", "link", "folder", "absent"};
	const struct git_saved saved = {.size_bytes = 100, .digest = noise(*state, 1, "", 32)};
	const struct git_blobs none = {0};
	struct fixture *f = *state;

	shell(f, "mkfifo pipe && echo text >file && ln -s file link && mkdir folder");
	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	git_output_expect_packs(output, COUNT_OF(names));
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		sv path = ARENA_CONCAT(f->arena, shell(f, "pwd"), SV("/"), sv_from_cstr(names[i]));
		bool is_saved;

		assert_int_equal(
		    git_output_take_pack(&f->sink, output, i, path, &saved, &none, &is_saved),
		    STATUS_FAILED);
		assert_int_equal(last_code(f), DIAG_IO);
	}
	git_output_free(output);
}

/* A killed run leaves its pack and copies of others, which the next one removes. */
static void clears_what_was_left(void **state)
{
	struct fixture *f = *state;

	shell(f, "cd w/.git && mkdir -p osm-gen objects/pack && cd objects/pack && "
	         "touch tmp_pack_osm-gen-7-0 tmp_pack_osm-gen-7-0-1 tmp_pack_osm-gen-7-0-12.idx "
	         "tmp_pack_osm-gen-7-01 && printf 'osm-gen run 1\\nboot x\\npack "
	         "tmp_pack_osm-gen-7-0\\n' >../../osm-gen/run-7-0");
	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	git_output_free(begin(f, GIT_OUTPUT_COMMIT, "out", "", &source));
	assert_sv(shell(f, "ls w/.git/objects/pack"), "tmp_pack_osm-gen-7-01");
}

UNIT_TESTS(git_entries)
{
	const struct CMUnitTest tests[] = {
	    CASE(commits_a_small_pack),  CASE(commits_a_large_pack),     CASE(refuses_other_packs),
	    CASE(refuses_other_blobs),   CASE(takes_regular_files_only), CASE(clears_what_was_left),
	    CASE(refuses_other_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
