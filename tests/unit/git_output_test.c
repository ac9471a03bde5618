/* git: the output folder and its commit, in repositories of every shape. */
#include "git_output_fixture.h"

static void commits_in_the_work_tree(void **state)
{
	struct fixture *f = *state;
	sv before = shell(f, "git -C w rev-parse HEAD");

	open_repo(f, "w");
	struct git_output_result result = commit_example(f, "");
	assert_true(result.committed && result.changed);
	assert_int_equal(result.added_count, 2);
	assert_int_equal(result.changed_count, 1);
	assert_int_equal(result.removed_count, 1);
	assert_true(
	    sv_eq(git_id_hex(f->arena, result.commit), shell(f, "git -C w rev-parse main")));
	assert_true(sv_eq(before, shell(f, "git -C w rev-parse main~")));
	assert_clean(f, "w");
	assert_sv(shell(f, "cd w && echo $(git ls-tree -r --name-only HEAD out)"), EXAMPLE_TREE);
	assert_sv(shell(f, "cd w && cat out/c1/one out/c2/deep/er/three"), "new1new3");
	assert_sv(shell(f, "stat -c %%a w/out/c1/one w/out/c2/deep"), "644\n755");
	/* Everything outside the folder is the same tree entry. */
	assert_sv(shell(f, "git -C w diff --stat HEAD~ HEAD -- . ':!out'"), "");
	assert_sv(shell(f, "cd w && git ls-tree HEAD link tool | cut -c1-6"), "120000\n100755");
	assert_sv(shell(f, "git -C w log -1 --format='%%an <%%ae> %%ad %%cd|%%cn|%%B' --date=raw"),
	          "osm-gen <osm-gen@localhost> 1700000000 +0100 1700000000 "
	          "+0100|osm-gen|osm-gen: test\n\nbody");
	assert_sv(shell(f, "git -C w reflog -1 --format='%%gd %%gs %%gn'"),
	          "HEAD@{0} commit: osm-gen: test osm-gen");
	shell(f, "cd w && git verify-pack .git/objects/pack/*.idx && git gc -q && git fsck --full "
	         "--strict");
}

/* Git sorts a folder as if its name ended in "/", which comes after "." and before "0". */
static void sorts_names_as_git_does(void **state)
{
	static const char *const paths[] = {"c1-a/x", "c1.y", "c1/z", "c10", "c1+/x", "c"};
	struct fixture *f = *state;

	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	for (size_t i = 0; i < COUNT_OF(paths); i++)
		put(f, output, paths[i], "text");
	finish(f, output);
	assert_clean(f, "w");
	assert_sv(shell(f, "cd w && git ls-tree --name-only HEAD out/ | cut -c5- | paste -sd ' '"),
	          "c c1+ c1-a c1.y c1 c10 strange");
}

/* An executable file of the output becomes a plain one, in the commit and on disk. */
static void gives_files_their_mode(void **state)
{
	struct fixture *f = *state;

	shell(f, "cd w && chmod +x out/c1/one && git commit -q -a -m executable");
	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	put(f, output, "c1/one", arena_cstr(f->arena, shell(f, "cat w/out/c1/one")));
	struct git_output_result result = finish(f, output);
	assert_true(result.committed);
	assert_sv(shell(f, "git -C w ls-tree HEAD out/c1/one | cut -c1-6"), "100644");
	assert_sv(shell(f, "git -C w ls-files -s out/c1/one | cut -c1-6"), "100644");
	assert_clean(f, "w");
}

/* A clone without a checkout has no index. */
static void commits_without_an_index(void **state)
{
	struct fixture *f = *state;

	shell(f, "git clone -q -n w clone && test ! -e clone/.git/index");
	open_repo(f, "clone");
	assert_true(commit_example(f, "").committed);
	assert_sv(shell(f, "cd clone && echo $(git ls-tree -r --name-only HEAD out)"),
	          EXAMPLE_TREE);
	assert_sv(shell(f, "git -C clone status --porcelain out/c1/one out/c2"), "");
}

/* Files are moved within one file system, so the stage is in the work tree. */
static void commits_where_git_is_on_another_disk(void **state)
{
	struct fixture *f = *state;

	if (try_shell(f, "mkdir disk && mount -t tmpfs -o size=8m,mode=755 none disk") != 0)
		skip();
	shell(f, "git clone -q --separate-git-dir disk/git w clone");
	open_repo(f, "clone");
	bool committed = commit_example(f, "").committed;
	sv status = shell(f, "git -C clone status --porcelain --untracked-files=all");
	sv files = shell(f, "cd clone && cat out/c1/one out/c2/deep/er/three");
	git_repo_close(f->repo);
	f->repo = NULL;
	shell(f, "umount disk");
	assert_true(committed);
	assert_sv(status, "");
	assert_sv(files, "new1new3");
}

/* Without a work tree only the commit says that a file is above the output's folder. */
static void names_what_is_above_the_folder(void **state)
{
	struct fixture *f = *state;
	struct git_output_result result;

	shell(f, "cd w && echo text >deep && git add deep && git commit -q -m deep && cd .. && "
	         "git clone -q --bare w bare.git");
	open_repo(f, "bare.git");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "deep/er/out", "", &source);
	put(f, output, "c1/one", "new1");
	assert_int_equal(git_output_finish(&f->sink, output, &text, &result), STATUS_FAILED);
	git_output_free(output);
	assert_int_equal(last_code(f), DIAG_GIT_COMMITTED_IN_THE_WAY);
	assert_sv(f->sink.diags.items[0]->at.source->path, "deep");
}

static void gives_the_same_commit_everywhere(void **state)
{
	struct fixture *f = *state;
	static const char *const shapes[] = {"w", "bare.git", "shallow", "linked", "detached"};
	sv id = {0};

	shell(f, "git -C w commit -q --allow-empty -m second");
	shell(f, "git clone -q --bare w bare.git && git clone -q --depth 1 file://$PWD/w shallow");
	shell(f, "git clone -q w detached && git -C detached checkout -q --detach");
	shell(f, "git -C w worktree add -q ../linked -b other");
	for (size_t i = 0; i < COUNT_OF(shapes); i++) {
		open_repo(f, shapes[i]);
		struct git_output_result result = commit_example(f, "");

		assert_true(result.committed);
		sv here = shell(f, "git -C %s rev-parse HEAD", shapes[i]);
		if (i == 0)
			id = here;
		assert_true(sv_eq(here, id));
		if (strcmp(shapes[i], "bare.git") != 0)
			assert_clean(f, shapes[i]);
		shell(f, "git -C %s fsck --full --strict", shapes[i]);
	}
	assert_sv(shell(f, "git -C detached symbolic-ref -q HEAD || echo detached"), "detached");
	assert_sv(shell(f, "git -C linked symbolic-ref HEAD"), "refs/heads/other");
	shell(f, "git -C detached rev-parse main && test $(git -C detached rev-parse main) != %.*s",
	      SV_ARG(id));
	/* The remote takes what a shallow clone made. */
	shell(f, "git -C shallow push -q origin HEAD:refs/heads/pushed");
	assert_true(sv_eq(shell(f, "git -C w rev-parse pushed"), id));
}

static void second_run_changes_nothing(void **state)
{
	struct fixture *f = *state;

	open_repo(f, "w");
	struct git_output_result first = commit_example(f, "");
	shell(f, "find w/.git/objects w/out -type f | sort | xargs ls -l --time-style=full-iso "
	         ">before.txt");
	struct git_output_result second = commit_example(f, "");
	assert_false(second.committed || second.changed);
	assert_true(git_id_equal(first.commit, second.commit));
	shell(f, "find w/.git/objects w/out -type f | sort | xargs ls -l --time-style=full-iso | "
	         "diff before.txt -");
	assert_clean(f, "w");
}

static void commits_on_another_branch(void **state)
{
	struct fixture *f = *state;

	open_repo(f, "w");
	struct git_output_result result = commit_example(f, "generated");
	assert_true(result.committed);
	assert_true(
	    sv_eq(shell(f, "git -C w rev-parse generated~"), shell(f, "git -C w rev-parse main")));
	assert_clean(f, "w");
	assert_sv(shell(f, "cat w/out/c1/one"), "old1");
	/* The next commit continues from the tip of the branch, and keeps its files. */
	shell(f, "cd w && printf 'a: 2\\n' >in/a.yaml && git commit -qam second");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "generated", &source);
	put(f, output, "c1/one", "newer");
	result = finish(f, output);
	assert_sv(shell(f, "git -C w rev-list --count generated"), "3");
	assert_sv(shell(f, "git -C w show generated:out/c2/deep/er/three "
	                   "generated:out/c1/one generated:in/a.yaml"),
	          "new3newera: 1");
	/* A branch that is checked out elsewhere, or whose name is wrong, is refused. */
	shell(f, "git -C w worktree add -q ../linked generated");
	struct git_output_options options = {
	    .folder = SV("out"), .branch = SV("generated"), .workers = 1, .source = &source};
	assert_int_equal(git_output_begin(f->arena, &f->sink, f->repo, &options, &output),
	                 STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_GIT_BRANCH);
	options.branch = SV("a..b");
	assert_int_equal(git_output_begin(f->arena, &f->sink, f->repo, &options, &output),
	                 STATUS_FAILED);
	assert_int_equal(f->sink.error_count, 2);
	options =
	    (struct git_output_options){.folder = SV("out/../.."), .workers = 1, .source = &source};
	assert_int_equal(git_output_begin(f->arena, &f->sink, f->repo, &options, &output),
	                 STATUS_FAILED);
	assert_int_equal(last_code(f), DIAG_GIT_PATH);
}

static void compares_and_tells_changes(void **state)
{
	struct fixture *f = *state;
	struct git_changes changes;
	sv bytes;

	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMPARE, "./out/", "", &source);
	assert_int_equal(git_output_previous(output)->count, 3);
	assert_null(git_output_find(output, SV("c1/none")));
	assert_int_equal(git_output_read(f->arena, &f->sink, output,
	                                 git_output_find(output, SV("c1/two")), 10, &bytes),
	                 STATUS_OK);
	assert_sv(bytes, "old2");
	put_example(f, output);
	put(f, output, "strange", "keep");
	git_output_changes(f->arena, output, &changes);
	assert_int_equal(changes.count, 4);
	assert_sv(changes.items[0].path, "c1/one");
	assert_int_equal(changes.items[0].kind, GIT_CHANGED);
	assert_true(git_id_equal(changes.items[0].new_id, git_id_of_blob(SV("new1"))));
	assert_int_equal(changes.items[1].kind, GIT_ADDED);
	assert_int_equal(changes.items[2].kind, GIT_REMOVED);
	git_output_free(output);
	assert_clean(f, "w");
	assert_sv(shell(f, "ls w/.git/objects/pack"), "");
}

/* What a worker put last, and nothing else. */
static void tells_whether_a_file_has_changed(void **state)
{
	struct fixture *f = *state;

	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMPARE, "out", "", &source);
	assert_false(git_output_has_changed(output, 1, SV("c1/one")));
	put(f, output, "c1/one", "new1");
	assert_true(git_output_has_changed(output, 1, SV("c1/one")));
	assert_false(git_output_has_changed(output, 1, SV("c1/two")));
	assert_false(git_output_has_changed(output, 0, SV("c1/one")));
	put(f, output, "c1/two", "old2");
	assert_false(git_output_has_changed(output, 1, SV("c1/one")));
	assert_false(git_output_has_changed(output, 1, SV("c1/two")));
	git_output_free(output);
}

/* Folders that get empty go; the tree of a commit without files is there all the same. */
static void removes_the_last_file(void **state)
{
	struct fixture *f = *state;
	struct git_files files;

	shell(f, "cd w && git rm -rq in link tool out/strange out/c1/two && git commit -qm less");
	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	git_output_remove(output, 0, SV("c1/one"));
	struct git_output_result result = finish(f, output);
	assert_true(result.committed);
	assert_sv(shell(f, "git -C w rev-parse HEAD^{tree}"),
	          "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
	assert_sv(shell(f, "git -C w cat-file --batch-all-objects --batch-check | "
	                   "grep -c '^4b825dc642cb6eb9a060e54bf8d69288fbee4904 tree 0'"),
	          "1");
	open_repo(f, "w");
	source = find(f, "HEAD");
	assert_int_equal(git_list(f->arena, &f->sink, f->repo, &source, (sv){0}, &files),
	                 STATUS_OK);
	assert_int_equal(files.count, 0);
	assert_clean(f, "w");
	assert_sv(shell(f, "ls w"), "");
}

/* A commit has the time of the one that its inputs are from. */
static void keeps_the_time_zone(void **state)
{
	static const char *const dates[] = {"1600000000 +0559", "1600000000 -0330",
	                                    "1600000000 -0030", "1600000000 +1400"};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT_OF(dates); i++) {
		shell(f,
		      "cd w && git reset -q --hard main~0 && "
		      "GIT_COMMITTER_DATE='%s' git commit -q --allow-empty -m x",
		      dates[i]);
		open_repo(f, "w");
		struct git_source source = find(f, "HEAD");
		struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);

		put(f, output, "c1/one", dates[i]);
		finish(f, output);
		sv written = shell(f, "git -C w log -1 --format='%%ad %%cd' --date=raw");
		assert_sv(written, arena_cstr(f->arena,
		                              arena_printf(f->arena, "%s %s", dates[i], dates[i])));
	}
}

static void refuses_authors_that_git_refuses(void **state)
{
	static const struct {
		sv name, email, message;
	} cases[] = {
	    {SV_INIT(""), SV_INIT("a@b"), SV_INIT("m\n")},
	    {SV_INIT("A <a>"), SV_INIT("a@b"), SV_INIT("m\n")},
	    {SV_INIT("A\nB"), SV_INIT("a@b"), SV_INIT("m\n")},
	    {SV_INIT("A"), SV_INIT("a>b"), SV_INIT("m\n")},
	    {SV_INIT("A"), SV_INIT("a@b"), SV_INIT("m\0\n")},
	};
	struct fixture *f = *state;

	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
		const struct git_commit_text wrong = {.author_name = cases[i].name,
		                                      .author_email = cases[i].email,
		                                      .message = cases[i].message};
		struct git_output_result result;

		put_example(f, output);
		f->sink = sink_in(f->arena);
		assert_int_equal(git_output_finish(&f->sink, output, &wrong, &result),
		                 STATUS_FAILED);
		assert_int_equal(last_code(f), DIAG_GIT_WRITE);
		assert_contains(f->sink.diags.items[0]->text, "git does not allow that author");
		git_output_free(output);
	}
	assert_clean(f, "w");
}

/* ---- signed commits ---------------------------------------------------------------------- */

/* A program that signs: it makes the commit with another tree, parent, message, or signature. */
struct signer {
	struct fixture *f;
	const char *edit; /* a sed script for the commit that is asked for, with its signature */
};

static enum status sign(struct sink *sink, void *context, const struct git_commit_draft *draft,
                        struct git_id *ret_commit)
{
	const struct signer *signer = context;
	struct fixture *f = signer->f;
	sv parent =
	    ARENA_CONCAT(f->arena, SV("parent "), git_id_hex(f->arena, draft->parent), SV("\n"));
	sv commit = ARENA_CONCAT(f->arena, SV("tree "), git_id_hex(f->arena, draft->tree), SV("\n"),
	                         draft->is_root ? SV("") : parent, SV("author A <a@b> "),
	                         draft->date, SV("\ncommitter A <a@b> "), draft->date,
	                         SV("\ngpgsig x\n\n"), draft->text->message);

	assert_int_equal(os_write_file(sink, path_in(f, "draft"), commit, OS_WRITE_PLAIN),
	                 STATUS_OK);
	sv hex = shell(f, "sed '%s' draft >made && git -C w hash-object -t commit -w ../made",
	               signer->edit);
	assert_true(git_id_parse(hex, ret_commit));
	return STATUS_OK;
}

static void checks_signed_commits(void **state)
{
	static const char *const edits[] = {"",           "/^gpgsig/d",   "1s/.*/tree TREE/",
	                                    "/^parent/d", "2s/.*/&\\n&/", "s/^body/nobody/"};
	struct fixture *f = *state;

	open_repo(f, "w");
	const char *tree = arena_cstr(f->arena, shell(f, "git -C w rev-parse HEAD^{tree}"));
	for (size_t i = COUNT_OF(edits); i-- > 0;) {
		struct git_source source = find(f, "HEAD");
		struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
		struct git_output_result result;
		struct signer signer = {f, edits[i]};
		struct git_commit_text signed_text = text;

		if (strstr(edits[i], "TREE"))
			signer.edit =
			    arena_cstr(f->arena, arena_printf(f->arena, "1s/.*/tree %s/", tree));
		signed_text.sign = sign;
		signed_text.sign_context = &signer;
		put_example(f, output);
		f->sink = sink_in(f->arena);
		if (git_output_finish(&f->sink, output, &signed_text, &result) !=
		    (i == 0 ? STATUS_OK : STATUS_FAILED))
			fail_msg("%s", edits[i]);
		git_output_free(output);
		if (i > 0)
			assert_int_equal(last_code(f), DIAG_COMMIT_SIGN);
		assert_clean(f, "w");
	}
	assert_sv(shell(f, "git -C w cat-file commit HEAD | grep -c gpgsig"), "1");
	assert_sv(shell(f, "cat w/out/c1/one"), "new1");
}

/* core.logAllRefUpdates of git-config(1): in a bare repository no log is made by itself. */
static void makes_reflogs_as_git_does(void **state)
{
	static const struct {
		bool bare;
		const char *prepare;
		const char *logs;
	} cases[] = {
	    {false, "true", "HEAD refs/heads/new"},
	    {false, "git config core.logAllRefUpdates true", "HEAD refs/heads/new"},
	    {false, "git config core.logAllRefUpdates always", "HEAD refs/heads/new"},
	    {false, "git config core.logAllRefUpdates false", ""},
	    {true, "true", ""},
	    {true, "git config core.logAllRefUpdates false", ""},
	    {true, "git config core.logAllRefUpdates true", "HEAD refs/heads/new"},
	    {true, "git config core.logAllRefUpdates always", "HEAD refs/heads/new"},
	    {true, "mkdir -p logs/refs/heads && touch logs/refs/heads/new", "refs/heads/new"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *where = cases[i].bare ? "again" : "again/.git";

		shell(f,
		      "rm -rf again && git clone -q %s w again && cd %s && "
		      "git symbolic-ref HEAD refs/heads/new && git branch new main && "
		      "rm -rf logs && %s",
		      cases[i].bare ? "--bare" : "--no-local", where, cases[i].prepare);
		open_repo(f, "again");
		commit_example(f, "");
		sv logs = shell(f,
		                "cd %s && find logs -type f -size +0 2>/dev/null | "
		                "sed s,logs/,, | sort | tr '\n' ' '",
		                where);
		if (!sv_eq_cstr(sv_trim_space(logs), cases[i].logs))
			fail_msg("%s: %.*s", cases[i].prepare, SV_ARG(logs));
		if (logs.len > 0)
			assert_sv(shell(f, "cd %s && git log -g -1 --format=%%gs new", where),
			          "commit: osm-gen: test");
	}
}

static void refuses_bad_paths(void **state)
{
	struct fixture *f = *state;
	static const char *const bad[] = {"",          "/a",          "a/",       "a//b", "../x",
	                                  "a/../../x", ".git/config", "a/.GIT/x", "a\nb", "./a"};

	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_int_equal(git_output_put(&f->sink, output, 0, sv_from_cstr(bad[i]),
		                                &(struct git_content){.bytes = SV("x")}),
		                 STATUS_FAILED);
	assert_int_equal(f->sink.error_count, COUNT_OF(bad));
	assert_int_equal(last_code(f), DIAG_GIT_PATH);
	git_output_free(output);
	assert_clean(f, "w");
}

/* ---- many files, many workers ------------------------------------------------------------ */

struct many {
	struct fixture *f;
	struct git_output *output;
	struct sink sinks[4];
	struct arena *arenas[4];
};

static void put_one(void *context, size_t index, unsigned worker)
{
	struct many *many = context;
	struct arena *arena = many->arenas[worker];
	struct buf bytes = buf_in(arena);

	/* Every third content is another's: the pack must have each object once. */
	size_t content = index % 3 == 0 ? index / 9 : index;
	for (size_t i = 0; i < 40; i++)
		buf_printf(&bytes, "%zu %zu%s", content, i * content, i % 2 ? "\n" : " ");
	if (index % 2)
		buf_add_repeat(&bytes, 'A', 3000);
	/* Files c1.x and c1-x beside folder c1: git sorts a folder as if its name ended in '/'. */
	static const char *const middles[] = {"/f", ".x", "-x", "/d"};
	sv path = arena_printf(arena, "c%zu%s%zu%s", index % 17, middles[index % 4], index,
	                       index % 4 == 3 ? "/x" : "");
	assert_int_equal(git_output_put(&many->sinks[worker], many->output, worker, path,
	                                &(struct git_content){.bytes = buf_sv(&bytes)}),
	                 STATUS_OK);
}

static void many_workers_make_one_pack(void **state)
{
	struct fixture *f = *state;
	struct git_output_result result;
	struct many many = {.f = f};
	struct git_output_options options = {
	    .mode = GIT_OUTPUT_COMMIT, .folder = SV("generated/tree"), .workers = 4};

	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	options.source = &source;
	assert_int_equal(git_output_begin(f->arena, &f->sink, f->repo, &options, &many.output),
	                 STATUS_OK);
	for (size_t i = 0; i < 4; i++) {
		many.arenas[i] = arena_new(ARENA_PLAIN);
		many.sinks[i] = sink_in(many.arenas[i]);
	}
	os_parallel(2000, 4, put_one, &many);
	assert_int_equal(git_output_finish(&f->sink, many.output, &text, &result), STATUS_OK);
	git_output_free(many.output);
	for (size_t i = 0; i < 4; i++)
		arena_free(many.arenas[i]);
	assert_int_equal(result.added_count, 2000);
	assert_clean(f, "w");
	assert_sv(shell(f, "ls w/.git/objects/pack | wc -l"), "2");
	assert_sv(shell(f, "git -C w ls-files generated | wc -l"), "2000");
	shell(f, "cd w/.git/objects/pack && cat *.idx | git show-index | cut -d' ' -f2 >ids && "
	         "test -s ids && test $(sort -u ids | wc -l) = $(wc -l <ids) && rm ids");
	/* git itself, adding the same files, gets the same tree. */
	sv tree = shell(f, "git -C w rev-parse HEAD^{tree}");
	shell(f, "cd w && rm .git/index && git add -A");
	assert_true(sv_eq(shell(f, "git -C w write-tree"), tree));
}

/* A folder that was listed before is not listed again, unless the branch has another tree now. */
static void takes_a_listing_of_the_same_tree(void **state)
{
	struct fixture *f = *state;
	struct git_output *output;

	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	struct git_file one = {.path = SV("c1/one"), .mode = GIT_MODE_FILE};
	struct git_files listed = {.items = &one, .count = 1};
	struct git_output_options options = {.mode = GIT_OUTPUT_COMPARE,
	                                     .folder = SV("out"),
	                                     .workers = 1,
	                                     .source = &source,
	                                     .listed = &listed,
	                                     .listed_tree = source.tree};

	for (int same = 1; same >= 0; same--) {
		assert_int_equal(git_output_begin(f->arena, &f->sink, f->repo, &options, &output),
		                 STATUS_OK);
		assert_int_equal(git_output_previous(output)->count, same ? 1 : 3);
		assert_true((git_output_find(output, SV("c1/one")) == &one) == same);
		assert_true((git_output_find(output, SV("strange")) != NULL) != same);
		git_output_free(output);
		shell(f, "cd w && echo %d >in/new && git add -A && git commit -q -m new", same);
	}
	options.listed_tree = find(f, "HEAD").tree;
	listed.count = 0;
	assert_int_equal(git_output_begin(f->arena, &f->sink, f->repo, &options, &output),
	                 STATUS_OK);
	assert_int_equal(git_output_previous(output)->count, 3);
	git_output_free(output);
}

UNIT_TESTS(git_output)
{
	const struct CMUnitTest tests[] = {
	    CASE(commits_in_the_work_tree),
	    CASE(sorts_names_as_git_does),
	    CASE(gives_files_their_mode),
	    CASE(commits_without_an_index),
	    CASE(names_what_is_above_the_folder),
	    CASE(commits_where_git_is_on_another_disk),
	    CASE(gives_the_same_commit_everywhere),
	    CASE(second_run_changes_nothing),
	    CASE(commits_on_another_branch),
	    CASE(compares_and_tells_changes),
	    CASE(takes_a_listing_of_the_same_tree),
	    CASE(refuses_bad_paths),
	    CASE(many_workers_make_one_pack),
	    CASE(tells_whether_a_file_has_changed),
	    CASE(removes_the_last_file),
	    CASE(makes_reflogs_as_git_does),
	    CASE(keeps_the_time_zone),
	    CASE(checks_signed_commits),
	    CASE(refuses_authors_that_git_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
