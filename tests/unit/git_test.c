/* git: reading repositories of every shape. */
#include "git_fixture.h"

static const struct git_file *named(const struct git_files *files, const char *path)
{
	VEC_EACH (file, files)
		if (sv_eq_cstr(file->path, path))
			return file;
	return NULL;
}

static void assert_lists_inputs(struct fixture *f)
{
	static const char *const wanted[] = {"in/a.yaml", "in/sub/b.yaml", "link", "tool"};
	struct git_source source = find(f, "HEAD");
	struct git_files files;
	sv text;

	assert_int_equal(git_list(f->arena, &f->sink, f->repo, &source, SV("out"), &files),
	                 STATUS_OK);
	assert_int_equal(files.count, COUNT_OF(wanted));
	for (size_t i = 0; i < COUNT_OF(wanted); i++)
		assert_sv(files.items[i].path, wanted[i]);
	assert_int_equal(files.items[0].mode, GIT_MODE_FILE);
	assert_int_equal(files.items[2].mode, GIT_MODE_LINK);
	assert_int_equal(files.items[3].mode, GIT_MODE_EXECUTABLE);
	assert_int_equal(git_read(f->arena, &f->sink, f->repo, &files.items[1], 100, &text),
	                 STATUS_OK);
	assert_sv(text, "b: 2\n");
	assert_int_equal(git_read(f->arena, &f->sink, f->repo, &files.items[1], 4, &text),
	                 STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_IO);
}

static void reads_every_shape_of_checkout(void **state)
{
	struct fixture *f = *state;
	static const char *const shapes[] = {"w",        "bare.git", "shallow", "linked",
	                                     "detached", "w/.git",   "formats"};

	shell(f, "git -C w commit -q --allow-empty -m second");
	shell(f, "git clone -q --bare w bare.git");
	shell(f, "git clone -q --depth 1 file://$PWD/w shallow");
	shell(f, "git -C w worktree add -q ../linked -b other");
	shell(f, "git clone -q w detached && git -C detached checkout -q --detach");
	shell(
	    f,
	    "git clone -q w formats && cd formats && git config core.repositoryFormatVersion 1 && "
	    "git config extensions.worktreeConfig true && git config extensions.partialClone "
	    "origin");
	for (size_t i = 0; i < COUNT_OF(shapes); i++) {
		open_repo(f, shapes[i]);
		assert_lists_inputs(f);
		bool bare = strcmp(shapes[i], "bare.git") == 0;
		assert_int_equal(sv_empty(git_repo_worktree(f->repo)), bare);
	}
	open_repo(f, "linked");
	assert_true(sv_ends_with(git_repo_worktree(f->repo), SV("/linked")));
}

static void knows_the_commit(void **state)
{
	struct fixture *f = *state;

	shell(f, "git -C w tag -a -m tagged v1 && git -C w commit -q --allow-empty -m second");
	open_repo(f, "w");
	struct git_source source = find(f, "v1");
	assert_true(sv_eq(source.hex, shell(f, "git -C w rev-parse HEAD~")));
	assert_true(
	    sv_eq(git_id_hex(f->arena, source.tree), shell(f, "git -C w rev-parse HEAD^{tree}")));
	assert_int_equal(source.time, 1700000000);
	assert_int_equal(source.time_offset_minutes, 60);
	assert_true(sv_eq(find(f, "HEAD~1").hex, source.hex));
	struct git_id id;
	assert_true(git_id_parse(source.hex, &id) && git_id_equal(id, source.id));
	assert_false(git_id_parse(SV("g123456789012345678901234567890123456789"), &id));
	assert_false(git_id_parse(SV("0g23456789012345678901234567890123456789"), &id));
	assert_false(git_id_parse(SV("012345678901234567890123456789012345678"), &id));
	assert_true(sv_eq(git_id_hex(f->arena, git_id_of_blob(SV("a: 1\n"))),
	                  shell(f, "git -C w rev-parse HEAD:in/a.yaml")));
}

static void fails_to_open(struct fixture *f, const char *name, enum diag_code code)
{
	struct git_repo *repo = NULL;

	assert_int_equal(git_repo_open(f->arena, &f->sink, path_in(f, name), &repo), STATUS_FAILED);
	assert_null(repo);
	assert_int_equal(last_code(f), code);
	assert_int_equal(sink_exit_status(&f->sink), 3);
}

static void says_what_is_wrong_with_a_repository(void **state)
{
	struct fixture *f = *state;

	fails_to_open(f, "nothing", DIAG_GIT_REPOSITORY);
	assert_contains(f->sink.diags.items[0]->help, "give the root of a work tree");
	fails_to_open(f, "w/in", DIAG_GIT_REPOSITORY);
	sv help = f->sink.diags.items[f->sink.diags.count - 1]->help;
	assert_true(sv_ends_with(help, path_in(f, "w/")));
	shell(f, "git init -q --object-format=sha256 sha256");
	fails_to_open(f, "sha256", DIAG_GIT_FORMAT);
	shell(f, "git init -q reftable && cd reftable && "
	         "git config core.repositoryFormatVersion 1 && "
	         "git config extensions.refStorage reftable");
	fails_to_open(f, "reftable", DIAG_GIT_FORMAT);
	shell(f, "git init -q broken && echo '[core' >broken/.git/config");
	fails_to_open(f, "broken", DIAG_GIT_REPOSITORY);
}

static void says_which_commit_is_missing(void **state)
{
	struct fixture *f = *state;
	struct git_source source;

	shell(f, "git init -q -b main empty && git -C w commit -q --allow-empty -m 2");
	shell(f, "git clone -q --depth 1 file://$PWD/w shallow");
	open_repo(f, "empty");
	assert_int_equal(git_source_find(f->arena, &f->sink, f->repo, SV("HEAD"), &source),
	                 STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_GIT_COMMIT);
	assert_contains(f->sink.diags.items[0]->help, "--worktree");
	open_repo(f, "shallow");
	assert_int_equal(git_source_find(f->arena, &f->sink, f->repo, SV("HEAD~1"), &source),
	                 STATUS_FAILED);
	assert_contains(f->sink.diags.items[1]->help, "--unshallow");
	open_repo(f, "w");
	assert_int_equal(git_source_find(f->arena, &f->sink, f->repo, SV("HEAD:in"), &source),
	                 STATUS_FAILED);
	assert_int_equal(f->sink.error_count, 3);
}

static void says_when_a_blob_is_missing(void **state)
{
	struct fixture *f = *state;
	struct git_files files;
	sv text;

	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	assert_int_equal(git_list(f->arena, &f->sink, f->repo, &source, (sv){0}, &files),
	                 STATUS_OK);
	assert_int_equal(files.count, 7);
	shell(f, "cd w && o=$(git rev-parse HEAD:in/a.yaml) && "
	         "rm -f .git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-)");
	assert_int_equal(
	    git_read(f->arena, &f->sink, f->repo, named(&files, "in/a.yaml"), 100, &text),
	    STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_GIT_OBJECT);
	assert_contains(f->sink.diags.items[0]->text, "in/a.yaml");
	assert_contains(f->sink.diags.items[0]->help, "git fsck");
}

/* Each damages the blob in/a.yaml, whose file is $o; libgit2 itself waits for ever on some. */
static const char *const damages[] = {
    "truncate -s 0 $o",
    "truncate -s 1 $o",
    "truncate -s 3 $o",
    "truncate -s -1 $o",
    "truncate -s -5 $o",
    "echo >>$o",
    "echo garbage >$o",
    "printf 'blob 5\\000abcdef' | python3 -c "
    "'import sys, zlib; sys.stdout.buffer.write(zlib.compress(sys.stdin.buffer.read()))' >$o",
    "printf 'blob 9223372036854775807\\000abc' | python3 -c "
    "'import sys, zlib; sys.stdout.buffer.write(zlib.compress(sys.stdin.buffer.read()))' >$o",
    "rm $o && mkdir $o",
};

static void says_when_a_loose_object_is_damaged(void **state)
{
	struct fixture *f = *state;
	struct git_files files;
	sv text;

	for (size_t i = 0; i < COUNT_OF(damages); i++) {
		shell(f,
		      "rm -rf d && cp -r w d && cd d && o=$(git rev-parse HEAD:in/a.yaml) && "
		      "o=.git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-) && "
		      "chmod u+w $o && %s",
		      damages[i]);
		open_repo(f, "d");
		struct git_source source = find(f, "HEAD");
		assert_int_equal(git_list(f->arena, &f->sink, f->repo, &source, (sv){0}, &files),
		                 STATUS_OK);
		assert_int_equal(
		    git_read(f->arena, &f->sink, f->repo, named(&files, "in/a.yaml"), 100, &text),
		    STATUS_FAILED);
		assert_int_equal(last_code(f), DIAG_GIT_OBJECT);
		f->sink = sink_in(f->arena);
	}
}

static void says_when_the_commit_is_cut_off(void **state)
{
	struct fixture *f = *state;
	struct git_source source;
	/* By name, too: libgit2 would lose the reference's memory. */
	static const char *const names[] = {"HEAD", "main", "refs/heads/main", "main~1",
	                                    "HEAD@{0}"};
	sv id = shell(f, "cd w && git rev-parse HEAD");

	shell(f, "cd w && find .git/objects -type f -exec chmod u+w {} + -exec truncate -s 3 {} +");
	open_repo(f, "w");
	assert_int_equal(git_source_find(f->arena, &f->sink, f->repo, id, &source), STATUS_FAILED);
	id = sv_slice(id, 0, 9);
	assert_int_equal(git_source_find(f->arena, &f->sink, f->repo, id, &source), STATUS_FAILED);
	assert_diag_count(&f->sink, 2);
	assert_int_equal(last_code(f), DIAG_GIT_COMMIT);
	assert_contains(f->sink.diags.items[1]->text, "cut off");
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		assert_int_equal(
		    git_source_find(f->arena, &f->sink, f->repo, sv_from_cstr(names[i]), &source),
		    STATUS_FAILED);
		assert_int_equal(last_code(f), DIAG_GIT_COMMIT);
	}
}

static void reads_loose_objects_of_alternates(void **state)
{
	struct fixture *f = *state;
	struct git_files files;
	sv text;

	shell(f, "git clone -q --shared w one && git clone -q --shared one two && "
	         "echo ../../../one/.git/objects >two/.git/objects/info/alternates && "
	         "git -C two commit -q --allow-empty -m 2");
	open_repo(f, "two");
	struct git_source source =
	    find(f, arena_cstr(f->arena, shell(f, "git -C two rev-parse --short HEAD")));
	assert_int_equal(git_list(f->arena, &f->sink, f->repo, &source, (sv){0}, &files),
	                 STATUS_OK);
	assert_int_equal(files.count, 7);
	assert_int_equal(
	    git_read(f->arena, &f->sink, f->repo, named(&files, "in/a.yaml"), 100, &text),
	    STATUS_OK);
	assert_sv(text, "a: 1\n");
	/* The folder that is gone is named, here the one that the other borrows from. */
	shell(f, "mv w gone");
	open_repo(f, "two");
	source = find(f, "HEAD");
	assert_int_equal(git_list(f->arena, &f->sink, f->repo, &source, (sv){0}, &files),
	                 STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_GIT_ALTERNATE);
	assert_contains(f->sink.diags.items[0]->text,
	                arena_cstr(f->arena, path_in(f, "w/.git/objects")));
	assert_lacks(f->sink.diags.items[0]->text, "one/.git/objects");
}

/* A limit is the most that a file may have. */
static void tells_which_files_are_larger(void **state)
{
	struct fixture *f = *state;
	struct git_files committed;
	struct git_files on_disk;

	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	assert_int_equal(git_list(f->arena, &f->sink, f->repo, &source, (sv){0}, &committed),
	                 STATUS_OK);
	assert_int_equal(git_list_worktree(f->arena, &f->sink, f->repo, SV("out"), &on_disk),
	                 STATUS_OK);
	const struct git_file *files[] = {named(&committed, "in/a.yaml"),
	                                  named(&on_disk, "in/a.yaml")};
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		assert_true(git_is_larger(f->arena, f->repo, files[i], 4));
		assert_false(git_is_larger(f->arena, f->repo, files[i], 5));
	}
}

static void does_not_read_the_users_configuration(void **state)
{
	struct fixture *f = *state;
	struct git_files files;

	shell(f,
	      "printf '[core]\\n\\texcludesFile = %s/ignore\\n' >.gitconfig && mkdir git && "
	      "printf '*.yaml\\n' >git/ignore && printf '*.yaml\\n' >ignore && touch w/new.yaml",
	      f->folder);
	open_repo(f, "w");
	assert_int_equal(git_list_worktree(f->arena, &f->sink, f->repo, SV("out"), &files),
	                 STATUS_OK);
	assert_non_null(named(&files, "new.yaml"));
}

static void lists_the_work_tree(void **state)
{
	struct fixture *f = *state;
	struct git_files files;
	sv text;

	shell(
	    f,
	    "cd w && printf '*.tmp\\nignored/\\n' >.gitignore && mkdir ignored new && touch "
	    "ignored/x a.tmp "
	    "new/n.yaml && printf 'a: 9\\n' >in/a.yaml && rm in/sub/b.yaml && touch out/c1/new && "
	    "touch forced.tmp && git add -f forced.tmp");
	open_repo(f, "w");
	assert_int_equal(git_list_worktree(f->arena, &f->sink, f->repo, SV("out"), &files),
	                 STATUS_OK);
	static const char *const wanted[] = {".gitignore", "forced.tmp", "in/a.yaml",
	                                     "link",       "new/n.yaml", "tool"};
	assert_int_equal(files.count, COUNT_OF(wanted));
	for (size_t i = 0; i < COUNT_OF(wanted); i++)
		assert_sv(files.items[i].path, wanted[i]);
	assert_int_equal(
	    git_read(f->arena, &f->sink, f->repo, named(&files, "in/a.yaml"), 100, &text),
	    STATUS_OK);
	assert_sv(text, "a: 9\n");
	assert_int_equal(git_read(f->arena, &f->sink, f->repo, named(&files, "link"), 100, &text),
	                 STATUS_OK);
	assert_sv(text, "tool");
	assert_int_equal(named(&files, "tool")->mode, GIT_MODE_EXECUTABLE);
	shell(f, "mkdir w/o && touch w/o/x w/ox");
	assert_int_equal(git_list_worktree(f->arena, &f->sink, f->repo, SV("o"), &files),
	                 STATUS_OK);
	assert_null(named(&files, "o/x"));
	assert_non_null(named(&files, "ox"));
	shell(f, "git clone -q --bare w bare.git");
	open_repo(f, "bare.git");
	assert_int_equal(git_list_worktree(f->arena, &f->sink, f->repo, SV("out"), &files),
	                 STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_GIT_REPOSITORY);
}

static void tells_dirty_inputs(void **state)
{
	struct fixture *f = *state;
	struct git_files files;
	struct git_files dirty;

	shell(f, "cd w && printf 1 >in/same && printf 2 >in/staged && printf 3 >in/gone && git add "
	         "-A && "
	         "git commit -q -m 2");
	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	assert_int_equal(git_list(f->arena, &f->sink, f->repo, &source, SV("out"), &files),
	                 STATUS_OK);
	assert_int_equal(git_list_dirty(f->arena, &f->sink, f->repo, &files, &dirty), STATUS_OK);
	assert_int_equal(dirty.count, 0);
	/* Same size, same second: only the content differs. */
	shell(f, "cd w && printf 'a: 2\\n' >in/a.yaml && touch in/same && printf 9 >in/staged && "
	         "git add in/staged && "
	         "printf 2 >in/staged && rm in/gone && printf changed >out/c1/one");
	assert_int_equal(git_list_dirty(f->arena, &f->sink, f->repo, &files, &dirty), STATUS_OK);
	assert_int_equal(dirty.count, 3);
	assert_sv(dirty.items[0].path, "in/a.yaml");
	assert_sv(dirty.items[1].path, "in/gone");
	assert_sv(dirty.items[2].path, "in/staged");
	/* Another file of the same size and time has come to its place. */
	shell(f, "cd w && git checkout -q -f && touch -d 2020-01-01 in/a.yaml && git add -A && "
	         "touch -d 2020-01-02 .git/index && printf 'a: 2\n' >new && "
	         "touch -r in/a.yaml new && mv new in/a.yaml");
	open_repo(f, "w");
	assert_int_equal(git_list_dirty(f->arena, &f->sink, f->repo, &files, &dirty), STATUS_OK);
	assert_int_equal(dirty.count, 1);
	assert_sv(dirty.items[0].path, "in/a.yaml");
}

static void reports_submodules_and_lfs(void **state)
{
	struct fixture *f = *state;
	struct git_files files;
	sv text;

	shell(f, "cd w && git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),module "
	         "&& git commit -q -m m");
	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	assert_int_equal(git_list(f->arena, &f->sink, f->repo, &source, (sv){0}, &files),
	                 STATUS_OK);
	const struct git_file *module = named(&files, "module");
	assert_non_null(module);
	assert_int_equal(module->mode, GIT_MODE_SUBMODULE);
	assert_int_equal(git_read(f->arena, &f->sink, f->repo, module, 100, &text), STATUS_FAILED);
	assert_true(git_is_lfs_pointer(
	    SV("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")));
	assert_false(git_is_lfs_pointer(SV("version: https://git-lfs.github.com/spec/v1\n")));
	assert_false(git_is_lfs_pointer((sv){0}));
}

static void refuses_an_index_it_cannot_read(void **state)
{
	struct fixture *f = *state;
	struct git_files none = {0};
	struct git_files dirty;

	shell(f, "cd w && git update-index --split-index");
	open_repo(f, "w");
	assert_int_equal(git_list_dirty(f->arena, &f->sink, f->repo, &none, &dirty), STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_GIT_INDEX);
	assert_contains(f->sink.diags.items[0]->help, "--no-split-index");
}

static void lists_messages(void **state)
{
	struct fixture *f = *state;
	struct git_messages messages;
	struct git_source source;

	shell(f, "git init -q -b main m && cd m && git commit -q --allow-empty -m one && "
	         "git checkout -q -b side && git commit -q --allow-empty -m two && "
	         "git checkout -q main && git commit -q --allow-empty -m three && "
	         "git merge -q --no-ff -m four side");
	shell(f, "git clone -q --depth 2 file://$PWD/m shallow");
	open_repo(f, "m");
	assert_int_equal(git_source_find(f->arena, &f->sink, f->repo, SV("HEAD"), &source),
	                 STATUS_OK);
	git_list_messages(f->arena, f->repo, source.id, 50, &messages);
	/* Both sides of the merge, and their root once. */
	assert_int_equal(messages.count, 4);
	assert_sv(messages.items[0], "four\n");
	assert_sv(messages.items[1], "three\n");
	assert_sv(messages.items[2], "two\n");
	assert_sv(messages.items[3], "one\n");
	git_list_messages(f->arena, f->repo, source.id, 2, &messages);
	assert_int_equal(messages.count, 2);
	open_repo(f, "shallow");
	git_list_messages(f->arena, f->repo, source.id, 50, &messages);
	assert_int_equal(messages.count, 3);
	assert_int_equal(f->sink.error_count, 0);
}

/* What a folder held: each content once, newest first, also where it has gone since. */
static void lists_what_a_folder_held(void **state)
{
	struct fixture *f = *state;
	struct git_source source;
	struct git_names names;
	struct git_ids trees;
	sv text;

	shell(f,
	      "git init -q -b main m && cd m && mkdir -p a/out/c a/out/d && echo 1 > a/out/c/i && "
	      "echo d > a/out/d/i && git add . && git commit -q -m one && echo 2 > a/out/c/i && "
	      "git commit -q -am two && git commit -q --allow-empty -m same && "
	      "git rm -rq a/out/c && git commit -q -m three && git rm -rq a && "
	      "git commit -q --allow-empty -m gone && echo file > a && git add a && "
	      "git commit -q -m 'a file'");
	open_repo(f, "m");
	assert_int_equal(git_source_find(f->arena, &f->sink, f->repo, SV("HEAD"), &source),
	                 STATUS_OK);
	git_list_versions(f->arena, f->repo, source.id, SV("a/out"), 50, &trees);
	assert_int_equal(trees.count, 3);
	assert_false(git_read_below(f->arena, f->repo, trees.items[0], SV("c/i"), 10, &text));
	assert_true(git_read_below(f->arena, f->repo, trees.items[1], SV("c/i"), 10, &text));
	assert_sv(text, "2\n");
	assert_true(git_read_below(f->arena, f->repo, trees.items[2], SV("c/i"), 10, &text));
	assert_sv(text, "1\n");
	assert_true(git_read_below(f->arena, f->repo, trees.items[2], SV("c/i"), 2, &text));
	assert_false(git_read_below(f->arena, f->repo, trees.items[2], SV("c/i"), 1, &text));
	assert_false(git_read_below(f->arena, f->repo, trees.items[2], SV("c"), 10, &text));
	git_list_folders(f->arena, f->repo, trees.items[0], SV(""), &names);
	assert_int_equal(names.count, 1);
	assert_sv(names.items[0], "d");
	git_list_folders(f->arena, f->repo, trees.items[1], SV(""), &names);
	assert_int_equal(names.count, 2);
	git_list_folders(f->arena, f->repo, source.id, SV("c"), &names);
	assert_int_equal(names.count, 0);
	git_list_versions(f->arena, f->repo, source.id, SV("a"), 50, &trees);
	git_list_folders(f->arena, f->repo, trees.items[1], SV("out"), &names);
	assert_int_equal(names.count, 2);
	assert_sv(names.items[0], "c");
	git_list_folders(f->arena, f->repo, trees.items[1], SV("out/c/i"), &names);
	assert_int_equal(names.count, 0);
	/* No further than asked; nothing where there never was such a folder. */
	git_list_versions(f->arena, f->repo, source.id, SV("a/out"), 3, &trees);
	assert_int_equal(trees.count, 1);
	git_list_versions(f->arena, f->repo, source.id, SV("b"), 50, &trees);
	assert_int_equal(trees.count, 0);
	git_list_folders(f->arena, f->repo, source.id, SV(""), &names);
	assert_int_equal(names.count, 0);
	assert_int_equal(f->sink.error_count, 0);
}

/* A commit stands before its parents, however long the way to it is. */
static void lists_commits_before_their_parents(void **state)
{
	struct fixture *f = *state;
	struct git_commits commits;

	shell(f, "git init -q -b main m && cd m && git commit -q --allow-empty -m one && "
	         "git checkout -q -b side && git commit -q --allow-empty -m two && "
	         "git commit -q --allow-empty -m three && "
	         "git checkout -q main && git merge -q --no-ff -m four side && "
	         "git merge -q --allow-unrelated-histories -s ours -m five "
	         "$(git commit-tree -m six $(git write-tree))");
	shell(f, "git clone -q --depth 2 file://$PWD/m shallow");
	open_repo(f, "m");
	git_list_commits(f->arena, f->repo, find(f, "HEAD").id, 50, &commits);
	assert_int_equal(commits.count, 6);
	assert_false(commits.is_cut);
	assert_sv(commits.items[0].message, "five\n");
	assert_int_equal(commits.items[0].parent_count, 2);
	for (size_t i = 0; i < commits.count; i++)
		for (size_t p = 0; p < commits.items[i].parent_count; p++)
			for (size_t j = 0; j <= i; j++)
				assert_false(
				    git_id_equal(commits.items[j].id, commits.items[i].parents[p]));
	git_list_commits(f->arena, f->repo, find(f, "HEAD").id, 2, &commits);
	assert_int_equal(commits.count, 2);
	assert_true(commits.is_cut);
	open_repo(f, "shallow");
	git_list_commits(f->arena, f->repo, find(f, "HEAD").id, 50, &commits);
	assert_true(commits.is_cut);
	assert_true(commits.count < 6);
	git_list_commits(f->arena, f->repo, (struct git_id){0}, 50, &commits);
	assert_int_equal(commits.count, 0);
	assert_true(commits.is_cut);
	assert_int_equal(f->sink.error_count, 0);
}

static void looks_up_what_stands_at_a_path(void **state)
{
	struct fixture *f = *state;
	struct git_file file;

	open_repo(f, "w");
	struct git_id tree = find(f, "HEAD").tree;
	assert_true(git_look_up(f->arena, f->repo, tree, SV("in/sub/b.yaml"), &file));
	assert_int_equal(file.mode, GIT_MODE_FILE);
	assert_true(git_id_equal(file.id, git_id_of_blob(SV("b: 2\n"))));
	assert_true(git_look_up(f->arena, f->repo, tree, SV("tool"), &file));
	assert_int_equal(file.mode, GIT_MODE_EXECUTABLE);
	assert_true(git_look_up(f->arena, f->repo, tree, SV("link"), &file));
	assert_int_equal(file.mode, GIT_MODE_LINK);
	assert_true(git_look_up(f->arena, f->repo, tree, SV("in/sub"), &file));
	assert_false(git_look_up(f->arena, f->repo, tree, SV("in/none"), &file));
	assert_false(git_look_up(f->arena, f->repo, tree, SV("link/sub"), &file));
	assert_false(git_look_up(f->arena, f->repo, (struct git_id){0}, SV("in"), &file));
}

/* Of two trees all but one folder is compared: names, modes and contents, on each level. */
static void compares_trees_but_for_a_folder(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *change;
		bool differs; /* outside of out/c1 */
	} cases[] = {
	    {"true", false},
	    {"echo x >out/c1/one", false},
	    {"echo x >out/c1/new", false},
	    {"git rm -q -r out/c1", false},
	    {"echo x >out/strange", true},
	    {"echo x >out/new", true},
	    {"git rm -q out/strange", true},
	    {"git mv out/strange out/known", true},
	    {"echo x >in/a.yaml", true},
	    {"echo x >new", true},
	    {"chmod -x tool", true},
	    {"git mv tool tools", true},
	    {"git rm -q -r out && echo x >out", true},
	};

	open_repo(f, "w");
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		shell(f,
		      "cd w && git checkout -q --detach main && %s && git add -A && "
		      "git commit -q --allow-empty -m change",
		      cases[i].change);
		struct git_source one = find(f, "main");
		struct git_source other = find(f, "HEAD");

		if (git_differ_outside(f->arena, f->repo, one.tree, other.tree, SV("out/c1")) !=
		        cases[i].differs ||
		    git_differ_outside(f->arena, f->repo, other.tree, one.tree, SV("out/c1")) !=
		        cases[i].differs)
			fail_msg("%s", cases[i].change);
	}
	/* A folder that neither has, and a tree that cannot be read. */
	struct git_id tree = find(f, "main").tree;

	assert_false(git_differ_outside(f->arena, f->repo, tree, tree, SV("none/at/all")));
	assert_true(git_differ_outside(f->arena, f->repo, tree, (struct git_id){0}, SV("out")));
}

static void assert_reads_within(struct fixture *f, const struct git_files *files)
{
	struct git_file file = *named(files, "in/sub/b.yaml");
	sv text;

	assert_int_equal(git_read_within(f->arena, &f->sink, f->repo, SV(""), &file, 100, &text),
	                 STATUS_OK);
	assert_sv(text, "b: 2\n");
	file.path = SV("sub/b.yaml");
	assert_int_equal(git_read_within(f->arena, &f->sink, f->repo, SV("in"), &file, 100, &text),
	                 STATUS_OK);
	assert_sv(text, "b: 2\n");
}

/* The work tree serves only a file that is what was committed. */
static void reads_what_is_checked_out(void **state)
{
	struct fixture *f = *state;
	static const char *const edits[] = {
	    "echo 'b: 3' >w/in/sub/b.yaml",
	    "ln -sf ../a.yaml w/in/sub/b.yaml",
	    "rm w/in/sub/b.yaml",
	    "mkfifo w/in/sub/b.yaml",
	    "rm -r w/in/sub && ln -s . w/in/sub",
	};
	struct git_files files;
	sv text;

	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	assert_int_equal(git_list(f->arena, &f->sink, f->repo, &source, SV("out"), &files),
	                 STATUS_OK);
	shell(f, "cp -R w/.git objects");
	/* Without the blob, it can only come from the work tree. */
	shell(f, "cd w/.git && rm -f objects/$(git hash-object ../in/sub/b.yaml | "
	         "sed 's/^../&\\//')");
	open_repo(f, "w");
	assert_reads_within(f, &files);
	shell(f, "cp -R objects/objects/. w/.git/objects/");
	for (size_t i = 0; i < COUNT_OF(edits); i++) {
		shell(f, "%s", edits[i]);
		open_repo(f, "w");
		assert_reads_within(f, &files);
	}
	assert_int_equal(git_read_within(f->arena, &f->sink, f->repo, SV(""),
	                                 named(&files, "in/sub/b.yaml"), 4, &text),
	                 STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_IO);
}

UNIT_TESTS(git)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(reads_every_shape_of_checkout, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(reads_what_is_checked_out, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(knows_the_commit, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(says_what_is_wrong_with_a_repository, set_up,
	                                    tear_down),
	    cmocka_unit_test_setup_teardown(says_which_commit_is_missing, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(says_when_a_blob_is_missing, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(says_when_a_loose_object_is_damaged, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(says_when_the_commit_is_cut_off, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(reads_loose_objects_of_alternates, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(tells_which_files_are_larger, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(does_not_read_the_users_configuration, set_up,
	                                    tear_down),
	    cmocka_unit_test_setup_teardown(lists_messages, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(lists_what_a_folder_held, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(lists_commits_before_their_parents, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(looks_up_what_stands_at_a_path, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(compares_trees_but_for_a_folder, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(lists_the_work_tree, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(tells_dirty_inputs, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(reports_submodules_and_lfs, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(refuses_an_index_it_cannot_read, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
