/* git: the output folder in a work tree with changes that nobody has committed. */
#include "git_output_fixture.h"

static void brings_the_work_tree_back_in_step(void **state)
{
	struct fixture *f = *state;

	shell(f, "rm w/out/c1/one && git -C w rm -q --cached out/c1/two");
	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	put(f, output, "c1/one", "old1");
	put(f, output, "c1/two", "old2");
	struct git_output_result result = finish(f, output);
	assert_false(result.committed);
	assert_true(result.changed);
	assert_clean(f, "w");
}

static void keeps_uncommitted_work(void **state)
{
	struct fixture *f = *state;
	struct git_output_result result;
	struct git_commit_text overwrite = text;

	shell(f, "cd w && printf mine >out/c1/one && mkdir -p out/c2/deep/er && printf mine "
	         ">out/c2/deep/er/three");
	open_repo(f, "w");
	finish_fails(f, DIAG_GIT_IN_THE_WAY);
	assert_int_equal(f->sink.error_count, 2);
	assert_sv(shell(f, "cat w/out/c1/one w/out/c2/deep/er/three"), "minemine");
	struct git_source source = find(f, "HEAD");
	/* A tracked file may be overwritten with a warning, an untracked one never. */
	shell(f, "rm w/out/c2/deep/er/three");
	overwrite.overwrite_modified = true;
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	put_example(f, output);
	assert_int_equal(git_output_finish(&f->sink, output, &overwrite, &result), STATUS_OK);
	assert_int_equal(last_code(f), DIAG_GIT_OVERWRITTEN);
	git_output_free(output);
	assert_clean(f, "w");
}

/* An edit shows in the size alone, or in the time alone. */
static void keeps_work_of_one_mark(void **state)
{
	static const char *const edits[] = {
	    "printf longer >w/out/c1/one && touch -d 2020-01-01 w/out/c1/one",
	    "printf mine >w/out/c1/one && touch -d 2021-01-01 w/out/c1/one",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT_OF(edits); i++) {
		shell(f, "cd w && git checkout -q HEAD -- out && touch -d 2020-01-01 out/c1/one && "
		         "git update-index -q --refresh");
		shell(f, "%s", edits[i]);
		open_repo(f, "w");
		finish_fails(f, DIAG_GIT_IN_THE_WAY);
	}
}

static void keeps_staged_work(void **state)
{
	struct fixture *f = *state;

	shell(f,
	      "cd w && printf staged >out/c1/one && git add out/c1/one && printf old1 >out/c1/one");
	open_repo(f, "w");
	finish_fails(f, DIAG_GIT_IN_THE_WAY);
	/* Other staged changes are neither committed nor lost. */
	shell(f, "cd w && git checkout -q HEAD -- out && printf 'a: 3\\n' >in/a.yaml && git add "
	         "in/a.yaml && touch untracked");
	commit_example(f, "");
	assert_sv(shell(f, "git -C w status --porcelain"), "M  in/a.yaml\n?? untracked");
	assert_sv(shell(f, "git -C w show HEAD:in/a.yaml"), "a: 1");
}

static void follows_no_link_out_of_the_folder(void **state)
{
	struct fixture *f = *state;

	shell(f, "mkdir outside && ln -s ../../outside w/out/c2");
	open_repo(f, "w");
	finish_fails(f, DIAG_GIT_IN_THE_WAY);
	assert_sv(shell(f, "ls outside"), "");
	shell(f, "rm w/out/c2 && mkdir -p w/out/c1/sub/four");
	finish_fails(f, DIAG_GIT_IN_THE_WAY);
}

static void refuses_filtered_paths_and_warns_of_ignored_ones(void **state)
{
	struct fixture *f = *state;

	shell(f, "printf 'out/**/three filter=lfs\\n' >w/.gitattributes");
	open_repo(f, "w");
	finish_fails(f, DIAG_GIT_FILTERED);
	assert_sv(f->sink.diags.items[0]->help, "add a line to .gitattributes: out/** -filter");
	shell(f, "rm w/.gitattributes && printf 'out/\\n' >w/.gitignore && git -C w add .gitignore "
	         "&& git -C w commit -qm i");
	open_repo(f, "w");
	commit_example(f, "");
	assert_int_equal(last_code(f), DIAG_GIT_IGNORED);
	assert_clean(f, "w");
}

/* Each place where gitattributes(5) are read, alone. */
static void finds_filters_wherever_attributes_are(void **state)
{
	static const char *const places[] = {
	    "printf '[attr]big filter=lfs\\nout/**/three big\\n' >w/.gitattributes",
	    "mkdir -p w/out/c1 && printf 'sub/four filter=lfs\\n' >w/out/c1/.gitattributes",
	    "mkdir -p w/out/c1/sub && printf 'four working-tree-encoding=UTF-16\\n' "
	    ">w/out/c1/sub/.gitattributes",
	    "printf 'out/** filter=lfs\\n' >w/.gitattributes && git -C w add .gitattributes && "
	    "rm w/.gitattributes",
	    "mkdir -p w/.git/info && printf 'out/** filter=lfs\\n' >w/.git/info/attributes",
	    "printf 'out/** filter=lfs\\n' >w/.git/more && git -C w config core.attributesFile "
	    "\"$PWD/w/.git/more\"",
	    "mkdir -p w/out/c1/sub w/out/c2/deep/er && "
	    "for d in . $(cd w && find out -type d); do "
	    "echo '* filter=lfs' >w/$d/.gitattributes; done",
	    "{ yes '# a comment' | head -n 9000; echo 'out/** filter=lfs'; } >w/.gitattributes",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT_OF(places); i++) {
		shell(f, "%s", places[i]);
		open_repo(f, "w");
		finish_fails(f, DIAG_GIT_FILTERED);
		shell(f, "git -C w rm -q --cached --ignore-unmatch .gitattributes && "
		         "git -C w config --unset core.attributesFile; "
		         "find w -name .gitattributes -delete; rm -f w/.git/info/attributes");
	}
	shell(f, "printf '*.yaml diff=x linguist-generated\\n' >w/.gitattributes && "
	         "git -C w add .gitattributes && git -C w commit -qm a");
	open_repo(f, "w");
	commit_example(f, "");
	assert_clean(f, "w");
}

static void honours_sparse_checkouts(void **state)
{
	struct fixture *f = *state;

	shell(f, "git -C w sparse-checkout set --no-cone /in/");
	assert_sv(shell(f, "ls w"), "in");
	open_repo(f, "w");
	struct git_source source = find(f, "HEAD");
	struct git_output *output = begin(f, GIT_OUTPUT_COMMIT, "out", "", &source);
	put(f, output, "c1/one", "new1");
	finish(f, output);
	assert_clean(f, "w");
	assert_sv(shell(f, "ls w && git -C w show HEAD:out/c1/one"), "in\nnew1");
}

/*
 * "Racy git": an entry that is as new as the index may have been edited since. The index that is
 * written later must not make it look unchanged.
 */
static void keeps_edits_of_the_same_moment(void **state)
{
	struct fixture *f = *state;

	shell(f, "cd w && git config core.trustctime false && printf 'a: 2\\n' >in/a.yaml && "
	         "touch -d 2020-01-01 in/a.yaml && git add in/a.yaml && "
	         "printf 'a: 3\\n' >in/a.yaml && touch -d 2020-01-01 in/a.yaml .git/index");
	open_repo(f, "w");
	commit_example(f, "");
	assert_sv(shell(f, "git -C w status --porcelain"), "MM in/a.yaml");
}

static void refuses_a_commit_amid_a_merge(void **state)
{
	static const char *const begins[] = {
	    "git -C w rev-parse HEAD >w/.git/MERGE_HEAD",
	    "printf '100644 %s 1\\tin/a.yaml\\n' $(git -C w rev-parse HEAD:in/a.yaml) "
	    ">lines && git -C w update-index --index-info <lines",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT_OF(begins); i++) {
		shell(f, "%s", begins[i]);
		open_repo(f, "w");
		finish_fails(f, DIAG_GIT_UNFINISHED);
		shell(f, "rm -f w/.git/MERGE_HEAD && git -C w reset -q");
	}
	open_repo(f, "w");
	commit_example(f, "");
}

UNIT_TESTS(git_output_work_tree)
{
	const struct CMUnitTest tests[] = {
	    CASE(brings_the_work_tree_back_in_step),
	    CASE(keeps_uncommitted_work),
	    CASE(keeps_work_of_one_mark),
	    CASE(keeps_staged_work),
	    CASE(follows_no_link_out_of_the_folder),
	    CASE(refuses_filtered_paths_and_warns_of_ignored_ones),
	    CASE(finds_filters_wherever_attributes_are),
	    CASE(honours_sparse_checkouts),
	    CASE(keeps_edits_of_the_same_moment),
	    CASE(refuses_a_commit_amid_a_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
