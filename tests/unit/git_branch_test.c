/* git: the shape of a branch, and refs that follow it. */
#include "git_fixture.h"
#include "git_open.h"

static struct git_id id_of(struct fixture *f, const char *rev)
{
	return find(f, rev).id;
}

static void finds_the_root_by_first_parents(void **state)
{
	struct fixture *f = *state;
	struct git_commit_info root = {0};

	shell(f, "git init -q -b main m && cd m && git commit -q --allow-empty -m one && "
	         "git commit -q --allow-empty -m two && git checkout -q --orphan other && "
	         "git commit -q --allow-empty -m another && git checkout -q main && "
	         "git merge -q --allow-unrelated-histories -s ours -m three other");
	shell(f, "git clone -q --depth 1 file://$PWD/m shallow");
	open_repo(f, "m");
	assert_false(git_find_root(f->arena, f->repo, id_of(f, "HEAD"), 2, &root));
	assert_true(git_find_root(f->arena, f->repo, id_of(f, "HEAD"), 3, &root));
	assert_sv(root.message, "one\n");
	assert_int_equal(root.parent_count, 0);
	assert_true(git_id_equal(root.id, id_of(f, "HEAD~2")));
	assert_true(git_id_equal(root.tree, find(f, "HEAD~2").tree));
	assert_true(git_find_root(f->arena, f->repo, id_of(f, "HEAD^2"), 1, &root));
	assert_sv(root.message, "another\n");
	open_repo(f, "shallow");
	assert_false(git_find_root(f->arena, f->repo, id_of(f, "HEAD"), 10, &root));
	assert_int_equal(f->sink.error_count, 0);
}

static void reads_a_commit(void **state)
{
	struct fixture *f = *state;
	struct git_commit_info commit;

	shell(f, "cd w && git commit -q --allow-empty -m two && "
	         "git cat-file commit HEAD | sed 's/^committer.*/&\\ngpgsig x/' >../signed && "
	         "git tag signed $(git hash-object -t commit -w ../signed)");
	open_repo(f, "w");
	assert_true(git_read_commit(f->arena, f->repo, id_of(f, "HEAD"), &commit));
	assert_false(commit.is_signed);
	assert_int_equal(commit.parent_count, 1);
	assert_true(git_id_equal(commit.parents[0], id_of(f, "HEAD~")));
	assert_true(git_read_commit(f->arena, f->repo, id_of(f, "signed"), &commit));
	assert_true(commit.is_signed);
	assert_sv(commit.message, "two\n");
	assert_false(git_read_commit(f->arena, f->repo, (struct git_id){0}, &commit));
	assert_false(git_read_commit(f->arena, f->repo, find(f, "HEAD").tree, &commit));
}

static void finds_the_base(void **state)
{
	struct fixture *f = *state;
	struct git_id base;

	shell(f, "cd w && git checkout -q -b side && git commit -q --allow-empty -m side && "
	         "git checkout -q main && git commit -q --allow-empty -m two && "
	         "git checkout -q --orphan other && git commit -q --allow-empty -m other");
	open_repo(f, "w");
	assert_true(git_find_base(f->repo, id_of(f, "main"), id_of(f, "side"), &base));
	assert_true(git_id_equal(base, id_of(f, "main~")));
	assert_true(git_find_base(f->repo, id_of(f, "main~"), id_of(f, "side"), &base));
	assert_true(git_id_equal(base, id_of(f, "main~")));
	assert_false(git_find_base(f->repo, id_of(f, "main"), id_of(f, "other"), &base));
}

static void looks_at_a_branch(void **state)
{
	static const struct {
		const char *prepare; /* each adds to those before */
		const char *branch;
		bool is_default;
		const char *remote;
	} cases[] = {
	    {"git branch a/b", "main", true, ""},
	    {"true", "a/b", false, ""},
	    {"true", "mai", false, ""},
	    {"git update-ref refs/remotes/origin/main HEAD", "main", true, "origin/main"},
	    {"git update-ref refs/remotes/origin/x/main HEAD && git update-ref refs/remotes/b HEAD",
	     "b", false, ""},
	    {"git update-ref refs/remotes/up/a/b HEAD", "a/b", false, "up/a/b"},
	    {"git symbolic-ref refs/remotes/up/HEAD refs/remotes/up/a/b", "a/b", true, "up/a/b"},
	    {"true", "x/main", false, "origin/x/main"},
	    {"git symbolic-ref refs/remotes/up/HEAD refs/remotes/origin/x/main", "x/main", false,
	     "origin/x/main"},
	    {"git checkout -q --detach", "main", false, "origin/main"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct git_branch_look look;

		shell(f, "cd w && %s", cases[i].prepare);
		open_repo(f, "w");
		git_look_at_branch(f->arena, f->repo, sv_from_cstr(cases[i].branch), &look);
		if (look.is_default != cases[i].is_default ||
		    !sv_eq_cstr(look.remote, cases[i].remote))
			fail_msg("%s, %s: %d, %.*s", cases[i].prepare, cases[i].branch,
			         look.is_default, SV_ARG(look.remote));
	}
}

/* ---- versions of a folder ---------------------------------------------------------------- */

struct visits {
	size_t count;
	size_t most; /* then the walk ends */
};

static bool visit(void *context, struct git_id tree)
{
	struct visits *visits = context;

	(void)tree;
	return ++visits->count < visits->most;
}

static void walks_over_versions(void **state)
{
	static const struct {
		size_t max, most;
		bool is_whole;
		size_t count;
	} cases[] = {{4, 9, true, 3}, {2, 9, false, 2}, {9, 2, true, 2}, {9, 9, true, 3}};
	struct fixture *f = *state;

	/* Four commits; the folder has three versions, of which the third one is the first again.
	 */
	shell(f,
	      "cd w && for i in 2 3 1; do printf old$i >out/c1/one; printf $i >in/a.yaml; "
	      "git commit -qam $i; done; git tag last && printf x >in/a.yaml && git commit -qam x");
	open_repo(f, "w");
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct visits visits = {.most = cases[i].most};

		assert_int_equal(git_walk_versions(f->arena, f->repo, find(f, "last").id, SV("out"),
		                                   cases[i].max, visit, &visits),
		                 cases[i].is_whole);
		assert_int_equal(visits.count, cases[i].count);
	}
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(git_branch)
{
	const struct CMUnitTest tests[] = {
	    CASE(finds_the_root_by_first_parents),
	    CASE(reads_a_commit),
	    CASE(finds_the_base),
	    CASE(looks_at_a_branch),
	    CASE(walks_over_versions),
	};

	return cmocka_run_group_tests(tests, git_open, git_close);
}
