/* git: the output as a plain folder, outside of any repository. */
#include "git_output_fixture.h"

static void writes_a_plain_folder(void **state)
{
	struct fixture *f = *state;
	struct git_output_result result;
	struct git_changes changes;
	const char *folder = arena_cstr(f->arena, path_in(f, "export/deep"));

	struct git_output *output = begin(f, GIT_OUTPUT_FOLDER, folder, "", NULL);
	put_example(f, output);
	git_output_free(output);
	assert_int_equal(os_kind(sv_from_cstr(folder)), OS_ABSENT);
	output = begin(f, GIT_OUTPUT_FOLDER, folder, "", NULL);
	put_example(f, output);
	put(f, output, "c1/two", "2");
	assert_int_equal(git_output_finish(&f->sink, output, NULL, &result), STATUS_OK);
	git_output_free(output);
	assert_int_equal(result.added_count, 4);
	shell(f, "find export -type f | sort | xargs ls -l --time-style=full-iso >before.txt && "
	         "test $(wc -l <before.txt) = 4");
	output = begin(f, GIT_OUTPUT_FOLDER, folder, "", NULL);
	put(f, output, "c1/one", "new1");
	put(f, output, "c1/two", "2");
	assert_int_equal(git_output_finish(&f->sink, output, NULL, &result), STATUS_OK);
	git_output_free(output);
	assert_false(result.changed || result.committed);
	shell(f,
	      "find export -type f | sort | xargs ls -l --time-style=full-iso | diff before.txt -");
	output = begin(f, GIT_OUTPUT_FOLDER, folder, "", NULL);
	put(f, output, "c1/one", "newer");
	git_output_remove(output, 0, SV("c2/deep/er/three"));
	git_output_changes(f->arena, output, &changes);
	assert_int_equal(changes.count, 2);
	assert_int_equal(git_output_finish(&f->sink, output, NULL, &result), STATUS_OK);
	git_output_free(output);
	assert_sv(shell(f, "cd export/deep && find . | sort | xargs && cat c1/one"),
	          ". ./c1 ./c1/one ./c1/sub ./c1/sub/four ./c1/two\nnewer");
}

/* A link to a folder, and a file, above a file that is not there. */
static void writes_through_no_link(void **state)
{
	static const char *const in_the_way[] = {"ln -s ../elsewhere export/c2",
	                                         "echo text >export/c2"};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT_OF(in_the_way); i++) {
		struct git_output_result result;

		f->sink = sink_in(f->arena);
		shell(f, "rm -rf export elsewhere && mkdir export elsewhere && %s", in_the_way[i]);
		struct git_output *output = begin(
		    f, GIT_OUTPUT_FOLDER, arena_cstr(f->arena, path_in(f, "export")), "", NULL);
		put_example(f, output);
		assert_int_equal(git_output_finish(&f->sink, output, NULL, &result), STATUS_FAILED);
		git_output_free(output);
		assert_int_equal(last_code(f), DIAG_GIT_IN_THE_WAY);
		assert_sv(shell(f, "ls elsewhere; find export -type f | grep -v c2 | cat"), "");
	}
}

static void run_folder_and_die(struct fixture *f, unsigned step)
{
	struct saboteur saboteur = {f, step, die};
	struct git_output *output =
	    begin(f, GIT_OUTPUT_FOLDER, arena_cstr(f->arena, path_in(f, "export")), "", NULL);
	struct git_output_result result;

	put(f, output, "a", "new");
	put(f, output, "b", "new");
	put(f, output, "c/d", "new");
	git_output_remove(output, 0, SV("e"));
	output->before_step = count_down;
	output->step_context = &saboteur;
	enum status status = git_output_finish(&f->sink, output, NULL, &result);
	git_output_free(output);
	_exit(status == STATUS_OK ? 0 : 1);
}

static void a_stopped_export_is_taken_back(void **state)
{
	struct fixture *f = *state;

	for (unsigned step = 0; step < 4; step++) {
		int status = 0;

		shell(
		    f,
		    "rm -rf export && mkdir export && cd export && printf old >a && printf old >e");
		run_in_child(f, run_folder_and_die, step, &status);
		assert_true(WIFSIGNALED(status));
		struct git_output *output = begin(
		    f, GIT_OUTPUT_FOLDER, arena_cstr(f->arena, path_in(f, "export")), "", NULL);
		assert_int_equal(git_output_previous(output)->count, 2);
		git_output_free(output);
		assert_sv(shell(f, "cd export && find . -mindepth 1 | sort | xargs && cat a e"),
		          "./a ./e\noldold");
	}
}

UNIT_TESTS(git_output_folder)
{
	const struct CMUnitTest tests[] = {
	    CASE(writes_a_plain_folder),
	    CASE(writes_through_no_link),
	    CASE(a_stopped_export_is_taken_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
