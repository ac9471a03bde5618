/* The time that all runs of kustomize share. */
#include "asserts.h"

#include "kustomize/internal.h"
#include "os/os.h"

static void test_runs_share_their_time(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	/* Any program that does not end by itself. */
	struct kustomize_program program = {.path = SV("/bin/sleep"), .left_ms = 50};
	const sv arguments[] = {SV("1000")};
	struct os_ended ended;

	(void)state;
	os_hold_signals();
	/* The second run finds nothing left. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(kustomize_run(arena, &sink, &program, SV("/"), arguments,
		                               COUNT_OF(arguments), &ended),
		                 STATUS_OK);
		assert_int_equal(ended.exceeded, OS_EXCEEDED_TIME);
		assert_int_equal(program.left_ms, 0);
	}
}

UNIT_TESTS(kustomize_time)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_runs_share_their_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
