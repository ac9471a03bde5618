/*
 * Operating systems as documents: those inside the program, and the mistakes of others.
 */
#include "gardener/internal.h"

#include "texts.h"

/* ---- those inside ------------------------------------------------------------------------ */

static void embedded_documents_are_right(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct gardener_systems systems;

	(void)state;
	int status = gardener_system_embedded(arena, &sink, &systems);
	assert_diag_count(&sink, 0);
	assert_int_equal(status, STATUS_OK);
	assert_true(systems.count > 3);
	for (size_t i = 1; i < systems.count; i++)
		assert_true(sv_cmp(gardener_system_name(systems.items[i - 1]),
		                   gardener_system_name(systems.items[i])) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(embedded_documents_are_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
